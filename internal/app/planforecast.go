package app

import (
	"fmt"

	"payonce/cost"
	"payonce/forecast"
	"payonce/internal/report"
)

// forecast works out what the match rates of this journal tell of the planned
// lookups.
func (j *job) forecast(free cost.Allowances) *forecast.Forecast {
	return forecast.New(forecast.Input{
		Lookups: j.counts.Kinds, Free: free,
		History: j.session.historyOf,
	})
}

// addForecast shows what the list will likely cost.
func addForecast(v *report.Plan, j *job, f *forecast.Forecast) {
	unknown := f.Unknown()
	v.History = report.History{
		None: len(unknown) == len(j.counts.Kinds), Missing: j.kindNames(unknown), Borrowed: j.kindNames(f.Borrowed()),
	}
	if spend, known := f.Spend(j.prices.Quote.Prices); known {
		v.Expected, v.ExpectedRange = &spend.Expected, &report.Range{Low: spend.Low, High: spend.High}
	}
	for i, option := range f.Compare(j.prices.Card) {
		if option.Known {
			v.Options[i].Expected, v.Options[i].CheapestExpected = &option.Total.Expected, option.Cheapest
		}
	}
}

// kindNames names kinds of lookups for a person.
func (j *job) kindNames(kinds []cost.Kind) []string {
	names := make([]string, len(kinds))
	for i, kind := range kinds {
		names[i] = fmt.Sprintf("%s by %s", j.of.Catalogue.Operation(kind.Fields), kind.Pattern)
	}
	return names
}
