// Package spool keeps which companies have changed, from the notification until somebody has looked at them. It is
// a directory, which one process fills and another one empties at the same time, without a lock.
//
// An entry is an empty file. Its name has the company's identifier, the time and a random number, so a name is used
// once. The file is there whole or not at all, and what removes it by its name can never remove a newer one.
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

// The errors of Add, besides those of the file system. In both cases nothing was kept.
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
	// Limit is the most companies that Add keeps; 0 for no limit. It is set before the first Add.
	Limit int

	dir  string
	sync func(dir string) error // makes the names in a directory survive a crash

	renewed atomic.Int64

	mu     sync.Mutex          // guards what follows
	known  map[string][]string // the files of each company, and some that another process has removed
	looked time.Time           // when a full directory was read last, by the clock of Add
}

// Open opens a spool, and creates its directory when there is none.
func Open(dir string) (*Spool, error) {
	s := &Spool{dir: dir, sync: atomicfile.SyncDirectory}
	if err := s.create(dir); err != nil {
		return nil, fmt.Errorf("the spool %s cannot be created: %w", dir, err)
	}
	return s, s.look()
}

// create makes a directory and those above it, whose names survive a crash.
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

// Add keeps that a company changed. When it returns nil, the entry survives a crash. A company has one entry: a
// later Add renews it. After an error the entry may be there or not.
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
	// The entry is durable from here on. A crash that leaves the earlier files does no harm: Each sees one entry.
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

// failed returns an error of the file system without the name of the file, which has the company's identifier.
func (s *Spool) failed(err error) error {
	if at, is := errors.AsType[*fs.PathError](err); is {
		err = at.Err
	}
	return fmt.Errorf("the spool %s: %w", s.dir, err)
}

// Renewed returns how often Add renewed an entry in place of making one.
func (s *Spool) Renewed() int64 { return s.renewed.Load() }

// lookAgain is how long a full spool counts as full before the directory is read again.
const lookAgain = time.Second

// makeRoom returns ErrFull when the directory has no room for another company.
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

// look reads which files there are.
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

// Each calls do for each company that changed, the one whose last notification came first before the others, until
// do returns an error. An entry that is renewed while the directory is read may be left to the next Each.
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

// Waiting returns how many companies of a directory wait. There need not be a directory.
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
	at := map[string]int{} // where the entry of a company is
	for _, file := range files {
		id, received, ok := parseName(file.Name())
		if !ok {
			continue // of somebody else
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

// Done removes entries that Each returned. One that was renewed since then stays. After an error or a crash some of
// them may still be there.
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
