package forecast

import (
	"math"
	"slices"

	"payonce/cost"
	"payonce/enrich"
)

// certainty is the chance that the real spend lies in a range; the rest is parted
// evenly between less and more.
const certainty = 0.95

// Range is an amount that is not known yet: with 95 % certainty it is not below Low and
// not above High.
type Range struct {
	Low, Expected, High cost.Money
}

// Width returns how far the ends of the range lie apart.
func (r Range) Width() cost.Money { return r.High - r.Low }

// Spend returns what the whole list will cost at the prices. It is false when the
// forecast is not known, or a price that is needed.
func (f *Forecast) Spend(prices cost.Prices) (Range, bool) {
	return f.rangeOf(prices, func(spend cost.Money) cost.Money { return spend })
}

// rangeOf returns the range of an amount that follows from the spend.
func (f *Forecast) rangeOf(prices cost.Prices, amount func(cost.Money) cost.Money) (Range, bool) {
	if !f.Known() || !f.priced(prices) {
		return Range{}, false
	}
	amounts := make([]cost.Money, len(f.futures))
	var sum float64
	for i, future := range f.futures {
		spend := spendOf(future, f.free, prices)
		amounts[i] = amount(spend)
		sum += float64(amounts[i] - spend)
	}
	slices.Sort(amounts)
	outside := int(float64(len(amounts)) * (1 - certainty) / 2)
	r := Range{Low: amounts[outside], High: amounts[len(amounts)-1-outside]}
	// The mean of the spend is known better than the simulation shows it; that of the
	// rest is what the simulation tells. Where nearly every future costs the same, the
	// few others can pull the mean out of the range.
	mean := f.meanSpend(prices) + sum/float64(len(amounts))
	r.Expected = min(max(roundToCent(mean), r.Low), r.High)
	return r, true
}

// meanSpend returns the mean of what the list costs, in micro-USD: every field that is
// expected to be returned but for those that the free allowance is expected to pay.
func (f *Forecast) meanSpend(prices cost.Prices) float64 {
	var mean float64
	for field, expected := range f.likely {
		var free float64
		for _, future := range f.futures {
			free += float64(min(future[field], max(f.free[field], 0)))
		}
		paid := expected - free/float64(len(f.futures))
		mean += max(paid, 0) * float64(prices[enrich.Field(field)])
	}
	return mean
}

// priced reports whether the prices say what every field costs that the list asks for.
func (f *Forecast) priced(prices cost.Prices) bool {
	for _, p := range f.parts {
		if _, err := prices.Total(p.kind.Fields); err != nil {
			return false
		}
	}
	return true
}

// spendOf returns what returned fields cost: the free allowance first, then the prices.
func spendOf(fields returned, free cost.Allowances, prices cost.Prices) cost.Money {
	var spend cost.Money
	for f, n := range fields {
		paid := max(n-max(free[f], 0), 0)
		spend = spend.Plus(prices[enrich.Field(f)].Times(paid))
	}
	return spend
}

// roundToCent returns an amount in micro-USD as money, in whole cents: no forecast is
// finer than that.
func roundToCent(micros float64) cost.Money {
	cents := math.Round(micros / float64(cost.Cent))
	if cents >= float64(cost.Money(math.MaxInt64)/cost.Cent) {
		return math.MaxInt64
	}
	return cost.Cents(int64(cents))
}
