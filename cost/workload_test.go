package cost_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"payonce/cost"
	"payonce/enrich"
)

// The sets of fields that lookups of the tests ask for.
var (
	emailOnly  = enrich.FieldsOf(email)
	phoneOnly  = enrich.FieldsOf(phone)
	bothFields = emailOnly | phoneOnly
)

// bought returns a list that one account is asked for, which takes money alone.
func bought(list cost.Workload, free cost.Allowances, prices cost.Prices) cost.LookupCosts {
	return cost.LookupCosts{{Lookups: list, Free: free, Rates: prices.Rates()}}
}

func TestWorkload(t *testing.T) {
	w := cost.Workload{emailOnly: 3, phoneOnly: 4, bothFields: 5}
	if got := w.Lookups(); got != 12 {
		t.Errorf("%d lookups, want 12", got)
	}
	if got, want := w.Demand(), (cost.Demand{8, 9}); got != want {
		t.Errorf("the demand is %v, want %v", got, want)
	}
	if got := cost.Workload(nil).Lookups(); got != 0 {
		t.Errorf("an empty list has %d lookups", got)
	}
}

func TestCoversCountsTheLookupsThatAnAmountPays(t *testing.T) {
	emails := cost.Workload{emailOnly: 100}
	mixed := cost.Workload{emailOnly: 50, phoneOnly: 20, bothFields: 30}
	tests := []struct {
		name string
		list cost.Workload
		left cost.Money
		free cost.Allowances
		want int64
	}{
		{"nothing to look up", nil, cost.Dollar, cost.Allowances{}, 0},
		{"no money", emails, 0, cost.Allowances{}, 0},
		{"no money, and free units", emails, 0, cost.Allowances{20, 5}, 20},
		{"less than none", emails, -cost.Dollar, cost.Allowances{20, 5}, 20},
		{"a cent short of one", emails, 14 * cost.Cent, cost.Allowances{}, 0},
		{"one", emails, 15 * cost.Cent, cost.Allowances{}, 1},
		{"free units first", emails, 3 * cost.Dollar, cost.Allowances{20, 0}, 40},
		{"the free units of another field do not help", emails, 3 * cost.Dollar, cost.Allowances{0, 20}, 20},
		{"all", emails, 15 * cost.Dollar, cost.Allowances{}, 100},
		{"a lot", emails, math.MaxInt64, cost.Allowances{}, 100},
		{"the dear ones may come first", mixed, 4 * cost.Dollar, cost.Allowances{}, 10},
		{"then the next dear ones", mixed, 12*cost.Dollar + 50*cost.Cent, cost.Allowances{}, 32},
		{"then emails", mixed, 17*cost.Dollar + 15*cost.Cent, cost.Allowances{}, 51},
		{"all but a cent", mixed, 24*cost.Dollar + 49*cost.Cent, cost.Allowances{}, 99},
		{"the whole list", mixed, 24*cost.Dollar + 50*cost.Cent, cost.Allowances{}, 100},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := bought(tt.list, tt.free, standard()).Covers(tt.left)
			if err != nil || got != tt.want {
				t.Errorf("$%s covers %d lookups, error %v, want %d", tt.left, got, err, tt.want)
			}
		})
	}
	if got, err := bought(emails, cost.Allowances{}, cost.Prices{phone: 1}).Covers(cost.Dollar); err == nil {
		t.Errorf("$1.00 covers %d lookups of an unknown price", got)
	}
	if got, err := bought(emails, cost.Allowances{100, 0}, nil).Covers(0); err != nil || got != 100 {
		t.Errorf("free units cover %d lookups of an unknown price, error %v", got, err)
	}
}

// anyWorkload draws a list, small enough to try every part of it.
func anyWorkload(t *rapid.T, most int64) cost.Workload {
	number := rapid.Int64Range(0, most)
	return cost.Workload{
		emailOnly: number.Draw(t, "emails"), phoneOnly: number.Draw(t, "phones"), bothFields: number.Draw(t, "both"),
	}
}

func anyFree(t *rapid.T, most int64) cost.Allowances {
	number := rapid.Int64Range(0, most)
	return cost.Allowances{number.Draw(t, "free emails"), number.Draw(t, "free phones")}
}

// TestMostExpensiveEqualsTheMaximumOverAllParts compares MostExpensive with every part of the list.
func TestMostExpensiveEqualsTheMaximumOverAllParts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list, free, prices := anyWorkload(t, 4), anyFree(t, 6), odd(t)
		mostExpensive := make([]cost.Money, list.Lookups()+1)
		for emails := range list[emailOnly] + 1 {
			for phones := range list[phoneOnly] + 1 {
				for both := range list[bothFields] + 1 {
					amount, err := cost.Demand{emails + both, phones + both}.Maximum(free, prices)
					if err != nil {
						t.Fatal(err)
					}
					n := emails + phones + both
					mostExpensive[n] = max(mostExpensive[n], amount)
				}
			}
		}
		for n, want := range mostExpensive {
			if got, err := bought(list, free, prices).MostExpensive(int64(n)); err != nil || got != want {
				t.Errorf("any %d lookups cost at most %s, error %v, want %s", n, got, err, want)
			}
		}
	})
}

// TestCoveredLookupsFitUnderACeilingInAnyOrder sends a list in any order, with any outcome, as long as
// it fits under a ceiling: no lookup is refused among the first that the amount
// covers. And when the most expensive ones come first and everything is returned, the next is.
func TestCoveredLookupsFitUnderACeilingInAnyOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list, free := anyWorkload(t, 8), anyFree(t, 6)
		left := cost.Money(rapid.Int64Range(0, 200).Draw(t, "cents")) * cost.Cent
		covers, err := bought(list, free, standard()).Covers(left)
		if err != nil {
			t.Fatal(err)
		}
		lookups := rapid.Permutation(fieldsOf(list)).Draw(t, "order")
		returned := make([]enrich.Fields, len(lookups))
		for i := range returned {
			returned[i] = fieldSets().Draw(t, "returned")
		}
		if sent, _ := sendUnder(left, lookups, returned, free); int64(sent) < covers {
			t.Errorf("$%s covers %d lookups, and %d were sent", left, covers, sent)
		}
	})
}

// fieldsOf returns what each lookup of the list asks for.
func fieldsOf(list cost.Workload) []enrich.Fields {
	var lookups []enrich.Fields
	for _, fields := range []enrich.Fields{bothFields, phoneOnly, emailOnly} {
		lookups = append(lookups, slices.Repeat([]enrich.Fields{fields}, int(list[fields]))...)
	}
	return lookups
}

// sendUnder sends lookups one after the other until one does not fit under a ceiling,
// and returns how many were sent and what they were charged.
func sendUnder(limit cost.Money, lookups, returned []enrich.Fields, free cost.Allowances) (int, cost.Money) {
	var totals cost.Totals
	ceilings := []cost.Ceiling{cost.SpendCeiling("limit", "run", limit)}
	allowance := cost.Allowance{Left: tariff.AllowanceAmounts(enrich.ByField[int64](free))}
	for i, fields := range lookups {
		hold := cost.Hold{Fields: fields, Rates: standardRates()}
		hold.Free, _ = allowance.Take(fields, hold.Rates)
		if _, refused := cost.Refusing(ceilings, hold.Amounts(), func(string) cost.Totals { return totals }); refused {
			return i, totals.Settled.Money()
		}
		totals.Hold(hold.Amounts())
		charge := hold.Settle(returned[i])
		totals.Release(hold.Amounts(), charge)
		allowance.Left = allowance.Left.Minus(charge.Amounts)
	}
	return len(lookups), totals.Settled.Money()
}

// TestOneLookupMoreThanCoveredCanBeRefused shows that one lookup more than an amount covers can be refused.
func TestOneLookupMoreThanCoveredCanBeRefused(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list, free := anyWorkload(t, 8), anyFree(t, 6)
		left := cost.Money(rapid.Int64Range(0, 200).Draw(t, "cents")) * cost.Cent
		covers, err := bought(list, free, standard()).Covers(left)
		if err != nil || covers == list.Lookups() {
			return
		}
		everything := slices.Repeat([]enrich.Fields{allFields}, int(list.Lookups()))
		worst := fieldsOf(list) // both first, then phones, then emails
		other := slices.Concat(
			fieldsOf(cost.Workload{bothFields: list[bothFields]}),
			fieldsOf(cost.Workload{emailOnly: list[emailOnly]}),
			fieldsOf(cost.Workload{phoneOnly: list[phoneOnly]}),
		)
		phonesFirst, _ := sendUnder(left, worst, everything, free)
		emailsFirst, _ := sendUnder(left, other, everything, free)
		if got := int64(min(phonesFirst, emailsFirst)); got != covers {
			t.Errorf("$%s covers %d lookups, in the worst order %d were sent", left, covers, got)
		}
	})
}

// TestMostExpensiveEqualsTheMaximumForFourFields compares MostExpensive with every part of a list that asks for sets of
// four fields.
func TestMostExpensiveEqualsTheMaximumForFourFields(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := cost.Workload{}
		var lookups []enrich.Fields
		for range rapid.IntRange(0, 7).Draw(t, "lookups") {
			fields := enrich.Fields(rapid.IntRange(1, 15).Draw(t, "fields"))
			list[fields]++
			lookups = append(lookups, fields)
		}
		var free cost.Allowances
		prices := cost.Prices{}
		for f := range enrich.Field(4) {
			free[f] = rapid.Int64Range(0, 3).Draw(t, "free")
			prices[f] = cost.Money(rapid.IntRange(0, 30).Draw(t, "price")) * cost.Cent
		}
		mostExpensive := make([]cost.Money, len(lookups)+1)
		for part := range 1 << len(lookups) {
			taken := cost.Workload{}
			for i, fields := range lookups {
				if part>>i&1 == 1 {
					taken[fields]++
				}
			}
			amount, err := taken.Demand().Maximum(free, prices)
			if err != nil {
				t.Fatal(err)
			}
			mostExpensive[taken.Lookups()] = max(mostExpensive[taken.Lookups()], amount)
		}
		for n, want := range mostExpensive {
			if got, err := bought(list, free, prices).MostExpensive(int64(n)); err != nil || got != want {
				t.Errorf("any %d of %v cost at most %s, error %v, want %s", n, list, got, err, want)
			}
		}
	})
}
