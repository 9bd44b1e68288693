package cost_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"payonce/cost"
	"payonce/enrich"
)

func TestTightest(t *testing.T) {
	totals := map[string]cost.Totals{
		"run":     {Settled: 3 * cost.Dollar, Held: cost.Dollar},
		"month":   {Settled: 50 * cost.Dollar},
		"account": {Held: 2 * cost.Dollar},
	}
	run := cost.Ceiling{Name: "max-spend", Scope: "run", Limit: 10 * cost.Dollar}
	month := cost.Ceiling{Name: "monthly", Scope: "month", Limit: 55 * cost.Dollar}
	balance := cost.Ceiling{Name: "account balance", Scope: "account", Limit: 8 * cost.Dollar}
	over := cost.Ceiling{Name: "usage budget", Scope: "account", Limit: cost.Dollar}
	tests := []struct {
		name     string
		ceilings []cost.Ceiling
		want     cost.Ceiling
		left     cost.Money
		found    bool
	}{
		{"none", nil, cost.Ceiling{}, 0, false},
		{"one", []cost.Ceiling{run}, run, 6 * cost.Dollar, true},
		{"the last is the tightest", []cost.Ceiling{run, month}, month, 5 * cost.Dollar, true},
		{"the first is the tightest", []cost.Ceiling{month, run}, month, 5 * cost.Dollar, true},
		{"of equals the first", []cost.Ceiling{run, balance}, run, 6 * cost.Dollar, true},
		{"exceeded", []cost.Ceiling{run, over, month}, over, -cost.Dollar, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, left, found := cost.Tightest(tt.ceilings, func(scope string) cost.Totals { return totals[scope] })
			if left != tt.left || found != tt.found {
				t.Errorf("left %s, %t, want %s, %t", left, found, tt.left, tt.found)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestTotals shows that a hold and its release leave only the charge behind, and
// that settled and held together never exceed what was ever held.
func TestTotals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var totals, want cost.Totals
		for range rapid.IntRange(0, 6).Draw(t, "calls") {
			hold := cost.Hold{Fields: fieldSets().Draw(t, "fields"), Prices: standard()}
			hold.Free = hold.Fields & fieldSets().Draw(t, "free")
			returned := hold.Fields & fieldSets().Draw(t, "returned")
			charge := hold.Settle(returned)
			totals.Hold(hold)
			if totals.Settled+totals.Held > totals.EverHeld {
				t.Fatalf("more than was ever held: %+v", totals)
			}
			totals.Release(hold, charge)
			totals.Count(hold.Fields, returned)
			addCall(&want, hold, returned)
		}
		if diff := cmp.Diff(want, totals); diff != "" {
			t.Error(diff)
		}
	})
}

// addCall adds what an answered call leaves behind in the sums.
func addCall(want *cost.Totals, hold cost.Hold, returned enrich.Fields) {
	want.Lookups++
	for f := range hold.Fields.Each() {
		want.Asked[f]++
		if hold.Free.Has(f) {
			want.FreeEverHeld[f]++
		} else {
			want.EverHeld += hold.Prices[f]
		}
		if !returned.Has(f) {
			continue
		}
		want.Charged[f]++
		want.Returned[f]++
		if hold.Free.Has(f) {
			want.FreeUsed[f]++
		} else {
			want.Settled += hold.Prices[f]
		}
	}
}
