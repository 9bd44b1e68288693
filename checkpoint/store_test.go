package checkpoint

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payonce/enrich"
)

// memStore is a Store whose disk is a map. It can fail a commit, with or without
// having done it, as a disk can.
type memStore struct {
	mu      sync.Mutex
	records map[string][]byte
	commits int
	// before runs ahead of a commit; its error fails the commit. done says whether
	// the failed commit reached the disk all the same.
	before func(commit int) (err error, done bool)
}

func newMemStore() *memStore { return &memStore{records: map[string][]byte{}} }

func (s *memStore) Get(key []byte) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return bytes.Clone(s.records[string(key)]), nil
}

func (s *memStore) Commit(writes []Write) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.commits++
	var err error
	done := true
	if s.before != nil {
		err, done = s.before(s.commits)
	}
	if err != nil && !done {
		return err
	}
	for _, w := range writes {
		if w.Value == nil {
			delete(s.records, string(w.Key))
		} else {
			s.records[string(w.Key)] = bytes.Clone(w.Value)
		}
	}
	return err
}

func (s *memStore) Scan(prefix, from []byte, visit func(key, value []byte) (bool, error)) error {
	s.mu.Lock()
	records := maps.Clone(s.records)
	s.mu.Unlock()
	for _, key := range slices.Sorted(maps.Keys(records)) {
		if !bytes.HasPrefix([]byte(key), prefix) || key < string(from) {
			continue
		}
		if more, err := visit([]byte(key), records[key]); err != nil || !more {
			return err
		}
	}
	return nil
}

func (s *memStore) Version() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return uint64(s.commits)
}

func (s *memStore) Close() error { return nil }

// TestStores runs the Store's contract over every store.
func TestStores(t *testing.T) {
	stores := map[string]func(t *testing.T) (open func() Store){
		"badger": func(t *testing.T) func() Store {
			dir := t.TempDir()
			return func() Store {
				store, err := openBadger(dir, nil, verifyAtOpen)
				if err != nil {
					t.Fatal(err)
				}
				return store
			}
		},
		"memory": func(*testing.T) func() Store {
			store := newMemStore()
			return func() Store { return store }
		},
	}
	for name, make := range stores {
		t.Run(name, func(t *testing.T) { testStore(t, make(t)) })
	}
}

func testStore(t *testing.T, open func() Store) {
	store := open()
	commit := func(writes ...Write) {
		t.Helper()
		before := store.Version()
		if err := store.Commit(writes); err != nil {
			t.Fatal(err)
		}
		if store.Version() <= before {
			t.Errorf("a commit leads from version %d to %d", before, store.Version())
		}
	}
	for i := range 5 {
		commit(Write{fmt.Appendf(nil, "a%d", i), fmt.Appendf(nil, "value %d", i)})
	}
	commit(Write{[]byte("b"), []byte("other")}, Write{[]byte("a3"), nil})

	if got, err := store.Get([]byte("a3")); err != nil || got != nil {
		t.Errorf("a deleted record reads %q, %v; want nil, nil", got, err)
	}
	if got, err := store.Get([]byte("none")); err != nil || got != nil {
		t.Errorf("a record that never was reads %q, %v; want nil, nil", got, err)
	}
	closed := store.Version()
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}

	store = open()
	defer store.Close()
	if store.Version() != closed {
		t.Errorf("closed with version %d, and opened with %d", closed, store.Version())
	}
	scan := func(prefix, from string, most int) (keys []string) {
		t.Helper()
		err := store.Scan([]byte(prefix), []byte(from), func(key, value []byte) (bool, error) {
			keys = append(keys, string(key)+"="+string(value))
			return len(keys) < most, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return keys
	}
	for _, c := range []struct {
		prefix, from string
		most         int
		want         []string
	}{
		{"a", "", 9, []string{"a0=value 0", "a1=value 1", "a2=value 2", "a4=value 4"}},
		{"a", "a2", 9, []string{"a2=value 2", "a4=value 4"}},
		{"a", "a3", 1, []string{"a4=value 4"}},
		{"b", "a2", 9, []string{"b=other"}},
		{"c", "", 9, nil},
	} {
		if diff := cmp.Diff(c.want, scan(c.prefix, c.from, c.most)); diff != "" {
			t.Errorf("scan %q from %q, at most %d: %s", c.prefix, c.from, c.most, diff)
		}
	}
	broken := errors.New("broken")
	if err := store.Scan([]byte("a"), nil, func(_, _ []byte) (bool, error) { return true, broken }); !errors.Is(err, broken) {
		t.Errorf("a visit's error comes back as %v", err)
	}
}

// TestACopyOfManySmallRecordsFitsIntoItsCommits has more of them than a transaction takes
// in the bytes that they have.
func TestACopyOfManySmallRecordsFitsIntoItsCommits(t *testing.T) {
	const records = 60_000
	from := newMemStore()
	from.commits = 1000
	for n := range records {
		from.records[string(fieldKey(enrich.Key{byte(n), byte(n >> 8), byte(n >> 16)}, enrich.WorkEmail))] = []byte{recordVersion}
	}
	dir := t.TempDir()
	if err := copyStore(from, dir, nil); err != nil {
		t.Fatal(err)
	}
	to, err := openBadger(dir, nil, verifyAtOpen)
	if err != nil {
		t.Fatal(err)
	}
	defer to.Close()
	if to.Version() <= from.Version() {
		t.Errorf("the copy's version is %d, and that of the other one %d", to.Version(), from.Version())
	}
	copied := 0
	err = to.Scan(nil, nil, func(_, _ []byte) (bool, error) {
		copied++
		return true, nil
	})
	if err != nil || copied != records {
		t.Errorf("%d records of %d, error %v", copied, records, err)
	}
}
