package badgerstore

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dgraph-io/badger/v4"

	"payonce/checkpoint/record"
)

// fill commits records of about a megabyte each, which nothing compresses, until
// the store has that number of tables. It returns the number of the next record.
func fill(t *testing.T, s *engine, first, tables int) (next int) {
	t.Helper()
	source := rand.NewChaCha8([32]byte{byte(first)})
	for next = first; len(s.db.Tables()) < tables; next++ {
		value := make([]byte, longestPart)
		source.Read(value)
		if err := s.Commit([]record.Write{{Key: fmt.Appendf(nil, "x%06d", next), Value: value}}); err != nil {
			t.Fatal(err)
		}
	}
	return next
}

func openFull(t *testing.T, dir string) *engine {
	t.Helper()
	s, err := openEngine(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func closeStore(t *testing.T, s *engine) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// flip changes a bit in the middle of a file.
func flip(t *testing.T, path string) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	one := make([]byte, 1)
	_, err = file.ReadAt(one, info.Size()/2)
	one[0] ^= 1
	_, written := file.WriteAt(one, info.Size()/2)
	if err := errors.Join(err, written, file.Close()); err != nil {
		t.Fatal(err)
	}
}

func tablesIn(t *testing.T, dir string) []string {
	t.Helper()
	tables, err := filepath.Glob(filepath.Join(dir, "*"+tableEnding))
	if err != nil || len(tables) == 0 {
		t.Fatalf("no tables: %v", err)
	}
	return tables
}

// TestTablesAreSealedWhileTheStoreIsOpen kills a store that has written tables
// since it was opened, damages one, and opens it: Badger itself would panic.
func TestTablesAreSealedWhileTheStoreIsOpen(t *testing.T) {
	dir := t.TempDir()
	s := openFull(t, dir)
	defer closeStore(t, s)
	fill(t, s, 0, 2)
	if err := s.guard.keep(s.db); err != nil {
		t.Fatal(err)
	}
	broken := filepath.Join(dir, brokenName)
	seal, found, err := readSeal(broken)
	tables := slices.DeleteFunc(s.guard.names(), func(name string) bool { return !isTable(name) })
	if err != nil || !found || len(tables) == 0 {
		t.Fatalf("the broken seal holds %v, %t, %v", seal, found, err)
	}
	for _, name := range tables {
		killed := t.TempDir()
		err := errors.Join(
			copySparse(broken, filepath.Join(killed, brokenName)),
			copySparse(filepath.Join(dir, name), filepath.Join(killed, name)),
			os.Truncate(filepath.Join(killed, name), seal.Files[name].Size/2))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := openEngine(killed, nil); !errors.Is(err, record.ErrCorrupt) {
			t.Errorf("a damaged table is told as %v", err)
		}
	}
}

// TestADamagedManifestCostsNoTable: Badger would remove the tables that it cannot read of,
// and who puts the manifest back would miss them.
func TestADamagedManifestCostsNoTable(t *testing.T) {
	killed := filepath.Join(images(t)["killed"], engineName)
	manifest := filepath.Join(killed, manifestName)
	whole, err := os.ReadFile(manifest)
	if err != nil {
		t.Fatal(err)
	}
	tables := tablesIn(t, killed)
	zeros := make([]byte, len(whole))
	copy(zeros, whole[:8]) // the magic number; what follows reads as records of nothing
	if err := os.WriteFile(manifest, zeros[:len(whole)/8*8], 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := openEngine(killed, nil); !errors.Is(err, record.ErrCorrupt) || !strings.Contains(err.Error(), manifestName) {
		t.Errorf("a damaged manifest is told as %v", err)
	}
	if left, err := filepath.Glob(filepath.Join(killed, "*"+tableEnding)); err != nil || !slices.Equal(left, tables) {
		t.Errorf("of the tables %q %q are left, error %v", tables, left, err)
	}
	if err := os.WriteFile(manifest, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	if mustBeWholeOrRefused(t, filepath.Dir(killed)) {
		t.Error("with its manifest back it is refused")
	}
}

// names returns the files that the broken seal holds.
func (g *guard) names() (names []string) {
	g.sealing.Lock()
	defer g.sealing.Unlock()
	for name := range g.seal.Files {
		names = append(names, name)
	}
	return names
}

// damagedStore makes a store with tables and damages a block of one, and returns the
// keys of all records.
func damagedStore(t *testing.T) (dir string, keys [][]byte) {
	t.Helper()
	dir = t.TempDir()
	s := openFull(t, dir)
	last := fill(t, s, 0, 3)
	closeStore(t, s)
	for n := range last {
		keys = append(keys, fmt.Appendf(nil, "x%06d", n))
	}
	flip(t, tablesIn(t, dir)[0])
	return dir, keys
}

// TestBadgerIgnoresADamagedBlock shows why the guard is there: should it fail one
// day, Badger tells of damage itself.
func TestBadgerIgnoresADamagedBlock(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long and tells nothing about data races")
	}
	dir, keys := damagedStore(t)
	db, err := openDB(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	missing := 0
	err = db.View(func(txn *badger.Txn) error {
		for _, key := range keys {
			switch _, err := txn.Get(key); {
			case errors.Is(err, badger.ErrKeyNotFound):
				missing++
			case err != nil:
				return err
			}
		}
		return nil
	})
	if err != nil || missing == 0 {
		t.Errorf("Badger misses %d records and says %v", missing, err)
	}
}

func TestAStoreWithADamagedBlockIsNotOpened(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long and tells nothing about data races")
	}
	dir, _ := damagedStore(t)
	for range 2 { // also when it is tried again
		if _, err := openEngine(dir, nil); !errors.Is(err, record.ErrCorrupt) {
			t.Errorf("the damage is told as %v", err)
		}
	}
}

// TestAJournalThatMissesARecordIsRefusedAtEveryOpening: a journal that misses a record is refused
// however often it is opened.
func TestAJournalThatMissesARecordIsRefusedAtEveryOpening(t *testing.T) {
	dir := images(t)["closed"]
	uncount := func(lose bool) {
		t.Helper()
		s := openFull(t, filepath.Join(dir, engineName))
		if lose {
			if err := s.Commit([]record.Write{{Key: []byte("r\x00\x00\x00\x00\x00\x00\x00\x03")}}); err != nil {
				t.Fatal(err)
			}
		}
		s.guard.seal.Uncounted = true
		closeStore(t, s)
	}
	uncount(false)
	for range 2 {
		if j, err := openJournal(dir, Options{}); err != nil {
			t.Fatal(err)
		} else if err := j.Close(); err != nil {
			t.Fatal(err)
		}
		if s, _, err := readSeal(filepath.Join(dir, engineName, sealName)); err != nil || s.Uncounted {
			t.Errorf("the records were counted and are to be counted again: %v", err)
		}
	}
	uncount(true)
	for range 3 {
		if _, err := openJournal(dir, Options{}); !errors.Is(err, record.ErrCorrupt) {
			t.Errorf("a lost record is told as %v", err)
		}
	}
}

func TestADamagedEncryptedJournalIsRefused(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "journal")
	options := Options{EncryptionKey: bytes.Repeat([]byte{7}, 32)}
	for first := 0; first < answered; first += answered / 2 {
		j, err := openJournal(dir, options)
		if err != nil {
			t.Fatal(err)
		}
		answer(t, j, first, first+answered/2)
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if mustBeWholeOrRefusedWith(t, dir, options) {
		t.Error("the journal is refused")
	}
	flip(t, tablesIn(t, filepath.Join(dir, engineName))[0])
	if !mustBeWholeOrRefusedWith(t, dir, options) {
		t.Error("a damaged journal is opened")
	}
}
