package app

import (
	"fmt"

	"payonce/cost"
	"payonce/forecast"
	"payonce/internal/report/planview"
)

// forecast works out what the match rates of this journal tell of the planned
// lookups.
func (s *step) forecast() *forecast.Forecast {
	return forecast.New(forecast.Input{
		Lookups: s.counts.Kinds, Free: s.account.FreeLeft(),
		History: s.account.History,
	})
}

// addForecast shows what the list will likely cost.
func addForecast(v *planview.Plan, s *step, f *forecast.Forecast) {
	unknown := f.Unknown()
	v.History = planview.History{
		None: len(unknown) == len(s.counts.Kinds), Missing: s.kindNames(unknown), Borrowed: s.kindNames(f.Borrowed()),
	}
	if spend, known := f.Spend(s.account.Prices.Quote.Prices); known {
		v.Expected, v.ExpectedRange = &spend.Expected, &planview.Range{Low: spend.Low, High: spend.High}
	}
	for i, option := range f.Compare(s.account.Prices.Card) {
		if option.Known {
			v.Options[i].Expected, v.Options[i].CheapestExpected = &option.Total.Expected, option.Cheapest
		}
	}
}

// kindNames names kinds of lookups for a person.
func (s *step) kindNames(kinds []cost.Kind) []string {
	names := make([]string, len(kinds))
	for i, kind := range kinds {
		names[i] = fmt.Sprintf("%s by %s", s.account.Catalogue.Operation(kind.Fields), kind.Pattern)
	}
	return names
}
