//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package atomicfile

import (
	"errors"
	"os"
)

// lock fails: the system has no such locks.
func lock(*os.File) error { return errors.ErrUnsupported }
