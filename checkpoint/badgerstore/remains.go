package badgerstore

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// clearRemains removes the empty files of a store whose process was killed. Badger
// creates a file before it gives it its size, and empties one before it removes it,
// when what it held stands elsewhere; finding such a file it would not open. Should
// records have been in it, the head and the manifest miss them.
func clearRemains(dir string) error {
	names, err := storeFiles(dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		path := filepath.Join(dir, name)
		info, err := os.Stat(path)
		if err == nil && info.Size() == 0 && strings.Contains(name, ".") {
			err = os.Remove(path)
		}
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("clearing up after a crash: %w", err)
		}
	}
	return nil
}
