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

// isSecret is the form of a secret: at least 22 letters, digits, - and _, which need no escape in a path.
var isSecret = regexp.MustCompile(`^[A-Za-z0-9_-]{22,200}$`)

// SecretFile returns the name of the file with the secret of a receiver.
func SecretFile(dir string) string { return filepath.Join(dir, secretName) }

// Secret returns the secret in the path of a receiver from its directory. It creates a secret when there is none, and
// replaces it when another is true. The error wraps fs.ErrPermission when other users can read the file.
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
		err = nil // another process was faster; use its secret
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
		return "", fmt.Errorf("other users of this machine can read the secret in %s: %w", path, fs.ErrPermission)
	}
	secret := strings.TrimSpace(string(text))
	if !isSecret.MatchString(secret) {
		return "", fmt.Errorf("%s does not have a secret of 22 to 200 letters, digits, - and _", path)
	}
	return secret, nil
}
