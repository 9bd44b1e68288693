//go:build !linux

package badgerstore

import "os"

// syncData waits until what was written to a file, through whichever memory map, is on
// the disk.
func syncData(file *os.File) error { return file.Sync() }
