package record

import (
	"time"

	"payonce/checkpoint/attempt"
	"payonce/cost"
)

// DayOf returns the day that a time lies in, UTC.
func DayOf(t time.Time) string { return t.UTC().Format(time.DateOnly) }

// countOutcome counts a resolved attempt in the sums of a scope.
func countOutcome(t *cost.Totals, hold cost.Hold, res *attempt.Resolution) {
	switch {
	case res.Answered():
		t.Count(hold.Fields, res.Returned)
	case res.State == attempt.Forfeited:
		t.Forfeited++
	case res.Sent:
		t.Uncharged++
	}
}
