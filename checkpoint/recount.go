package checkpoint

import (
	"payonce/attempt"
	"payonce/checkpoint/record"
	"payonce/cost"
)

// recount adds attempts up one by one, as the journal does when they end.
type recount struct {
	baseFirst attempt.ID // the first attempt after the account's base
	totals    map[string]cost.Totals
	days      map[string]record.Span
	resolved  int64
}

func newRecount(baseFirst attempt.ID) *recount {
	return &recount{baseFirst: baseFirst, totals: map[string]cost.Totals{}, days: map[string]record.Span{}}
}

// add enters an attempt. The account's sums begin at the base: earlier attempts do not
// count in them.
func (r *recount) add(a ended) {
	if a.resolved {
		r.resolved++
		r.days[record.DayOf(a.res.At)] = r.days[record.DayOf(a.res.At)].With(a.id)
	}
	for _, scope := range a.in.Scopes() {
		if scope == ScopeAccount && a.id < r.baseFirst {
			continue
		}
		totals := r.totals[scope]
		totals.Hold(a.in.Hold)
		if a.resolved {
			totals.Release(a.in.Hold, a.res.Charge)
			record.CountOutcome(&totals, a.in.Hold, a.res)
		}
		r.totals[scope] = totals
	}
}
