// Package spool receives notifications, and stores the companies that they name until these are polled. A spool is a
// directory. One process adds entries and another removes them at the same time, without a lock.
//
// An entry is an empty file. Its name has the company's identifier, the time and a random number, so every name is used
// only once. So the file is never incomplete, and a removal by name cannot remove a newer entry.
package spool

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"payonce/io/atomicfile"
)

// MaxID is the longest identifier of a company, in bytes.
const MaxID = 100

// The errors of Add, besides those of the file system. After both, nothing was stored.
var (
	ErrFull = errors.New("the spool is full")
	ErrID   = errors.New("the identifier of the company is empty or too long")
)

// Entry is a company that changed.
type Entry struct {
	CompanyID  string
	ReceivedAt time.Time // of the last notification, in UTC
	names      []string  // of its files
}

// Spool is one directory. Its methods may be called from any goroutine, and other processes may use the directory.
type Spool struct {
	// Limit is the most companies that Add stores; 0 for no limit. Set it before the first Add.
	Limit int

	dir  string
	sync func(dir string) error // makes the names in a directory durable

	renewed atomic.Int64

	mu     sync.Mutex          // guards what follows
	known  map[string][]string // the files of each company, and some that another process has removed
	looked time.Time           // when a full directory was last read, by the clock of Add
}

// Open opens a spool, and creates its directory when it does not exist.
func Open(dir string) (*Spool, error) {
	s := &Spool{dir: dir, sync: atomicfile.SyncDirectory}
	if err := s.create(dir); err != nil {
		return nil, fmt.Errorf("the spool %s cannot be created: %w", dir, err)
	}
	return s, s.look()
}

// create makes a directory and missing ones above it durably.
func (s *Spool) create(dir string) error {
	err := os.Mkdir(dir, 0o700)
	switch {
	case errors.Is(err, fs.ErrNotExist) && filepath.Dir(dir) != dir:
		if err := s.create(filepath.Dir(dir)); err != nil {
			return err
		}
		return s.create(dir)
	case errors.Is(err, fs.ErrExist):
		if info, statErr := os.Stat(dir); statErr != nil || !info.IsDir() {
			return err
		}
	case err != nil:
		return err
	}
	return s.sync(filepath.Dir(dir))
}

// Add adds an entry for a company that changed. When it returns nil, the entry is durable. A company has one entry: a
// later Add renews it. After an error the entry may exist or not.
func (s *Spool) Add(companyID string, at time.Time) error {
	if companyID == "" || len(companyID) > MaxID {
		return ErrID
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.makeRoom(companyID, at); err != nil {
		return err
	}
	name := nameOf(companyID, at)
	file, err := os.OpenFile(filepath.Join(s.dir, name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return s.failed(err)
	}
	earlier := s.known[companyID]
	s.known[companyID] = append(slices.Clone(earlier), name)
	if err := cmp.Or(file.Sync(), file.Close(), s.sync(s.dir)); err != nil {
		return s.failed(err)
	}
	// The entry is durable from here on. After a crash earlier files may still exist; Each returns one entry for all.
	waited := false
	for _, old := range earlier {
		err := os.Remove(filepath.Join(s.dir, old))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil // the next Add tries again
		}
		waited = waited || err == nil
	}
	s.known[companyID] = []string{name}
	if waited {
		s.renewed.Add(1)
	}
	return nil
}

// failed removes the name of the file from an error of the file system, because it has the company's identifier.
func (s *Spool) failed(err error) error {
	if at, is := errors.AsType[*fs.PathError](err); is {
		err = at.Err
	}
	return fmt.Errorf("the spool %s: %w", s.dir, err)
}

// Renewed returns how often Add renewed an existing entry.
func (s *Spool) Renewed() int64 { return s.renewed.Load() }

// lookAgain is the time for which a full spool counts as full before the directory is read again.
const lookAgain = time.Second

// makeRoom returns ErrFull when the spool has reached its limit and has no entry of the company.
func (s *Spool) makeRoom(companyID string, at time.Time) error {
	full := func() bool {
		_, waits := s.known[companyID]
		return s.Limit > 0 && !waits && len(s.known) >= s.Limit
	}
	if !full() {
		return nil
	}
	if passed := at.Sub(s.looked); passed >= 0 && passed < lookAgain {
		return ErrFull
	}
	s.looked = at
	if err := s.look(); err != nil {
		return err
	}
	if full() {
		return ErrFull
	}
	return nil
}

// look reads the names of the files.
func (s *Spool) look() error {
	entries, err := s.entries()
	if err != nil {
		return err
	}
	s.known = make(map[string][]string, len(entries))
	for _, e := range entries {
		s.known[e.CompanyID] = e.names
	}
	return nil
}

// Each calls do for each entry, ordered by the time of the last notification, until do returns an error. It may skip an
// entry that is renewed while the directory is read; the next Each returns it.
func (s *Spool) Each(do func(Entry) error) error {
	entries, err := s.entries()
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := do(e); err != nil {
			return err
		}
	}
	return nil
}

// Waiting returns the number of entries in a directory; 0 when the directory does not exist.
func Waiting(dir string) (companies int, err error) {
	entries, err := (&Spool{dir: dir}).entries()
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	return len(entries), err
}

// entries reads the directory, and returns one entry for each company.
func (s *Spool) entries() ([]Entry, error) {
	files, err := os.ReadDir(s.dir)
	if err != nil {
		return nil, fmt.Errorf("the spool cannot be read: %w", err)
	}
	var all []Entry
	at := map[string]int{} // the index of each company's entry
	for _, file := range files {
		id, received, ok := parseName(file.Name())
		if !ok {
			continue // not an entry
		}
		i, there := at[id]
		if !there {
			i = len(all)
			at[id] = i
			all = append(all, Entry{CompanyID: id})
		}
		if e := &all[i]; received.After(e.ReceivedAt) || len(e.names) == 0 {
			e.ReceivedAt = received
		}
		all[i].names = append(all[i].names, file.Name())
	}
	slices.SortFunc(all, func(a, b Entry) int {
		return cmp.Or(a.ReceivedAt.Compare(b.ReceivedAt), strings.Compare(a.CompanyID, b.CompanyID))
	})
	return all, nil
}

// Done removes entries that Each returned. An entry that was renewed since then stays. After an error or a crash some
// entries may still exist.
func (s *Spool) Done(entries ...Entry) (err error) {
	for _, e := range entries {
		for _, name := range e.names {
			if removeErr := os.Remove(filepath.Join(s.dir, name)); !errors.Is(removeErr, fs.ErrNotExist) {
				err = errors.Join(err, removeErr)
			}
		}
	}
	return err
}

// The name of a file is COMPANY-TIME-NUMBER: the identifier in hexadecimal, the time in nanoseconds since 1970, and
// random digits.
func nameOf(companyID string, at time.Time) string {
	var number [8]byte
	_, _ = rand.Read(number[:]) // never fails
	return fmt.Sprintf("%x-%d-%x", companyID, max(at.UnixNano(), 0), number)
}

func parseName(name string) (companyID string, at time.Time, ok bool) {
	parts := strings.Split(name, "-")
	if len(parts) != 3 {
		return "", at, false
	}
	id, idErr := hex.DecodeString(parts[0])
	nanos, timeErr := strconv.ParseInt(parts[1], 10, 64)
	number, numberErr := hex.DecodeString(parts[2])
	if idErr != nil || timeErr != nil || numberErr != nil || len(id) == 0 || len(number) != 8 {
		return "", at, false
	}
	return string(id), time.Unix(0, nanos).UTC(), true
}
