package cost_test

import (
	"testing"

	"pgregory.net/rapid"

	"payonce/cost"
	"payonce/enrich"
)

// anyLookupCosts draws the lookups of two accounts: one with free units of each field, and one whose lookups cost
// money whatever they return.
func anyLookupCosts(t *rapid.T) cost.LookupCosts {
	free, called := cost.LookupCost{Lookups: cost.Workload{}, Rates: cost.Rates{}}, cost.LookupCost{Lookups: cost.Workload{}, Rates: cost.Rates{}}
	cents := func(what string) int64 { return int64(cost.Cent) * rapid.Int64Range(0, 30).Draw(t, what) }
	call := cost.Amounts{cost.USD: cents("price of a call")}
	for f := range enrich.Field(2) {
		free.Free[f] = rapid.Int64Range(0, 3).Draw(t, "free")
		free.Rates[f] = cost.Rate{Uses: cost.Amounts{cost.USD: cents("price")}, Allowance: cost.Meter(f + 1)}
		called.Rates[f] = cost.Rate{Uses: cost.Amounts{cost.USD: cents("price")}, Call: call}
	}
	for range rapid.IntRange(0, 6).Draw(t, "lookups") {
		fields := enrich.Fields(rapid.IntRange(1, 3).Draw(t, "fields"))
		if rapid.Bool().Draw(t, "of the first account") {
			free.Lookups[fields]++
		} else {
			called.Lookups[fields]++
		}
	}
	return cost.LookupCosts{free, called}
}

// holds sends lookups one after the other, every field returned, and sums what they hold.
func holds(p cost.LookupCost, lookups []enrich.Fields) (sum cost.Money) {
	allowance := cost.Allowance{Left: cost.Amounts{1: p.Free[0], 2: p.Free[1]}}
	for _, fields := range lookups {
		hold := cost.Hold{Fields: fields, Rates: p.Rates}
		hold.Free, _ = allowance.Take(fields, p.Rates)
		sum += hold.Money()
		allowance.Left = allowance.Left.Minus(hold.Settle(fields).Amounts)
	}
	return sum
}

// TestMaximumAndMostExpensiveEqualTheHolds sends every part of the lookups of two accounts.
func TestMaximumAndMostExpensiveEqualTheHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := anyLookupCosts(t)
		first, second := fieldsOf(p[0].Lookups), fieldsOf(p[1].Lookups)
		lookups := len(first) + len(second)
		mostExpensive := make([]cost.Money, lookups+1)
		for part := range 1 << lookups {
			var taken [2][]enrich.Fields
			for i := range lookups {
				switch {
				case part>>i&1 == 0:
				case i < len(first):
					taken[0] = append(taken[0], first[i])
				default:
					taken[1] = append(taken[1], second[i-len(first)])
				}
			}
			n := len(taken[0]) + len(taken[1])
			mostExpensive[n] = max(mostExpensive[n], holds(p[0], taken[0])+holds(p[1], taken[1]))
		}
		if got, err := p.Maximum(); err != nil || got != mostExpensive[lookups] {
			t.Errorf("the maximum is %s, error %v, want %s", got, err, mostExpensive[lookups])
		}
		for n, want := range mostExpensive {
			if got, err := p.MostExpensive(int64(n)); err != nil || got != want {
				t.Errorf("any %d lookups cost at most %s, error %v, want %s", n, got, err, want)
			}
			if covers, err := p.Covers(want); err != nil || covers < int64(n) {
				t.Errorf("$%s covers %d lookups, error %v, want %d at least", want, covers, err, n)
			}
		}
	})
}
