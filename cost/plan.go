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

// Leg is a part of what is left to send: lookups of one account.
type Leg struct {
	Lookups int64 // that the ceilings cover
	Slots   int   // of the rate limit, in each window
	Window  time.Duration
	Each    time.Duration // that a lookup took so far, on average, without waits; 0 when that is not known
}

// Remaining returns how long the legs take, one after another, when nothing is sent before the wait is over: what the
// rate limit asks for, or longer where the service has been slower than that so far.
func Remaining(legs []Leg, wait time.Duration) time.Duration {
	rest := max(wait, 0)
	for _, l := range legs {
		rest += max(Duration(l.Lookups, l.Slots, l.Window), time.Duration(l.Lookups)*l.Each)
	}
	return rest
}
