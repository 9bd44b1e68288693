package cost

import (
	"cmp"
	"maps"
	"slices"
	"sort"

	"payonce/enrich"
)

// Workload counts the lookups that a list asks for, by the fields that each asks for.
type Workload map[enrich.Fields]int64

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
	for fields, n := range w {
		for f := range fields.Each() {
			demand[f] += n
		}
	}
	return demand
}

// Dearest returns the most that any n of the lookups can cost: the n most expensive ones, with
// every field returned. A price that is needed and unknown is an error.
func (w Workload) Dearest(n int64, free Allowances, prices Prices) (Money, error) {
	// What lookups cost is the sum, over the fields that go beyond their free units, of the price
	// times what goes beyond. Which fields those are is not known before, so every set of them is
	// tried: with it, each lookup counts the prices of its fields in the set, and the n that count
	// most are taken. No set gives more than what these n cost, and the right one gives the most.
	asked := w.fields()
	if err := prices.mustTell(w.Demand().capped(n), free); err != nil {
		return 0, err
	}
	var dearest Money
	for beyond := asked; ; beyond = (beyond - 1) & asked {
		amount, err := w.top(n, beyond, prices).Demand().Maximum(free, prices)
		if err != nil {
			return 0, err
		}
		dearest = max(dearest, amount)
		if beyond == 0 {
			return dearest, nil
		}
	}
}

// fields returns the fields that any of the lookups asks for.
func (w Workload) fields() enrich.Fields {
	var asked enrich.Fields
	for fields, n := range w {
		if n > 0 {
			asked |= fields
		}
	}
	return asked
}

// top returns the n lookups whose fields in a set have the highest prices together.
func (w Workload) top(n int64, counted enrich.Fields, prices Prices) Workload {
	worth := func(fields enrich.Fields) (sum Money) {
		for f := range (fields & counted).Each() {
			sum = sum.Plus(prices[f])
		}
		return sum
	}
	top := Workload{}
	for _, fields := range slices.SortedFunc(maps.Keys(w), func(a, b enrich.Fields) int {
		return cmp.Or(cmp.Compare(worth(b), worth(a)), cmp.Compare(a, b))
	}) {
		top[fields] = min(n, w[fields])
		n -= top[fields]
	}
	return top
}

// capped returns the demand of at most n lookups.
func (d Demand) capped(n int64) Demand {
	for f := range d {
		d[f] = min(d[f], n)
	}
	return d
}

// mustTell returns an error when a demand goes beyond the free units of a field whose price is unknown.
func (p Prices) mustTell(demand Demand, free Allowances) error {
	_, err := demand.Maximum(free, p)
	return err
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
