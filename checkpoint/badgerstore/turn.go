package badgerstore

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// turnName is a file that a process locks while it waits until it can open the journal.
const turnName = "NEXT"

// TakeTurn makes this process the next that opens the journal in dir, before commands that only read it.
// It returns nil when another process is the next one.
func TakeTurn(dir string) (release func() error, err error) {
	return tryFlock(dir, syscall.LOCK_EX)
}

// Awaited reports whether a process waits until it can open the journal in dir.
func Awaited(dir string) bool {
	release, err := tryFlock(dir, syscall.LOCK_SH)
	if err != nil {
		return false // opening the journal says what is wrong
	}
	if release == nil {
		return true
	}
	_ = release() // closing a file that was not written
	return false
}

// tryFlock locks the file of the turn in dir, or returns nil when another process has locked it.
func tryFlock(dir string, how int) (release func() error, err error) {
	file, err := os.OpenFile(filepath.Join(dir, turnName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(file.Fd()), how|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, file.Close()
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file.Close, nil
}
