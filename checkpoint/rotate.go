package checkpoint

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

const (
	// maxSize is how large the file gets. About 2,000 starts have room in it.
	maxSize = 1 << 20
	// olderEnding is the ending of the file with older starts.
	olderEnding = ".old"
)

// rotate makes a file with more than size bytes the file of older starts. The older starts that were there
// are dropped. So both files together never hold much more than twice the size.
//
// Other processes may append meanwhile: what they still write to the file is in the older one then. Only one
// process renames it, because a second one would drop the older starts. A kernel lock on the file itself
// decides who, and the file must still be the one at the path.
func rotate(path string, size int64) error {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	opened, err := file.Stat()
	if err != nil || opened.Size() <= size {
		return err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil // another process renames it; where files cannot be locked, it grows
	}
	now, err := os.Stat(path)
	if err != nil || !os.SameFile(opened, now) {
		return nil // it has been renamed
	}
	return os.Rename(path, path+olderEnding)
}
