package badgerstore

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/dgraph-io/badger/v4"

	"payonce/checkpoint/record"
)

// valuesOfLengths returns values of lengths at which compression and parts begin: of each length one that can be
// compressed, and one that cannot.
func valuesOfLengths() map[string]string {
	values := map[string]string{}
	for _, length := range []int{0, 1, leastCompressed - 1, leastCompressed, longestPart - 1, longestPart, longestPart + 1, 2 * longestPart, 2*longestPart + 1, 3 << 20} {
		values[fmt.Sprintf("random %d", length)] = randomText(length)
		values[fmt.Sprintf("text %d", length)] = strings.Repeat("an answer ", length/10+1)[:length]
	}
	return values
}

// checkValues compares what a store reads with values, by their keys, by a scan and by a snapshot.
func checkValues(t *testing.T, s *engine, want map[string]string) {
	t.Helper()
	snapshot := s.Snapshot()
	defer snapshot.Close()
	scanned, sought, got := map[string]string{}, map[string]string{}, map[string]string{}
	err := s.Scan(nil, nil, func(key, value []byte) (bool, error) {
		scanned[string(key)] = string(value)
		return true, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	err = snapshot.Seek(nil, nil, func(key, value []byte) (bool, []byte, error) {
		sought[string(key)] = string(value)
		return true, nil, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for key := range want {
		value, err := s.Get([]byte(key))
		if err != nil {
			t.Fatal(err)
		}
		got[key] = string(value)
	}
	for how, read := range map[string]map[string]string{"by key": got, "in a scan": scanned, "in a snapshot": sought} {
		for key := range want {
			if read[key] != want[key] {
				t.Errorf("%q has %d bytes %s, want %d", key, len(read[key]), how, len(want[key]))
			}
		}
		if len(read) != len(want) {
			t.Errorf("%d values are read %s, want %d", len(read), how, len(want))
		}
	}
}

func commitValues(t *testing.T, s *engine, values map[string]string) {
	t.Helper()
	var writes []record.Write
	for key, value := range values {
		writes = append(writes, record.Write{Key: []byte(key), Value: []byte(value)})
	}
	if err := s.Commit(writes); err != nil {
		t.Fatal(err)
	}
}

// TestValuesOfEveryLengthAreReadAsTheyWereWritten reads values after they were written and replaced, and in a copy of
// the closed store, with and without encryption.
func TestValuesOfEveryLengthAreReadAsTheyWereWritten(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long and tells nothing about data races")
	}
	for _, key := range [][]byte{nil, bytes.Repeat([]byte("k"), 32)} {
		dir := t.TempDir()
		s, err := Open(dir, Options{EncryptionKey: key})
		if err != nil {
			t.Fatal(err)
		}
		values := valuesOfLengths()
		commitValues(t, s.engine, values)
		checkValues(t, s.engine, values)
		for key := range values {
			values[key] += "!"
		}
		before := s.Version()
		commitValues(t, s.engine, values)
		if s.Version() <= before {
			t.Errorf("version %d follows %d", s.Version(), before)
		}
		checkValues(t, s.engine, values)
		if err := errors.Join(s.Opened("id"), s.Close()); err != nil {
			t.Fatal(err)
		}
		if err := Rewrite(dir, Options{EncryptionKey: key}, Copy{EncryptionKey: key, Verify: func(record.Store) error { return nil }}); err != nil {
			t.Fatal(err)
		}
		if s, err = Open(dir, Options{EncryptionKey: key}); err != nil {
			t.Fatal(err)
		}
		checkValues(t, s.engine, values)
		late := randomText(3 * longestPart)
		values["late"] = late // its parts have other numbers than those of the copy
		commitValues(t, s.engine, map[string]string{"late": late})
		checkValues(t, s.engine, values)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestPartsWithoutTheirEntryAreNotRead lets a commit fail at each of its syncs: those of the parts of a long value, and
// that of the entries. No value of the commit is read afterwards. A later commit with the same keys is read.
func TestPartsWithoutTheirEntryAreNotRead(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long and tells nothing about data races")
	}
	old := map[string]string{"a": "old", "b": "old"}
	fresh := map[string]string{"a": randomText(3*longestPart + 1), "b": "new"}
	const syncs = 1 + 1 // of all parts, and of the rest
	for failing := range syncs {
		dir := t.TempDir()
		s, err := openEngine(dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		commitValues(t, s, old)
		version := s.Version()
		done := 0
		s.sync = func() error {
			if done++; done > failing {
				return syscall.EIO
			}
			return s.db.Sync()
		}
		writes := []record.Write{{Key: []byte("a"), Value: []byte(fresh["a"])}, {Key: []byte("b"), Value: []byte(fresh["b"])}}
		if err := s.Commit(writes); err == nil {
			t.Fatal("a commit was acknowledged that was not synced")
		}
		checkValues(t, s, old)
		if s.Version() != version {
			t.Errorf("the version is %d, want %d", s.Version(), version)
		}
		killed := copyOf(t, dir) // what a crash leaves, at least; the system may have written more
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if s, err = openEngine(killed, nil); err != nil {
			t.Fatal(err)
		}
		if failing < syncs-1 {
			checkValues(t, s, old)
		}
		commitValues(t, s, fresh)
		checkValues(t, s, fresh)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestACopyHasNoPartsOfReplacedValues looks for a long value that was replaced, and for parts that no value names, before
// and after a copy.
func TestACopyHasNoPartsOfReplacedValues(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	long := randomText(3 * longestPart)
	commitValues(t, s.engine, map[string]string{"a": long, "kept": long + "!"})
	commitValues(t, s.engine, map[string]string{"a": "short"})
	if err := errors.Join(s.Opened("id"), s.Close()); err != nil {
		t.Fatal(err)
	}
	found := func() (replaced, kept, parts int) {
		err := EachVersion(dir, nil, func(key, value []byte) {
			switch {
			case isPart(key):
				parts++
			case string(value) == long:
				replaced++
			case string(value) == long+"!":
				kept++
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		return replaced, kept, parts
	}
	if replaced, kept, parts := found(); replaced != 1 || kept != 1 || parts != 0 {
		t.Errorf("before the copy there are %d replaced values, %d kept ones and %d parts, want 1, 1 and 0", replaced, kept, parts)
	}
	if err := Rewrite(dir, Options{}, Copy{Verify: func(record.Store) error { return nil }}); err != nil {
		t.Fatal(err)
	}
	if replaced, kept, parts := found(); replaced != 0 || kept != 1 || parts != 0 {
		t.Errorf("after the copy there are %d replaced values, %d kept ones and %d parts, want 0, 1 and 0", replaced, kept, parts)
	}
	engineDir := filepath.Join(dir, engineName)
	raw := 0
	db, err := openDB(engineDir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	options := badger.DefaultIteratorOptions
	options.AllVersions, options.Prefix = true, []byte{partPrefix}
	txn := db.NewTransactionAt(db.MaxVersion(), false)
	defer txn.Discard()
	entries := txn.NewIterator(options)
	defer entries.Close()
	for entries.Rewind(); entries.Valid(); entries.Next() {
		raw++
	}
	if raw != 4 {
		t.Errorf("the copy has %d parts, want 4 of the value that was kept", raw)
	}
}

// TestACommitOfAnySizeIsTaken has the largest commits that record.Store allows: of many values just below the length that
// is split, and of many small ones.
func TestACommitOfAnySizeIsTaken(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long and tells nothing about data races")
	}
	s, err := openEngine(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, length := range []int{0, 10, 1000, longestPart / 5, longestPart - 1, longestPart, 10 * longestPart} {
		values, size := map[string]string{}, 0
		for n := 0; size < 2*record.CommitSize || n < 30 && length > 0; n++ {
			key := fmt.Sprintf("%d-%d", length, n)
			values[key] = randomText(length)
			size += record.Write{Key: []byte(key), Value: []byte(values[key])}.Size()
		}
		commitValues(t, s, values)
		for key := range values {
			if value, err := s.Get([]byte(key)); err != nil || string(value) != values[key] {
				t.Fatalf("%s has %d bytes of %d, error %v", key, len(value), len(values[key]), err)
			}
		}
	}
}

// TestAMissingPartOfAValueIsDamage removes a part of a long value. To read the value returns record.ErrCorrupt.
func TestAMissingPartOfAValueIsDamage(t *testing.T) {
	s, err := openEngine(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	commitValues(t, s, map[string]string{"a": randomText(3 * longestPart)})
	removed := partKey(firstPart(s.Version()-1) + rand.Uint64N(3))
	if err := s.Commit([]record.Write{{Key: removed}}); err != nil {
		t.Fatal(err)
	}
	if value, err := s.Get([]byte("a")); !errors.Is(err, record.ErrCorrupt) {
		t.Errorf("read %d bytes, error %v, want record.ErrCorrupt", len(value), err)
	}
}
