package badgerstore

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dgraph-io/badger/v4"
)

// guard watches over the files of a store that is open. It keeps the broken seal up to
// date, for the case of a crash.
type guard struct {
	dir   string
	place os.FileInfo // the directory as it was when the store was opened

	sealing sync.Mutex // guards seal and seen
	seal    seal
	seen    files

	failure  atomic.Pointer[error]
	stopping chan struct{}
	stopped  chan struct{}
}

// newGuard returns the guard of a store that was just opened, with what is known of
// its files.
func newGuard(dir string, s seal) (*guard, error) {
	place, err := os.Stat(dir)
	return &guard{dir: dir, place: place, seal: s, stopping: make(chan struct{}), stopped: make(chan struct{})}, err
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

// keepFrom is how long the seal may be behind the files.
const keepFrom = 100 * time.Millisecond

// keepOn keeps the seal until the guard is stopped.
func (g *guard) keepOn(db *badger.DB) {
	defer close(g.stopped)
	look := time.NewTicker(keepFrom)
	defer look.Stop()
	for {
		select {
		case <-g.stopping:
			return
		case <-look.C:
			if err := g.keep(db); err != nil {
				g.failure.CompareAndSwap(nil, &err)
			}
		}
	}
}

// err returns why the seal could not be kept.
func (g *guard) err() error {
	if failure := g.failure.Load(); failure != nil {
		return *failure
	}
	return nil
}

func (g *guard) stop() {
	close(g.stopping)
	<-g.stopped
}

// files are what shows that files came, went or were changed.
type files struct {
	changed  time.Time // the directory
	manifest int64     // the size of the manifest
}

// whole reports whether nothing can have been lost since the records were counted.
func (g *guard) whole() bool {
	g.sealing.Lock()
	defer g.sealing.Unlock()
	return !g.seal.Uncounted
}

// uncounted sets whether records may have been lost since they were counted last.
func (g *guard) uncounted(uncounted bool) {
	g.sealing.Lock()
	defer g.sealing.Unlock()
	g.seal.Uncounted = uncounted
}

// counted notes that the records were counted and nothing is missing. Before it is
// called the seal says otherwise, however often the store is opened.
func (g *guard) counted() error {
	g.sealing.Lock()
	defer g.sealing.Unlock()
	if !g.seal.Uncounted {
		return nil
	}
	g.seal.Uncounted = false
	return g.seal.write(filepath.Join(g.dir, brokenName))
}

// keep updates the broken seal to the files as they are. A table that is entered was
// written by this process.
func (g *guard) keep(db *badger.DB) error {
	g.sealing.Lock()
	defer g.sealing.Unlock()
	if err := g.inPlace(); err != nil {
		return err
	}
	seen, err := filesNow(g.dir)
	if err != nil || seen == g.seen {
		return err
	}
	now, err := g.sealNow(db)
	if err != nil {
		return fmt.Errorf("sealing the journal: %w", err)
	}
	if !maps.Equal(now.Files, g.seal.Files) {
		if err := now.write(filepath.Join(g.dir, brokenName)); err != nil {
			return err
		}
		g.seal = now
		return nil // having written it, the directory has changed
	}
	g.seen = seen
	return nil
}

func filesNow(dir string) (files, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return files{}, err
	}
	manifest, err := os.Stat(filepath.Join(dir, manifestName))
	if errors.Is(err, os.ErrNotExist) {
		return files{}, nil // it is being replaced
	}
	if err != nil {
		return files{}, err
	}
	return files{info.ModTime(), manifest.Size()}, nil
}

func tableName(id uint64) string { return fmt.Sprintf("%06d%s", id, tableEnding) }

// liveFiles returns the names of the files that the broken seal holds: of what is in
// the directory, Badger may be about to write some and to remove others.
func (g *guard) liveFiles(db *badger.DB) (names []string, err error) {
	for _, table := range db.Tables() {
		names = append(names, tableName(table.ID))
	}
	all, err := storeFiles(g.dir)
	for _, name := range all {
		if isLog(name) || name == manifestName {
			names = append(names, name)
		}
	}
	return names, err
}

// sealNow looks at the tables, the manifest and the logs. Of the last log only the
// name is told: it is written to.
func (g *guard) sealNow(db *badger.DB) (seal, error) {
	now := seal{Files: map[string]fileSum{}, Uncounted: g.seal.Uncounted}
	names, err := g.liveFiles(db)
	if err != nil {
		return now, err
	}
	last := lastLog(names)
	for _, name := range names {
		sum, known := g.seal.Files[name]
		if name == last {
			now.Files[name] = fileSum{Size: growing}
			continue
		}
		if !known || name == manifestName || sum.Size == growing {
			sum, err = sumFile(filepath.Join(g.dir, name))
		}
		if errors.Is(err, os.ErrNotExist) {
			continue // merged into another one meanwhile
		}
		if err != nil {
			return now, err
		}
		now.Files[name] = sum
	}
	return now, nil
}
