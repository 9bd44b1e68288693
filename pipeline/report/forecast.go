package report

import (
	"math"
	"time"

	"gonum.org/v1/gonum/stat/distuv"

	"payonce/cost"
)

// MonthForecast says what a month will likely cost at its end. It takes the days left for days like those that
// were.
type MonthForecast struct {
	Month string     `json:"month"`
	Job   string     `json:"job,omitempty"` // "" for the whole workspace
	Spent cost.Money `json:"spent_usd"`     // so far
	Days  int        `json:"days_with_spend"`
	// DaysLeft is on how many days something will still be spent.
	DaysLeft int `json:"days_left"`
	// Scheduled says that DaysLeft follows from a schedule. Otherwise it follows from how many of the days since the
	// first spend of the month had some.
	Scheduled bool        `json:"scheduled"`
	Mean      cost.Money  `json:"mean_usd"` // of the days with spend
	Expected  *cost.Money `json:"expected_usd"`
	// With 95 % certainty the month's spend lies between Low and High.
	Low  *cost.Money `json:"low_usd"`
	High *cost.Money `json:"high_usd"`
	// Limit is the ceiling on the month that is the lowest; nil for none. The amounts do not exceed it.
	Limit *ReportCeiling `json:"limit,omitempty"`
	Why   string         `json:"not_known,omitempty"` // why there is no expected amount
}

// leastDays is how many days with spend a forecast needs. The spread of fewer says nothing.
const leastDays = 3

// forecast returns the forecast of the month, nil when the month is not the present one.
func (b *ReportBuilder) forecast() *MonthForecast {
	if b.month != cost.Month.Of(b.facts.At.UTC()) {
		return nil
	}
	today := b.facts.At.UTC().Truncate(24 * time.Hour)
	first, amounts := today, []float64{}
	f := &MonthForecast{Month: b.month, Job: b.job(), Limit: b.view.limit("month", b.job())}
	for _, name := range sortedKeys(b.spendDays) {
		amount := b.spendDays[name]
		if amount == 0 {
			continue
		}
		f.Spent += amount
		amounts = append(amounts, float64(amount))
		if day, err := time.Parse(time.DateOnly, name); err == nil && day.Before(first) {
			first = day
		}
	}
	f.Days = len(amounts)
	next := time.Date(today.Year(), today.Month()+1, 1, 0, 0, 0, 0, time.UTC)
	calendar := int(next.Sub(today).Hours()/24) - 1 // after today
	switch {
	case b.facts.DaysLeft != nil:
		f.DaysLeft, f.Scheduled = *b.facts.DaysLeft, true
	case f.Days > 0:
		since := int(today.Sub(first).Hours()/24) + 1
		f.DaysLeft = int(math.Round(float64(calendar*f.Days) / float64(since)))
	}
	f.extrapolate(amounts)
	return f
}

// extrapolate sets the amounts at the end of the month: what was spent and, for each day left, the mean. The
// range is the prediction interval of the sum of the days left, for days that are independent of each other.
func (f *MonthForecast) extrapolate(amounts []float64) {
	days, left := float64(len(amounts)), float64(f.DaysLeft)
	if f.Days > 0 {
		f.Mean = inCents(float64(f.Spent) / float64(f.Days))
	}
	set := func(more float64) *cost.Money {
		amount := max(f.Spent, inCents(float64(f.Spent)+more))
		if f.Limit != nil {
			amount = min(amount, max(f.Limit.Limit, f.Spent))
		}
		return &amount
	}
	if f.DaysLeft == 0 && (f.Scheduled || f.Days > 0) {
		f.Expected, f.Low, f.High = set(0), set(0), set(0)
		return
	}
	if len(amounts) < leastDays {
		f.Why = "a forecast needs three days with spend"
		return
	}
	mean, squares := float64(f.Spent)/days, 0.0
	for _, amount := range amounts {
		squares += (amount - mean) * (amount - mean)
	}
	spread := math.Sqrt(squares/(days-1)) * math.Sqrt(left+left*left/days)
	half := distuv.StudentsT{Sigma: 1, Nu: days - 1}.Quantile(0.975) * spread
	f.Expected, f.Low, f.High = set(left*mean), set(left*mean-half), set(left*mean+half)
}

// inCents returns the nearest amount in whole cents.
func inCents(amount float64) cost.Money {
	return cost.Cents(int64(math.Round(amount / float64(cost.Cent))))
}
