package verify

import (
	"payonce/attempt"
	"payonce/checkpoint/record"
	"payonce/cost"
	"payonce/enrich"
)

// recount adds attempts up one by one, as the journal does when they end.
type recount struct {
	catalogue enrich.Catalogue
	baseFirst attempt.ID // the first attempt after the account's base
	totals    map[string]cost.Totals
	days      map[string]record.Span
	resolved  int64
}

func newRecount(catalogue enrich.Catalogue, baseFirst attempt.ID) *recount {
	return &recount{
		catalogue: catalogue, baseFirst: baseFirst, totals: map[string]cost.Totals{}, days: map[string]record.Span{},
	}
}

// add enters an attempt. The account's sums begin at the base: earlier attempts do not
// count in them.
func (r *recount) add(id attempt.ID, in record.Intent, res attempt.Resolution, resolved bool) {
	if resolved {
		r.resolved++
		r.days[record.DayOf(res.At)] = r.days[record.DayOf(res.At)].With(id)
	}
	for _, scope := range in.Scopes(r.catalogue) {
		if scope == record.ScopeAccount && id < r.baseFirst {
			continue
		}
		totals := r.totals[scope]
		held := in.Hold.Amounts()
		totals.Hold(held)
		if resolved {
			totals.Release(held, res.Charge)
			record.CountOutcome(&totals, in.Hold, res)
		}
		r.totals[scope] = totals
	}
}
