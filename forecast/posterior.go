package forecast

import (
	"payonce/cost"
	"payonce/enrich"
)

// numOutcomes is the number of outcomes that a lookup can have: it returns any of the
// sets of fields, the empty one too.
const numOutcomes = 4

// counts says how often each outcome was seen, by the set of returned fields. They are
// fractions where a history counts for less than it is.
type counts [numOutcomes]float64

// basis says where the rates of a kind come from.
type basis uint8

const (
	none     basis = iota // there is no history
	borrowed              // from the same fields by the other pattern
	own
)

// borrowedWeight is the number of lookups that a borrowed history counts for at most.
const borrowedWeight = 10

// outcomesOf returns what the history tells of a kind: its own lookups, and without
// any those of the same fields by the other pattern, cut down in number.
func outcomesOf(kind cost.Kind, history func(cost.Kind) cost.Totals) (counts, basis) {
	fields := kind.Fields
	if totals := history(kind); totals.Lookups > 0 {
		return countOutcomes(fields, totals), own
	}
	other := kind
	other.Pattern = enrich.ByName
	if kind.Pattern == enrich.ByName {
		other.Pattern = enrich.ByProfile
	}
	totals := history(other)
	if totals.Lookups <= 0 {
		return counts{}, none
	}
	seen := countOutcomes(fields, totals)
	weight := min(1, borrowedWeight/float64(totals.Lookups))
	for outcome := range seen {
		seen[outcome] *= weight
	}
	return seen, borrowed
}

// countOutcomes recovers how often each outcome was seen from the sums of lookups that
// asked for the fields. For both fields, the lookups that returned everything tell the
// two apart that the counts by field do not.
func countOutcomes(fields enrich.Fields, totals cost.Totals) counts {
	var seen counts
	whole := min(totals.Whole, totals.Lookups)
	nothing := totals.Lookups - whole
	for f := range fields.Each() {
		single := enrich.FieldsOf(f)
		if single == fields {
			break // what returned the only field was whole
		}
		alone := min(max(totals.Returned[f]-whole, 0), nothing)
		seen[single] = float64(alone)
		nothing -= alone
	}
	seen[fields] = float64(whole)
	seen[0] = float64(nothing)
	return seen
}

// posterior is what is known of the rates of the outcomes: the weights of a Dirichlet
// distribution. An outcome that cannot be has none.
type posterior [numOutcomes]float64

// priorWeight is what the prior counts of every outcome, in lookups (Jeffreys' prior).
const priorWeight = 0.5

// newPosterior adds what was seen to the prior.
func newPosterior(fields enrich.Fields, seen counts) posterior {
	var p posterior
	for outcome := range p {
		if enrich.Fields(outcome).Without(fields) == 0 {
			p[outcome] = priorWeight + seen[outcome]
		}
	}
	return p
}

// weight returns the sum of all weights: the lookups that the rates rest on.
func (p posterior) weight() float64 {
	var sum float64
	for _, w := range p {
		sum += w
	}
	return sum
}

// rate returns the expected share of lookups that return a field.
func (p posterior) rate(f enrich.Field) float64 {
	var with float64
	for outcome, w := range p {
		if enrich.Fields(outcome).Has(f) {
			with += w
		}
	}
	return with / p.weight()
}

// likely returns how many of each field the lookups are expected to return.
func likely(parts []part) enrich.ByField[float64] {
	var sums enrich.ByField[float64]
	for _, p := range parts {
		for f := range p.kind.Fields.Each() {
			sums[f] += float64(p.lookups) * p.rates.rate(f)
		}
	}
	return sums
}
