package badgerstore

import (
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"

	"payonce/checkpoint/record"
)

// head is the file HEAD in a store's directory: the version of the last commit
// that was acknowledged. It is written after each commit and not synced, so it may
// be behind the store after a power failure, but never ahead of it. A store that
// ends before its head has lost records.
type head struct {
	file    *os.File
	version uint64
}

const (
	headName     = "HEAD"
	manifestName = "MANIFEST"
)

// checksum returns the CRC-32C of data.
func checksum(data []byte) uint32 {
	return crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli))
}

// headText returns what the file holds. Earlier versions refuse it. In a copy, which they make after an erasure, they
// would lose how values are compressed and split. It has the length of earlierHeadText: a loss of power must not leave a
// text that was cut.
func headText(version uint64) string { return headWith('=', version) }

// earlierHeadText returns what earlier versions wrote.
func earlierHeadText(version uint64) string { return headWith(' ', version) }

func headWith(separator rune, version uint64) string {
	number := fmt.Sprintf("%016x", version)
	return fmt.Sprintf("%s%c%08x\n", number, separator, checksum([]byte(number)))
}

// openHead opens the head of the store in dir, or makes one for a new store.
func openHead(dir string) (*head, error) {
	path := filepath.Join(dir, headName)
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		if err := mustBeNew(dir); err != nil {
			return nil, err
		}
		text = []byte(headText(0))
		err = writeSynced(path, string(text))
	}
	if err != nil {
		return nil, err
	}
	h := &head{}
	n, _ := fmt.Sscanf(string(text), "%x", &h.version)
	if n != 1 || string(text) != headText(h.version) && string(text) != earlierHeadText(h.version) {
		return nil, fmt.Errorf("%w: %s cannot be read; %s", record.ErrCorrupt, path, record.Restore)
	}
	if h.version > 0 {
		if err := mustHaveManifest(dir); err != nil {
			return nil, err
		}
	}
	h.file, err = os.OpenFile(path, os.O_RDWR, 0o600)
	return h, err
}

// mustBeNew refuses a directory that holds files of a store, but not its head.
func mustBeNew(dir string) error {
	files, err := storeFiles(dir)
	if err == nil && len(files) > 0 {
		err = fmt.Errorf("%w: %s is missing; %s", record.ErrCorrupt, filepath.Join(dir, headName), record.Restore)
	}
	return err
}

// mustHaveManifest refuses a store without its manifest: Badger would start afresh
// and delete what is there.
func mustHaveManifest(dir string) error {
	_, err := os.Stat(filepath.Join(dir, manifestName))
	if err != nil && !isSystemError(err) {
		err = fmt.Errorf("%w: %w; %s", record.ErrCorrupt, err, record.Restore)
	}
	return err
}

// move records that a commit was acknowledged.
func (h *head) move(version uint64) error {
	h.version = version
	if err := writeAt(h.file, headText(version)); err != nil {
		return fmt.Errorf("writing the journal: %w", err)
	}
	return nil
}

func (h *head) close() error { return errors.Join(h.file.Sync(), h.file.Close()) }
