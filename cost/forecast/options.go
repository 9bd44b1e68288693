package forecast

import "payonce/cost"

// OptionRange is what a list will cost by one option of the rate card.
type OptionRange struct {
	Option cost.Option
	// Total is what is to be paid for a month in which nothing else is bought.
	Total    Range
	Known    bool
	Cheapest bool // by the expected total
}

// Compare returns what the list will cost by every option when it is bought within one
// month: cost.RateCard.Compare by what is expected instead of the maximum.
func (f *Forecast) Compare(card cost.RateCard) []OptionRange {
	ranges := make([]OptionRange, len(card.Options))
	totals := make([]cost.Optional[cost.Money], len(card.Options))
	for i, option := range card.Options {
		total, known := f.rangeOf(option.Prices, option.Month)
		ranges[i] = OptionRange{Option: option, Total: total, Known: known}
		totals[i] = cost.Optional[cost.Money]{Value: total.Expected, Known: known}
	}
	if cheapest, found := cost.Cheapest(totals); found {
		ranges[cheapest].Cheapest = true
	}
	return ranges
}
