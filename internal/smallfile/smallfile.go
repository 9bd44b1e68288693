// Package smallfile reads configurations, rate cards and plans whole.
package smallfile

import (
	"fmt"
	"io"
	"os"
	"syscall"
)

// MaxBytes is the longest configuration, rate card or plan that is read, in bytes.
const MaxBytes = 1 << 20

// Read reads a file that somebody wrote or may have been sent: a regular one
// of at most MaxBytes bytes.
func Read(path string) ([]byte, error) {
	// Without O_NONBLOCK the opening of a pipe waits for somebody who writes to it.
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	switch info, err := file.Stat(); {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, fmt.Errorf("%s is a directory", path)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	data, err := io.ReadAll(io.LimitReader(file, MaxBytes+1))
	if err == nil && len(data) > MaxBytes {
		err = fmt.Errorf("%s is longer than %d bytes", path, MaxBytes)
	}
	return data, err
}
