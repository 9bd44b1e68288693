//go:build !arm

package atomicfile

import (
	"os"
	"syscall"
)

// beginWriteback starts to write a range of a file to the disk, and does not wait. Later errors are
// errors of the sync in Commit. The standard library does not have the system call for 32-bit arm.
func beginWriteback(file *os.File, offset, size int64) error {
	const write = 2 // SYNC_FILE_RANGE_WRITE
	raw, err := file.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = raw.Control(func(fd uintptr) { failed = syscall.SyncFileRange(int(fd), offset, size, write) })
	if err != nil {
		return err
	}
	return failed
}
