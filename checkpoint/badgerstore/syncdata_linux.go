package badgerstore

import (
	"fmt"
	"os"
	"syscall"
)

// syncData waits until what was written to a file, through whichever memory map, is on
// the disk, and what is needed to read it.
func syncData(file *os.File) error {
	for {
		err := syscall.Fdatasync(int(file.Fd()))
		if err == nil {
			return nil
		}
		if err != syscall.EINTR {
			return fmt.Errorf("syncing %s: %w", file.Name(), err)
		}
	}
}
