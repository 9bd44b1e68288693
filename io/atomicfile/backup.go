// This file keeps earlier versions of a file beside it: FILE.~1 is the newest, FILE.~2 the one before.

package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrNoVersion says that no earlier version of a file is kept.
var ErrNoVersion = errors.New("no earlier version is kept")

// VersionName returns the name of a kept version of a file, from 1.
func VersionName(path string, version int) string { return fmt.Sprintf("%s.~%d", path, version) }

// KeepVersion keeps the file at path as version 1. Older versions get the next number, and those above most
// are removed. The file stays at path too, so that no reader finds it missing. It returns the name.
func KeepVersion(path string, most int) (kept string, err error) {
	if most < 1 {
		return "", fmt.Errorf("backup: %d versions of %s cannot be kept", most, path)
	}
	if err := makeRoom(path, most); err != nil {
		return "", err
	}
	kept = VersionName(path, 1)
	if err := os.Link(path, kept); err == nil {
		return kept, nil
	}
	// The file system has no hard links.
	return kept, copyFile(path, kept)
}

// makeRoom moves the versions up to the first free number, the last one first. A crash leaves a gap
// and removes nothing.
func makeRoom(path string, most int) error {
	free := 1
	for ; free <= most; free++ {
		if _, err := os.Lstat(VersionName(path, free)); errors.Is(err, fs.ErrNotExist) {
			break
		} else if err != nil {
			return err
		}
	}
	if free > most {
		free = most // its file is replaced by the next rename, or removed here when there is only one
		if most == 1 {
			return os.Remove(VersionName(path, 1))
		}
	}
	for version := free - 1; version >= 1; version-- {
		if err := os.Rename(VersionName(path, version), VersionName(path, version+1)); err != nil {
			return err
		}
	}
	return nil
}

// copyFile copies a file with its mode.
func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	out, err := Create(to, info.Mode().Perm())
	if err != nil {
		return err
	}
	defer out.Discard()
	if _, err := io.Copy(out, in); err != nil {
		return err
	}
	return out.Commit()
}

// RestoreVersion exchanges the file at path with version 1, so that a second call undoes the first. When
// there is no file at path, version 1 becomes it. It returns ErrNoVersion without a version 1.
func RestoreVersion(path string) error {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target // as atomicfile replaces it
	}
	kept := VersionName(path, 1)
	if _, err := os.Lstat(kept); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %w", path, ErrNoVersion)
	} else if err != nil {
		return err
	}
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return os.Rename(kept, path)
	}
	present := path + ".~0" // until version 1 is in place
	if err := os.Remove(present); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Link(path, present); err != nil {
		if err := copyFile(path, present); err != nil {
			return err
		}
	}
	if err := os.Rename(kept, path); err != nil {
		return err
	}
	return os.Rename(present, kept)
}
