// Package checkpoint is the journal: the durable record of every paid call, on
// which every decision to spend is made.
//
// What it guarantees, whatever ends the process and whenever:
//
//   - Begin is one atomic decision. Its ticket is handed out only when the intent
//     is durable, so a POST without a durable intent cannot exist.
//   - A resolution is visible to decisions and readers only when it is durable.
//     Commits are in the order of the decisions, so nothing durable ever rests on
//     something that is not.
//   - An attempt that has an intent and no resolution when the journal is opened
//     is in doubt: it keeps its hold, and its fields are not sent again.
//   - After a failed commit the journal refuses everything; reopening decides.
package checkpoint

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"time"

	"payonce/attempt"
	"payonce/checkpoint/record"
	"payonce/cost"
	"payonce/enrich"
)

// Journal is the record of the paid calls of one workspace. Its methods may be
// called from many goroutines.
type Journal struct {
	store  Store
	room   roomy // the store, nil when it does not tell how full it is
	now    func() time.Time
	id     string
	secret []byte // 16 bytes, that keys are hashed with

	mu      sync.Mutex
	state   *ledgerState
	queue   []*operation
	queued  int        // bytes of the writes in the queue
	drained *sync.Cond // queued fell, or failure came
	failure error      // why nothing can be written any more
	version uint64     // of the last durable commit
	books   []byte     // the ledger state's record when the journal was opened; its unknown members are kept
	opening []byte     // the random number of the opening in which the last commit was made
	marked  bool       // opening is that of this one

	wake     chan struct{} // has room for one: the queue is not empty
	stopping chan struct{}
	stopped  chan struct{}
}

// Begin decides whether a lookup may be sent, and if so holds its money and its
// slot of the window and writes its intent. The decision is made at once and in
// the order of the calls; only the ticket of a Granted waits for the disk.
func (j *Journal) Begin(req attempt.Request) (attempt.Decision, error) {
	if _, err := req.Prices.Total(req.Lookup.Fields); err != nil {
		return nil, err
	}
	if length := lengthOf(req.Lookup.Identity); length > maxIdentity {
		return nil, fmt.Errorf("what names a person has %d bytes, and %d are the most; is a quote missing in the list?", length, maxIdentity)
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

// decide makes a decision under the lock. When it grants, write has to be called
// then: making the records takes longer than deciding and needs no lock.
func (j *Journal) decide(req attempt.Request) (decision attempt.Decision, write func(), err error) {
	key := j.Key(req.Lookup.Identity)
	known, err := j.lockKnowing(key, &req.Lookup.Identity, req.Lookup.Fields)
	defer j.mu.Unlock()
	if err := cmp.Or(j.failure, err); err != nil {
		return nil, nil, err
	}
	if decision := j.decided(known, req); decision != nil {
		return decision, nil, nil
	}
	a := j.state.newAttempt(record.Intent{
		At: j.now(), Key: key, Identity: req.Lookup.Identity, Pattern: req.Lookup.Identity.Pattern().String(),
		Hold: cost.Hold{Fields: req.Lookup.Fields, Prices: req.Prices}, Run: req.Run, Job: req.Job,
		Earlier: earlier(known, req.Lookup.Fields),
	})
	if decision, err := j.state.decide(a, req); decision != nil || err != nil {
		return decision, nil, err
	}
	j.state.persisted.Strict = j.state.persisted.Strict || req.Strict
	id := j.state.begin(a)
	op := j.reserve(nil)
	j.queued += longTextsOf(a.Intent)
	ticket := attempt.Ticket{ID: id, Lookup: req.Lookup, Hold: a.Hold}
	granted := attempt.Granted{Ticket: func() (attempt.Ticket, error) { return ticket, <-op.durable }}
	return granted, func() {
		op.fill(Write{Key: record.IDKey(record.IntentPrefix, id), Value: record.Encode(&a.Intent)})
	}, nil
}

// earlier returns the forfeited attempts of the fields, which go on to count for
// the person when a field is bought again.
func earlier(known attempt.Record, fields enrich.Fields) map[enrich.Field][]attempt.ID {
	var forfeited map[enrich.Field][]attempt.ID
	for f := range fields.Each() {
		ids := slices.Clone(known.Earlier[f])
		if known.States[f] == attempt.PaidAndGone {
			ids = append(ids, known.Attempts[f])
		}
		if len(ids) > 0 {
			if forfeited == nil {
				forfeited = map[enrich.Field][]attempt.ID{}
			}
			forfeited[f] = ids
		}
	}
	return forfeited
}

// decided returns a decision when what is known of the fields makes it, else nil.
func (j *Journal) decided(known attempt.Record, req attempt.Request) attempt.Decision {
	var answered, open enrich.Fields
	for f := range req.Lookup.Fields.Each() {
		switch {
		case known.States[f] == attempt.OutcomeUnknown:
			if j.state.open[known.Attempts[f]].state == attempt.Intended {
				return attempt.Blocked{}
			}
			open = open.With(f)
		case !known.Askable(f, req.Reask):
			answered = answered.With(f)
		}
	}
	switch {
	case open != 0:
		return attempt.Unsettled{Fields: open}
	case answered != 0:
		return attempt.Known{Fields: answered}
	}
	return nil
}

// Totals returns the sums of a scope.
func (j *Journal) Totals(scope string) cost.Totals {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.state.sums.Totals(scope)
}

// EndPause ends the pause that the service asked for, and returns until when it would
// have lasted; the zero time when there was none. It is for somebody who knows that the
// service did not mean it.
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

// Forgo says how many units of the free allowance somebody else has used since the
// base at least; they are not counted on any more.
func (j *Journal) Forgo(units [enrich.NumFields]int64) error {
	j.lock()
	for f, n := range units {
		j.state.persisted.Forgone[f] = max(j.state.persisted.Forgone[f], n)
	}
	durable := j.enqueue(nil)
	j.mu.Unlock()
	return <-durable
}
