package cost

import (
	"time"

	"payonce/enrich"
)

// Kind is a kind of lookups that have match rates of their own.
type Kind struct {
	Operation enrich.Operation
	Pattern   enrich.Pattern
}

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

// Duration returns the least time that the lookups take at a rate of slots
// lookups in each window: the first slots go at once.
func Duration(lookups int64, slots int, window time.Duration) time.Duration {
	return time.Duration(max(lookups-1, 0)/int64(slots)) * window
}

// Ceilings returns the ceilings that the account itself sets, by its
// snapshot. What the snapshot does not tell sets none; the service's own refusal
// is then the first word on it.
func (a Account) Ceilings(scope string) []Ceiling {
	var ceilings []Ceiling
	if a.Balance.Available.Known {
		ceilings = append(ceilings, SpendCeiling("account balance", scope, a.Balance.Available.Value))
	}
	if a.Budget.Capped && a.Budget.Remaining.Known {
		ceilings = append(ceilings, SpendCeiling("usage budget", scope, a.Budget.Remaining.Value))
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
