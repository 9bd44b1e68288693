// Package checkpoint is the journal: the durable record of every paid call. Every decision to
// spend is made on it.
//
// It guarantees the following, whenever and however the process ends:
//
//   - Begin is one atomic decision. It hands out a ticket only when the intent is durable. So
//     there is no paid call without a durable intent.
//   - A resolution is visible to decisions and readers only when it is durable. Commits are in
//     the order of the decisions. So a durable record never depends on one that is not durable.
//   - An attempt without a resolution is in doubt when the journal is opened. It keeps its hold,
//     and its fields are not requested again.
//   - After a failed commit the journal refuses everything. Opening it again finds out what is
//     durable.
package checkpoint

import (
	"cmp"
	"fmt"
	"sync"
	"time"

	"payonce/attempt"
	"payonce/checkpoint/decide"
	"payonce/checkpoint/record"
	"payonce/cost"
	"payonce/enrich"
)

// Journal is the record of the paid calls of one workspace. Its methods may be called from many
// goroutines.
type Journal struct {
	store     Store
	room      roomy  // the store; nil when it does not report how full it is
	eraser    eraser // the store; nil when it does not keep values that were replaced
	now       func() time.Time
	id        string
	secret    []byte // of the hash that makes keys, 16 bytes
	catalogue enrich.Catalogue
	fields    enrich.Fields // all of the catalogue

	mu      sync.Mutex
	state   *ledgerState
	queue   []*operation
	queued  int        // bytes of the writes in the queue
	drained *sync.Cond // signals that queued fell or that failure was set
	failure error      // why nothing can be written any more; nil while all is well
	version uint64     // of the last durable commit
	opening []byte     // random number of the opening that made the last commit
	marked  bool       // opening is that of this process

	wake     chan struct{} // holds one value while the queue may not be empty
	stopping chan struct{}
	stopped  chan struct{}
}

// Begin decides whether a lookup may be sent. If so, it holds the lookup's money and its slot of
// the window, and writes its intent. Decisions are made at once and in the order of the calls.
// Only the ticket of a Granted waits for the disk.
func (j *Journal) Begin(req attempt.Request) (attempt.Decision, error) {
	if length := req.Lookup.Identity.Len(); length > maxIdentity {
		return nil, fmt.Errorf("what names a person has %d bytes, and %d are the most; is a quote missing in the list?",
			length, maxIdentity)
	}
	if j.room != nil {
		if err := j.room.Room(); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrFailed, err)
		}
	}
	decision, write, err := j.decide(req)
	if write != nil {
		write()
	}
	return decision, err
}

// decide decides under the lock and applies the changes. When it grants, the caller must call
// write: encoding the records takes longer than deciding and needs no lock.
func (j *Journal) decide(req attempt.Request) (decision attempt.Decision, write func(), err error) {
	who := req.Lookup.Identity
	key := j.Key(who)
	known, err := j.lockKnowing(key, &who, req.Lookup.Fields)
	defer j.mu.Unlock()
	if err := cmp.Or(j.failure, err); err != nil {
		return nil, nil, err
	}
	a := j.state.newAttempt(record.Intent{
		At: j.now(), Key: key, Identity: who, Pattern: who.Pattern().String(),
		Hold: cost.Hold{Fields: req.Lookup.Fields}, Run: req.Run, Job: req.Job,
	})
	decision, changes, err := decide.Decide(j.state.view(known, a), req)
	if changes == nil || err != nil {
		return decision, nil, err
	}
	id := j.state.apply(a, changes)
	op := j.reserve(nil)
	j.queued += longTextsOf(a.Intent)
	ticket := attempt.Ticket{ID: id, Lookup: req.Lookup, Hold: a.Hold}
	granted := attempt.Granted{Ticket: func() (attempt.Ticket, error) { return ticket, <-op.durable }}
	return granted, func() {
		op.fill(Write{Key: record.IDKey(record.IntentPrefix, id), Value: record.Encode(&a.Intent)})
	}, nil
}

// Totals returns the sums of a scope.
func (j *Journal) Totals(scope string) cost.Totals {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.state.sums.Totals(scope)
}

// EndPause ends the pause that the service asked for. It returns the time until which the pause
// would have lasted, or the zero time when there was none. It serves a user who knows that the
// pause is a mistake of the service.
func (j *Journal) EndPause() (until time.Time, err error) {
	j.lock()
	p := &j.state.persisted
	if p.PausedUntil.After(j.now()) {
		until = p.PausedUntil
	}
	p.PausedAt, p.PausedUntil = time.Time{}, time.Time{}
	durable := j.enqueue(nil)
	j.mu.Unlock()
	return until, <-durable
}

// Forgo notes how many units of the free allowance others have used since the base, at least.
// The journal does not count on those units any more.
func (j *Journal) Forgo(units cost.Amounts) error {
	j.lock()
	j.state.persisted.Forgone = j.state.persisted.Forgone.Most(units)
	durable := j.enqueue(nil)
	j.mu.Unlock()
	return <-durable
}
