package cost_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"payonce/cost"
	"payonce/enrich"
)

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
	if returned == hold.Fields {
		want.Whole++
	}
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

// TestConservation shows that no money appears or vanishes: settled, held and given
// back together are what was ever held, in micro-USD, whichever calls end first and
// however; and the calls without an outcome are counted.
func TestConservation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var totals cost.Totals
		var open []cost.Hold
		var givenBack cost.Money
		var freeGivenBack enrich.ByField[int64]
		end := func(t *rapid.T, returned enrich.Fields) (cost.Hold, cost.Charge) {
			if len(open) == 0 {
				t.Skip("nothing is open")
			}
			i := rapid.IntRange(0, len(open)-1).Draw(t, "call to end")
			hold := open[i]
			open = append(open[:i:i], open[i+1:]...)
			charge := hold.Settle(returned)
			totals.Release(hold, charge)
			givenBack += hold.Amount() - charge.Amount
			for f := range hold.Free.Without(charge.Free).Each() {
				freeGivenBack[f]++
			}
			return hold, charge
		}
		t.Repeat(map[string]func(*rapid.T){
			"hold": func(t *rapid.T) {
				hold := cost.Hold{Fields: fieldSets().Draw(t, "fields"), Prices: odd(t)}
				hold.Free = hold.Fields & fieldSets().Draw(t, "free")
				totals.Hold(hold)
				open = append(open, hold)
			},
			"void": func(t *rapid.T) { end(t, 0) },
			"settle": func(t *rapid.T) {
				returned := fieldSets().Draw(t, "returned")
				hold, _ := end(t, returned)
				totals.Count(hold.Fields, returned&hold.Fields)
			},
			"forfeit": func(t *rapid.T) {
				end(t, fieldSets().Draw(t, "charged"))
				totals.Forfeited++
			},
			"": func(t *rapid.T) {
				if totals.Settled+totals.Held+givenBack != totals.EverHeld {
					t.Errorf("settled %s, held %s and given back %s are not %s", totals.Settled, totals.Held, givenBack, totals.EverHeld)
				}
				for f := range freeGivenBack {
					if totals.FreeUsed[f]+totals.FreeHeld[f]+freeGivenBack[f] != totals.FreeEverHeld[f] {
						t.Errorf("%s: free units used, held and given back do not add up: %+v", enrich.Field(f), totals)
					}
				}
				if totals.Open != int64(len(open)) {
					t.Errorf("%d calls are counted without an outcome, there are %d", totals.Open, len(open))
				}
				if totals.Whole > totals.Lookups {
					t.Errorf("%d of %d answers are whole", totals.Whole, totals.Lookups)
				}
			},
		})
	})
}

// odd draws prices that are no whole cents.
func odd(t *rapid.T) cost.Prices {
	price := rapid.Map(rapid.Int64Range(0, 999_999), func(micros int64) cost.Money { return cost.Money(micros) })
	return cost.Prices{email: price.Draw(t, "price of an email"), phone: price.Draw(t, "price of a phone")}
}
