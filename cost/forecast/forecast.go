// Package forecast says what a list will likely cost, from the match rates of the
// lookups that the journal has seen.
//
// Every kind of lookup, by the fields asked for and the identifier pattern, has match rates of its
// own. What the history of a kind shows of them is a posterior: a Dirichlet
// distribution over what can be returned (nothing, an email, a phone, both), which
// for one field is a Beta distribution. Its prior is Jeffreys' (half a lookup for each
// outcome): weaker than one lookup of history, and of good coverage for rates near
// none and near all. A list is then simulated many times: rates are drawn from the
// posterior and outcomes by those rates, so that a range holds what is uncertain about
// the rates and the luck of the draw as well. Returned fields use the free allowance
// first and cost their price beyond it.
//
// A kind without a history borrows from that of the same fields by another pattern, as if
// that had seen at most ten lookups, because the rates of the two differ. With neither
// there is no forecast. A forecast assumes that a list is like those before it; what it
// cannot know is how a list from elsewhere differs.
//
// The package is pure, and every forecast is the same each time: the random numbers
// begin with the same seed.
package forecast

import (
	"cmp"
	"slices"

	"payonce/cost"
	"payonce/enrich"
)

// Input is what is forecast.
type Input struct {
	// Lookups are those of the list, by kind.
	Lookups map[cost.Kind]int64
	// History returns the sums of all answered lookups of a kind.
	History func(cost.Kind) cost.Totals
	// Free is what is left of the free allowance.
	Free cost.Allowances
}

// Forecast is what a history shows about a list. It does not change, so it may be used
// concurrently.
type Forecast struct {
	free    cost.Allowances
	parts   []part
	futures []returned
	// likely is how many of each field are expected to be returned.
	likely enrich.ByField[float64]
}

// returned counts returned fields.
type returned enrich.ByField[int64]

// part is the lookups of one kind in a list.
type part struct {
	kind    cost.Kind
	lookups int64
	basis   basis
	rates   posterior
}

// New works out the forecast of a list.
func New(in Input) *Forecast {
	f := &Forecast{free: in.Free}
	for kind, lookups := range in.Lookups {
		if lookups > 0 {
			f.parts = append(f.parts, newPart(kind, lookups, in.History))
		}
	}
	slices.SortFunc(f.parts, func(a, b part) int {
		return cmp.Or(cmp.Compare(a.kind.Fields, b.kind.Fields), cmp.Compare(a.kind.Pattern, b.kind.Pattern))
	})
	if f.Known() {
		f.futures = simulate(f.parts, numFutures)
		f.likely = likely(f.parts)
	}
	return f
}

// newPart looks up what the history shows of a kind.
func newPart(kind cost.Kind, lookups int64, history func(cost.Kind) cost.Totals) part {
	fields := kind.Fields
	counts, basis := outcomesOf(kind, history)
	return part{kind: kind, lookups: lookups, basis: basis, rates: newPosterior(fields, counts)}
}

// Known reports whether there is a history for every kind of lookup in the list, its
// own or a borrowed one. Without it there are no ranges.
func (f *Forecast) Known() bool { return len(f.Unknown()) == 0 }

// Unknown returns the kinds of lookups in the list of which there is no history.
func (f *Forecast) Unknown() []cost.Kind { return f.kindsOf(none) }

// Borrowed returns the kinds whose rates are those of the same fields by the other
// pattern.
func (f *Forecast) Borrowed() []cost.Kind { return f.kindsOf(borrowed) }

func (f *Forecast) kindsOf(b basis) []cost.Kind {
	var kinds []cost.Kind
	for _, p := range f.parts {
		if p.basis == b {
			kinds = append(kinds, p.kind)
		}
	}
	return kinds
}

// lookups returns how many lookups the list has.
func (f *Forecast) lookups() int64 {
	var lookups int64
	for _, p := range f.parts {
		lookups += p.lookups
	}
	return lookups
}
