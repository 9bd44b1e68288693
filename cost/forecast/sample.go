package forecast

import (
	"slices"

	"payonce/cost"
	"payonce/enrich"
)

// WidthAfter returns about how wide the range of the whole list's spend will be once a
// sample of it was looked up. The sample is a part of the list; as long as there is no
// history, it is taken to return everything in half of its lookups and nothing in the
// others, which leaves the largest range. It is false when a price that is needed is
// unknown.
func (f *Forecast) WidthAfter(sample map[cost.Kind]int64, prices cost.Prices) (cost.Money, bool) {
	if !f.priced(prices) {
		return 0, false
	}
	rest := &Forecast{free: f.free, parts: make([]part, len(f.parts))}
	var found enrich.ByField[float64]
	for i, p := range f.parts {
		looked := min(sample[p.kind], p.lookups)
		seen := p.expect(looked)
		for field := range found {
			found[field] += seen.of(enrich.Field(field))
		}
		rest.parts[i] = p.after(looked, seen)
	}
	for field := range rest.free {
		rest.free[field] = max(rest.free[field]-int64(found[field]), 0)
	}
	if !rest.Known() {
		return 0, false // the sample leaves a kind of lookups out
	}
	rest.futures, rest.likely = simulate(rest.parts, numFutures), likely(rest.parts)
	after, known := rest.Spend(prices)
	return after.Width(), known
}

// expect returns the expected outcomes of that number of lookups.
func (p part) expect(lookups int64) counts {
	seen := make(counts, outcomesOfAll(p.kind.Fields))
	if p.basis == none {
		seen[0], seen[p.kind.Fields] = float64(lookups)/2, float64(lookups)/2
		return seen
	}
	for outcome, weight := range p.rates {
		seen[outcome] = float64(lookups) * weight / p.rates.weight()
	}
	return seen
}

// of returns how many of the outcomes hold a field.
func (c counts) of(f enrich.Field) float64 {
	var sum float64
	for outcome, n := range c {
		if enrich.Fields(outcome).Has(f) {
			sum += n
		}
	}
	return sum
}

// after returns the rest of the part once some lookups had the outcomes. A history of
// its own takes the place of a borrowed one.
func (p part) after(lookups int64, seen counts) part {
	rest := p
	rest.lookups -= lookups
	if lookups == 0 {
		return rest
	}
	if p.basis != own {
		rest.rates = newPosterior(p.kind.Fields, nil)
	}
	rest.basis, rest.rates = own, slices.Clone(rest.rates)
	for outcome, n := range seen {
		rest.rates[outcome] += n
	}
	return rest
}
