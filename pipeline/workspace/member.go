package workspace

import (
	"context"

	"payonce/checkpoint/pgstore"
	"payonce/checkpoint/record"
)

// Peers are the processes that work on a journal during a change. It is zero for a journal in a directory, because no
// other process works on that meanwhile.
type Peers struct {
	// Own is the epoch of this process. It is live until the Member is closed, or until the process has not reached the
	// database for its lease and the longest time of a call.
	Own  uint64
	turn record.Turn
}

// Runs reports whether another process with an epoch may still work.
func (p Peers) Runs(epoch uint64) bool { return epoch != p.Own && p.turn.IsLive(epoch) }

// Member is a process that changes a journal several times. In a shared journal it has one epoch for all changes, so
// that other processes know that it is alive.
type Member struct {
	dir     string
	opening Opening
	store   *pgstore.Store // nil until the first change, and for a directory
}

// Join returns a member of the processes of a journal, which has to exist before the first change.
func Join(dir string, o Opening) *Member { return &Member{dir: dir, opening: o} }

// Change calls do while no other process changes the journal. What do writes is durable when Change returns nil.
func (m *Member) Change(ctx context.Context, do func(record.Store, Peers) error) (err error) {
	if m.opening.Shared == nil {
		return WithStore(ctx, m.dir, m.opening, func(s record.Store) error { return do(s, Peers{}) })
	}
	if m.store == nil {
		if m.store, err = pgstore.Open(*m.opening.Shared); err != nil {
			return err
		}
	}
	return m.store.Alone(func(turn record.Turn) error { return do(m.store, Peers{turn.Epoch, turn}) })
}

// Close ends the epoch.
func (m *Member) Close() error {
	if m.store == nil {
		return nil
	}
	return m.store.Close()
}
