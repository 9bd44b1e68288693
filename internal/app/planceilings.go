package app

import (
	"math"

	"payonce/cost"
	"payonce/forecast"
	"payonce/internal/report"
)

// addCeilings shows every ceiling with what is left under it. The one that covers
// the fewest lookups binds, unless it covers all.
func addCeilings(v *report.Plan, j *job, f *forecast.Forecast) {
	v.Ceilings = []report.Ceiling{}
	var binding *report.Ceiling
	for _, ceiling := range j.ceilings() {
		v.Ceilings = append(v.Ceilings, viewCeiling(v, j, ceiling))
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
	} else if covers, known := f.Covers(*binding.Left, j.accounts[0].Prices.Quote.Prices); known {
		binding.ProbablyCovers = &covers
	}
}

func viewCeiling(v *report.Plan, j *job, ceiling cost.Ceiling) report.Ceiling {
	view := report.Ceiling{Name: ceiling.Name}
	limit := ceiling.Limit
	left := max(ceiling.Left(j.session.planTotals(ceiling.At(v.At).Scope)), 0)
	if ceiling.Meter == cost.Lookups {
		view.LimitLookups, view.LeftLookups = &limit, &left
		view.Covers = min(left, v.Rows.Lookup)
	} else {
		view.Limit, view.Left = (*cost.Money)(&limit), (*cost.Money)(&left)
		view.Covers, _ = j.steps[0].counts.Lookups.Covers(cost.Money(left), j.accounts[0].FreeLeft(), j.accounts[0].Prices.Quote.Prices) // Maximum knew the prices
	}
	if at := Renewal(ceiling.Period, v.At); !at.IsZero() {
		view.RenewsAt = &at
	}
	if reset := j.accounts[0].Shown.Budget.ResetsAt; ceiling.Name == cost.UsageBudget && !reset.IsZero() {
		reset = reset.UTC()
		view.RenewsAt = &reset
	}
	return view
}

// dearest returns the most that the given number of planned lookups can cost. The prices are
// known by then.
func (j *job) dearest(lookups int64) cost.Money {
	first := j.steps[0]
	dearest, err := first.counts.Lookups.Dearest(
		min(lookups, first.counts.Lookup), first.account.FreeLeft(), first.account.Prices.Quote.Prices)
	if err != nil {
		return math.MaxInt64
	}
	return dearest
}
