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
	"sync/atomic"
	"time"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/decide"
	"payonce/checkpoint/record"
	"payonce/cost"
	"payonce/enrich"
)

// Journal is the record of the paid calls of one workspace, as one of its accounts sees it: its keys,
// what is known of a subject, doubts, snapshots and pauses are those of the account. Attempts, runs and
// totals are those of all accounts. Its methods may be called from many goroutines.
type Journal struct {
	*ledger
	number attempt.Account
	fields enrich.Fields // all of the account's catalogue
}

// ledger is what the Journals of all accounts share.
type ledger struct {
	store  Store
	room   roomy            // the store; nil when it does not report how full it is
	eraser eraser           // the store; nil when it does not keep values that were replaced
	clock  func() time.Time // nil for that of the shared store
	id     string
	secret []byte  // of the hash that makes keys, 16 bytes
	first  Options // those of the account 0

	registering sync.Mutex // held while an account is recorded
	observing   sync.Mutex // held while changes of companies are recorded

	mu      sync.Mutex
	state   *ledgerState
	queue   []*operation
	queued  int        // bytes of the writes in the queue
	drained *sync.Cond // signals that queued fell or that failure was set
	failure error      // why nothing can be written any more; nil while all is well
	change  []byte     // random number of the last durable change of Version

	shared    sharing
	former    atomic.Pointer[[]formerKey] // of all identities, in order
	formsNext attempt.ID                  // the first attempt that the record Forms does not count

	wake     chan struct{} // holds one value while the queue may not be empty
	stopping chan struct{}
	stopped  chan struct{}
}

// Begin decides whether a lookup may be sent. If so, it holds the lookup's money and its slot of
// the window, and writes its intent. Decisions are made at once and in the order of the calls.
// Only the ticket of a Granted waits for the disk. A request that names no account is for that of j.
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
	if j.number != 0 && req.Account != 0 && req.Account != j.number {
		return nil, fmt.Errorf("a request for account %d cannot begin on the journal of account %d", req.Account, j.number)
	}
	on, err := j.For(cmp.Or(req.Account, j.number))
	if err != nil {
		return nil, err
	}
	decision, write, err := on.decide(req)
	if write != nil {
		write()
	}
	return decision, err
}

// decide decides under the lock and applies the changes. When it returns write, the caller must call
// it: encoding the records takes longer than deciding and needs no lock.
func (j *Journal) decide(req attempt.Request) (decision attempt.Decision, write func(), err error) {
	who := req.Lookup.Identity
	key := j.Key(who)
	known, err := j.lockKnowing(j.lock, key, &who, req.Lookup.Fields)
	defer j.mu.Unlock()
	if refused := j.shared.turn.Refused; j.failure == nil && err == nil && refused != nil {
		err = fmt.Errorf("%w: %w", ErrFailed, refused)
	}
	if err := cmp.Or(j.failure, err); err != nil {
		return nil, nil, err
	}
	learned, err := j.learnFormerOf(key, who, known)
	if err != nil {
		return nil, nil, err
	}
	write = func() {
		if learned != nil {
			<-learned // an error refuses everything that comes later
		}
	}
	if !j.own().Ready {
		return nil, nil, j.notOpened()
	}
	req.Account = j.number
	a := j.state.newAttempt(record.Intent{
		At: j.now(), Key: key, Identity: who, Pattern: who.Pattern().String(), Account: j.number,
		Hold: cost.Hold{Fields: req.Lookup.Fields}, Run: req.Run, Job: req.Job, Epoch: j.shared.turn.Epoch,
	})
	view := j.state.view(known, a)
	view.Account.Drained = j.drainedByAnother()
	if view.Same, err = j.sameSubjects(who, key, req.Lookup.Fields); err != nil {
		return nil, nil, err
	}
	decision, changes, err := decide.Decide(view, req)
	decision = j.waitForOthers(decision)
	if changes == nil || err != nil {
		return decision, write, err
	}
	id := j.state.apply(a, changes)
	op := j.reserve(nil)
	j.queued += longTextsOf(a.Intent)
	ticket := attempt.Ticket{ID: id, Lookup: req.Lookup, Hold: a.Hold, MaySend: j.permission()}
	granted := attempt.Granted{Ticket: func() (attempt.Ticket, error) { return ticket, <-op.durable }}
	intent := a.Intent // encoding writes to its argument, and others read that of the attempt
	return granted, func() {
		op.fill(Write{Key: record.IDKey(record.IntentPrefix, id), Value: record.Encode(&intent)})
	}, nil
}

// Totals returns the sums of a scope. ScopeAccount is that of the account of j.
func (j *Journal) Totals(scope string) cost.Totals {
	if scope == ScopeAccount {
		scope = j.number.Scope(scope)
	}
	j.look()
	defer j.mu.Unlock()
	return j.state.sums.Totals(scope)
}

// PausedUntil returns when the pause ends that the service asked for; the zero time when there is none.
func (j *Journal) PausedUntil() time.Time {
	j.look()
	defer j.mu.Unlock()
	if until := j.own().PausedUntil; until.After(j.now()) {
		return until
	}
	return time.Time{}
}

// EndPause ends the pause that the service asked for. It returns the time until which the pause
// would have lasted, or the zero time when there was none. It serves a user who knows that the
// pause is a mistake of the service.
func (j *Journal) EndPause() (until time.Time, err error) {
	j.lock()
	until = j.own().EndPause(j.now())
	durable := j.enqueue(nil)
	j.mu.Unlock()
	return until, <-durable
}

// Limits returns the limits of the account that are reached and last.
func (j *Journal) Limits() []attempt.Limit {
	j.look()
	defer j.mu.Unlock()
	return j.own().LastingLimits(j.now())
}

// EndLimits ends the limits of the account that are reached, and returns those that lasted. It serves a
// user who knows that the account has more.
func (j *Journal) EndLimits() ([]attempt.Limit, error) {
	j.lock()
	ended := j.own().EndLimits(j.now())
	durable := j.enqueue(nil)
	j.mu.Unlock()
	return ended, <-durable
}

// NoteUsedByOthers notes how many units of the free allowance others have used since the base, at least.
// The journal does not count on those units any more.
func (j *Journal) NoteUsedByOthers(units cost.Amounts) error {
	j.lock()
	j.own().UsedByOthers = j.own().UsedByOthers.Most(units)
	durable := j.enqueue(nil)
	j.mu.Unlock()
	return <-durable
}
