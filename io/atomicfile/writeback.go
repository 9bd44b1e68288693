package atomicfile

import (
	"errors"
	"syscall"
)

// writebackSize is how many bytes are written before writeback starts: enough for large requests,
// and little for Commit to wait for.
const writebackSize = 16 << 20

// writeback counts the bytes of a file for which writeback was started.
type writeback struct {
	written int64
	begun   int64 // bytes for which writeback was started
}

// add counts written bytes. It returns the range for which writeback is to start now; size is 0 for none.
func (w *writeback) add(length int) (offset, size int64) {
	w.written += int64(length)
	if size = w.written - w.begun; size < writebackSize {
		return 0, 0
	}
	offset, w.begun = w.begun, w.written
	return offset, size
}

// isDiskError reports whether an error says that bytes cannot be written to the disk. Other errors
// say that the file system has no writeback.
func isDiskError(err error) bool {
	return errors.Is(err, syscall.EIO) || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}
