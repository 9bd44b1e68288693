package badgerstore

import (
	"errors"
	"os"
	"path/filepath"
)

func writeAt(file *os.File, text string) error {
	_, err := file.WriteAt([]byte(text), 0)
	return err
}

// writeSynced writes a small file, whole or not at all, so that it and its name
// survive a crash.
func writeSynced(path, text string) error {
	fresh := path + ".new"
	file, err := os.OpenFile(fresh, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = file.WriteString(text)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	return errors.Join(os.Rename(fresh, path), syncDir(filepath.Dir(path)))
}

// syncDir makes the names in a directory survive a crash.
func syncDir(path string) error { return syncPath(path) }

// syncPath syncs a file or a directory.
func syncPath(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}
