package pgstore

import (
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"payonce/checkpoint/record"
	"payonce/io/atomicfile"
)

// commitFile is a file with the last commit that a machine knows. It has two places, which are written alternately, so
// that a power failure during a write leaves the other one intact. Several processes may use the file.
type commitFile struct{ file *os.File }

const (
	placeLength = 512 // a sector of a disk
	places      = 2
)

// openCommitFile opens a file. It creates the file and its directory if they are missing.
func openCommitFile(path string) (*commitFile, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("%w: %w", record.ErrNotWritable, err)
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", record.ErrNotWritable, err)
	}
	if err := atomicfile.SyncDirectory(filepath.Dir(path)); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &commitFile{file}, nil
}

// keep writes a commit, unless the file has a later one of the same journal. With durable, the file is on the disk when
// keep returns.
func (c *commitFile) keep(k known, durable bool) error {
	if err := unix.Flock(int(c.file.Fd()), unix.LOCK_EX); err != nil {
		return err
	}
	defer func() { _ = unix.Flock(int(c.file.Fd()), unix.LOCK_UN) }() // after an error, closing the file unlocks it
	last, at, err := readPlaces(c.file)
	if err != nil {
		return err
	}
	if last == nil || last.journal != k.journal || k.isAfter(*last) {
		if _, err := c.file.WriteAt(k.encode(), int64((at+1)%places)*placeLength); err != nil {
			return err
		}
		if last != nil && last.journal != k.journal { // both places are about one journal
			if _, err := c.file.WriteAt(k.encode(), int64(at)*placeLength); err != nil {
				return err
			}
		}
	}
	if durable {
		return c.file.Sync()
	}
	return nil
}

func (c *commitFile) close() error { return c.file.Close() }

// readCommitFile reads the commit in a file; found is false when there is none.
func readCommitFile(path string) (k known, found bool, err error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return k, false, nil
	}
	if err != nil {
		return k, false, err
	}
	defer file.Close()
	last, _, err := readPlaces(file)
	if err != nil || last == nil {
		return k, false, err
	}
	return *last, true, nil
}

// readPlaces returns the later commit of a file and its place; nil and place 1 for an empty file.
func readPlaces(file *os.File) (last *known, at int, err error) {
	text := make([]byte, places*placeLength)
	n, err := file.ReadAt(text, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, 0, err
	}
	at = places - 1
	for i := range places {
		if k, ok := decodeKnown(text[i*placeLength : (i+1)*placeLength]); ok && (last == nil || k.isAfter(*last)) {
			last, at = &k, i
		}
	}
	if last == nil && strings.Trim(string(text[:n]), "\x00") != "" { // zeros are left by an interrupted first write
		return nil, 0, fmt.Errorf("%w: %s cannot be read", record.ErrCorrupt, file.Name())
	}
	return last, at, nil
}

// encode returns the text of a place: a checksum and the members.
func (k known) encode() []byte {
	text := fmt.Sprintf("%s %d %d %d %s", k.journal, k.failovers, k.version, k.epoch, "n"+hex.EncodeToString(k.nonce))
	text = fmt.Sprintf("%08x %s", checksum(text), text)
	return []byte(text + strings.Repeat(" ", placeLength-1-len(text)) + "\n")
}

func decodeKnown(place []byte) (k known, ok bool) {
	sum, text, _ := strings.Cut(strings.TrimRight(string(place), " \n\x00"), " ")
	var nonce string
	n, _ := fmt.Sscanf(text, "%s %d %d %d n%s", &k.journal, &k.failovers, &k.version, &k.epoch, &nonce)
	if n < 4 || sum != fmt.Sprintf("%08x", checksum(text)) {
		return k, false
	}
	var err error
	k.nonce, err = hex.DecodeString(nonce)
	return k, err == nil
}

// checksum returns the CRC-32C of a text.
func checksum(text string) uint32 {
	return crc32.Checksum([]byte(text), crc32.MakeTable(crc32.Castagnoli))
}
