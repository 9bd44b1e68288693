package checkpoint

import (
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"payonce/attempt"
	"payonce/checkpoint/record"
	"payonce/checkpoint/sums"
	"payonce/cost"
	"payonce/enrich"
)

// ledgerState is the part of the journal that decisions are made on. It is pure memory,
// guarded by the journal's lock; persisted and totals are written with every
// commit, so that opening a journal does not read its answers.
type ledgerState struct {
	persisted record.State
	sums      sums.Sums
	open      map[attempt.ID]*openAttempt
	byField   map[record.KeyedField]attempt.ID
	window    window
	moveNext  attempt.ID // the attempt with which the horizon moves next
	// left counts the attempts that left the open ones, by the first byte of their
	// keys. It is read without the lock.
	left [256]atomic.Uint32
}

// openAttempt is an attempt without a durable resolution.
type openAttempt struct {
	record.Intent
	sums  []*sums.Sum   // that it counts in
	state attempt.State // Intended or InDoubt
	doubt record.Doubt
	// resolving is set once a resolution is on its way to the disk.
	resolving bool
}

func newLedgerState(rate Rate) *ledgerState {
	return &ledgerState{
		persisted: record.State{NextID: 1, Horizon: 1, Prices: cost.Prices{}},
		sums:      sums.New(),
		open:      map[attempt.ID]*openAttempt{},
		byField:   map[record.KeyedField]attempt.ID{},
		window:    window{rate: rate},
	}
}

// newAttempt returns an attempt that is in flight once it was begun.
func (b *ledgerState) newAttempt(in record.Intent) *openAttempt {
	return &openAttempt{Intent: in, sums: b.sums.Of(in), state: attempt.Intended}
}

// decide says whether a lookup may be sent, and if so what it holds, without
// changing anything but the slot that it takes from the window. Nothing of the
// lookup is settled or open. A lookup that is over a ceiling is told so before it
// waits.
func (b *ledgerState) decide(a *openAttempt, req attempt.Request) (attempt.Decision, error) {
	if !req.Strict {
		free, ok := b.allowance().Take(req.Lookup.Fields)
		if !ok {
			return attempt.Blocked{}, nil
		}
		a.Hold.Free = free
	}
	if paid := (a.Hold.Fields & req.OnlyFree).Without(a.Hold.Free); paid != 0 {
		return attempt.Paid{Fields: paid}, nil
	}
	ceilings := append(b.persisted.Base.Ceilings(ScopeAccount), req.Ceilings...)
	at, err := a.ceilingsAt(ceilings, a.At)
	if err != nil {
		return nil, err
	}
	if verdict := b.underCeilings(ceilings, at, a.Hold); verdict != nil {
		return verdict, nil
	}
	if b.persisted.PausedUntil.After(a.At) {
		return attempt.Later{Until: b.persisted.PausedUntil, Asked: true}, nil
	}
	if ok, next := b.window.take(a.At); !ok {
		if next.IsZero() {
			return attempt.Blocked{}, nil
		}
		return attempt.Later{Until: next}, nil
	}
	return nil, nil
}

// underCeilings returns nil when the hold fits under every ceiling; at are the
// ceilings as they are now. It is over one when it would not fit either if all
// calls in flight gave back what they hold.
func (b *ledgerState) underCeilings(ceilings, at []cost.Ceiling, hold cost.Hold) attempt.Decision {
	if _, refused := cost.Refusing(at, hold, b.sums.Totals); !refused {
		return nil
	}
	refusing, over := cost.Refusing(at, hold, b.withoutFlight)
	if !over {
		return attempt.Blocked{}
	}
	return attempt.Over{
		Ceiling: ceilings[slices.Index(at, refusing)],
		Need:    refusing.Need(hold), Left: refusing.Left(b.sums.Totals(refusing.Scope)),
	}
}

// withoutFlight returns the totals of a scope as they would be if every call in
// flight gave back what it holds.
func (b *ledgerState) withoutFlight(scope string) cost.Totals {
	sum := b.sums.Scope(scope)
	totals := sum.Totals
	totals.Held -= sum.InFlight.Held
	totals.Open -= sum.InFlight.Open
	return totals
}

// allowance returns the free allowance as the last snapshot and the answers since
// then leave it. What the snapshot did not tell counts as used up. Units that are
// held and not by calls in flight are held by calls that came into doubt since then; the
// snapshot is net of what earlier ones used.
func (b *ledgerState) allowance() cost.Allowance {
	var allowance cost.Allowance
	account := b.sums.Scope(ScopeAccount)
	for f, base := range b.persisted.Base.Free {
		allowance.Left[f] = base.Value - account.Totals.FreeUsed[f] - b.persisted.Forgone[f]
		allowance.Held[f] = account.InFlight.FreeHeld[f]
		allowance.Doubted[f] = account.Totals.FreeHeld[f] - account.InFlight.FreeHeld[f]
	}
	return allowance
}

// begin enters a decided attempt.
func (b *ledgerState) begin(a *openAttempt) attempt.ID {
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

// remember keeps the prices of a hold. The map is replaced and never changed: it may
// be on its way to the disk.
func (b *ledgerState) remember(hold cost.Hold) {
	for f := range hold.Fields.Each() {
		if known, ok := b.persisted.Prices.Of(f); !ok || known != hold.Prices[f] {
			b.persisted.Prices = maps.Clone(b.persisted.Prices)
			b.persisted.Prices[f] = hold.Prices[f]
		}
	}
}

// rebase makes a quiet snapshot the one in which the account's totals begin. It is net
// of what earlier attempts were charged, those in doubt included, so none counts in them.
// In every other scope the holds of doubts stay.
func (b *ledgerState) rebase(account cost.Account) {
	b.persisted.Base, b.persisted.BaseFirst = account, b.persisted.NextID
	b.persisted.DecidableFrom = b.persisted.NextID
	b.persisted.Forgone = [enrich.NumFields]int64{}
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

// pause lets nothing be sent before a time; the zero time changes nothing.
func (b *ledgerState) pause(now, until time.Time) {
	if until.After(b.persisted.PausedUntil) {
		b.persisted.PausedAt, b.persisted.PausedUntil = now, until
	}
}

// clampTimes corrects times that lie in the future because the clock was set back: a pause
// starts again, and the last call ended now.
func (b *ledgerState) clampTimes(now time.Time) {
	p := &b.persisted
	if p.PausedAt.After(now) {
		p.PausedAt, p.PausedUntil = now, now.Add(p.PausedUntil.Sub(p.PausedAt))
	}
	p.LastEnded = earlierOf(p.LastEnded, now)
}

// enter indexes an open attempt, new or found at open.
func (b *ledgerState) enter(id attempt.ID, a *openAttempt) {
	b.open[id] = a
	for f := range a.Hold.Fields.Each() {
		b.byField[record.KeyedField{Key: a.Key, Field: f}] = id
	}
}

// resolve moves the money of an attempt that ended. The attempt stays open until
// leave is called, when its resolution is durable.
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

// markInDoubt puts an attempt in doubt. Its hold stays; its slot cools down, because no
// call outlives its time-out.
func (b *ledgerState) markInDoubt(id attempt.ID, d record.Doubt, now time.Time) {
	a := b.open[id]
	a.state, a.doubt = attempt.InDoubt, d
	b.land(id)
	b.window.release(id, now)
	b.persisted.LastEnded = now
}

// land notes that an attempt is in flight no more.
func (b *ledgerState) land(id attempt.ID) {
	sums.Land(b.open[id].sums, b.open[id].Hold)
	if at, found := slices.BinarySearch(b.persisted.InFlight, id); found {
		b.persisted.InFlight = slices.Delete(b.persisted.InFlight, at, at+1)
	}
}

// leave drops an attempt whose resolution is durable.
func (b *ledgerState) leave(id attempt.ID) {
	a := b.open[id]
	for f := range a.Hold.Fields.Each() {
		delete(b.byField, record.KeyedField{Key: a.Key, Field: f})
	}
	delete(b.open, id)
	b.departures(a.Key).Add(1)
}

// departures returns the counter of the attempts that left, which tells whether
// anything became durable that is about an identity.
func (b *ledgerState) departures(key enrich.Key) *atomic.Uint32 { return &b.left[key[0]] }

// departAll notes that anything may have changed.
func (b *ledgerState) departAll() {
	for i := range b.left {
		b.left[i].Add(1)
	}
}

// horizonStep is the least number of attempts between two moves of the horizon. An old
// horizon only means that open reads more records.
const horizonStep = 64

// horizonShare is of how many slots one attempt lies between two moves: each looks at all
// of them.
const horizonShare = 16

// moveHorizon moves the horizon up to the first attempt that occupies a slot.
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

// ceilingsAt returns the ceilings as they are at a time, and an error when one of
// them is on a scope that the attempt does not count in: it would bound nothing.
func (a *openAttempt) ceilingsAt(ceilings []cost.Ceiling, now time.Time) ([]cost.Ceiling, error) {
	at := make([]cost.Ceiling, len(ceilings))
	for i, ceiling := range ceilings {
		at[i] = ceiling.At(now)
		if !slices.ContainsFunc(a.sums, func(s *sums.Sum) bool { return s.Scope == at[i].Scope }) {
			return nil, fmt.Errorf("the ceiling %q is on %q, in which no lookup of run %q counts", ceiling.Name, at[i].Scope, a.Run)
		}
	}
	return at, nil
}
