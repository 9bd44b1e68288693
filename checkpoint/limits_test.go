package checkpoint

import (
	"testing"
	"time"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/record"
	"payonce/cost"
)

// TestAnEndlessLimitEndsByTheMetersThatTheAccountShows, also when it showed none of them at first.
func TestAnEndlessLimitEndsByTheMetersThatTheAccountShows(t *testing.T) {
	const module, emails = cost.Meter(1), cost.Meter(2) // of emails the account shows only how many were used
	shows := func(used, total int64) (snapshot cost.Account) {
		snapshot.Left[module], snapshot.Used[module] = cost.Known(total-used), cost.Known(used)
		snapshot.Used[emails] = cost.Known(used)
		return snapshot
	}
	a := &accountState{}
	limit := attempt.Limit{Meters: cost.MetersOf(module) | cost.MetersOf(emails), Module: "other"}
	a.Limits = []record.ReachedLimit{{Limit: limit}}
	for i, step := range []struct {
		snapshot cost.Account
		lasts    bool
	}{{cost.Account{}, true}, {shows(90, 100), true}, {shows(100, 100), true}, {shows(95, 100), false}} {
		a.endLimitsBy(step.snapshot)
		if lasts := len(a.LastingLimits(time.Now())) > 0; lasts != step.lasts {
			t.Errorf("after %d snapshots it lasts: %t", i+1, lasts)
		}
	}
}
