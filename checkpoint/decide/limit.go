package decide

import (
	"payonce/attempt"
	"payonce/cost"
	"payonce/enrich"
)

// limited returns nil when the call can consume nothing of which the account's limit is reached. Of several
// limits it returns the one that lasts longest.
func (v View) limited(hold cost.Hold) attempt.Decision {
	var longest *attempt.Limit
	needed := hold.Amounts().Meters()
	for i, limit := range v.Account.Limits {
		if limit.Meters&needed == 0 || !limit.Lasts(v.Now) {
			continue
		}
		if longest == nil || limit.Outlasts(*longest) {
			longest = &v.Account.Limits[i]
		}
	}
	if longest == nil {
		return nil
	}
	return attempt.Limited{Limit: *longest}
}

// LimitedMeters returns the meters that a limit is on. The hold is that of the call that was refused because of the
// limit. A limit on something that no meter counts, or that the call did not seem to need, is on all meters of the
// call: the same call would be refused again. Money is not one of them: other calls that cost money are not refused.
func LimitedMeters(tariff cost.Tariff, hold cost.Hold, limit enrich.Limit) (meters cost.Meters) {
	for m, info := range tariff.Meters {
		if limit.Meter != "" && info.Name == limit.Meter {
			meters = cost.MetersOf(cost.Meter(m))
		}
	}
	if needed := hold.Amounts().Meters(); meters&needed == 0 {
		meters |= needed
	}
	return meters &^ cost.MetersOf(cost.USD)
}
