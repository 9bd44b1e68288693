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

// OpenJournal opens the journal in a directory, or creates it. Until it is closed, other processes can
// read it.
func OpenJournal(ctx context.Context, dir string, o Opening) (*checkpoint.Journal, error) {
	if o.Shared != nil {
		return openShared(o)
	}
	s, err := own(ctx, dir, o, doing{opening: true})
	if err != nil {
		return nil, err
	}
	return s.open(o)
}

// open opens the journal in the store. Until then nobody else reads it: calls that were in flight when
// another process was killed are not in doubt yet.
func (s *owned) open(o Opening) (*checkpoint.Journal, error) {
	journal, err := checkpoint.New(s, o.Journal)
	if err == nil {
		s.ready()
	}
	return journal, err
}

// readJournal opens the journal in a directory to read it, and reports whether another process owns it.
// Then it is a snapshot.
func readJournal(ctx context.Context, dir string, o Opening) (journal *checkpoint.Journal, another bool, err error) {
	if o.Shared != nil {
		journal, err = readShared(o)
		return journal, true, err
	}
	snapshot, own, err := read(ctx, dir, o, doing{reading: true, opening: true})
	switch {
	case err != nil:
		return nil, false, err
	case snapshot != nil:
		journal, err = checkpoint.Read(snapshot, o.Journal)
		return journal, true, err
	}
	journal, err = own.open(o)
	return journal, false, err
}

// WithStore calls do with the store of a journal, which has to exist and which no other process owns.
func WithStore(ctx context.Context, dir string, o Opening, do func(record.Store) error) error {
	if o.Shared != nil {
		m := Join(dir, o)
		return errors.Join(m.Change(ctx, func(s record.Store, _ Peers) error { return do(s) }), m.Close())
	}
	s, err := own(ctx, dir, o, doing{})
	if err != nil {
		return err
	}
	return errors.Join(do(s), s.Close())
}

// ReadStore calls do with the store of a journal, which has to exist. When another process owns the
// journal, the store is a snapshot.
func ReadStore(ctx context.Context, dir string, o Opening, do func(record.Store) error) error {
	if o.Shared != nil {
		snapshot, err := pgstore.Read(o.Shared.URL, o.Shared.Workspace)
		if err != nil {
			return err
		}
		return errors.Join(do(snapshot), snapshot.Close())
	}
	snapshot, own, err := read(ctx, dir, o, doing{reading: true})
	switch {
	case err != nil:
		return err
	case snapshot != nil:
		return errors.Join(do(snapshot), snapshot.Close())
	}
	return errors.Join(do(own), own.Close())
}

// Rewrite makes a fresh store of a closed journal, encrypted with a key.
func (o Opening) Rewrite(ctx context.Context, dir string, key []byte) error {
	if o.Shared != nil {
		return errNotShared
	}
	return o.alone(ctx, dir, func() error {
		return badgerstore.Rewrite(dir, o.Store, badgerstore.Copy{EncryptionKey: key, Verify: record.VerifyWhole, Stop: o.Journal.Stop})
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
			return nil, nil, fmt.Errorf("%w: %w", badgerstore.ErrEncryptionKey, err)
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
