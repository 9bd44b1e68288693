// Package ledgertest is the conformance suite of ledgers: of everything that decides about paid
// calls and records how they end. A ledger stores its records in its own way and takes its
// decisions from package decide.
package ledgertest

import (
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/decide"
	"payonce/cost"
	"payonce/enrich"
)

// Ledger decides about calls and records how they end.
type Ledger interface {
	Begin(attempt.Request) (attempt.Decision, error)
	Settle(attempt.ID, enrich.Answered) (cost.Charge, error)
	Release(attempt.ID, attempt.Release) error
	MarkInDoubt(attempt.ID, attempt.LostCall) error
}

// Journal is a Ledger with its accounts and the totals of its scopes.
type Journal interface {
	Ledger
	// RebaseAccount makes a snapshot of an account the base of its free allowance and ceilings. It
	// fails while a call of the account is in flight.
	RebaseAccount(attempt.Account, cost.Account) error
	// Assume decides calls in doubt: each was charged for all its fields, or for none.
	Assume(charged bool, ids ...attempt.ID) error
	// Totals returns the totals of a scope.
	Totals(scope string) cost.Totals
	// RecordIn returns what is known of an identity in an account.
	RecordIn(attempt.Account, enrich.Identity) (attempt.Record, error)
}

// Options say how a ledger is opened.
type Options struct {
	Rates [accounts]decide.Rate // of each account
	Now   func() time.Time
}

// accounts is how many accounts a ledger has.
const accounts = 2

// second is the account 1.
const second attempt.Account = 1

// New prepares an empty store and returns a function that opens the ledger in it. When the
// function is called again, the process before has died: what it did not record is lost.
type New func(t testing.TB, options Options) (open func() Journal)

// rig drives one ledger in a test. It fails the test when a step does not go as expected.
type rig struct {
	Journal
	T    testing.TB
	At   time.Time // the clock
	open func() Journal
	// again returns a rig with an empty store.
	again func() *rig
}

// start is the time at which the clock of a Rig begins.
var start = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)

func newRig(t testing.TB, make New, rates [accounts]decide.Rate) *rig {
	r := &rig{T: t, At: start}
	r.open = make(t, Options{Rates: rates, Now: func() time.Time { return r.At }})
	r.Journal = r.open()
	r.again = func() *rig { return newRig(t, make, rates) }
	return r
}

// Run runs every scenario on ledgers that New makes.
func Run(t *testing.T, make New) {
	for name, scenario := range scenarios() {
		t.Run(name, func(t *testing.T) { scenario.play(newRig(t, make, scenario.rates())) })
	}
}

// crash ends the process and opens the ledger again.
func (r *rig) crash() { r.Journal = r.open() }

// pass lets time pass.
func (r *rig) pass(d time.Duration) { r.At = r.At.Add(d) }

// Rebase makes a snapshot of the account 0 its base.
func (r *rig) Rebase(snapshot cost.Account) error { return r.RebaseAccount(0, snapshot) }

func (r *rig) check(err error) {
	r.T.Helper()
	if err != nil {
		r.T.Fatal(err)
	}
}

// want begins a call that must get this decision.
func (r *rig) want(req attempt.Request, want attempt.Decision) {
	r.T.Helper()
	decision, err := r.Begin(req)
	r.check(err)
	if diff := cmp.Diff(want, decision, decisions(), anyKey()); diff != "" {
		r.T.Fatalf("decision (-want +got):\n%s", diff)
	}
}

// grant begins a call that must be granted, and waits for its ticket.
func (r *rig) grant(req attempt.Request) attempt.Ticket {
	r.T.Helper()
	decision, err := r.Begin(req)
	r.check(err)
	granted, ok := decision.(attempt.Granted)
	if !ok {
		r.T.Fatalf("decision %#v, want Granted", decision)
	}
	ticket, err := granted.Ticket()
	r.check(err)
	return ticket
}

// settle records an answer that must be charged so.
func (r *rig) settle(ticket attempt.Ticket, returned enrich.Fields, want cost.Charge) {
	r.T.Helper()
	charge, err := r.Settle(ticket.ID, answer(returned))
	r.check(err)
	if diff := cmp.Diff(want, charge); diff != "" {
		r.T.Fatalf("charge (-want +got):\n%s", diff)
	}
}

func (r *rig) release(ticket attempt.Ticket, why attempt.Release) {
	r.T.Helper()
	r.check(r.Release(ticket.ID, why))
}

func (r *rig) lose(ticket attempt.Ticket) {
	r.T.Helper()
	r.check(r.MarkInDoubt(ticket.ID, attempt.LostCall{Cause: "lost"}))
}

// spent checks the money of a scope.
func (r *rig) spent(scope string, settled, held cost.Money) {
	r.T.Helper()
	if got := r.Totals(scope); got.Settled.Money() != settled || got.Held.Money() != held {
		r.T.Fatalf("%s: settled $%s, held $%s; want $%s, $%s", scope, got.Settled.Money(), got.Held.Money(), settled, held)
	}
}

// foundBy checks which attempt has the value of a field of a person.
func (r *rig) foundBy(n int, f enrich.Field, state attempt.FieldState, want attempt.ID) {
	r.T.Helper()
	known, err := r.RecordIn(0, person(n))
	r.check(err)
	if got := known.FoundBy(f); got != want || known.States[f] != state {
		r.T.Fatalf("the value is that of attempt %d in state %d, want %d in state %d", got, known.States[f], want, state)
	}
}

// decisions compares granted decisions as equal, because a ticket is a function. When to ask again about a pause that
// another process may end follows from the store, so it counts only whether that is before the end of the pause.
func decisions() cmp.Options {
	return cmp.Options{
		cmp.Comparer(func(_, _ attempt.Granted) bool { return true }),
		cmp.Transformer("WithoutAskAgain", func(d attempt.Later) any {
			return struct {
				Until     time.Time
				Asked, In bool
			}{d.Until, d.Asked, d.AskAgain.Before(d.Until)}
		}),
	}
}

// anyKey compares keys by whether they are zero: each ledger makes its own.
func anyKey() cmp.Option {
	return cmp.Comparer(func(a, b enrich.Key) bool { return (a == enrich.Key{}) == (b == enrich.Key{}) })
}

func person(n int) enrich.Identity {
	return enrich.Identity{ProfileURL: "https://pro.example/in/p" + strconv.Itoa(n)}
}

// answer returns an answer with values for some fields.
func answer(returned enrich.Fields) enrich.Answered {
	if returned == 0 {
		return enrich.Answered{Status: enrich.NotFound}
	}
	return enrich.Answered{Status: enrich.Matched, Returned: returned}
}
