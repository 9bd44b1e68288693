package forecast

import (
	"math/bits"

	"payonce/cost"
	"payonce/enrich"
)

// counts says how often each outcome was seen, by the set of returned fields: any set of those that
// were asked for, the empty one too. They are fractions where a history counts for less than it is.
type counts []float64

// outcomesOfAll returns the number of sets up to one with all the fields.
func outcomesOfAll(fields enrich.Fields) int { return int(fields) + 1 }

// basis says where the rates of a kind come from.
type basis uint8

const (
	none     basis = iota // there is no history
	borrowed              // from the same fields by another pattern
	own
)

// borrowedWeight is the number of lookups that a borrowed history counts for at most.
const borrowedWeight = 10

// outcomesOf returns what the history shows of a kind: its own lookups, and without
// any those of the same fields by another pattern, cut down in number.
func outcomesOf(kind cost.Kind, history func(cost.Kind) cost.Totals) (counts, basis) {
	fields := kind.Fields
	if totals := history(kind); totals.Lookups > 0 {
		return countOutcomes(fields, totals), own
	}
	totals := othersOf(kind, history)
	if totals.Lookups <= 0 {
		return nil, none
	}
	seen := countOutcomes(fields, totals)
	weight := min(1, borrowedWeight/float64(totals.Lookups))
	for outcome := range seen {
		seen[outcome] *= weight
	}
	return seen, borrowed
}

// othersOf returns the sums of the lookups of the same fields by another pattern of the same kind of subject:
// the one with the most lookups.
func othersOf(kind cost.Kind, history func(cost.Kind) cost.Totals) (most cost.Totals) {
	for p := range enrich.Pattern(enrich.NumPatterns) {
		if p == kind.Pattern || p.Subject() != kind.Pattern.Subject() {
			continue
		}
		if totals := history(cost.Kind{Fields: kind.Fields, Pattern: p}); totals.Lookups > most.Lookups {
			most = totals
		}
	}
	return most
}

// countOutcomes recovers how often each outcome was seen from the sums of lookups that
// asked for the fields. For both fields, the lookups that returned everything tell the
// two apart that the counts by field do not.
func countOutcomes(fields enrich.Fields, totals cost.Totals) counts {
	if bits.OnesCount8(uint8(fields)) > 2 {
		return independent(fields, totals)
	}
	seen := make(counts, outcomesOfAll(fields))
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

// independent returns how often each outcome was seen if every field is found independently of the others
// are. The sums do not show more of lookups for three fields and more.
func independent(fields enrich.Fields, totals cost.Totals) counts {
	seen := make(counts, outcomesOfAll(fields))
	for outcome := range seen {
		if enrich.Fields(outcome).Without(fields) != 0 {
			continue
		}
		seen[outcome] = float64(totals.Lookups)
		for f := range fields.Each() {
			found := min(1, float64(totals.Returned[f])/float64(totals.Lookups))
			if !enrich.Fields(outcome).Has(f) {
				found = 1 - found
			}
			seen[outcome] *= found
		}
	}
	return seen
}

// posterior is what is known of the rates of the outcomes: the weights of a Dirichlet
// distribution. An outcome that cannot be has none.
type posterior []float64

// priorWeight returns what the prior counts of every outcome, in lookups. For one field and for two it is
// Jeffreys' prior. More fields have more outcomes, with which that prior would outweigh a history. So it
// counts for one lookup of each field together.
func priorWeight(fields enrich.Fields) float64 {
	n := bits.OnesCount8(uint8(fields))
	return float64(n) / float64(int(1)<<n)
}

// newPosterior adds what was seen to the prior.
func newPosterior(fields enrich.Fields, seen counts) posterior {
	p := make(posterior, outcomesOfAll(fields))
	for outcome := range p {
		if enrich.Fields(outcome).Without(fields) == 0 {
			p[outcome] = priorWeight(fields)
		}
	}
	for outcome, n := range seen {
		p[outcome] += n
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
