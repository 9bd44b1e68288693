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

	"payonce/checkpoint/badgerstore"
	"payonce/io/iotest"
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

// TestEveryStoreKeepsTheStoreContract runs the Store's contract over every store.
func TestEveryStoreKeepsTheStoreContract(t *testing.T) {
	stores := map[string]func(t *testing.T) (open func() Store){
		"badger": func(t *testing.T) func() Store {
			dir := t.TempDir()
			return func() Store {
				store, err := badgerstore.Open(dir, badgerstore.Options{})
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
	t.Run("postgres", func(t *testing.T) {
		server := iotest.StartPostgres(t, "fsync=on")
		testStore(t, inPostgres(server)(t))
		testStore(t, inPostgresWith(server, encryptionKey)(t))
	})
}

// encryptionKey is a key of encrypted journals.
var encryptionKey = bytes.Repeat([]byte{7}, 32)

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
		commit(Write{Key: fmt.Appendf(nil, "a%d", i), Value: fmt.Appendf(nil, "value %d", i)})
	}
	commit(Write{Key: []byte("b"), Value: []byte("other")}, Write{Key: []byte("a3")})

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
