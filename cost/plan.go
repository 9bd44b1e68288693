package cost

import (
	"time"

	"payonce/enrich"
)

// Demand is what a list asks for: how many times each field.
type Demand [enrich.NumFields]int64

// Allowances is what is left of the free allowance by field.
type Allowances [enrich.NumFields]int64

// Maximum returns what the demand costs when every field is returned: the free
// allowance first, then the prices. A price that is needed and unknown is an error.
func (d Demand) Maximum(free Allowances, prices Prices) (Money, error) {
	var total Money
	for f, asked := range d {
		paid := asked - max(free[f], 0)
		if paid <= 0 {
			continue
		}
		price, err := prices.Total(enrich.FieldsOf(enrich.Field(f)))
		if err != nil {
			return 0, err
		}
		total = total.Plus(price.Times(paid))
	}
	return total, nil
}

// Expected returns what the demand will likely cost at the match rates that the
// totals of earlier lookups show, and false when they show none for a field.
func (d Demand) Expected(free Allowances, prices Prices, history Totals) (Money, bool) {
	var total Money
	for f, asked := range d {
		if asked == 0 {
			continue
		}
		if history.Asked[f] == 0 {
			return 0, false
		}
		price, known := prices.Of(enrich.Field(f))
		if !known {
			return 0, false
		}
		// Rounded to the nearest returned field, so that no fraction of one is paid.
		returned := (asked*history.Returned[f]*2 + history.Asked[f]) / (history.Asked[f] * 2)
		total = total.Plus(price.Times(max(returned-max(free[f], 0), 0)))
	}
	return total, true
}

// Covers returns how many of the lookups an amount surely covers, when all of them
// cost at most the maximum and the dearest one costs dearest.
func Covers(left, maximum, dearest Money, lookups int64) int64 {
	if left >= maximum || dearest <= 0 {
		return lookups
	}
	return min(max(int64(left/dearest), 0), lookups)
}

// Duration returns the least time that the lookups take at a rate of slots
// lookups in each window: the first slots go at once.
func Duration(lookups int64, slots int, window time.Duration) time.Duration {
	if lookups <= int64(slots) {
		return 0
	}
	return time.Duration((lookups-1)/int64(slots)) * window
}

// Ceilings returns the ceilings that the account itself sets, by its
// snapshot. What the snapshot does not tell sets none; the service's own refusal
// is then the first word on it.
func (a Account) Ceilings(scope string) []Ceiling {
	var ceilings []Ceiling
	if a.Balance.Available.Known {
		ceilings = append(ceilings, Ceiling{Name: "account balance", Scope: scope, Limit: a.Balance.Available.Value})
	}
	if a.Budget.Capped && a.Budget.Remaining.Known {
		ceilings = append(ceilings, Ceiling{Name: "usage budget", Scope: scope, Limit: a.Budget.Remaining.Value})
	}
	return ceilings
}

// FreeLeft returns the free allowance of the snapshot; what it does not tell
// counts as used up.
func (a Account) FreeLeft() Allowances {
	var left Allowances
	for f, units := range a.Free {
		left[f] = units.Value
	}
	return left
}
