package badgerstore

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"payonce/checkpoint/record"
)

// A store that is closed is sealed: the file SEAL holds what is known of every other
// file. Opening breaks the seal, by renaming it, and keeps the broken one up to date
// while the store is open, so that after a crash it says as much. The broken seal stays when the store is
// closed: SEAL wins, and the next opening replaces the broken one.
const (
	sealName   = "SEAL"
	brokenName = "SEAL.broken"
)

// The endings of Badger's tables, which are written once; of its logs, which are appended to until
// the next one begins; and of its logs of long values.
const (
	tableEnding    = ".sst"
	logEnding      = ".mem"
	valueLogEnding = ".vlog"
)

// seal is what is known of the files of a store.
type seal struct {
	Files map[string]fileSum `json:"files"`
	// Uncounted says that records may have been lost since they were counted last.
	Uncounted bool `json:"uncounted,omitempty"`
}

// fileSum is what a seal holds of one file.
type fileSum struct {
	Size int64  `json:"size"` // growing for a log that is still written to
	CRC  uint32 `json:"crc32c"`
}

// growing is the size of a log that is still written to: only its name is known.
const growing = -1

// storeFiles returns the names of the files that hold a store's records.
func storeFiles(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	var names []string
	for _, entry := range entries {
		switch name := entry.Name(); filepath.Ext(name) {
		case tableEnding, logEnding, valueLogEnding:
			names = append(names, name)
		case "":
			if slices.Contains([]string{manifestName, headName, "KEYREGISTRY", "DISCARD"}, name) {
				names = append(names, name)
			}
		}
	}
	return names, err
}

func isTable(name string) bool { return filepath.Ext(name) == tableEnding }

func isLog(name string) bool { return filepath.Ext(name) == logEnding }

// lastLog returns the log that is written to: the one with the highest number.
func lastLog(names []string) (last string) {
	for _, name := range names {
		if isLog(name) && (len(name) > len(last) || len(name) == len(last) && name > last) {
			last = name
		}
	}
	return last
}

// syncLogs syncs the logs of an open store. A process that was killed may have left some that
// the disk does not have yet, and what is built on them must not outlive them. A log that is
// gone is no longer needed: a table has its records.
func syncLogs(dir string) error {
	names, err := storeFiles(dir)
	for _, name := range names {
		if !isLog(name) {
			continue
		}
		if failed := syncPath(filepath.Join(dir, name)); !errors.Is(failed, os.ErrNotExist) {
			err = errors.Join(err, failed)
		}
	}
	return err
}

// closedSeal returns the seal of a closed store. Tables that are known already are not read
// again: Badger never changes one.
func closedSeal(dir string, known seal) (seal, error) {
	names, err := storeFiles(dir)
	closed := seal{Files: map[string]fileSum{}, Uncounted: known.Uncounted}
	for _, name := range names {
		sum, found := known.Files[name]
		if !found || !isTable(name) {
			if sum, err = sumFile(filepath.Join(dir, name)); err != nil {
				break
			}
		}
		closed.Files[name] = sum
	}
	if err != nil {
		return closed, fmt.Errorf("sealing the journal: %w", err)
	}
	return closed, nil
}

// write writes a seal so that after a crash it is there whole or not at all.
func (s seal) write(path string) error {
	data, err := json.Marshal(s)
	if err == nil {
		err = writeSynced(path, fmt.Sprintf("%08x\n%s\n", checksum(data), data))
	}
	if err != nil {
		return fmt.Errorf("sealing the journal: %w", err)
	}
	return nil
}

// readSeal reads a seal and reports whether it is there.
func readSeal(path string) (s seal, found bool, err error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return seal{Files: map[string]fileSum{}}, false, nil
	}
	if err != nil {
		return s, false, err
	}
	sum, data, _ := strings.Cut(strings.TrimSuffix(string(text), "\n"), "\n")
	whole := sum == fmt.Sprintf("%08x", checksum([]byte(data)))
	if !whole || json.Unmarshal([]byte(data), &s) != nil || s.Files == nil {
		return s, false, fmt.Errorf("%w: %s cannot be read; %s", record.ErrCorrupt, path, record.Restore)
	}
	return s, true, nil
}

// sumFile reads a file.
func sumFile(path string) (fileSum, error) {
	file, err := os.Open(path)
	if err != nil {
		return fileSum{}, err
	}
	defer file.Close()
	crc, size, err := sumOf(file)
	return fileSum{Size: size, CRC: crc}, err
}

func sumOf(r io.Reader) (crc uint32, size int64, err error) {
	hash := crc32.New(crc32.MakeTable(crc32.Castagnoli))
	size, err = io.CopyBuffer(hash, struct{ io.Reader }{r}, make([]byte, 256<<10))
	return hash.Sum32(), size, err
}

// verifyFile compares a file with what is known of it.
func verifyFile(path string, want fileSum) error {
	got, err := sumFile(path)
	switch {
	case err != nil && isSystemError(err):
		return err
	case err != nil:
		return fmt.Errorf("%w: %w; %s", record.ErrCorrupt, err, record.Restore)
	case got.Size == want.Size && got != want:
		return fmt.Errorf("%w: %s is not as it was left (its content changed, its size did not); %s", record.ErrCorrupt, path, record.Restore)
	case got != want:
		return fmt.Errorf("%w: %s is not as it was left (%d bytes, %d expected); %s",
			record.ErrCorrupt, path, got.Size, want.Size, record.Restore)
	}
	return nil
}
