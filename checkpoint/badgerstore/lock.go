package badgerstore

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"payonce/checkpoint/record"
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
		return nil, fmt.Errorf("%w: %w", record.ErrNotWritable, err)
	}
	file, err := os.OpenFile(filepath.Join(dir, "LOCK"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%w: %w", record.ErrNotWritable, err), place.Close())
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

// otherHolder is told of who holds a store without the journal's own lock.
const otherHolder = "another program, which has opened its store"

// mustBeFree returns a *LockedError when a program has opened the store in dir that knows
// nothing of lockDir, as a tool for Badger's files does: Badger locks the directory, and
// would say in words alone that it cannot.
func mustBeFree(dir string) error {
	store, err := os.Open(dir)
	if err != nil {
		return nil // there is none yet, or opening it says why it cannot be opened
	}
	defer store.Close()
	switch err := syscall.Flock(int(store.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); {
	case errors.Is(err, syscall.EWOULDBLOCK):
		return &LockedError{Dir: filepath.Dir(dir), Holder: otherHolder}
	case err != nil:
		return nil // Badger says what is wrong with it
	}
	// Closing would not give it back while a process that is just being started has it too.
	return syscall.Flock(int(store.Fd()), syscall.LOCK_UN)
}
