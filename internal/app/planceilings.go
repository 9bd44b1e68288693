package app

import (
	"math"

	"payonce/cost"
	"payonce/forecast"
	"payonce/internal/budget"
	"payonce/internal/report/planstep"
	"payonce/internal/report/planview"
)

// addCeilings shows every ceiling with what is left under it. The one that covers
// the fewest lookups binds, unless it covers all.
func addCeilings(v *planview.Plan, j *job, f *forecast.Forecast) {
	v.Ceilings = []planstep.Ceiling{}
	var binding *planstep.Ceiling
	limits := j.limits()
	for _, l := range limits {
		v.Ceilings = append(v.Ceilings, viewCeiling(v, j, l))
	}
	for i := range v.Ceilings {
		view := &v.Ceilings[i]
		if view.Covers < j.limited(limits[i]) && (binding == nil || view.Covers < binding.Covers) {
			binding = view
		}
	}
	if binding == nil {
		return
	}
	binding.Binding = true
	if binding.Left == nil {
		binding.ProbablyCovers = &binding.Covers // no more and no less
	} else if covers, known := f.Covers(*binding.Left, j.paidStep().account.Prices.Quote.Prices); known {
		binding.ProbablyCovers = &covers
	}
}

// limited returns how many of the lookups a ceiling limits.
func (j *job) limited(l limit) (lookups int64) {
	switch l.Meter {
	case cost.Lookups:
		return j.lookups()
	case cost.USD:
		return j.paidStep().counts.Lookup
	}
	for _, s := range j.of(l.account) {
		if s.most()[l.Meter] > 0 {
			lookups += s.counts.Lookup
		}
	}
	return lookups
}

func viewCeiling(v *planview.Plan, j *job, l limit) planstep.Ceiling {
	view := planstep.Ceiling{Name: l.Name}
	limit, paid := l.Limit, j.paidStep()
	left := max(l.Left(j.used(l, v.At)), 0)
	switch l.Meter {
	case cost.Lookups:
		view.LimitLookups, view.LeftLookups = &limit, &left
		view.Covers = min(left, j.lookups())
	case cost.USD:
		view.Limit, view.Left = (*cost.Money)(&limit), (*cost.Money)(&left)
		view.Covers, _ = paid.counts.Lookups.Covers(cost.Money(left), paid.account.FreeLeft(), paid.account.Prices.Quote.Prices) // Maximum knew the prices
	default:
		view.Meter, view.LimitUnits, view.LeftUnits = l.account.Tariff.Meters[l.Meter].Name, &limit, &left
		view.Lookups = j.limited(l)
		view.Covers = min(left/l.account.MostOf(l.Meter), view.Lookups)
	}
	if at := budget.Renewal(l.Period, v.At); !at.IsZero() {
		view.RenewsAt = &at
	}
	if l.Name == cost.UsageBudget && !l.account.Shown.Budget.ResetsAt.IsZero() {
		reset := l.account.Shown.Budget.ResetsAt.UTC()
		view.RenewsAt = &reset
	}
	return view
}

// dearest returns the most that the given number of planned lookups can cost. The prices are
// known by then.
func (j *job) dearest(lookups int64) cost.Money {
	paid := j.paidStep()
	dearest, err := paid.counts.Lookups.Dearest(
		min(lookups, paid.counts.Lookup), paid.account.FreeLeft(), paid.account.Prices.Quote.Prices)
	if err != nil {
		return math.MaxInt64
	}
	return dearest
}
