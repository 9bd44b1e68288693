package badgerstore

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Badger keeps a value that was replaced in its files for an indefinite time. What the journal erases
// must not stay there. So the journal calls Erase before it erases, and the values that it replaces
// from then on are removed from the files when the store is closed.
//
// The file ERASING beside the store says what is erased: the records of which kinds, and the number
// of the last commit before. It is synced before the erasure begins and removed when the values are
// gone. So when a process ends in between, the next opening removes them.
const erasingName = "ERASING"

// erasure says which values are removed: those that a commit after since has replaced, of records
// whose keys begin with one of kinds. No kinds means all.
type erasure struct {
	since uint64
	kinds []byte
}

// Erase makes Close remove from the files every value that is replaced from now on, of the records
// whose keys begin with one of kinds.
func (s *Store) Erase(kinds ...byte) error {
	wanted := erasure{s.Version(), kinds}
	if s.erasing {
		earlier, _, err := readErasure(s.dir)
		if err != nil || earlier.covers(kinds) {
			return err
		}
		wanted = erasure{earlier.since, append(earlier.kinds, kinds...)}
	}
	text := wanted.text()
	err := errors.Join(writeSynced(filepath.Join(s.dir, erasingName), text), syncDir(s.dir))
	s.erasing = err == nil
	return err
}

// covers reports whether the erasure removes replaced values of records of all these kinds.
func (e erasure) covers(kinds []byte) bool {
	for _, kind := range kinds {
		if len(e.kinds) > 0 && !bytes.Contains(e.kinds, []byte{kind}) {
			return false
		}
	}
	return len(kinds) > 0 || len(e.kinds) == 0
}

func (e erasure) text() string {
	content := fmt.Sprintf("%016x %x", e.since, e.kinds)
	return fmt.Sprintf("%s %08x\n", content, checksum([]byte(content)))
}

// readErasure returns the erasure that is not finished yet, and reports whether there is one. A file
// that cannot be read means everything that was ever replaced.
func readErasure(dir string) (e erasure, found bool, err error) {
	text, err := os.ReadFile(filepath.Join(dir, erasingName))
	if errors.Is(err, os.ErrNotExist) {
		return e, false, nil
	}
	if err != nil {
		return e, false, err
	}
	if n, _ := fmt.Sscanf(string(text), "%x %x", &e.since, &e.kinds); n != 2 || string(text) != e.text() {
		e = erasure{}
	}
	return e, true, nil
}

// finishErasure removes the values that an unfinished erasure replaced from the files of a store that
// is not open. After a crash the files are as they were or without the values, and the next opening
// finishes the erasure.
func finishErasure(dir string, key []byte) error {
	erased, found, err := readErasure(dir)
	if err != nil || !found {
		return err
	}
	engineDir := filepath.Join(dir, engineName)
	if err := mustBeSealed(engineDir, key); err != nil {
		return err
	}
	if err := purge(engineDir, key, erased); err != nil {
		return fmt.Errorf("removing what was erased from the files of the journal in %s; the next start does it: %w", dir, err)
	}
	return errors.Join(os.Remove(filepath.Join(dir, erasingName)), syncDir(dir))
}

// mustBeSealed closes a store whose process ended without closing it: the values of its last commits
// are in a log then, and not in a table. On a disk that is nearly full it leaves the store as it is.
func mustBeSealed(engineDir string, key []byte) error {
	_, err := os.Stat(filepath.Join(engineDir, sealName))
	if !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err := needSpace(engineDir, 2*leastSpace); err != nil { // so that there is room to close it again
		return err
	}
	e, err := openEngine(engineDir, key)
	if err != nil {
		return err
	}
	return e.mustClose()
}

// valuesBeside reports whether Badger keeps values outside its tables, as it does with those above a
// megabyte.
func valuesBeside(engineDir string) (bool, error) {
	names, err := storeFiles(engineDir)
	for _, name := range names {
		if filepath.Ext(name) != valueLogEnding || err != nil {
			continue
		}
		var info os.FileInfo
		if info, err = os.Stat(filepath.Join(engineDir, name)); err == nil && info.Size() > valueLogHeader {
			return true, nil
		}
	}
	return false, err
}

// valueLogHeader is the size of a value log without values.
const valueLogHeader = 20

// copyWithoutReplaced is purge for a store with values outside its tables.
func copyWithoutReplaced(engineDir string, key []byte) error {
	from, err := openEngine(engineDir, key)
	if err != nil {
		return err
	}
	fresh := engineDir + freshSuffix
	if err = copyStore(from, fresh, key); err != nil {
		err = errors.Join(err, os.RemoveAll(fresh)) // first, because it may fill the disk
	}
	if err = errors.Join(err, from.mustClose()); err != nil {
		return errors.Join(err, os.RemoveAll(fresh))
	}
	if err := keepUncounted(engineDir, fresh); err != nil {
		return err
	}
	return swap(engineDir)
}

// keepUncounted notes in the seal of a copy that records may have been lost from the closed store that
// it was made of. Nobody has counted them yet.
func keepUncounted(engineDir, fresh string) error {
	sealed, _, err := readSeal(filepath.Join(engineDir, sealName))
	if err != nil || !sealed.Uncounted {
		return err
	}
	path := filepath.Join(fresh, sealName)
	copied, _, err := readSeal(path)
	if err != nil {
		return err
	}
	copied.Uncounted = true
	return copied.write(path)
}
