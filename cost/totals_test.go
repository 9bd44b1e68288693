package cost_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"payonce/cost"
	"payonce/enrich"
)

// TestReleasedHoldsLeaveOnlyTheChargeInTotals shows that a hold and its release leave only the charge behind, and
// that settled and held together never exceed what was ever held.
func TestReleasedHoldsLeaveOnlyTheChargeInTotals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var totals, want cost.Totals
		for range rapid.IntRange(0, 6).Draw(t, "calls") {
			hold := cost.Hold{Fields: fieldSets().Draw(t, "fields"), Rates: standardRates()}
			hold.Free = hold.Fields & fieldSets().Draw(t, "free")
			returned := hold.Fields & fieldSets().Draw(t, "returned")
			charge := hold.Settle(returned)
			totals.Hold(hold.Amounts())
			if !totals.Settled.Plus(totals.Held).Within(totals.EverHeld) {
				t.Fatalf("more than was ever held: %+v", totals)
			}
			totals.Release(hold.Amounts(), charge)
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
		held := of(hold.Rates[f].Price(), enrich.ByField[int64]{})
		if hold.Free.Has(f) {
			held = of(0, units(enrich.FieldsOf(f)))
		}
		want.EverHeld = want.EverHeld.Plus(held)
		if !returned.Has(f) {
			continue
		}
		want.Charged[f]++
		want.Returned[f]++
		want.Settled = want.Settled.Plus(held)
	}
}

// TestSettledHeldAndReturnedAddUpToWhatWasHeld shows that no money and no unit appears or vanishes: settled, held and
// given back together are what was ever held, of each meter, whichever calls end first and however; and the calls
// without an outcome are counted.
func TestSettledHeldAndReturnedAddUpToWhatWasHeld(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var totals cost.Totals
		var open []cost.Hold
		var givenBack cost.Amounts
		end := func(t *rapid.T, returned enrich.Fields) (cost.Hold, cost.Charge) {
			if len(open) == 0 {
				t.Skip("nothing is open")
			}
			i := rapid.IntRange(0, len(open)-1).Draw(t, "call to end")
			hold := open[i]
			open = append(open[:i:i], open[i+1:]...)
			charge := hold.Settle(returned)
			totals.Release(hold.Amounts(), charge)
			givenBack = givenBack.Plus(hold.Amounts().Minus(charge.Amounts))
			return hold, charge
		}
		t.Repeat(map[string]func(*rapid.T){
			"hold": func(t *rapid.T) {
				hold := cost.Hold{Fields: fieldSets().Draw(t, "fields"), Rates: tariff.At(odd(t))}
				hold.Free = hold.Fields & fieldSets().Draw(t, "free")
				totals.Hold(hold.Amounts())
				open = append(open, hold)
			},
			"release": func(t *rapid.T) { end(t, 0) },
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
				if totals.Settled.Plus(totals.Held).Plus(givenBack) != totals.EverHeld {
					t.Errorf("settled %v, held %v and given back %v are not %v", totals.Settled, totals.Held, givenBack, totals.EverHeld)
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
