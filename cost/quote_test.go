package cost_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"payonce/cost"
	"payonce/enrich"
)

func TestChoosePrices(t *testing.T) {
	price := func(name string, prices cost.Prices) cost.PriceSource {
		return cost.PriceSource{Name: name, Prices: prices}
	}
	emails, both := enrich.FieldsOf(email), allFields
	card := price("card.yaml", cost.Prices{email: 12 * cost.Cent})
	document := price("the OpenAPI document", cost.Prices{email: 15 * cost.Cent, phone: 20 * cost.Cent})
	status := price("the account status", cost.Prices{phone: 20 * cost.Cent})
	builtIn := price("the built-in rate card", cost.Prices{email: 9 * cost.Cent, phone: 25 * cost.Cent})
	tests := []struct {
		name          string
		wanted        enrich.Fields
		sources       []cost.PriceSource
		prices        cost.Prices
		source        string
		disagreements []string
	}{
		{"no sources", both, nil, cost.Prices{}, "", nil},
		{"one", both, []cost.PriceSource{document}, cost.Prices{email: 15 * cost.Cent, phone: 20 * cost.Cent}, "the OpenAPI document", nil},
		{"a field that none prices stays unknown", both, []cost.PriceSource{card}, cost.Prices{email: 12 * cost.Cent}, "card.yaml", nil},
		{"what is not wanted is not looked at", emails, []cost.PriceSource{status, builtIn}, cost.Prices{email: 9 * cost.Cent}, "the built-in rate card", nil},
		{
			"the first that tells a price", both,
			[]cost.PriceSource{card, document, status, builtIn},
			cost.Prices{email: 12 * cost.Cent, phone: 20 * cost.Cent},
			"work_email by card.yaml, business_phone by the OpenAPI document",
			[]string{
				"a work_email costs $0.12 by card.yaml, which counts, and $0.15 by the OpenAPI document; should that be right, more is spent than planned",
				"a work_email costs $0.12 by card.yaml, which counts, and $0.09 by the built-in rate card",
				"a business_phone costs $0.20 by the OpenAPI document, which counts, and $0.25 by the built-in rate card; should that be right, more is spent than planned",
			},
		},
		{
			"zero is a price", emails,
			[]cost.PriceSource{price("free.yaml", cost.Prices{email: 0}), builtIn},
			cost.Prices{email: 0},
			"free.yaml",
			[]string{"a work_email costs $0.00 by free.yaml, which counts, and $0.09 by the built-in rate card; should that be right, more is spent than planned"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			quote := cost.ChoosePrices(tt.wanted, tt.sources...)
			if diff := cmp.Diff(tt.prices, quote.Prices); diff != "" {
				t.Errorf("prices: %s", diff)
			}
			if got := quote.Source(named()); got != tt.source {
				t.Errorf("the source is %q, want %q", got, tt.source)
			}
			var disagreements []string
			for _, d := range quote.Disagreements {
				disagreements = append(disagreements, d.Sentence(named()))
			}
			if diff := cmp.Diff(tt.disagreements, disagreements); diff != "" {
				t.Errorf("disagreements: %s", diff)
			}
		})
	}
}

// TestChoosePricesTakesEachPriceFromTheFirstSourceThatKnowsIt shows that a quote holds prices of wanted fields
// that a source tells, each of the first one that does, and that every other price
// shown is listed.
func TestChoosePricesTakesEachPriceFromTheFirstSourceThatKnowsIt(t *testing.T) {
	names := []string{"first", "second", "third"}
	rapid.Check(t, func(t *rapid.T) {
		wanted := fieldSets().Draw(t, "wanted")
		var sources []cost.PriceSource
		for _, name := range names {
			prices := cost.Prices{}
			for f := range fieldSets().Draw(t, "told").Each() {
				prices[f] = cost.Money(rapid.Int64Range(0, 2).Draw(t, "price"))
			}
			sources = append(sources, cost.PriceSource{Name: name, Prices: prices})
		}
		quote := cost.ChoosePrices(wanted, sources...)
		agreeing, different := 0, 0
		for f := range allFields.Each() {
			chosen, known := quote.Prices.Of(f)
			shown := false
			for _, source := range sources {
				price, tells := source.Prices.Of(f)
				if !tells || !wanted.Has(f) {
					continue
				}
				if !shown && (price != chosen || quote.Sources[f] != source.Name) {
					t.Errorf("%s: %s by %s, the first source says %s", f, chosen, quote.Sources[f], price)
				}
				shown = true
				if price == chosen {
					agreeing++
				} else {
					different++
				}
			}
			if known != shown {
				t.Errorf("%s: known %t, listed %t", f, known, shown)
			}
		}
		if len(quote.Disagreements) != different {
			t.Errorf("%d disagreements listed, %d sources differ (%d agree)", len(quote.Disagreements), different, agreeing)
		}
	})
}

// named returns the catalogue of the tests.
func named() enrich.Catalogue { return enrich.Named("work_email", "business_phone") }
