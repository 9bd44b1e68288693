package cost_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"payonce/cost"
)

// published is the rate card of the service (specification v1, "Allowances and rate
// card").
func published() cost.RateCard {
	rates := func(emailCents, phoneCents int64) cost.Prices {
		return cost.Prices{email: cost.Cents(emailCents), phone: cost.Cents(phoneCents)}
	}
	return cost.RateCard{Options: []cost.Option{
		{Name: "payg", Prices: rates(15, 25)},
		{Name: "core", MonthlyIncluded: 49 * cost.Dollar, Prices: rates(15, 25)},
		{Name: "growth", MonthlyIncluded: 149 * cost.Dollar, Prices: rates(12, 20)},
		{Name: "scale", MonthlyIncluded: 399 * cost.Dollar, Prices: rates(9, 16)},
	}}
}

func TestCompare(t *testing.T) {
	dollars := func(amounts ...cost.Money) []cost.Money { return amounts }
	tests := []struct {
		name          string
		demand        cost.Demand
		free          cost.Allowances
		usage, totals []cost.Money // by option
		cheapest      string
	}{
		{
			"nothing",
			cost.Demand{},
			cost.Allowances{},
			dollars(0, 0, 0, 0), dollars(0, 49*cost.Dollar, 149*cost.Dollar, 399*cost.Dollar), "payg",
		},
		{
			"all of it free",
			cost.Demand{20, 5},
			cost.Allowances{20, 5},
			dollars(0, 0, 0, 0), dollars(0, 49*cost.Dollar, 149*cost.Dollar, 399*cost.Dollar), "payg",
		},
		{
			"a small list",
			cost.Demand{120, 5},
			cost.Allowances{20, 5},
			dollars(15*cost.Dollar, 15*cost.Dollar, 12*cost.Dollar, 9*cost.Dollar),
			dollars(15*cost.Dollar, 49*cost.Dollar, 149*cost.Dollar, 399*cost.Dollar), "payg",
		},
		{
			"the fee is used up, and prepaid use costs the same",
			cost.Demand{400, 0},
			cost.Allowances{},
			dollars(60*cost.Dollar, 60*cost.Dollar, 48*cost.Dollar, 36*cost.Dollar),
			dollars(60*cost.Dollar, 60*cost.Dollar, 149*cost.Dollar, 399*cost.Dollar), "payg",
		},
		{
			"growth, within its fee",
			cost.Demand{1_200, 0},
			cost.Allowances{},
			dollars(180*cost.Dollar, 180*cost.Dollar, 144*cost.Dollar, 108*cost.Dollar),
			dollars(180*cost.Dollar, 180*cost.Dollar, 149*cost.Dollar, 399*cost.Dollar), "growth",
		},
		{
			"growth, beyond its fee",
			cost.Demand{2_000, 500},
			cost.Allowances{},
			dollars(425*cost.Dollar, 425*cost.Dollar, 340*cost.Dollar, 260*cost.Dollar),
			dollars(425*cost.Dollar, 425*cost.Dollar, 340*cost.Dollar, 399*cost.Dollar), "growth",
		},
		{
			"scale",
			cost.Demand{10_000, 10_000},
			cost.Allowances{},
			dollars(4_000*cost.Dollar, 4_000*cost.Dollar, 3_200*cost.Dollar, 2_500*cost.Dollar),
			dollars(4_000*cost.Dollar, 4_000*cost.Dollar, 3_200*cost.Dollar, 2_500*cost.Dollar), "scale",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var usage, totals []cost.Money
			cheapest := ""
			for _, c := range published().Compare(tt.demand, tt.free) {
				if !c.Usage.Known || !c.Total.Known {
					t.Errorf("%s has no price", c.Option.Name)
				}
				usage, totals = append(usage, c.Usage.Value), append(totals, c.Total.Value)
				if c.Cheapest {
					cheapest += c.Option.Name
				}
			}
			if diff := cmp.Diff(tt.usage, usage); diff != "" {
				t.Errorf("usage: %s", diff)
			}
			if diff := cmp.Diff(tt.totals, totals); diff != "" {
				t.Errorf("totals: %s", diff)
			}
			if cheapest != tt.cheapest {
				t.Errorf("the cheapest is %q, want %q", cheapest, tt.cheapest)
			}
		})
	}
}

// TestCompareLeavesUnknownPricesOut shows that an option without a price that is
// needed is neither an error nor the cheapest.
func TestCompareLeavesUnknownPricesOut(t *testing.T) {
	card := cost.RateCard{Options: []cost.Option{
		{Name: "unknown", Prices: cost.Prices{phone: 1}},
		{Name: "known", Prices: standard()},
	}}
	costs := card.Compare(cost.Demand{email: 10}, cost.Allowances{})
	if costs[0].Total.Known || costs[0].Usage.Known || costs[0].Cheapest {
		t.Errorf("without a price: %+v", costs[0])
	}
	if !costs[1].Cheapest {
		t.Errorf("with a price: %+v", costs[1])
	}
	if costs := card.Compare(cost.Demand{phone: 10}, cost.Allowances{}); !costs[0].Cheapest {
		t.Errorf("the price that is not needed: %+v", costs[0])
	}
	if _, found := cost.Cheapest(nil); found {
		t.Error("there is a cheapest of nothing")
	}
}

// TestTheCostOfAMonthIsWhatAnAccountPays compares the cost of a month with an account that pays in the service's
// order: included balance first, then prepaid credit.
func TestTheCostOfAMonthIsWhatAnAccountPays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		option := rapid.SampledFrom(published().Options).Draw(t, "option")
		included, deposited, usage := option.MonthlyIncluded, cost.Money(0), cost.Money(0)
		for range rapid.IntRange(0, 3_000).Draw(t, "fields") {
			price := option.Prices[email]
			usage += price
			fromIncluded := min(included, price)
			included -= fromIncluded
			deposited += price - fromIncluded
		}
		if got, want := option.Month(usage), option.MonthlyIncluded+deposited; got != want {
			t.Errorf("a month of %s costs %s, want %s", usage, got, want)
		}
	})
}
