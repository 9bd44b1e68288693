package forecast

import (
	"math"

	"payonce/cost"
)

// Covers returns how many of the lookups an amount covers with 95 % certainty, when the
// kinds of lookups are spread evenly over the list. It is false when the forecast is
// not known, or a price that is needed.
func (f *Forecast) Covers(left cost.Money, prices cost.Prices) (int64, bool) {
	if !f.Known() || !f.priced(prices) {
		return 0, false
	}
	surely, err := cost.LookupCosts{{Lookups: f.workload(), Free: f.free, Rates: prices.Rates()}}.Covers(left)
	if err != nil {
		return 0, false
	}
	return f.probably(surely, left, prices), true
}

// workload returns the lookups of the list by their fields.
func (f *Forecast) workload() cost.Workload {
	workload := cost.Workload{}
	for _, p := range f.parts {
		workload[p.kind.Fields] += p.lookups
	}
	return workload
}

// Every step of the search for what an amount probably covers simulates the first part of the
// list again. So it uses fewer futures, and steps no finer than these futures can resolve.
const (
	coverFutures    = 500
	coverResolution = 200 // parts of what is covered
)

// probably finds how many lookups the amount covers in 95 of 100 futures, which are at
// least those that it surely covers.
func (f *Forecast) probably(surely int64, left cost.Money, prices cost.Prices) int64 {
	covered, uncovered := surely, f.lookups()+1
	for uncovered-covered > 1+covered/coverResolution {
		middle := covered + (uncovered-covered)/2
		if f.covered(middle, left, prices) {
			covered = middle
		} else {
			uncovered = middle
		}
	}
	return covered
}

// covered reports whether the amount covers the lookups in 95 of 100 futures.
func (f *Forecast) covered(lookups int64, left cost.Money, prices cost.Prices) bool {
	// The last of them needs the most that it can cost.
	within := 0
	for _, future := range simulate(f.first(lookups-1), coverFutures) {
		if f.withNext(future, prices) <= left {
			within++
		}
	}
	return float64(within) >= certainty*coverFutures
}

// withNext returns what the returned fields cost, and adds what the most expensive kind of
// lookup holds after them.
func (f *Forecast) withNext(fields returned, prices cost.Prices) cost.Money {
	var most cost.Money
	for _, p := range f.parts {
		next := fields
		for field := range p.kind.Fields.Each() {
			next[field]++
		}
		most = max(most, spendOf(next, f.free, prices))
	}
	return most
}

// first returns the first lookups of the list: of each kind its share.
func (f *Forecast) first(lookups int64) []part {
	parts := make([]part, len(f.parts))
	all, taken, before := f.lookups(), int64(0), int64(0)
	for i, p := range f.parts {
		// Shares are cut off the whole, so that they add up to it.
		before += p.lookups
		upTo := int64(math.Round(float64(lookups) * (float64(before) / float64(all))))
		parts[i] = p
		parts[i].lookups = min(upTo, lookups) - taken
		taken += parts[i].lookups
	}
	return parts
}
