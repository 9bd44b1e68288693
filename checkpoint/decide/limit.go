package decide

import (
	"payonce/checkpoint/attempt"
	"payonce/cost"
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
