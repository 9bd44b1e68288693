package atomicfile

import (
	"errors"
	"syscall"
)

// writebackSize is how much is written before the system is asked to put it on the disk,
// in bytes: enough for large requests, and little is left for Commit to wait for.
const writebackSize = 16 << 20

// writeback says what of a file the system was asked to put on the disk.
type writeback struct {
	written int64
	begun   int64 // of what was written
}

// add counts bytes that were written and returns the range that is to be begun now; its
// size is 0 for none.
func (w *writeback) add(length int) (offset, size int64) {
	w.written += int64(length)
	if size = w.written - w.begun; size < writebackSize {
		return 0, 0
	}
	offset, w.begun = w.begun, w.written
	return offset, size
}

// ofTheDisk reports whether an error says that bytes cannot be put on the disk, and not
// that the file system cannot be asked to.
func ofTheDisk(err error) bool {
	return errors.Is(err, syscall.EIO) || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}
