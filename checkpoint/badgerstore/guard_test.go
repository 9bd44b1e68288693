package badgerstore

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dgraph-io/badger/v4"

	"payonce/checkpoint/store"
)

// fill commits records of about a megabyte each, which nothing compresses, until
// the store has so many tables; it returns how many records.
func fill(t *testing.T, s *engine, first, tables int) (next int) {
	t.Helper()
	source := rand.NewChaCha8([32]byte{byte(first)})
	for next = first; len(s.db.Tables()) < tables; next++ {
		value := make([]byte, 900<<10)
		source.Read(value)
		if err := s.Commit([]store.Write{{Key: fmt.Appendf(nil, "x%06d", next), Value: value}}); err != nil {
			t.Fatal(err)
		}
	}
	return next
}

func openFull(t *testing.T, dir string, atOpen int64) *engine {
	t.Helper()
	s, err := openEngine(dir, nil, atOpen)
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
	s := openFull(t, dir, verifyAtOpen)
	defer closeStore(t, s)
	fill(t, s, 0, 2)
	s.keep()
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
		if _, err := openEngine(killed, nil, -1); !errors.Is(err, store.ErrCorrupt) {
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
	if _, err := openEngine(killed, nil, verifyAtOpen); !errors.Is(err, store.ErrCorrupt) || !strings.Contains(err.Error(), manifestName) {
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
	s := openFull(t, dir, verifyAtOpen)
	last := fill(t, s, 0, 3)
	closeStore(t, s)
	for n := range last {
		keys = append(keys, fmt.Appendf(nil, "x%06d", n))
	}
	flip(t, tablesIn(t, dir)[0])
	return dir, keys
}

// TestBadgerForgivesADamagedBlock shows why the guard is there: should it fail one
// day, Badger tells of damage itself.
func TestBadgerForgivesADamagedBlock(t *testing.T) {
	dir, keys := damagedStore(t)
	db, err := openDB(dir, nil, true)
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

func TestNothingOfALargeStoreIsBelievedUnread(t *testing.T) {
	dir, keys := damagedStore(t)
	if _, err := openEngine(dir, nil, verifyAtOpen*100); !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("opening the store with all tables read says %v", err)
	}
	for name, read := range map[string]func(*engine) error{
		"get": func(s *engine) (err error) {
			for _, key := range keys {
				value, failed := s.Get(key)
				if failed == nil && value == nil {
					t.Errorf("record %s is gone without a word", key)
				}
				err = errors.Join(err, failed)
			}
			return err
		},
		"scan": func(s *engine) error {
			next := 0
			err := s.Scan([]byte("x"), nil, func(key, _ []byte) (bool, error) {
				if !bytes.Equal(key, keys[next]) {
					t.Errorf("the scan comes to %s instead of %s", key, keys[next])
				}
				next++
				return true, nil
			})
			if err == nil && next < len(keys) {
				t.Errorf("the scan ends after %d of %d records without a word", next, len(keys))
			}
			return err
		},
		"seek": func(s *engine) error {
			next := 0
			err := s.Seek([]byte("x"), nil, func(key, _ []byte) (bool, []byte, error) {
				if !bytes.Equal(key, keys[next]) {
					t.Errorf("the seek comes to %s instead of %s", key, keys[next])
				}
				if next += 5; next >= len(keys) {
					return false, nil, nil
				}
				return true, keys[next], nil
			})
			if err == nil && next < len(keys) {
				t.Errorf("the seeks end after %d of %d records without a word", next, len(keys))
			}
			return err
		},
		"commit": func(s *engine) error {
			<-s.guard.readOut // which reads all in the background
			return s.Commit([]store.Write{{Key: []byte("y"), Value: []byte("y")}})
		},
	} {
		t.Run(name, func(t *testing.T) {
			for range 2 { // also when it is tried again
				s := openFull(t, dir, -1)
				if err := read(s); !errors.Is(err, store.ErrCorrupt) {
					t.Errorf("the damage is told as %v", err)
				}
				closeStore(t, s)
			}
		})
	}
}

// TestALargeStoreMergesOnceItIsRead writes more tables than Badger leaves apart.
func TestALargeStoreMergesOnceItIsRead(t *testing.T) {
	dir := t.TempDir()
	s := openFull(t, dir, verifyAtOpen)
	last := fill(t, s, 0, 3)
	closeStore(t, s)
	s = openFull(t, dir, -1)
	if s.merging {
		t.Fatal("a store merges tables that nobody has read")
	}
	for !s.merging {
		last = fill(t, s, last, len(s.db.Tables())+1)
	}
	if left := s.guard.left.Load(); left > 0 {
		t.Errorf("it merges while %d tables are unread", left)
	}
	for round := range 2 {
		for n := range last {
			if value, err := s.Get(fmt.Appendf(nil, "x%06d", n)); len(value) != 900<<10 || err != nil {
				t.Fatalf("round %d: record %d has %d bytes, %v", round, n, len(value), err)
			}
		}
		closeStore(t, s)
		s = openFull(t, dir, -1)
	}
	closeStore(t, s)
}

// TestASealOfTheVersionBeforeIsRead writes seals that hold nothing but sums.
func TestASealOfTheVersionBeforeIsRead(t *testing.T) {
	for _, name := range []string{sealName, brokenName} {
		image := images(t)[map[string]string{sealName: "closed", brokenName: "killed"}[name]]
		path := filepath.Join(image, engineName, name)
		s, found, err := readSeal(path)
		if err != nil || !found {
			t.Fatalf("%t, %v", found, err)
		}
		old := map[string]fileSum{}
		for name, sum := range s.Files {
			if sum.Size != growing && (isTable(name) || filepath.Base(path) == sealName) {
				old[name] = fileSum{Size: sum.Size, CRC: sum.CRC}
			}
		}
		data, err := json.Marshal(old)
		if err != nil {
			t.Fatal(err)
		}
		if err := writeSynced(path, fmt.Sprintf("%08x\n%s\n", checksum(data), data)); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if mustBeWholeOrRefusedWith(t, image, largeOptions) {
				t.Errorf("a journal with an old %s is refused", name)
			}
		}
	}
}

// TestWhatMayBeLostIsCountedUntilItIsThere: a journal that misses a record is refused
// however often it is opened.
func TestWhatMayBeLostIsCountedUntilItIsThere(t *testing.T) {
	dir := images(t)["closed"]
	uncount := func(lose bool) {
		t.Helper()
		s := openFull(t, filepath.Join(dir, engineName), verifyAtOpen)
		if lose {
			if err := s.Commit([]store.Write{{Key: []byte("r\x00\x00\x00\x00\x00\x00\x00\x03")}}); err != nil {
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
		if _, err := openJournal(dir, Options{}); !errors.Is(err, store.ErrCorrupt) {
			t.Errorf("a lost record is told as %v", err)
		}
	}
}

func TestALargeEncryptedJournalIsReadAsWell(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "journal")
	options := Options{verifyAtOpen: -1, EncryptionKey: bytes.Repeat([]byte{7}, 32)}
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
