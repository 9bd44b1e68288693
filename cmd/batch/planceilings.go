package main

import (
	"math"
	"time"

	"payonce/cost"
	"payonce/forecast"
)

// ceilingView is a ceiling as it is shown. Its amounts are in USD or in lookups; the
// pair of the other measure is left out.
type ceilingView struct {
	Name         string      `json:"name"`
	Limit        *cost.Money `json:"limit_usd,omitempty"`
	Left         *cost.Money `json:"left_usd,omitempty"`
	LimitLookups *int64      `json:"limit_lookups,omitempty"`
	LeftLookups  *int64      `json:"left_lookups,omitempty"`
	// RenewsAt is when it begins anew; it is left out when that is never.
	RenewsAt *time.Time `json:"renews_at,omitempty"`
	Covers   int64      `json:"covers_lookups"` // surely
	Binding  bool       `json:"binding"`
	// ProbablyCovers is with 95 % certainty, for the binding one; null for the others
	// and without a history.
	ProbablyCovers *int64 `json:"probably_covers_lookups"`
}

func (v ceilingView) limit() string { return showAmount(v.Limit, v.LimitLookups) }
func (v ceilingView) left() string  { return showAmount(v.Left, v.LeftLookups) }

func showAmount(money *cost.Money, lookups *int64) string {
	if money != nil {
		return "$" + money.String()
	}
	return lookupCount(*lookups)
}

// addCeilings shows every ceiling with what is left under it. The one that covers
// the fewest lookups binds, unless it covers all.
func (v *planView) addCeilings(j *job, f *forecast.Forecast) {
	v.Ceilings = []ceilingView{}
	var binding *ceilingView
	for _, ceiling := range j.ceilings() {
		v.Ceilings = append(v.Ceilings, v.viewCeiling(j, ceiling))
	}
	for i := range v.Ceilings {
		view := &v.Ceilings[i]
		if view.Covers < v.Rows.Lookup && (binding == nil || view.Covers < binding.Covers) {
			binding = view
		}
	}
	if binding == nil {
		return
	}
	binding.Binding = true
	if binding.LeftLookups != nil {
		binding.ProbablyCovers = &binding.Covers // no more and no less
	} else if covers, known := f.Covers(*binding.Left, j.quote.Prices); known {
		binding.ProbablyCovers = &covers
	}
}

func (v *planView) viewCeiling(j *job, ceiling cost.Ceiling) ceilingView {
	view := ceilingView{Name: ceiling.Name}
	limit := ceiling.Limit
	left := max(ceiling.Left(j.planTotals(ceiling.At(v.At).Scope)), 0)
	if ceiling.Measure == cost.Lookups {
		view.LimitLookups, view.LeftLookups = &limit, &left
		view.Covers = min(left, v.Rows.Lookup)
	} else {
		view.Limit, view.Left = (*cost.Money)(&limit), (*cost.Money)(&left)
		view.Covers, _ = j.workload().Covers(cost.Money(left), j.freeLeft(), j.quote.Prices) // Maximum knew the prices
	}
	if at := renewal(ceiling.Period, v.At); !at.IsZero() {
		view.RenewsAt = &at
	}
	if reset := j.account.Budget.ResetsAt; ceiling.Name == cost.UsageBudget && !reset.IsZero() {
		reset = reset.UTC()
		view.RenewsAt = &reset
	}
	return view
}

// dearest returns the most that so many of the planned lookups can cost. The prices
// are known by then.
func (j *job) dearest(lookups int64) cost.Money {
	dearest, err := j.workload().Dearest(min(lookups, j.counts.Lookup), j.freeLeft(), j.quote.Prices)
	if err != nil {
		return math.MaxInt64
	}
	return dearest
}

func (j *job) workload() cost.Workload { return j.counts.Lookups }
