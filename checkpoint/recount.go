package checkpoint

import (
	"payonce/attempt"
	"payonce/cost"
)

// recount adds attempts up one by one, as the journal does when they end.
type recount struct {
	baseFirst attempt.ID // the first attempt after the account's base
	totals    map[string]cost.Totals
	days      map[string]span
	resolved  int64
}

func newRecount(baseFirst attempt.ID) *recount {
	return &recount{baseFirst: baseFirst, totals: map[string]cost.Totals{}, days: map[string]span{}}
}

// add enters an attempt. The account's sums begin at the base: earlier attempts do not
// count in them.
func (r *recount) add(a ended) {
	if a.resolved {
		r.resolved++
		r.days[dayOf(a.res.At)] = r.days[dayOf(a.res.At)].with(a.id)
	}
	for _, scope := range a.in.scopes() {
		if scope == ScopeAccount && a.id < r.baseFirst {
			continue
		}
		totals := r.totals[scope]
		totals.Hold(a.in.Hold)
		if a.resolved {
			totals.Release(a.in.Hold, a.res.Charge)
			countOutcome(&totals, a.in.Hold, a.res)
		}
		r.totals[scope] = totals
	}
}
