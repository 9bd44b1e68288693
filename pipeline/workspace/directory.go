package workspace

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"payonce/checkpoint"
	"payonce/checkpoint/badgerstore"
	"payonce/checkpoint/pgstore"
	"payonce/pipeline/problem"
)

// sandboxDir is the directory of the journals of the embedded service.
const sandboxDir = "sandbox"

// Dir returns the directory of the journal. A workspace has one journal for all its services, so that one
// budget bounds them and no answer is bought twice. The journal is in the directory that is named after the
// address of one of the services, whichever exists. If none exists, it will be that of the first service that
// has an address. The embedded service has a directory of its own.
func (o Options) Dir() (string, error) {
	if o.Sandbox {
		return filepath.Join(o.Journal.State, sandboxDir, o.Journal.Name), nil
	}
	if o.Journal.Shared != "" { // for files of this machine
		name, err := pgstore.NameOf(o.Journal.Shared)
		if err != nil {
			return "", OpenError(err)
		}
		return filepath.Join(o.Journal.State, name, o.Journal.Name), nil
	}
	names, err := o.serviceNames()
	if err != nil {
		return "", err
	}
	var found []string
	for _, name := range names {
		dir := followed(filepath.Join(o.Journal.State, name, o.Journal.Name))
		exists, err := badgerstore.Exists(dir)
		if err != nil {
			return "", problem.Coded("state_unreadable", "whether there is a journal cannot be seen: %w", err)
		}
		if exists && !slices.Contains(found, dir) {
			found = append(found, dir)
		}
	}
	switch len(found) {
	case 0:
		return followed(filepath.Join(o.Journal.State, names[0], o.Journal.Name)), nil
	case 1:
		return found[0], nil
	}
	return "", problem.Coded("two_journals",
		"the workspace %q has two journals: %s and %s. A workspace has one, because each of two would buy what the other has",
		o.Journal.Name, found[0], found[1])
}

// serviceNames returns the directories that may hold the journal, below that of all journals, the one for a
// new journal first.
func (o Options) serviceNames() (names []string, err error) {
	for _, of := range o.Services {
		if of.BaseURL == "" {
			continue
		}
		own, ok := namesOf(of.BaseURL)
		if !ok {
			return nil, o.badAddress(of)
		}
		names = append(names, own...)
	}
	if len(names) == 0 {
		return nil, problem.Coded("not_connected", "the service has no address")
	}
	return names, nil
}

// namesOf returns the directories that are named after an address; false where it is none of a service.
func namesOf(address string) ([]string, bool) {
	canonical, ok := checkpoint.CanonicalBaseURL(address)
	base, err := url.Parse(canonical)
	if !ok || err != nil {
		return nil, false
	}
	names := []string{directoryName(base.Hostname(), canonical)}
	// Earlier programs named the directory after the address as it was written.
	written, err := url.Parse(strings.TrimRight(address, "/"))
	if err == nil && written.Host != "" {
		hashed := strings.ToLower(written.Scheme+"://"+written.Host) + written.EscapedPath()
		if earlier := directoryName(written.Hostname(), hashed); earlier != names[0] {
			names = append(names, earlier)
		}
	}
	return names, true
}

func directoryName(host, address string) string {
	hash := sha256.Sum256([]byte(address))
	return host + "-" + hex.EncodeToString(hash[:4])
}

// followed returns the directory that a link of linkNames stands for, and any other as it is. The directory
// need not exist.
func followed(dir string) string {
	target, err := os.Readlink(dir)
	if err != nil {
		return dir
	}
	if !filepath.IsAbs(target) {
		target = filepath.Join(filepath.Dir(dir), target)
	}
	return target
}

// linkNames links the other directories that may hold the journal to the one that does. From then on the
// journal is also found when only one of the addresses is given.
func (o Options) linkNames() error {
	addresses := 0
	for _, of := range o.Services {
		if of.BaseURL != "" {
			addresses++
		}
	}
	if o.Sandbox || o.Journal.Shared != "" || addresses < 2 {
		return nil
	}
	dir, err := o.Dir()
	if err != nil {
		return err
	}
	names, err := o.serviceNames()
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := link(filepath.Join(o.Journal.State, name, o.Journal.Name), dir); err != nil {
			return fmt.Errorf("the journal's other name: %w", err)
		}
	}
	_, err = o.Dir() // which another process may have begun in the meantime
	return err
}

// link makes a link to a directory. An empty directory in its place is removed.
func link(name, dir string) error {
	if name == dir || followed(name) == dir {
		return nil
	}
	parent := filepath.Dir(name)
	target, err := filepath.Rel(parent, dir)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return problem.Coded("state_not_writable", "%w", err)
	}
	err = os.Symlink(target, name)
	if info, statErr := os.Lstat(name); errors.Is(err, fs.ErrExist) && statErr == nil && info.IsDir() {
		if err = os.Remove(name); err == nil { // it was empty
			err = os.Symlink(target, name)
		}
	}
	if err != nil {
		return problem.Coded("state_not_writable", "%w", err)
	}
	return nil
}
