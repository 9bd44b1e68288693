package checkpoint

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A store that is closed is sealed: the file SEAL holds the size and the checksum
// of every other file. Opening breaks the seal, by renaming it, once every file
// was found as it was left. After a crash only the broken seal is there; it
// vouches for the tables, which are written once, and new ones are entered into it.
const (
	sealName   = "SEAL"
	brokenName = "SEAL.broken"
)

// tableEnding ends the names of Badger's tables.
const tableEnding = ".sst"

// fileSum is what the seal holds of one file.
type fileSum struct {
	Size int64  `json:"size"`
	CRC  uint32 `json:"crc32c"`
}

// storeFiles returns the names of the files that hold a store's records.
func storeFiles(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	var names []string
	for _, entry := range entries {
		switch name := entry.Name(); filepath.Ext(name) {
		case tableEnding, ".mem", ".vlog":
			names = append(names, name)
		case "":
			if slices.Contains([]string{manifestName, headName, "KEYREGISTRY", "DISCARD"}, name) {
				names = append(names, name)
			}
		}
	}
	return names, err
}

// writeSeal seals the files of a closed store.
func writeSeal(dir string) error {
	names, err := storeFiles(dir)
	if err != nil {
		return fmt.Errorf("sealing the journal: %w", err)
	}
	sums := map[string]fileSum{}
	for _, name := range names {
		if sums[name], err = sumFile(filepath.Join(dir, name)); err != nil {
			return fmt.Errorf("sealing the journal: %w", err)
		}
	}
	return writeSums(filepath.Join(dir, sealName), sums)
}

// writeSums writes a seal so that after a crash it is there whole or not at all.
func writeSums(path string, sums map[string]fileSum) error {
	data, err := json.Marshal(sums)
	if err == nil {
		err = writeSynced(path, fmt.Sprintf("%08x\n%s\n", checksum(data), data))
	}
	if err != nil {
		return fmt.Errorf("sealing the journal: %w", err)
	}
	return nil
}

// breakSeal verifies what the seal vouches for and opens the store for writing. It
// returns the sums, of which those of the tables hold on, and whether the store was
// sealed.
func breakSeal(dir string) (sums map[string]fileSum, sealed bool, err error) {
	seal, broken := filepath.Join(dir, sealName), filepath.Join(dir, brokenName)
	sums, sealed, err = readSeal(seal)
	if err != nil {
		return nil, false, err
	}
	if sealed {
		if err := verifyFiles(dir, sums); err != nil {
			return nil, false, err
		}
		return sums, true, errors.Join(os.Rename(seal, broken), syncDir(dir))
	}
	if sums, _, err = readSeal(broken); err != nil {
		return nil, false, err
	}
	return sums, false, errors.Join(clearRemains(dir), verifyTables(dir, sums))
}

// verifyFiles compares every file with the seal.
func verifyFiles(dir string, sums map[string]fileSum) error {
	names, err := storeFiles(dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		if _, sealed := sums[name]; !sealed {
			return fmt.Errorf("%w: %s came there since it was closed; %s", ErrCorrupt, filepath.Join(dir, name), restore)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		if err := verifyFile(filepath.Join(dir, name), sums[name]); err != nil {
			return err
		}
	}
	return nil
}

// verifyTables compares the tables that are still there since the seal was broken.
func verifyTables(dir string, sums map[string]fileSum) error {
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		path := filepath.Join(dir, name)
		if _, err := os.Stat(path); filepath.Ext(name) != tableEnding || errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err := verifyFile(path, sums[name]); err != nil {
			return err
		}
	}
	return nil
}

func verifyFile(path string, want fileSum) error {
	got, err := sumFile(path)
	if err != nil && isSystemError(err) {
		return err
	}
	if err != nil {
		return fmt.Errorf("%w: %w; %s", ErrCorrupt, err, restore)
	}
	if got != want {
		return fmt.Errorf("%w: %s is not as it was left (%d bytes, %d expected); %s", ErrCorrupt, path, got.Size, want.Size, restore)
	}
	return nil
}

func sumFile(path string) (fileSum, error) {
	file, err := os.Open(path)
	if err != nil {
		return fileSum{}, err
	}
	defer file.Close()
	hash := crc32.New(crc32.MakeTable(crc32.Castagnoli))
	size, err := io.Copy(hash, file)
	return fileSum{Size: size, CRC: hash.Sum32()}, err
}

// readSeal reads a seal and reports whether it is there.
func readSeal(path string) (sums map[string]fileSum, found bool, err error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	sum, data, _ := strings.Cut(strings.TrimSuffix(string(text), "\n"), "\n")
	if sum != fmt.Sprintf("%08x", checksum([]byte(data))) || json.Unmarshal([]byte(data), &sums) != nil {
		return nil, false, fmt.Errorf("%w: %s cannot be read; %s", ErrCorrupt, path, restore)
	}
	return sums, true, nil
}

func syncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
