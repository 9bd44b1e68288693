package cost

// Month returns what a month costs by the option in which the fields come to usage at
// its prices: the monthly fee, whose balance is used first, and what goes beyond it
// (specification v1, "Allowances and rate card").
func (o Option) Month(usage Money) Money { return max(o.MonthlyIncluded, usage) }

// OptionCost is what a list costs by one option of the rate card.
type OptionCost struct {
	Option Option
	// Usage is what the fields cost at the option's prices, after the free allowance.
	// It is unknown when one of the prices is.
	Usage Optional[Money]
	// Total is what is to be paid for a month in which nothing else is bought.
	Total    Optional[Money]
	Cheapest bool // by Total
}

// Compare returns what a demand costs by every option when it is bought within one
// month and every field is returned.
func (c RateCard) Compare(demand Demand, free Allowances) []OptionCost {
	costs := make([]OptionCost, len(c.Options))
	totals := make([]Optional[Money], len(c.Options))
	for i, option := range c.Options {
		costs[i].Option = option
		if usage, err := demand.Maximum(free, option.Prices); err == nil {
			costs[i].Usage, costs[i].Total = Known(usage), Known(option.Month(usage))
		}
		totals[i] = costs[i].Total
	}
	if cheapest, found := Cheapest(totals); found {
		costs[cheapest].Cheapest = true
	}
	return costs
}

// Cheapest returns the index of the lowest amount that is known, the first of equals;
// false when none is known.
func Cheapest(amounts []Optional[Money]) (int, bool) {
	cheapest := -1
	for i, amount := range amounts {
		if amount.Known && (cheapest < 0 || amount.Value < amounts[cheapest].Value) {
			cheapest = i
		}
	}
	return cheapest, cheapest >= 0
}
