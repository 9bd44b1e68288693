package pipeline

import (
	"math"
	"time"

	"payonce/cost"
	"payonce/cost/forecast"
	"payonce/pipeline/provider"
	"payonce/pipeline/report"
)

// viewCeilings shows every ceiling with what is left under it, and which are too low. The one that covers the fewest
// lookups binds, unless it covers all.
func (r *RunSteps) viewCeilings(at time.Time, likely *forecast.Forecast) []report.Ceiling {
	views := []report.Ceiling{}
	limits := r.limits()
	for _, l := range limits {
		views = append(views, r.viewCeiling(at, l))
	}
	var binding *report.Ceiling
	left := int64(0) // under it, for lookups
	for i := range views {
		view := &views[i]
		view.TooLow = view.Covers < r.limited(limits[i])
		if view.TooLow && (binding == nil || view.Covers < binding.Covers) {
			binding, left = view, r.leftUnder(limits[i], at)
		}
	}
	if binding == nil {
		return views
	}
	binding.Binding = true
	if binding.Left == nil {
		binding.ProbablyCovers = &binding.Covers // no more and no less
	} else if covers, known := likely.Covers(cost.Money(left), r.Paid().Account.Prices.Quote.Prices); known && !r.PricedUnits() {
		binding.ProbablyCovers = &covers
	}
	return views
}

// limited returns how many of the lookups a ceiling limits.
func (r *RunSteps) limited(l limit) (lookups int64) {
	switch l.Meter {
	case cost.Lookups:
		return r.Lookups()
	case cost.USD:
		return r.paidUnder(l).Lookups()
	}
	rates := l.account.Rates()
	for _, s := range r.Of(l.account) {
		for fields, n := range s.Counts.Lookups {
			if most, _ := rates.Total(fields); most[l.Meter] > 0 { // they have prices
				lookups += n
			}
		}
	}
	return lookups
}

// paidUnder returns the lookups that a ceiling on money limits: those of its account, or of all accounts.
func (r *RunSteps) paidUnder(l limit) cost.LookupCosts {
	if l.own {
		return cost.LookupCosts{r.lookupCost(l.account)}
	}
	return r.lookupCosts()
}

func (r *RunSteps) viewCeiling(at time.Time, l limit) report.Ceiling {
	view := report.Ceiling{Name: l.Name}
	limit := l.Limit
	left, forLookups := max(l.Left(r.used(l, at)), 0), r.leftUnder(l, at)
	switch l.Meter {
	case cost.Lookups:
		view.LimitLookups, view.LeftLookups = &limit, &left
		view.Covers = min(forLookups, r.Lookups())
	case cost.USD:
		view.Limit, view.Left = (*cost.Money)(&limit), (*cost.Money)(&left)
		paid := r.paidUnder(l)
		if r.PricedUnits() {
			view.Lookups = paid.Lookups() // of several steps
		}
		view.Covers, _ = paid.Covers(cost.Money(forLookups)) // the plan knew the prices
	default:
		view.Meter, view.LimitUnits, view.LeftUnits = l.account.Tariff.Meters[l.Meter].Name, &limit, &left
		view.Lookups = r.limited(l)
		view.Covers = min(forLookups/l.account.MostOf(l.Meter), view.Lookups)
	}
	if renewal := provider.Renewal(l.Period, at); !renewal.IsZero() {
		view.RenewsAt = &renewal
	}
	if l.Name == cost.UsageBudget {
		budget := l.account.Shown.Budget
		view.Cap, view.Spent = report.Known(budget.Cap), report.Known(budget.Spent)
		if reset := budget.ResetsAt.UTC(); !budget.ResetsAt.IsZero() {
			view.RenewsAt = &reset
		}
	}
	return view
}

// mostExpensive returns the most that the given number of planned lookups can cost. The prices are
// known by then.
func (r *RunSteps) mostExpensive(lookups int64) cost.Money {
	paid := r.lookupCosts()
	mostExpensive, err := paid.MostExpensive(min(lookups, paid.Lookups()))
	if err != nil {
		return math.MaxInt64
	}
	return mostExpensive
}
