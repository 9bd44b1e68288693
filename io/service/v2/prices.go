package v2

import (
	"fmt"
	"strings"

	"payonce/cost"
)

// MeterNamed returns the meter with a name, also one of emails and phones.
func MeterNamed(name string) (cost.Meter, bool) {
	for _, m := range LimitedMeters() {
		if MeterName(m) == name {
			return m, true
		}
	}
	return 0, false
}

// LimitedMeters returns the meters that can be limited and can have a price: those of the modules, and the emails
// and phones that are returned.
func LimitedMeters() []cost.Meter { return append(Meters(), MeterEmails, MeterPhones) }

// Prices say what a unit of each meter costs the user. The service itself shows no money. A meter
// without a price costs nothing.
type Prices map[cost.Meter]cost.Money

// ParsePrices reads prices by the names of the meters.
func ParsePrices(texts map[string]string) (Prices, error) {
	prices := Prices{}
	for name, text := range texts {
		meter, found := MeterNamed(name)
		if !found {
			return nil, noMeter(name)
		}
		price, err := cost.ParseMoney(text)
		if err != nil {
			return nil, fmt.Errorf("the price of a unit of %s: %w", name, err)
		}
		prices[meter] = price
	}
	return prices, nil
}

func noMeter(name string) error {
	var all []string
	for _, m := range LimitedMeters() {
		all = append(all, MeterName(m))
	}
	return fmt.Errorf("%q is not a module; the modules are %s", name, strings.Join(all, ", "))
}

// CheckMeter refuses a name that is not that of a meter.
func CheckMeter(name string) error {
	if _, found := MeterNamed(name); !found {
		return noMeter(name)
	}
	return nil
}

// Of returns what units cost.
func (p Prices) Of(amounts cost.Amounts) (total cost.Money) {
	for meter, price := range p {
		total += price * cost.Money(amounts[meter])
	}
	return total
}

// Priced returns amounts of units with what they cost.
func (p Prices) Priced(amounts cost.Amounts) cost.Amounts {
	amounts[cost.USD] = int64(p.Of(amounts))
	return amounts
}

// Rates returns rates with what they cost at most.
func (p Prices) Rates(rates cost.Rates) cost.Rates {
	priced := make(cost.Rates, len(rates))
	for f, rate := range rates {
		rate.Uses, rate.Call = p.Priced(rate.Uses), p.Priced(rate.Call)
		priced[f] = rate
	}
	return priced
}
