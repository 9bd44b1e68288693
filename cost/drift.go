package cost

import "payonce/enrich"

// Drift is how much more of the account was used since a snapshot than the journal can explain.
// Somebody else may be using the workspace. Only certain differences count, because the account
// may be ahead of the journal while calls are in flight.
type Drift struct {
	Money Money
	Free  enrich.ByField[int64]
	// Prices are those that the account shows and that are higher than the ones in
	// use: then it was this journal that used more than it counts. Zero elsewhere.
	Prices enrich.ByField[Money] `json:",omitzero"`
}

// Zero reports whether everything is explained.
func (d Drift) Zero() bool { return d == Drift{} }

// DriftOf compares a snapshot of the account with an earlier one. The totals are
// those of the account's scope, which began at the base: as they stood before the
// snapshot was asked for, and after it had come. A journal that is strict
// books no free units, so that every field that was charged may have used one.
func DriftOf(base, now Account, before, after Totals, strict bool) Drift {
	var drift Drift
	// The most that this journal can have used of the account at the snapshot: everything
	// that was ever held, except what was released before.
	givenBack := before.EverHeld - before.Held - before.Settled
	if base.Balance.Available.Known && now.Balance.Available.Known {
		used := base.Balance.Available.Value - now.Balance.Available.Value
		drift.Money = max(used-(after.EverHeld-givenBack), 0)
	}
	for f := range drift.Free {
		if base.Free[f].Known && now.Free[f].Known {
			returned := before.FreeEverHeld[f] - before.FreeHeld[f] - before.FreeUsed[f]
			ours := after.FreeEverHeld[f] - returned
			if strict {
				ours = max(ours, after.Charged[f]+after.Open)
			}
			drift.Free[f] = max(base.Free[f].Value-now.Free[f].Value-ours, 0)
		}
	}
	return drift
}
