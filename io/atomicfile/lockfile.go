package atomicfile

import (
	"context"
	"errors"
	"os"
	"syscall"
	"time"
)

// lockPoll is how long Lock waits between two attempts.
const lockPoll = 20 * time.Millisecond

// Lock locks a file for one goroutine of one process, and creates it with the mode 0600 where there is none. It waits
// until the file is free or ctx ends. The lock ends with unlock, or with the process. The file stays: a lock on a file
// that others remove locks nothing.
func Lock(ctx context.Context, path string) (unlock func() error, err error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	ticker := time.NewTicker(lockPoll)
	defer ticker.Stop()
	for {
		err := lock(file)
		if err == nil {
			return file.Close, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, errors.Join(&os.PathError{Op: "lock", Path: path, Err: err}, file.Close())
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), file.Close())
		case <-ticker.C:
		}
	}
}
