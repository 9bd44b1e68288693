package checkpoint

import (
	"slices"
	"time"

	"payonce/attempt"
	"payonce/cost"
	"payonce/enrich"
)

// Scopes in which every attempt counts, besides those of its ceilings.
const (
	ScopeAll     = "all"     // since the journal began
	ScopeAccount = "account" // since the account's last snapshot
)

// RunScope returns the scope of a run.
func RunScope(name string) string { return "run/" + name }

// books is the part of the journal that decisions are made on. It is pure memory,
// guarded by the journal's lock; persisted and totals are written with every
// commit, so that opening a journal does not read its answers.
type books struct {
	persisted persistedBooks
	totals    map[string]cost.Totals
	open      map[attempt.ID]*openAttempt
	byField   map[openField]attempt.ID
	window    window
}

// persistedBooks is the state that a reopened journal goes on from.
type persistedBooks struct {
	NextID attempt.ID `json:"next_id"`
	// Resolved counts the resolutions: with NextID it tells a journal that lost
	// records from one that never had them.
	Resolved int64 `json:"resolved"`
	// Horizon is the first attempt that may still occupy a slot of the window.
	Horizon attempt.ID `json:"horizon"`
	// PausedAt is when the pause until PausedUntil began.
	PausedAt time.Time `json:"paused_at,omitzero"`
	// LastEnded is when the last call ended that may have reached the service.
	LastEnded   time.Time `json:"last_ended,omitzero"`
	PausedUntil time.Time `json:"paused_until,omitzero"`
	// Base is the last quiet snapshot of the account, in which the account's totals
	// begin; attempts from BaseFirst on came after it.
	Base      cost.Account `json:"base"`
	BaseFirst attempt.ID   `json:"base_first"`
	// DecidableFrom is the first attempt that a look at the account may still decide:
	// what somebody assumed of another may be wrong.
	DecidableFrom attempt.ID `json:"decidable_from"`
	// Forgone are the free units that somebody else used since the base.
	Forgone [enrich.NumFields]int64 `json:"forgone"`
	// Prices are those of the last attempts, by field.
	Prices cost.Prices `json:"prices"`
}

type openField struct {
	key   enrich.Key
	field enrich.Field
}

// openAttempt is an attempt without a durable resolution.
type openAttempt struct {
	intent
	state attempt.State // Intended or InDoubt
	doubt doubt
	// resolving is set once a resolution is on its way to the disk.
	resolving bool
}

func newBooks(rate Rate) *books {
	return &books{
		persisted: persistedBooks{NextID: 1, Horizon: 1, Prices: cost.Prices{}},
		totals:    map[string]cost.Totals{},
		open:      map[attempt.ID]*openAttempt{},
		byField:   map[openField]attempt.ID{},
		window:    window{rate: rate},
	}
}

// decide says whether the lookup may be sent, without changing anything but the
// slot that it takes from the window when it may. Nothing of the lookup is
// settled or open. A lookup that is over a ceiling is told so before it waits.
func (b *books) decide(req attempt.Request, now time.Time) (cost.Hold, attempt.Decision) {
	hold := cost.Hold{Fields: req.Lookup.Fields, Prices: req.Prices}
	if !req.Strict {
		free, ok := b.allowance().Take(req.Lookup.Fields)
		if !ok {
			return hold, attempt.Blocked{}
		}
		hold.Free = free
	}
	ceilings := append(b.persisted.Base.Ceilings(ScopeAccount), req.Ceilings...)
	if verdict := b.underCeilings(ceilings, hold.Amount()); verdict != nil {
		return hold, verdict
	}
	if b.persisted.PausedUntil.After(now) {
		return hold, attempt.Later{Until: b.persisted.PausedUntil}
	}
	if ok, next := b.window.take(now); !ok {
		if next.IsZero() {
			return hold, attempt.Blocked{}
		}
		return hold, attempt.Later{Until: next}
	}
	return hold, nil
}

// underCeilings returns nil when need fits under every ceiling.
func (b *books) underCeilings(ceilings []cost.Ceiling, need cost.Money) attempt.Decision {
	if need == 0 {
		return nil
	}
	ceiling, left, found := cost.Tightest(ceilings, func(scope string) cost.Totals { return b.totals[scope] })
	if !found || need <= left {
		return nil
	}
	for _, c := range ceilings {
		if c.Left(b.totals[c.Scope])+b.heldInFlight(c.Scope) < need {
			return attempt.Over{Ceiling: ceiling, Need: need, Left: left}
		}
	}
	return attempt.Blocked{}
}

// heldInFlight returns what calls in flight may still give back in a scope.
func (b *books) heldInFlight(scope string) cost.Money {
	var held cost.Money
	for _, a := range b.open {
		if a.state == attempt.Intended && !a.resolving && slices.Contains(a.Scopes, scope) {
			held += a.Hold.Amount()
		}
	}
	return held
}

// allowance returns the free allowance as the last snapshot and the answers since
// then leave it. What the snapshot did not tell counts as used up.
func (b *books) allowance() cost.Allowance {
	var allowance cost.Allowance
	for f, base := range b.persisted.Base.Free {
		allowance.Left[f] = base.Value - b.totals[ScopeAccount].FreeUsed[f] - b.persisted.Forgone[f]
	}
	for _, a := range b.open {
		held := &allowance.Held
		if a.state == attempt.InDoubt {
			held = &allowance.Doubted
		}
		for f := range a.Hold.Free.Each() {
			if !a.resolving {
				held[f]++
			}
		}
	}
	return allowance
}

// begin enters a decided attempt.
func (b *books) begin(in intent) attempt.ID {
	id := b.persisted.NextID
	b.persisted.NextID++
	b.enter(id, &openAttempt{intent: in, state: attempt.Intended})
	for f := range in.Hold.Fields.Each() {
		b.persisted.Prices[f] = in.Hold.Prices[f]
	}
	b.change(in.Scopes, func(t *cost.Totals) { t.Hold(in.Hold) })
	if id%horizonStep == 0 {
		b.moveHorizon()
	}
	return id
}

// rebase makes a quiet snapshot the one in which the account's totals begin.
// Doubted attempts keep their holds: it may or may not contain their charges.
func (b *books) rebase(account cost.Account) {
	b.persisted.Base, b.persisted.BaseFirst = account, b.persisted.NextID
	b.persisted.DecidableFrom = b.persisted.NextID
	b.persisted.Forgone = [enrich.NumFields]int64{}
	var totals cost.Totals
	for _, a := range b.open {
		if !a.resolving {
			totals.Hold(a.Hold)
		}
	}
	b.totals[ScopeAccount] = totals
}

// quiet reports whether no call is in flight.
func (b *books) quiet() bool {
	for _, a := range b.open {
		if a.state == attempt.Intended {
			return false
		}
	}
	return true
}

// clampTimes brings back what seems to lie in the future after the clock was set
// back: a pause begins anew, and the last call ended now.
func (b *books) clampTimes(now time.Time) {
	p := &b.persisted
	if p.PausedAt.After(now) {
		p.PausedAt, p.PausedUntil = now, now.Add(p.PausedUntil.Sub(p.PausedAt))
	}
	p.LastEnded = earlierOf(p.LastEnded, now)
}

// enter indexes an open attempt, new or found at open.
func (b *books) enter(id attempt.ID, a *openAttempt) {
	b.open[id] = a
	for f := range a.Hold.Fields.Each() {
		b.byField[openField{a.Key, f}] = id
	}
}

// resolve moves the money of an attempt that ended. The attempt stays open until
// leave is called, when its resolution is durable.
func (b *books) resolve(id attempt.ID, res attempt.Resolution, now time.Time) {
	a := b.open[id]
	a.resolving = true
	b.persisted.Resolved++
	if a.state == attempt.Intended {
		if res.Sent {
			b.window.release(id, now)
			b.persisted.LastEnded = now
		} else {
			b.window.giveBack()
		}
	}
	for _, scope := range a.Scopes {
		b.change([]string{scope}, func(t *cost.Totals) {
			if scope == ScopeAccount && id < b.persisted.BaseFirst {
				t.Release(a.Hold, cost.Charge{}) // if it was charged, the snapshot is net of it
				return
			}
			t.Release(a.Hold, res.Charge)
			countOutcome(t, a.Hold, res)
		})
	}
}

// countOutcome counts a resolved attempt in the sums of a scope.
func countOutcome(t *cost.Totals, hold cost.Hold, res attempt.Resolution) {
	switch {
	case res.Answer != nil:
		t.Count(hold.Fields, returned(res))
	case res.State == attempt.Forfeited:
		t.Forfeited++
	}
}

// park puts an attempt in doubt. Its hold stays; its slot cools down, because no
// call outlives its time-out.
func (b *books) park(id attempt.ID, d doubt, now time.Time) {
	a := b.open[id]
	a.state, a.doubt = attempt.InDoubt, d
	b.window.release(id, now)
	b.persisted.LastEnded = now
}

// leave drops an attempt whose resolution is durable.
func (b *books) leave(id attempt.ID) {
	a := b.open[id]
	for f := range a.Hold.Fields.Each() {
		delete(b.byField, openField{a.Key, f})
	}
	delete(b.open, id)
}

func (b *books) change(scopes []string, change func(*cost.Totals)) {
	for _, scope := range scopes {
		totals := b.totals[scope]
		change(&totals)
		b.totals[scope] = totals
	}
}

// horizonStep is how many attempts lie between two moves of the horizon: an old
// horizon only means that open reads so many more records.
const horizonStep = 64

// moveHorizon moves the horizon up to the first attempt that occupies a slot.
func (b *books) moveHorizon() {
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
}
