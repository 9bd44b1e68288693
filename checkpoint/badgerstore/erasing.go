package badgerstore

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Badger keeps a value that was replaced in its files for an indefinite time. What the journal erases
// must not stay there. So the journal calls Erase before it erases, and when the store is closed, a copy
// of it without replaced values takes its place.
//
// The file ERASING beside the store says that this has still to be done. It is synced before the erasure
// begins and removed when the copy is in place. So when a process ends in between, the next opening
// makes the copy.
const erasingName = "ERASING"

// Erase makes Close remove from the files every value that was replaced, and every one that will be.
func (s *Store) Erase() error {
	if s.erasing {
		return nil
	}
	err := writeSynced(filepath.Join(s.dir, erasingName), "values that were replaced have to leave the files\n")
	s.erasing = err == nil
	return err
}

// isErasing reports whether there is an erasure that is not finished.
func isErasing(dir string) (bool, error) { return isThere(filepath.Join(dir, erasingName)) }

func isThere(path string) (bool, error) {
	_, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// finishErasure puts a copy without replaced values in the place of a store that is not open, when an
// erasure is not finished. After a crash the store is the old one or the copy, and the next opening
// finishes the erasure.
func finishErasure(dir string, options Options) error {
	erasing, err := isErasing(dir)
	if err != nil || !erasing {
		return err
	}
	if err := copyWithoutReplaced(filepath.Join(dir, engineName), options); err != nil {
		return fmt.Errorf("removing what was erased from the files of the journal in %s; the next start does it: %w", dir, err)
	}
	return errors.Join(os.Remove(filepath.Join(dir, erasingName)), syncDir(dir))
}

// copying returns a function that is called for each record that is copied or counted afterwards, and at the end with a
// negative number. It calls told now and then.
func (s *engine) copying(told func(done, all int64)) func(records int) {
	if told == nil {
		return func(int) {}
	}
	all := int64(0)
	for _, t := range s.db.Tables() {
		all += 2 * int64(t.KeyCount)
	}
	const between = 1 << 14
	done := int64(0)
	told(0, max(all, 1))
	return func(records int) {
		done += int64(records)
		switch {
		case records < 0:
			told(max(all, 1), max(all, 1))
		case done%between == 0:
			told(min(done, all), max(all, 1))
		}
	}
}

func copyWithoutReplaced(engineDir string, options Options) error {
	key := options.EncryptionKey
	sealed, err := isThere(filepath.Join(engineDir, sealName))
	if err == nil && !sealed {
		// A process ended without closing the store. Opening it writes tables, and it has to be closed again.
		err = needSpace(engineDir, 2*leastSpace)
	}
	if err != nil {
		return err
	}
	from, err := openEngineFor(engineDir, Options{EncryptionKey: key, InOrder: true})
	if err != nil {
		return err
	}
	fresh := engineDir + freshSuffix
	if err = copyStore(from, fresh, Copy{EncryptionKey: key, uncounted: !from.guard.whole(), copying: from.copying(options.Copying)}); err != nil {
		err = errors.Join(err, os.RemoveAll(fresh)) // first, because it may fill the disk
	}
	if err = errors.Join(err, from.mustClose()); err != nil {
		return errors.Join(err, os.RemoveAll(fresh))
	}
	return swap(engineDir)
}
