package badgerstore

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/dgraph-io/badger/v4"

	"payonce/checkpoint/record"
)

// unseal compares the files in dir with the seal before the store is opened, for
// Badger tolerates damage and does not always report it. It returns what is known of
// the files.
//
// It reads every file. Badger verifies the checksum of a block when it reads it, but goes
// on as if the keys of a damaged block had never been.
func unseal(dir string) (s seal, err error) {
	path, broken := filepath.Join(dir, sealName), filepath.Join(dir, brokenName)
	s, closed, err := readSeal(path)
	switch {
	case err != nil:
		return s, err
	case closed:
		if err := s.matchClosed(dir); err != nil {
			return s, err
		}
		return s, errors.Join(os.Rename(path, broken), syncDir(dir))
	}
	if s, _, err = readSeal(broken); err != nil {
		return s, err
	}
	if err := clearRemains(dir); err != nil {
		return s, err
	}
	if err := s.matchKilled(dir); err != nil {
		return s, err
	}
	// What is gone must not be known any more: its name may be given again.
	return s, s.write(broken)
}

// matchClosed compares the files of a closed store with its seal: each is there, and
// is as it was left.
func (s seal) matchClosed(dir string) error {
	names, err := storeFiles(dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		if _, sealed := s.Files[name]; !sealed {
			return fmt.Errorf("%w: %s came there since it was closed; %s", record.ErrCorrupt, filepath.Join(dir, name), record.Restore)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Files)) {
		if err := verifyFile(filepath.Join(dir, name), s.Files[name]); err != nil {
			return err
		}
	}
	return nil
}

// matchKilled compares the files that a process left when it ended without closing
// the store. When the tables, the manifest and the logs but the last one are just as
// the broken seal knows them, everything is there: the head says whether the last
// log is whole. When they are not, Badger may have been in the middle of a change or
// something is lost, and the records have to be counted.
func (s *seal) matchKilled(dir string) error {
	names, err := storeFiles(dir)
	if err != nil {
		return err
	}
	there := seal{Files: map[string]fileSum{}}
	for _, name := range names {
		known, found := s.Files[name]
		path := filepath.Join(dir, name)
		switch {
		case isTable(name) && found:
			err = verifyFile(path, known)
		case isLog(name) && found && known.Size == growing:
		case isTable(name), isLog(name) && !found:
			s.Uncounted = true
			continue
		case isLog(name), name == manifestName:
			var sum fileSum
			if sum, err = sumFile(path); sum != known {
				s.Uncounted = true
			}
			known = sum
		default:
			continue
		}
		if err != nil {
			return err
		}
		there.Files[name] = known
	}
	for name := range s.Files {
		_, still := there.Files[name]
		if !still && (isTable(name) || isLog(name) || name == manifestName) {
			s.Uncounted = true
		}
	}
	known := s.Files[manifestName]
	s.Files = there.Files
	return s.matchManifest(filepath.Join(dir, manifestName), known)
}

// matchManifest compares the beginning of a manifest with what is known of it. The manifest may
// have grown since. When its beginning differs, the manifest was rewritten or is damaged: Badger
// would trust the part that it can read, and remove the tables that the rest names.
func (s seal) matchManifest(path string, known fileSum) error {
	file, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil // the head says whether it has to be there
	}
	if err != nil {
		return err
	}
	defer file.Close()
	crc, size, err := sumOf(io.NewSectionReader(file, 0, known.Size))
	if err != nil || size == known.Size && crc == known.CRC {
		return err
	}
	manifest, _, err := badger.ReplayManifestFile(file, 0, badger.DefaultOptions("").WithLogger(nil))
	for name := range s.Files {
		var id uint64
		if _, scanned := fmt.Sscanf(name, "%06d"+tableEnding, &id); scanned != nil {
			continue
		}
		if _, named := manifest.Tables[id]; !named {
			err = cmp.Or(err, fmt.Errorf("it does not name %s", name))
		}
	}
	if err != nil {
		return fmt.Errorf("%w: %s is not as it was left: %w; %s", record.ErrCorrupt, path, err, record.Restore)
	}
	return nil
}
