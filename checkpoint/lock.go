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
func lockDir(dir, holder string) (unlock func() error, err error) {
	file, err := os.OpenFile(filepath.Join(dir, "LOCK"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotWritable, err)
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		text, _ := os.ReadFile(file.Name())
		file.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, &LockedError{Dir: dir, Holder: strings.TrimSpace(string(text))}
		}
		return nil, fmt.Errorf("locking the journal in %s: %w", dir, err)
	}
	if err := errors.Join(file.Truncate(0), writeAt(file, holder+"\n")); err != nil {
		return nil, errors.Join(fmt.Errorf("locking the journal: %w", err), file.Close())
	}
	return func() error {
		return errors.Join(file.Truncate(0), file.Close())
	}, nil
}

// otherHolder is told of who holds a store without the journal's own lock.
const otherHolder = "another program, which has opened its store"

// mustBeFree returns a *LockedError when a program has opened the store in dir that knows
// nothing of lockDir, as a tool for Badger's files does: Badger locks the directory, and
// would tell in words alone that it cannot.
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
