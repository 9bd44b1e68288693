package pipeline

import (
	"fmt"

	"payonce/cost"
	"payonce/cost/forecast"
	"payonce/pipeline/report"
)

// Forecast works out what the match rates of this journal say about the planned lookups.
func (s *RunStep) Forecast() *forecast.Forecast {
	return forecast.New(forecast.Input{
		Lookups: s.Counts.Kinds, Free: s.Account.FreeLeft(),
		History: s.Account.History,
	})
}

// addForecast shows what the list will likely cost. Where units have prices that is unknown: match rates say how
// many fields are returned, and not how many calls use units.
func (r *RunSteps) addForecast(v *report.Plan, s *RunStep, f *forecast.Forecast) {
	unknown := f.Unknown()
	v.History = report.History{
		None: len(unknown) == len(s.Counts.Kinds), Missing: s.kindNames(unknown), Borrowed: s.kindNames(f.Borrowed()),
		PricedUnits: r.PricedUnits(),
	}
	if spend, known := f.Spend(s.Account.Prices.Quote.Prices); known && !r.PricedUnits() {
		v.Expected, v.ExpectedRange = &spend.Expected, &report.AmountRange{Low: spend.Low, High: spend.High}
	}
	for i, option := range f.Compare(s.Account.Prices.Card) {
		if option.Known {
			v.Options[i].Expected, v.Options[i].CheapestExpected = &option.Total.Expected, option.Cheapest
		}
	}
}

// kindNames names kinds of lookups for a person.
func (s *RunStep) kindNames(kinds []cost.Kind) []string {
	names := make([]string, len(kinds))
	for i, kind := range kinds {
		names[i] = fmt.Sprintf("%s by %s", s.Account.Catalogue.Operation(kind.Fields), kind.Pattern)
	}
	return names
}
