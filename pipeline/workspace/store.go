package workspace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"payonce/checkpoint"
	"payonce/checkpoint/badgerstore"
	"payonce/checkpoint/pgstore"
	"payonce/checkpoint/record"
	"payonce/checkpoint/remote"
)

// Opening says how a journal and its store are opened.
type Opening struct {
	Store   badgerstore.Options
	Journal checkpoint.Options
	Wait    time.Duration // how long to wait for another process that owns the journal
	// Owner returns what this process shows to other processes while it owns the journal. It may be nil. It
	// may be called from any goroutine.
	Owner func() Owner
	// Shared is how the journal is opened when it is in a database; nil for a directory.
	Shared *pgstore.Options
}

// A place is where a journal is kept: a directory, or a database that several machines share.
type place interface {
	// own opens the store to write to it. In a directory no other process can open it meanwhile.
	own(ctx context.Context, does doing) (record.Store, error)
	// read opens the store to read it, or a read-only snapshot. A command that records which files it wrote gets a
	// snapshot only while another process owns the journal.
	read(ctx context.Context, does doing) (s record.Store, snapshot bool, err error)
	// change calls do with the store while no other process changes it.
	change(ctx context.Context, do func(record.Store) error) error
	// keeps names the places that may have copies of erased records, and in which an erasure cannot erase.
	keeps() []string
	// processes returns the processes that work on the journal together.
	processes() ([]pgstore.Process, error)
	// owners returns what the processes of this machine that have opened the journal say about themselves. In a
	// directory it is one, or an error of package remote.
	owners() ([]Owner, error)
	// rewrite replaces the store by a copy that is encrypted with a key.
	rewrite(ctx context.Context, key []byte) error
}

// at returns the place of the journal. Dir is its directory, or that of the local files of a shared journal.
func (o Opening) at(dir string) place {
	if o.Shared != nil {
		return database{o, dir}
	}
	return directory{dir, o}
}

// OpenJournal opens the journal of a directory or of a database, or creates it. Until it is closed, other processes can
// read it.
func OpenJournal(ctx context.Context, dir string, o Opening) (*checkpoint.Journal, error) {
	s, err := o.at(dir).own(ctx, doing{opening: true})
	if err != nil {
		return nil, err
	}
	return o.open(s)
}

// open opens the journal in a store. In a directory nobody else reads it until then: calls that were in flight when
// another process was killed are not in doubt yet. The clock of a shared journal is that of its database.
func (o Opening) open(s record.Store) (*checkpoint.Journal, error) {
	options := o.Journal
	if _, shared := s.(record.Shared); shared {
		options.Now = nil
	}
	journal, err := checkpoint.New(s, options)
	if owned, is := s.(*owned); is && err == nil {
		owned.ready()
	}
	return journal, err
}

// readJournal opens a journal to read it, and reports whether it is a snapshot.
func readJournal(ctx context.Context, dir string, o Opening, does doing) (journal *checkpoint.Journal, snapshot bool, err error) {
	does.reading, does.opening = true, true
	s, snapshot, err := o.at(dir).read(ctx, does)
	switch {
	case err != nil:
		return nil, false, err
	case snapshot:
		journal, err = checkpoint.Read(s, o.Journal)
	default:
		journal, err = o.open(s)
	}
	return journal, snapshot, err
}

// WithStore calls do with the store of a journal, which has to exist and which no other process owns. No other process
// changes it meanwhile.
func WithStore(ctx context.Context, dir string, o Opening, do func(record.Store) error) error {
	return o.at(dir).change(ctx, do)
}

// ReadStore calls do with the store of a journal, which has to exist. When another process owns the
// journal, the store is a snapshot.
func ReadStore(ctx context.Context, dir string, o Opening, do func(record.Store) error) error {
	s, _, err := o.at(dir).read(ctx, doing{reading: true})
	if err != nil {
		return err
	}
	return errors.Join(do(s), s.Close())
}

// Rewrite makes a fresh store of a closed journal, encrypted with a key.
func (o Opening) Rewrite(ctx context.Context, dir string, key []byte) error {
	return o.at(dir).rewrite(ctx, key)
}

// Keeps names the places, besides backups, that may have copies of erased records and in which an erasure cannot erase.
func (o Opening) Keeps() []string { return o.at("").keeps() }

// directory is a place in which one process owns the journal at a time.
type directory struct {
	dir string
	Opening
}

// own implements place.
func (d directory) own(ctx context.Context, does doing) (record.Store, error) {
	return own(ctx, d.dir, d.Opening, does)
}

// read implements place.
func (d directory) read(ctx context.Context, does doing) (record.Store, bool, error) {
	snapshot, own, err := read(ctx, d.dir, d.Opening, does)
	if snapshot != nil {
		return snapshot, true, nil
	}
	return own, false, err
}

// change implements place.
func (d directory) change(ctx context.Context, do func(record.Store) error) error {
	s, err := own(ctx, d.dir, d.Opening, doing{})
	if err != nil {
		return err
	}
	return errors.Join(do(s), s.Close())
}

// keeps implements place.
func (d directory) keeps() []string { return nil }

// processes implements place. A directory has only an owner.
func (d directory) processes() ([]pgstore.Process, error) { return nil, nil }

// owners implements place.
func (d directory) owners() ([]Owner, error) {
	owner, err := ownerOf(d.dir)
	if err != nil {
		return nil, err
	}
	return []Owner{owner}, nil
}

// rewrite implements place.
func (d directory) rewrite(ctx context.Context, key []byte) error {
	return d.alone(ctx, d.dir, func() error {
		return badgerstore.Rewrite(d.dir, d.Store, badgerstore.Copy{EncryptionKey: key, Verify: record.VerifyWhole, Stop: d.Journal.Stop})
	})
}

// The times that a command waits for a journal, at least.
const (
	// silentTime is for an owner that does not serve readers: it is about to open or to close the journal.
	silentTime = 500 * time.Millisecond
	// readersTime is for an owner that only reads, when the command has to own the journal, and for one
	// that is opening the journal, when the command reads it.
	readersTime = 10 * time.Second
)

// own opens the store of the journal in dir for this process alone.
func own(ctx context.Context, dir string, o Opening, does doing) (s *owned, err error) {
	err = o.alone(ctx, dir, func() error {
		opened, err := badgerstore.Open(dir, o.Store)
		if err == nil {
			s = serveReaders(dir, opened, o, does)
		}
		return err
	})
	return s, err
}

// alone calls open again while another process owns the journal in dir, as long as the command may wait
// for that one. While it waits, no command that only reads becomes the owner.
func (o Opening) alone(ctx context.Context, dir string, open func() error) error {
	var release func() error
	defer func() {
		if release != nil {
			_ = release() // closing a file that was not written
		}
	}()
	for waiting := begin(); ; {
		err := open()
		held, isHeld := errors.AsType[*badgerstore.LockedError](err)
		if !isHeld {
			return err
		}
		patience := o.Wait
		owner, ownerErr := ownerOf(dir)
		switch {
		case ownerErr != nil:
			patience = max(patience, silentTime)
		case owner.Reading:
			patience = max(patience, readersTime)
		}
		if release == nil {
			release, _ = badgerstore.TakeTurn(dir) // without it, this process may wait longer
		}
		if more, ctxErr := waiting.more(ctx, patience); !more {
			if owner.Summary != "" {
				held.Holder += ", " + owner.Summary
			}
			return cmp.Or(ctxErr, err)
		}
	}
}

// read opens the store of the journal in dir, or a snapshot of it when another process owns it.
func read(ctx context.Context, dir string, o Opening, does doing) (snapshot *remote.Store, s *owned, err error) {
	for waiting := begin(); ; {
		var held error = &badgerstore.LockedError{Dir: dir}
		if !badgerstore.Awaited(dir) {
			options := o.Store
			options.Copied = true
			s, err := badgerstore.Open(dir, options)
			if err == nil {
				return nil, serveReaders(dir, s, o, does), nil
			}
			if _, isHeld := errors.AsType[*badgerstore.LockedError](err); !isHeld {
				return nil, nil, err
			}
			held = err
		}
		snapshot, err := remote.Open(dir, o.Store.EncryptionKey)
		patience := max(o.Wait, silentTime)
		switch {
		case err == nil:
			return snapshot, nil, nil
		case errors.Is(err, remote.ErrOpening):
			patience = max(o.Wait, readersTime)
		case errors.Is(err, remote.ErrKey):
			return nil, nil, fmt.Errorf("%w: %w", record.ErrEncryptionKey, err)
		}
		if more, ctxErr := waiting.more(ctx, patience); !more {
			if !errors.Is(err, remote.ErrNoOwner) {
				held = fmt.Errorf("%w, and cannot be read: %w", held, err)
			}
			return nil, nil, cmp.Or(ctxErr, held)
		}
	}
}

// waiting is how long a command has waited.
type waiting struct {
	begun time.Time
	pause time.Duration
}

// The pauses between two attempts to open a journal.
const (
	firstPause = 10 * time.Millisecond
	maxPause   = 200 * time.Millisecond
)

func begin() *waiting { return &waiting{time.Now(), firstPause} }

// more waits before the next attempt. It returns false when the patience or the context has ended.
func (w *waiting) more(ctx context.Context, patience time.Duration) (bool, error) {
	left := patience - time.Since(w.begun)
	if left <= 0 {
		return false, nil
	}
	timer := time.NewTimer(min(w.pause, left))
	defer timer.Stop()
	w.pause = min(w.pause*2, maxPause)
	select {
	case <-ctx.Done():
		return false, ctx.Err()
	case <-timer.C:
		return true, nil
	}
}
