package cost

import (
	"time"

	"payonce/enrich"
)

// Kind is a kind of lookups with separate match rates.
type Kind struct {
	Fields  enrich.Fields // that each of them asks for
	Pattern enrich.Pattern
}

// Demand counts how many times a list asks for each field.
type Demand enrich.ByField[int64]

// Allowances is what is left of the free allowance by field.
type Allowances enrich.ByField[int64]

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
