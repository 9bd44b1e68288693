package badgerstore

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

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
	old := map[string]string{"a": "old", "b": "old"}
	fresh := map[string]string{"a": randomText(3*longestPart + 1), "b": "new"}
	const syncs = 4 + 1
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

// TestACopyHasNoPartsOfReplacedValues counts the parts of a long value that was replaced, before and after a copy.
func TestACopyHasNoPartsOfReplacedValues(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	commitValues(t, s.engine, map[string]string{"a": randomText(3 * longestPart)})
	commitValues(t, s.engine, map[string]string{"a": "short"})
	if err := errors.Join(s.Opened("id"), s.Close()); err != nil {
		t.Fatal(err)
	}
	parts := func() (count int) {
		err := EachVersion(dir, nil, func(key, _ []byte) {
			if isPart(key) {
				count++
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		return count
	}
	before := parts()
	if err := Rewrite(dir, Options{}, Copy{Verify: func(record.Store) error { return nil }}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int{3, 0}, []int{before, parts()}); diff != "" {
		t.Errorf("parts before and after the copy (-want +got):\n%s", diff)
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
	removed := partKey(firstPart(s.Version()-3) + rand.Uint64N(3))
	if err := s.Commit([]record.Write{{Key: removed}}); err != nil {
		t.Fatal(err)
	}
	if value, err := s.Get([]byte("a")); !errors.Is(err, record.ErrCorrupt) {
		t.Errorf("read %d bytes, error %v, want record.ErrCorrupt", len(value), err)
	}
}
