package checkpoint

import (
	"time"

	"payonce/attempt"
	"payonce/cost"
	"payonce/enrich"
)

// dayOf returns the day that a time lies in, UTC.
func dayOf(t time.Time) string { return t.UTC().Format(time.DateOnly) }

// returned returns the fields that the answer had, whether it was erased or not.
func returned(res attempt.Resolution) enrich.Fields {
	if res.Erased {
		return res.Returned
	}
	return res.Answer.Returned()
}

// countOutcome counts a resolved attempt in the sums of a scope.
func countOutcome(t *cost.Totals, hold cost.Hold, res attempt.Resolution) {
	switch {
	case res.Answer != nil:
		t.Count(hold.Fields, returned(res))
	case res.State == attempt.Forfeited:
		t.Forfeited++
	case res.Sent:
		t.Uncharged++
	}
}
