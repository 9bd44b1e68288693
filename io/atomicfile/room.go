package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// Needed says how many bytes are to be written in a directory.
type Needed struct {
	Dir   string
	Bytes int64
}

// RoomError says that a file system has not enough room. It wraps syscall.ENOSPC.
type RoomError struct {
	Needed       // the sum of what is to be written there, in the first directory
	Free   int64 // in bytes
}

func (e *RoomError) Error() string {
	return fmt.Sprintf("%s has %s left, and the files need about %s there", e.Dir, sizeText(e.Free), sizeText(e.Bytes))
}

// Unwrap returns syscall.ENOSPC.
func (e *RoomError) Unwrap() error { return syscall.ENOSPC }

// CheckRoom returns a *RoomError when a file system has fewer bytes left than are needed in its directories together. Of
// a directory that is not there, the one around it counts. What else is needed counts on the file systems of all alone. A
// file system that does not say how much is left passes.
func CheckRoom(all []Needed, others ...Needed) error {
	type fileSystem struct {
		needed Needed
		free   int64
	}
	var systems []*fileSystem
	known := map[uint64]*fileSystem{}
	for i, one := range slices.Concat(all, others) {
		device, free, err := roomAt(one.Dir)
		if err != nil {
			continue // creating the file says what is wrong
		}
		on := known[device]
		switch {
		case on == nil && i >= len(all):
			continue
		case on == nil:
			on = &fileSystem{needed: Needed{Dir: one.Dir}, free: free}
			systems, known[device] = append(systems, on), on
		}
		on.needed.Bytes += one.Bytes
	}
	for _, on := range systems {
		if on.needed.Bytes > on.free {
			return &RoomError{on.needed, on.free}
		}
	}
	return nil
}

// roomAt returns the file system of a directory and how many bytes it has left.
func roomAt(dir string) (device uint64, free int64, err error) {
	info, err := os.Stat(dir)
	for errors.Is(err, fs.ErrNotExist) && filepath.Dir(dir) != dir {
		dir = filepath.Dir(dir)
		info, err = os.Stat(dir)
	}
	if err != nil {
		return 0, 0, err
	}
	var disk syscall.Statfs_t
	if err := syscall.Statfs(dir, &disk); err != nil {
		return 0, 0, err
	}
	own, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0, errors.ErrUnsupported
	}
	return uint64(own.Dev), int64(disk.Bavail) * int64(disk.Bsize), nil
}

// sizeText returns a number of bytes as people read it.
func sizeText(bytes int64) string {
	switch {
	case bytes >= 10<<30:
		return fmt.Sprintf("%d GB", bytes>>30)
	case bytes >= 10<<20:
		return fmt.Sprintf("%d MB", bytes>>20)
	}
	return fmt.Sprintf("%d kB", (bytes+1023)>>10)
}
