package dispatch

import (
	"context"
	"errors"
	"time"

	"payonce/checkpoint/attempt"
	"payonce/cost"
	"payonce/enrich"
)

// Ledger is the part of the journal that spends. Its methods may be called from
// many goroutines; those that return nil have made durable what they say.
type Ledger interface {
	// Begin decides, in the order of its calls, whether a lookup may be sent.
	Begin(req attempt.Request) (attempt.Decision, error)
	// Settle and Release each end a granted attempt, once. MarkInDoubt marks it in doubt, once.
	Settle(id attempt.ID, answer enrich.Answered) (cost.Charge, error)
	Release(id attempt.ID, why attempt.Release) error
	MarkInDoubt(id attempt.ID, why attempt.LostCall) error
}

// Finder sends one lookup once and says what became of it. It does not give up
// when ctx is cancelled: a POST that left is waited for, up to its own time-out.
type Finder interface {
	Find(ctx context.Context, lookup enrich.Lookup) enrich.Verdict
}

// Pacer spreads lookups over time. Wait returns when the next may begin, or with
// ctx's error.
type Pacer interface {
	Wait(ctx context.Context) error
}

// Lookups sends the lookups of a run.
type Lookups struct {
	Ledger Ledger
	Finder Finder
	Pacer  Pacer // nil for none
	// Reconciler settles lost lookups while the run goes on.
	Reconciler *Reconciler
	// Request is what the journal is asked with for every lookup: the run, the prices and
	// the ceilings.
	Request attempt.Request
	// Reask says which fields of a lookup may be asked for again; nil for Request.Reask.
	Reask func(enrich.Lookup) attempt.Reask
	// Expendable are fields that are asked for only while they hold no money, once a lookup with one of
	// them does not fit under a ceiling on money. Without any, the run ends there. A ceiling on the
	// number of lookups always ends it.
	Expendable enrich.Fields
	// Whole are the fields that a lookup by a pattern asks for together, or not at all; nil for none.
	Whole map[enrich.Pattern]enrich.Fields
	// Known reports whether the subject of a lookup with enrich.Lookup.Row is known by now by another identity. Then the
	// lookup is not sent. It is nil where no lookup has a row.
	Known func(enrich.Lookup) (bool, error)
	// Progress is shared by the steps that ask the account; nil for a single one.
	Progress    *AccountProgress
	Catalogue   enrich.Catalogue // of the account's interface
	Tariff      cost.Tariff      // of the account's interface; a run without one fails
	Concurrency int              // the most calls in flight at the same time, at least 1
	// Spacing is the mean time between two calls at the service's rate; 0 when the rate is not
	// limited. No more calls are in flight than that rate needs.
	Spacing time.Duration
	// LongestPause is the longest pause that the service may ask for without ending the run; 0 for a day.
	LongestPause time.Duration
	Now          func() time.Time
	// NotSent is called at the end for every limit of the account and every ceiling on units that was reached, with the
	// number of lookups that were not sent because of it; nil for none.
	NotSent func(Stop, int64)
	// Limited is called at the end, when limits of the account or ceilings on units were reached and have not ended, with
	// a function that reports whether a lookup for some fields no longer fits under one of them; nil for none.
	Limited func(Refuses)
	// Report is called by one goroutine after every change; nil for none.
	Report func(Tally)
	// Note reports what takes longer than a lookup; nil for none.
	Note func(text string)
}

// Refuses reports whether a lookup for some fields does not fit under a limit of the account or a ceiling on units. No
// other account has a part in such a limit.
type Refuses func(enrich.Fields) bool

// Tally counts what the lookups of this process came to.
type Tally struct {
	Lookups      int64 // ended: answered, rejected, given up, forfeited or in doubt
	Posts        int64 // that were sent, or may have been
	Answered     int64
	Rejected     int64
	Lost         int64 // POSTs whose response was lost
	Forfeited    int64 // lost and charged
	InDoubt      int64 // lost and undecided
	GivenUp      int64 // failed three times for a passing fault
	NotSent      int64 // not sent because of a limit of the account or a ceiling on units
	AlreadyKnown int64 // not sent, because the subject was known by then by another identity
	Dropped      int64 // expendable fields that were not asked for because of a short budget
	SlowDowns    int64 // requests of the service to send nothing for a while
	Asked        enrich.ByField[int64]
	Returned     enrich.ByField[int64]
	Spent        cost.Money
	Wait         Wait // what the next lookup waits for now
	Waited       Waited
	// Halted says that the step ended before its last lookup. A limit that stops only the lookups that use it, and
	// a budget that is too short for expendable fields, do not end it.
	Halted bool
}

// Plus returns the sums of two tallies.
func (t Tally) Plus(other Tally) Tally {
	t.Lookups += other.Lookups
	t.Posts += other.Posts
	t.Answered += other.Answered
	t.Rejected += other.Rejected
	t.Lost += other.Lost
	t.Forfeited += other.Forfeited
	t.InDoubt += other.InDoubt
	t.GivenUp += other.GivenUp
	t.NotSent += other.NotSent
	t.AlreadyKnown += other.AlreadyKnown
	t.Dropped += other.Dropped
	t.SlowDowns += other.SlowDowns
	t.Wait = other.Wait
	t.Halted = t.Halted || other.Halted
	t.Waited = t.Waited.Plus(other.Waited)
	t.Spent += other.Spent
	for f := range t.Asked {
		t.Asked[f] += other.Asked[f]
		t.Returned[f] += other.Returned[f]
	}
	return t
}

// The limits of patience with the service.
const (
	maxTries        = 3 // a lookup and two retries (specification v1, "Limits")
	defaultPause    = 60 * time.Second
	firstBackoff    = time.Second
	maxSameInARow   = 5  // rejections of one code, lookups given up, bursts of losses
	maxPausesInARow = 10 // bursts of requests to slow down without an answer between them
	// A run that loses more than one response in lossShare is stopped once it has
	// lost maxLosses: every loss can cost the price of its fields for nothing.
	maxLosses = 20
	lossShare = 4
	// A wait that is longer than any window is reported to the user.
	longWait = 2 * time.Minute
	// The run does not wait when the service asks for more, unless Lookups says otherwise. It ends,
	// resumable, and no later start sends anything before that time.
	maxPause = 24 * time.Hour
	// At most one part in reconcileShare of a run is spent on waiting for accounts
	// to settle: losses that come in between wait for each other.
	reconcileShare = 6
	// A wait in which the rate would send at most fewCalls calls costs less than calls in doubt.
	fewCalls = 60
)

// Run sends the lookups that next yields. It ends when next returns io.EOF, when a ceiling or the service stops
// it, or when ctx is cancelled or halted. A limit of a part of the account and a ceiling on units stop only the
// lookups that use what is limited. The others go on, and Run returns the limit as the stop at the end. It
// returns when no call is in flight any more. The error is the program's own: after it only the journal knows what
// happened.
func (l *Lookups) Run(ctx context.Context, next func() (enrich.Lookup, error)) (Tally, Stop, error) {
	if len(l.Tariff.Meters) == 0 {
		return Tally{}, nil, errors.New("no tariff shows which lookups a limit of the account stops")
	}
	progress := l.Progress
	if progress == nil {
		progress = new(AccountProgress)
	}
	if progress.stop != nil {
		return Tally{Halted: true}, progress.stop, nil
	}
	progress.begin()
	d := &dispatcher{
		Lookups: l, progress: progress, next: next, results: make(chan result), sends: make(chan func()), gate: &gate{now: l.Now}, lost: map[attempt.ID]task{},
		flights: flights{most: l.Concurrency, spacing: l.Spacing},
	}
	defer close(d.sends)
	defer context.AfterFunc(ctx, d.gate.close)()
	for d.failure == nil && d.stop == nil {
		if ctx.Err() != nil {
			d.halt(StopOf(ctx))
			break
		}
		done, err := d.step(ctx)
		if err != nil {
			d.fail(err)
		}
		if done {
			break
		}
	}
	d.drain()
	if d.failure == nil && len(d.lost) > 0 {
		d.settleLosses(ctx)
	}
	d.tally.Halted = d.stop != nil
	return d.tally, d.stopOfAll(), d.failure
}
