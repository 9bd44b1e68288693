// This file keeps what a journal knows of one account: its base and prices, its pause, its window, and the
// charges and doubts that its next snapshot may decide.

package checkpoint

import (
	"maps"
	"time"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/decide"
	"payonce/checkpoint/record"
	"payonce/cost"
	"payonce/enrich"
)

// accountState is the part of a journal's state that belongs to one account. The lock of the journal
// guards it.
type accountState struct {
	record.Account // what every commit writes
	Number         attempt.Account
	Catalogue      enrich.Catalogue
	// Ready says that this process knows the account's rate and tariff, and its slots. Without them no call
	// begins.
	Ready  bool
	Window SlotWindow
	Tariff cost.Tariff
	all    *Sums
	sum    *Sum // of the account's scope, whose totals begin at the base
	// last is the last attempt that began while this process had the journal open, and quiet the one that would have been
	// next at the last BeginReading; 0 when a call was in flight then.
	last, quiet attempt.ID
	reading     record.Turn // the one before the reading
	drains      bool        // this process has begun to drain it
}

// newAccountState returns an account without attempts. Next is the next attempt of the journal.
func newAccountState(number attempt.Account, catalogue enrich.Catalogue, all *Sums, next attempt.ID) *accountState {
	return &accountState{
		Account: record.Account{Horizon: next, Rates: cost.Rates{}},
		Number:  number, Catalogue: catalogue, all: all, sum: all.Scope(number.Scope(record.ScopeAccount)),
	}
}

// SetTerms sets what the account allows and charges for.
func (a *accountState) SetTerms(rate decide.Rate, tariff cost.Tariff) {
	if len(tariff.Meters) == 0 {
		tariff = cost.AllowancePerField(a.Catalogue)
	}
	a.Window.Rate, a.Tariff = rate, tariff
	a.RateSlots, a.RateWindow = int64(rate.Slots), rate.Window
}

// View returns what a decision about a new attempt is made on.
func (a *accountState) View(now time.Time) decide.Account {
	return decide.Account{
		Ceilings:  a.Tariff.Ceilings(a.Base, a.sum.Name),
		Allowance: a.Allowance(), PausedUntil: a.PausedUntil, Limits: a.limits(), Window: a.Window.at(now),
	}
}

// Allowance returns what the last snapshot and the answers since then leave of the free
// allowance. A value that the snapshot does not give counts as used up. Units that no call in
// flight holds are held by calls that came into doubt since the snapshot. What earlier calls
// used is no longer part of the snapshot.
func (a *accountState) Allowance() cost.Allowance {
	return cost.Allowance{
		Left:    a.Tariff.FreeUnits(a.Base).Minus(a.sum.Totals.Settled).Minus(a.UsedByOthers),
		Held:    a.sum.InFlight.Held,
		Doubted: a.sum.Totals.Held.Minus(a.sum.InFlight.Held),
	}
}

// Begin notes a call that is in flight from now on.
func (a *accountState) Begin(changes *decide.Changes) {
	a.Strict = a.Strict || changes.Strict
	a.Window.take()
	a.note(changes.Hold)
}

// note keeps the rates of a hold. It replaces the map and does not change it, because the
// committer may be encoding the map.
func (a *accountState) note(hold cost.Hold) {
	for f := range hold.Fields.Each() {
		if known, ok := a.Rates[f]; !ok || known != hold.Rates[f] {
			a.Rates = maps.Clone(a.Rates)
			a.Rates[f] = hold.Rates[f]
		}
	}
}

// End notes that a call is no longer in flight. A call that may have reached the service keeps its
// slot for one window, because no call lasts longer than its time-out.
func (a *accountState) End(id attempt.ID, sent bool, now time.Time) {
	if !sent {
		a.Window.giveBack()
		return
	}
	a.Window.release(id, now)
	a.LastEnded = now
}

// Rebase makes an idle snapshot the base, at which the account's totals begin. The snapshot
// already contains what the attempts before next were charged, those in doubt included. So none of
// them counts in the account's totals. In every other scope the holds of doubts stay.
func (a *accountState) Rebase(next attempt.ID, snapshot cost.Account) {
	a.endLimitsBy(snapshot)
	a.confirm(snapshot)
	a.Seen = cost.Seen{}
	a.Base, a.BaseFirst, a.DecidableFrom = snapshot, next, next
	a.UsedByOthers = cost.Amounts{}
	a.CreditAdded, a.Strict = false, false
	a.sum.Totals = cost.Totals{}
	a.all.Touch(a.sum)
}

// Pause prevents calls before a time. The zero time changes nothing.
func (a *accountState) Pause(now, until time.Time) {
	if until.After(a.PausedUntil) {
		a.PausedAt, a.PausedUntil = now, until
	}
}

// EndPause ends the pause. It returns the time until which the pause would have lasted, or the
// zero time when there was none.
func (a *accountState) EndPause(now time.Time) (until time.Time) {
	if a.PausedUntil.After(now) {
		until = a.PausedUntil
	}
	a.PausedAt, a.PausedUntil = time.Time{}, time.Time{}
	return until
}

// ClampTimes corrects times that lie in the future because the clock was set back. A pause
// starts again, and the last call counts as ended now.
func (a *accountState) ClampTimes(now time.Time) {
	if a.PausedAt.After(now) {
		a.PausedAt, a.PausedUntil = now, now.Add(a.PausedUntil.Sub(a.PausedAt))
	}
	a.clampLimits(now)
	a.LastEnded = earlierOf(a.LastEnded, now)
}

// horizonStep is the least number of attempts between two moves of the horizon. An old
// horizon only means that opening the journal reads more records.
const horizonStep = 64

// MoveHorizon moves the horizon to the first attempt that occupies a slot. First is the first
// attempt in flight, or the next one. It returns how many slots it looked at.
func (a *accountState) MoveHorizon(first attempt.ID) (slots int) {
	a.Horizon = first
	for _, s := range a.Window.Cooling {
		a.Horizon = min(a.Horizon, s.ID)
	}
	return len(a.Window.Cooling)
}
