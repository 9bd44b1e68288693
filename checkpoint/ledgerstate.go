package checkpoint

import (
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"payonce/attempt"
	"payonce/checkpoint/decide"
	"payonce/checkpoint/record"
	"payonce/checkpoint/sums"
	"payonce/cost"
	"payonce/enrich"
)

// ledgerState is the part of the journal that decisions are made on. It lies in memory and is
// guarded by the journal's lock. Every commit writes persisted and the changed sums. So opening a
// journal does not read its answers.
type ledgerState struct {
	persisted record.State
	sums      sums.Sums
	open      map[attempt.ID]*openAttempt
	byField   map[record.KeyedField]attempt.ID
	window    window
	tariff    cost.Tariff
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
	return &ledgerState{
		persisted: record.State{NextID: 1, Horizon: 1, Account: record.Account{Rates: cost.Rates{}}},
		sums:      sums.New(catalogue),
		open:      map[attempt.ID]*openAttempt{},
		byField:   map[record.KeyedField]attempt.ID{},
		window:    window{rate: rate},
		tariff:    tariff,
	}
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
	return decide.View{
		Now: a.At, Subject: subject, Scopes: scopes,
		Account: decide.Account{
			Ceilings:  b.tariff.Ceilings(b.persisted.Base, ScopeAccount),
			Allowance: b.allowance(), PausedUntil: b.persisted.PausedUntil, Window: b.window.at(a.At),
		},
	}
}

// allowance returns what the last snapshot and the answers since then leave of the free
// allowance. A value that the snapshot does not give counts as used up. Units that no call in
// flight holds are held by calls that came into doubt since the snapshot. What earlier calls
// used is no longer part of the snapshot.
func (b *ledgerState) allowance() cost.Allowance {
	account := b.sums.Scope(ScopeAccount)
	return cost.Allowance{
		Left:    b.tariff.FreeUnits(b.persisted.Base).Minus(account.Totals.Settled).Minus(b.persisted.Forgone),
		Held:    account.InFlight.Held,
		Doubted: account.Totals.Held.Minus(account.InFlight.Held),
	}
}

// apply applies the changes of a decision that grants an attempt.
func (b *ledgerState) apply(a *openAttempt, changes *decide.Changes) attempt.ID {
	a.Hold, a.Earlier = changes.Hold, changes.Earlier
	b.persisted.Strict = b.persisted.Strict || changes.Strict
	b.window.take()
	id := b.persisted.NextID
	b.persisted.NextID++
	b.enter(id, a)
	b.persisted.InFlight = append(b.persisted.InFlight, id)
	b.remember(a.Hold)
	b.sums.Hold(a.sums, a.Hold)
	if id >= b.moveNext {
		b.moveHorizon()
	}
	return id
}

// remember keeps the rates of a hold. It replaces the map and does not change it, because the
// committer may be encoding the map.
func (b *ledgerState) remember(hold cost.Hold) {
	for f := range hold.Fields.Each() {
		if known, ok := b.persisted.Rates[f]; !ok || known != hold.Rates[f] {
			b.persisted.Rates = maps.Clone(b.persisted.Rates)
			b.persisted.Rates[f] = hold.Rates[f]
		}
	}
}

// rebase makes a quiet snapshot the base, at which the account's totals begin. The snapshot
// already contains what earlier attempts were charged, those in doubt included. So none of them
// counts in the account's totals. In every other scope the holds of doubts stay.
func (b *ledgerState) rebase(account cost.Account) {
	b.persisted.Base, b.persisted.BaseFirst = account, b.persisted.NextID
	b.persisted.DecidableFrom = b.persisted.NextID
	b.persisted.Forgone = cost.Amounts{}
	b.persisted.CreditAdded, b.persisted.Strict = false, false
	sum := b.sums.Scope(ScopeAccount)
	sum.Totals = cost.Totals{}
	b.sums.Touch(sum)
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

// pause prevents calls before a time. The zero time changes nothing.
func (b *ledgerState) pause(now, until time.Time) {
	if until.After(b.persisted.PausedUntil) {
		b.persisted.PausedAt, b.persisted.PausedUntil = now, until
	}
}

// clampTimes corrects times that lie in the future because the clock was set back. A pause
// starts again, and the last call counts as ended now.
func (b *ledgerState) clampTimes(now time.Time) {
	p := &b.persisted
	if p.PausedAt.After(now) {
		p.PausedAt, p.PausedUntil = now, now.Add(p.PausedUntil.Sub(p.PausedAt))
	}
	p.LastEnded = earlierOf(p.LastEnded, now)
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
	b.sums.Release(a.sums, a.Hold, res, id < b.persisted.BaseFirst)
	if a.state != attempt.Intended {
		return
	}
	b.land(id)
	b.noteProvisional(id, res.Charge)
	if !res.Sent {
		b.window.giveBack()
		return
	}
	b.window.release(id, now)
	b.persisted.LastEnded = now
}

// markInDoubt puts an attempt in doubt. Its hold stays. Its slot is freed one window from now,
// because no call lasts longer than its time-out.
func (b *ledgerState) markInDoubt(id attempt.ID, d record.Doubt, now time.Time) {
	a := b.open[id]
	a.state, a.doubt = attempt.InDoubt, d
	b.land(id)
	b.window.release(id, now)
	b.persisted.LastEnded = now
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

// horizonStep is the least number of attempts between two moves of the horizon. An old
// horizon only means that open reads more records.
const horizonStep = 64

// horizonShare limits the cost of moving the horizon, which looks at every slot: the horizon
// moves at most once in slots/horizonShare attempts.
const horizonShare = 16

// moveHorizon moves the horizon to the first attempt that occupies a slot.
func (b *ledgerState) moveHorizon() {
	horizon := b.persisted.NextID
	for _, s := range b.window.cooling {
		horizon = min(horizon, s.id)
	}
	for id, a := range b.open {
		if a.state == attempt.Intended {
			horizon = min(horizon, id)
		}
	}
	b.persisted.Horizon = horizon
	step := max(horizonStep, (len(b.window.cooling)+len(b.open))/horizonShare)
	b.moveNext = b.persisted.NextID + attempt.ID(step)
}
