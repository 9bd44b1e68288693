package cost

import (
	"sort"

	"payonce/enrich"
)

// Workload counts the lookups that a list asks for, by operation.
type Workload map[enrich.Operation]int64

// Lookups returns how many lookups there are.
func (w Workload) Lookups() int64 {
	var lookups int64
	for _, n := range w {
		lookups += n
	}
	return lookups
}

// Demand returns how many times the lookups ask for each field.
func (w Workload) Demand() Demand {
	var demand Demand
	for operation, n := range w {
		for f := range operation.Fields().Each() {
			demand[f] += n
		}
	}
	return demand
}

// Dearest returns the most that any n of the lookups can cost: the n most expensive ones, with
// every field returned. A price that is needed and unknown is an error.
func (w Workload) Dearest(n int64, free Allowances, prices Prices) (Money, error) {
	// A lookup for both fields costs at least as much as one for either. Of those for
	// one field, each field costs more on average the more of it there is, because free
	// units run out. So the most expensive mix has as many as possible of one of the two.
	both := min(n, w[enrich.EnrichContact])
	rest := n - both
	emails := min(rest, w[enrich.FindWorkEmail])
	phones := min(rest, w[enrich.FindPhone])
	var dearest Money
	for _, mix := range []Workload{
		{enrich.EnrichContact: both, enrich.FindWorkEmail: emails, enrich.FindPhone: min(rest-emails, phones)},
		{enrich.EnrichContact: both, enrich.FindPhone: phones, enrich.FindWorkEmail: min(rest-phones, emails)},
	} {
		amount, err := mix.Demand().Maximum(free, prices)
		if err != nil {
			return 0, err
		}
		dearest = max(dearest, amount)
	}
	return dearest, nil
}

// Covers returns how many of the lookups an amount surely covers. None of that number is
// refused for lack of money, whatever their order and whatever they return. A price that is
// needed and unknown is an error.
func (w Workload) Covers(left Money, free Allowances, prices Prices) (int64, error) {
	lookups := w.Lookups()
	if _, err := w.Dearest(lookups, free, prices); err != nil {
		return 0, err
	}
	first := sort.Search(int(lookups), func(n int) bool {
		amount, err := w.Dearest(int64(n)+1, free, prices)
		return err != nil || amount > max(left, 0)
	})
	return int64(first), nil
}
