package spool

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"payonce/io/atomicfile"
)

const secretName = "path-secret"

// secretBytes is how many random bytes a new secret has.
const secretBytes = 32

// isSecret is the form of a secret: letters that stand for themselves in a path, 128 random bits or more.
var isSecret = regexp.MustCompile(`^[A-Za-z0-9_-]{22,200}$`)

// SecretFile returns the file that keeps the secret of a receiver in its directory.
func SecretFile(dir string) string { return filepath.Join(dir, secretName) }

// Secret returns the secret of the path of a receiver, which the directory keeps. It makes a secret when there is none,
// and when a new one is asked for. A file that others can read is an error, which wraps fs.ErrPermission.
func Secret(dir string, another bool) (string, error) {
	path := SecretFile(dir)
	if !another {
		secret, err := readSecret(path)
		if !errors.Is(err, fs.ErrNotExist) {
			return secret, err
		}
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	random := make([]byte, secretBytes)
	_, _ = rand.Read(random)                              // never fails
	fresh, err := os.CreateTemp(dir, "."+secretName+"-*") // with the mode 0600
	if err != nil {
		return "", err
	}
	defer os.Remove(fresh.Name())
	_, err = fresh.WriteString(base64.RawURLEncoding.EncodeToString(random) + "\n")
	if err := errors.Join(err, fresh.Sync(), fresh.Close()); err != nil {
		return "", err
	}
	if another {
		err = os.Rename(fresh.Name(), path)
	} else if err = os.Link(fresh.Name(), path); errors.Is(err, fs.ErrExist) {
		err = nil // another process was faster, and its secret counts
	}
	if err := errors.Join(err, atomicfile.SyncDirectory(dir)); err != nil {
		return "", err
	}
	return readSecret(path)
}

func readSecret(path string) (string, error) {
	text, err := atomicfile.ReadSmall(path)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if info.Mode().Perm()&0o077 != 0 {
		return "", fmt.Errorf("others of this machine can read the secret in %s: %w", path, fs.ErrPermission)
	}
	secret := strings.TrimSpace(string(text))
	if !isSecret.MatchString(secret) {
		return "", fmt.Errorf("%s has no secret of 22 to 200 letters, digits, - and _", path)
	}
	return secret, nil
}
