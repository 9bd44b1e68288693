package checkpoint

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// LockedError says that another process holds the journal.
type LockedError struct {
	Dir    string
	Holder string // what the other process said of itself; may be empty
}

func (e *LockedError) Error() string {
	holder := e.Holder
	if holder == "" {
		holder = "another process"
	}
	return fmt.Sprintf("the journal in %s is held by %s", e.Dir, holder)
}

// lockDir locks dir until the returned function is called or the process ends,
// however it ends: the lock is the kernel's, the file's text only names the holder.
//
// The directory itself is locked as well, for somebody may remove the file, which looks
// like one that was left over, and a second process would make and lock another one.
func lockDir(dir, holder string) (unlock func() error, err error) {
	place, err := os.Open(dir)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotWritable, err)
	}
	file, err := os.OpenFile(filepath.Join(dir, "LOCK"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%w: %w", ErrNotWritable, err), place.Close())
	}
	release := func() error { return errors.Join(file.Close(), place.Close()) }
	err = flock(place)
	if err == nil || !errors.Is(err, syscall.EWOULDBLOCK) { // some file systems lock files alone
		err = flock(file)
	}
	if errors.Is(err, syscall.EWOULDBLOCK) {
		text, _ := os.ReadFile(file.Name())
		return nil, errors.Join(&LockedError{Dir: dir, Holder: strings.TrimSpace(string(text))}, release())
	}
	if err == nil {
		err = errors.Join(file.Truncate(0), writeAt(file, holder+"\n"))
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("locking the journal in %s: %w", dir, err), release())
	}
	return func() error { return errors.Join(file.Truncate(0), release()) }, nil
}

// flock locks an open file for this process, or says at once that another one has.
func flock(file *os.File) error {
	return syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
}

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
