//go:build !arm

package atomicfile

import (
	"os"
	"syscall"
)

// beginWriteback has the kernel begin to put a range of a file on the disk, so that the
// disk works while the rest is computed. It waits for nothing and promises nothing: what
// goes wrong later on the way is an error of the Sync in Commit. For arm of 32 bits the
// standard library does not offer the system call.
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
