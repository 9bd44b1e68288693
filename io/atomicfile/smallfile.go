// This file reads configurations, rate cards and plans whole.

package atomicfile

import (
	"fmt"
	"io"
	"os"
	"syscall"
)

// maxSmallBytes is the longest configuration, rate card or plan that is read, in bytes.
const maxSmallBytes = 1 << 20

// ReadSmall reads a file that a person wrote or was sent: a regular one
// of at most maxSmallBytes bytes.
func ReadSmall(path string) ([]byte, error) {
	// Without O_NONBLOCK the opening of a pipe waits for a writer.
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
	data, err := io.ReadAll(io.LimitReader(file, maxSmallBytes+1))
	if err == nil && len(data) > maxSmallBytes {
		err = fmt.Errorf("%s is longer than %d bytes", path, maxSmallBytes)
	}
	return data, err
}
