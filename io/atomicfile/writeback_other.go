//go:build !linux || arm

package atomicfile

import "os"

// beginWriteback leaves it to the system when it puts a file on the disk.
func beginWriteback(*os.File, int64, int64) error { return nil }
