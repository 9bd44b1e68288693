package record

import (
	"time"

	"payonce/attempt"
	"payonce/cost"
	"payonce/enrich"
)

// DayOf returns the day that a time lies in, UTC.
func DayOf(t time.Time) string { return t.UTC().Format(time.DateOnly) }

// Returned returns the fields that the answer had, whether it was erased or not.
func Returned(res attempt.Resolution) enrich.Fields {
	if res.Erased {
		return res.Returned
	}
	return res.Answer.Returned()
}

// CountOutcome counts a resolved attempt in the sums of a scope.
func CountOutcome(t *cost.Totals, hold cost.Hold, res attempt.Resolution) {
	switch {
	case res.Answer != nil:
		t.Count(hold.Fields, Returned(res))
	case res.State == attempt.Forfeited:
		t.Forfeited++
	case res.Sent:
		t.Uncharged++
	}
}
