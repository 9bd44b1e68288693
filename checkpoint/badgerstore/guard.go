package badgerstore

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/dgraph-io/badger/v4"
)

// guard watches over the files of a store that is open.
//
// It verifies the content of every table that was there when the store was opened
// before anything is read from it. Badger itself does not do: when the checksum of a
// block is wrong, it goes on as if the block's keys had never been. And it keeps the
// broken seal up to date, for the case of a crash.
type guard struct {
	dir   string
	place os.FileInfo // the directory as it was when the store was opened

	sealing sync.Mutex // guards seal and seen
	seal    seal
	seen    files

	mu       sync.Mutex // guards unread
	unread   map[string]*unread
	left     atomic.Int32 // len(unread)
	failure  atomic.Pointer[error]
	stopping chan struct{}
	kept     chan struct{} // closed when the seal is not kept any more
	readOut  chan struct{} // closed when no table is verified any more
}

// unread is a table whose content was not verified since the store was opened.
type unread struct {
	path        string
	sum         fileSum
	first, last []byte // its keys
	once        sync.Once
	err         error
}

func (u *unread) verify() error {
	u.once.Do(func() { u.err = verifyFile(u.path, u.sum) })
	return u.err
}

// holds reports whether the table may hold keys from first to last; a nil last is the
// end of all.
func (u *unread) holds(first, last []byte) bool {
	return bytes.Compare(first, u.last) <= 0 && (last == nil || bytes.Compare(u.first, last) <= 0)
}

// newGuard returns the guard of a store that was just opened, with what is known of
// its files.
func newGuard(dir string, s seal) (*guard, error) {
	place, err := os.Stat(dir)
	return &guard{dir: dir, place: place, seal: s, unread: map[string]*unread{}, stopping: make(chan struct{}), kept: make(chan struct{}), readOut: make(chan struct{})}, err
}

// inPlace returns an error when the directory was removed, or another one has taken its
// place. What is written to the open files then is written to none that anybody finds
// again, and a new file would be one of the other directory.
func (g *guard) inPlace() error {
	now, err := os.Stat(g.dir)
	if err == nil && !os.SameFile(g.place, now) {
		err = fmt.Errorf("%s was replaced by another directory", g.dir)
	}
	return err
}

// readAll verifies every table at once, when they have so many bytes at most. Of a
// store that is larger they are verified while it is open.
func (g *guard) readAll(most int64) (done bool, err error) {
	var size int64
	for name, sum := range g.seal.Files {
		if isTable(name) {
			size += sum.Size
		}
	}
	if size > most {
		return false, nil
	}
	for _, name := range slices.Sorted(maps.Keys(g.seal.Files)) {
		if isTable(name) {
			err = errors.Join(err, verifyFile(filepath.Join(g.dir, name), g.seal.Files[name]))
		}
	}
	return true, err
}

// suspectAll notes that no table of the store was verified.
func (g *guard) suspectAll(db *badger.DB) {
	for _, table := range db.Tables() {
		name := tableName(table.ID)
		if sum, known := g.seal.Files[name]; known {
			g.unread[name] = &unread{
				path: filepath.Join(g.dir, name), sum: sum,
				first: withoutVersion(table.Left), last: withoutVersion(table.Right),
			}
		}
	}
	g.left.Store(int32(len(g.unread)))
}

func tableName(id uint64) string { return fmt.Sprintf("%06d%s", id, tableEnding) }

// withoutVersion cuts off the version that Badger's keys end in, 8 bytes.
func withoutVersion(key []byte) []byte { return bytes.Clone(key[:max(0, len(key)-8)]) }

// vouch verifies what may hold keys from first to last; a nil last is the end of all.
// Nothing of them may be believed after an error.
func (g *guard) vouch(first, last []byte) error {
	if err := g.err(); err != nil || g.left.Load() == 0 {
		return err
	}
	for _, u := range g.among(first, last) {
		if err := g.read(u); err != nil {
			return err
		}
	}
	return nil
}

// among returns the tables that were not verified yet and may hold keys from first to
// last.
func (g *guard) among(first, last []byte) (found []*unread) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, u := range g.unread {
		if u.holds(first, last) {
			found = append(found, u)
		}
	}
	return found
}

// read verifies one table. When it is damaged nothing of the store is believed any
// more.
func (g *guard) read(u *unread) error {
	if err := u.verify(); err != nil {
		g.fail(err)
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.unread, filepath.Base(u.path))
	g.left.Store(int32(len(g.unread)))
	return nil
}

func (g *guard) fail(err error) { g.failure.CompareAndSwap(nil, &err) }

// err returns why nothing of the store may be believed any more.
func (g *guard) err() error {
	if failure := g.failure.Load(); failure != nil {
		return *failure
	}
	return nil
}

// next returns the first key from which on a table was not verified yet; false when
// there is none.
func (g *guard) next(from []byte) (key []byte, found bool) {
	if g.left.Load() == 0 {
		return nil, false
	}
	for _, u := range g.among(from, nil) {
		if !found || bytes.Compare(u.first, key) < 0 {
			key, found = u.first, true
		}
	}
	return key, found
}

// readOn verifies one table after the other until none is left.
func (g *guard) readOn() {
	defer close(g.readOut)
	for {
		select {
		case <-g.stopping:
			return
		default:
		}
		left := g.among(nil, nil)
		if len(left) == 0 || g.read(slices.MinFunc(left, func(a, b *unread) int { return strings.Compare(a.path, b.path) })) != nil {
			return
		}
	}
}

func (g *guard) stop() {
	close(g.stopping)
	<-g.kept
	<-g.readOut
}
