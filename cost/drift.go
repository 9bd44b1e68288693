package cost

import (
	"encoding/json"

	"payonce/enrich"
)

// Drift is how much more of the account was used since a snapshot than the journal allowed.
// Somebody else may be using the workspace, or the service charged more for a call than it may cost. Only certain differences count, because the account
// may be ahead of the journal while calls are in flight.
type Drift struct {
	Lost Amounts
	// Prices are those that the account shows and that are higher than the ones in
	// use: then it was this journal that used more than it counts. Zero elsewhere.
	Prices enrich.ByField[Money] `json:",omitzero"`
}

// Zero reports whether everything is explained.
func (d Drift) Zero() bool { return d == Drift{} }

// MarshalJSON writes the amount of money, and those of the other meters as units.
func (d Drift) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Money  Money
		Free   []int64
		Prices enrich.ByField[Money] `json:",omitzero"`
	}{d.Lost.Money(), d.Lost.units(leastUnits), d.Prices})
}

// DriftOf compares a snapshot of the account with an earlier one. The totals are
// those of the account's scope, which began at the base: as they stood before the
// snapshot was asked for, and after it had come. A journal that is strict
// books no free units, so that every field that was charged may have used one.
func DriftOf(base, now Account, before, after Totals, tariff Tariff, strict bool) Drift {
	// The most that this journal can have used of the account at the snapshot: everything
	// that was ever held, except what was released before. What a service charged beyond a hold is
	// drift: nobody allowed it.
	givenBack := before.EverHeld.Minus(before.Held).Minus(before.Settled.Minus(before.Exceeded))
	ours := after.EverHeld.Minus(givenBack)
	if strict {
		for f, rate := range tariff.Rates {
			if m := rate.Allowance; m != USD {
				ours[m] = max(ours[m], after.Charged[f]+after.Open)
			}
		}
	}
	var drift Drift
	for m := range tariff.Shown().Each() {
		then, left := tariff.between(base, now, m)
		if then.Known && left.Known {
			drift.Lost[m] = max(then.Value-left.Value-ours[m], 0)
		}
	}
	return drift
}
