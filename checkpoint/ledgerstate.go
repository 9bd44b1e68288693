package checkpoint

import (
	"cmp"
	"slices"
	"sync/atomic"
	"time"

	"payonce/attempt"
	"payonce/checkpoint/account"
	"payonce/checkpoint/decide"
	"payonce/checkpoint/record"
	"payonce/checkpoint/sums"
	"payonce/cost"
	"payonce/enrich"
)

// ledgerState is the part of the journal that decisions are made on. It lies in memory and is
// guarded by the journal's lock. Every commit writes persisted, the account and the changed sums. So opening a
// journal does not read its answers.
type ledgerState struct {
	persisted record.Progress
	account   *account.Account
	sums      sums.Sums
	open      map[attempt.ID]*openAttempt
	byField   map[record.KeyedField]attempt.ID
	moveNext  attempt.ID // the attempt whose Begin moves the horizon next
	// left counts the attempts that were removed from open, by the first byte of their
	// keys. It is read without the lock.
	left [256]atomic.Uint32
}

// openAttempt is an attempt without a durable resolution.
type openAttempt struct {
	record.Intent
	sums  []*sums.Sum   // that it counts in
	state attempt.State // Intended or InDoubt
	doubt record.Doubt
	// resolving says that a resolution is decided and not durable yet.
	resolving bool
}

func newLedgerState(rate Rate, catalogue enrich.Catalogue, tariff cost.Tariff) *ledgerState {
	b := &ledgerState{
		persisted: record.Progress{NextID: 1},
		sums:      sums.New(catalogue),
		open:      map[attempt.ID]*openAttempt{},
		byField:   map[record.KeyedField]attempt.ID{},
	}
	b.account = account.New(rate, tariff, &b.sums)
	return b
}

// record returns the record of the state.
func (b *ledgerState) record() *record.State {
	return &record.State{Progress: b.persisted, Account: b.account.Account}
}

// newAttempt returns an attempt that is in flight once it is applied.
func (b *ledgerState) newAttempt(in record.Intent) *openAttempt {
	return &openAttempt{Intent: in, sums: b.sums.Of(in), state: attempt.Intended}
}

// view returns what a decision about a new attempt is made on: what is known of its subject,
// its scopes and the account.
func (b *ledgerState) view(known attempt.Record, a *openAttempt) decide.View {
	subject := decide.Subject{Record: known}
	for f := range a.Hold.Fields.Each() {
		if earlier := b.open[known.Attempts[f]]; earlier != nil && earlier.state == attempt.Intended {
			subject.InFlight = subject.InFlight.With(f)
		}
	}
	scopes := make([]*decide.Scope, len(a.sums))
	for i, sum := range a.sums {
		scopes[i] = &sum.Scope
	}
	return decide.View{Now: a.At, Subject: subject, Scopes: scopes, Account: b.account.View(a.At)}
}

// apply applies the changes of a decision that grants an attempt.
func (b *ledgerState) apply(a *openAttempt, changes *decide.Changes) attempt.ID {
	a.Hold, a.Earlier = changes.Hold, changes.Earlier
	id := b.persisted.NextID
	b.persisted.NextID++
	b.enter(id, a)
	b.persisted.InFlight = append(b.persisted.InFlight, id)
	b.account.Begin(changes)
	b.sums.Hold(a.sums, a.Hold)
	if id >= b.moveNext {
		b.moveHorizon()
	}
	return id
}

// quiet reports whether no call is in flight.
func (b *ledgerState) quiet() bool {
	for _, a := range b.open {
		if a.state == attempt.Intended {
			return false
		}
	}
	return true
}

// enter adds an attempt to the open ones.
func (b *ledgerState) enter(id attempt.ID, a *openAttempt) {
	b.open[id] = a
	for f := range a.Hold.Fields.Each() {
		b.byField[record.KeyedField{Key: a.Key, Field: f}] = id
	}
}

// resolve replaces the hold of an attempt that ended by its charge. The attempt stays open until
// its resolution is durable and leave is called.
func (b *ledgerState) resolve(id attempt.ID, res attempt.Resolution, now time.Time) {
	a := b.open[id]
	a.resolving = true
	b.persisted.Resolved++
	b.sums.EndOn(res.At, id)
	b.sums.Release(a.sums, a.Hold, res, id < b.account.BaseFirst)
	if a.state != attempt.Intended {
		return
	}
	b.land(id)
	b.account.NoteProvisional(id, a.Hold, res.Charge)
	b.account.End(id, res.Sent, now)
}

// markInDoubt puts an attempt in doubt. Its hold stays.
func (b *ledgerState) markInDoubt(id attempt.ID, d record.Doubt, now time.Time) {
	a := b.open[id]
	a.state, a.doubt = attempt.InDoubt, d
	b.land(id)
	b.account.End(id, true, now)
}

// land notes that an attempt is no longer in flight.
func (b *ledgerState) land(id attempt.ID) {
	sums.Land(b.open[id].sums, b.open[id].Hold)
	if at, found := slices.BinarySearch(b.persisted.InFlight, id); found {
		b.persisted.InFlight = slices.Delete(b.persisted.InFlight, at, at+1)
	}
}

// leave removes an attempt whose resolution is durable from the open ones.
func (b *ledgerState) leave(id attempt.ID) {
	a := b.open[id]
	for f := range a.Hold.Fields.Each() {
		delete(b.byField, record.KeyedField{Key: a.Key, Field: f})
	}
	delete(b.open, id)
	b.departures(a.Key).Add(1)
}

// departures returns the counter of removed attempts for a key. While it stays the same, no
// resolution about this identity has become durable.
func (b *ledgerState) departures(key enrich.Key) *atomic.Uint32 { return &b.left[key[0]] }

// departAll notes that records of any identity may have changed.
func (b *ledgerState) departAll() {
	for i := range b.left {
		b.left[i].Add(1)
	}
}

// horizonShare limits the cost of moving the horizon, which looks at every slot: the horizon
// moves at most once in slots/horizonShare attempts.
const horizonShare = 16

// moveHorizon moves the horizon to the first attempt that occupies a slot.
func (b *ledgerState) moveHorizon() {
	first := b.persisted.NextID
	if len(b.persisted.InFlight) > 0 {
		first = b.persisted.InFlight[0]
	}
	slots := b.account.MoveHorizon(first)
	step := max(account.HorizonStep, (slots+len(b.open))/horizonShare)
	b.moveNext = b.persisted.NextID + attempt.ID(step)
}

// inDoubt returns the calls in doubt for the sums, in the order of their Begin.
func (b *ledgerState) inDoubt() (doubts []sums.Doubt) {
	for id, a := range b.open {
		if a.state == attempt.InDoubt && !a.resolving {
			doubts = append(doubts, sums.Doubt{ID: id, Sums: a.sums, Held: a.Hold.Amounts()})
		}
	}
	slices.SortFunc(doubts, func(a, b sums.Doubt) int { return cmp.Compare(a.ID, b.ID) })
	return doubts
}

// relieve reduces the holds of calls in doubt to what they can have been charged together.
func (b *ledgerState) relieve() { b.sums.Relieve(b.account.Closed, b.inDoubt()) }

// unresolved returns the open attempts that have no resolution.
func (b *ledgerState) unresolved() (ids []attempt.ID) {
	for id, a := range b.open {
		if !a.resolving {
			ids = append(ids, id)
		}
	}
	return ids
}

// provisional returns the fields whose charge is provisional, by attempt.
func (b *ledgerState) provisional() map[attempt.ID]enrich.Fields {
	fields := map[attempt.ID]enrich.Fields{}
	b.account.ProvisionalFields(fields)
	return fields
}
