package cost

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"payonce/enrich"
)

// PriceSource is a source of prices: a rate card, the service's OpenAPI document, or the
// account status.
type PriceSource struct {
	Name   string // how a plan names it
	Prices Prices // those that it tells
}

// Quote is the price of each wanted field and the source of that price.
type Quote struct {
	// Prices are those of the wanted fields. A field that no source prices is not
	// among them: it stays unknown, and an unknown price refuses.
	Prices Prices
	// Sources name the source of each price.
	Sources map[enrich.Field]string
	// Disagreements are the other prices that sources tell, by field and then in the
	// order of the sources.
	Disagreements []Disagreement
}

// Disagreement is a price that does not count, because a source with higher priority tells
// another price.
type Disagreement struct {
	Field        enrich.Field
	Counts, Says Money // per returned field
	Source       string
	Other        string // the source that does not count
}

// Sentence writes the disagreement as a sentence.
func (d Disagreement) Sentence(c enrich.Catalogue) string {
	sentence := fmt.Sprintf("a %s costs $%s by %s, which counts, and $%s by %s", c.Name(d.Field), d.Counts, d.Source, d.Says, d.Other)
	if d.Higher() {
		sentence += "; should that be right, more is spent than planned"
	}
	return sentence
}

// Higher reports whether the price that does not count is the higher one. If it is right,
// holds are too small and no ceiling is safe.
func (d Disagreement) Higher() bool { return d.Says > d.Counts }

// ChoosePrices takes the price of every wanted field from the first of the sources
// that has it, and lists what the others say differently.
func ChoosePrices(wanted enrich.Fields, sources ...PriceSource) Quote {
	quote := Quote{Prices: Prices{}, Sources: map[enrich.Field]string{}}
	for f := range wanted.Each() {
		for _, source := range sources {
			price, shown := source.Prices.Of(f)
			counts, chosen := quote.Prices.Of(f)
			switch {
			case !shown:
			case !chosen:
				quote.Prices[f], quote.Sources[f] = price, source.Name
			case price != counts:
				quote.Disagreements = append(quote.Disagreements, Disagreement{
					Field: f, Counts: counts, Says: price, Source: quote.Sources[f], Other: source.Name,
				})
			}
		}
	}
	return quote
}

// Source names the source of the prices: one name when all have the same source, and otherwise
// the source of each field.
func (q Quote) Source(c enrich.Catalogue) string {
	var names []string
	var parts []string
	for _, f := range slices.Sorted(maps.Keys(q.Sources)) {
		name := q.Sources[f]
		names = append(names, name)
		parts = append(parts, fmt.Sprintf("%s by %s", c.Name(f), name))
	}
	for _, name := range names {
		if name != names[0] {
			return strings.Join(parts, ", ")
		}
	}
	return strings.Join(names[:min(len(names), 1)], "")
}
