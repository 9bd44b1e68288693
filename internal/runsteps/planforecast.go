package runsteps

import (
	"fmt"

	"payonce/cost"
	"payonce/forecast"
	"payonce/internal/report/planview"
)

// Forecast works out what the match rates of this journal tell of the planned lookups.
func (s *Step) Forecast() *forecast.Forecast {
	return forecast.New(forecast.Input{
		Lookups: s.Counts.Kinds, Free: s.Account.FreeLeft(),
		History: s.Account.History,
	})
}

// addForecast shows what the list will likely cost. Where units have prices that is unknown: match rates say how
// many fields are returned, and not how many calls use units.
func (r *Run) addForecast(v *planview.Plan, s *Step, f *forecast.Forecast) {
	unknown := f.Unknown()
	v.History = planview.History{
		None: len(unknown) == len(s.Counts.Kinds), Missing: s.kindNames(unknown), Borrowed: s.kindNames(f.Borrowed()),
		PricedUnits: r.PricedUnits(),
	}
	if spend, known := f.Spend(s.Account.Prices.Quote.Prices); known && !r.PricedUnits() {
		v.Expected, v.ExpectedRange = &spend.Expected, &planview.Range{Low: spend.Low, High: spend.High}
	}
	for i, option := range f.Compare(s.Account.Prices.Card) {
		if option.Known {
			v.Options[i].Expected, v.Options[i].CheapestExpected = &option.Total.Expected, option.Cheapest
		}
	}
}

// kindNames names kinds of lookups for a person.
func (s *Step) kindNames(kinds []cost.Kind) []string {
	names := make([]string, len(kinds))
	for i, kind := range kinds {
		names[i] = fmt.Sprintf("%s by %s", s.Account.Catalogue.Operation(kind.Fields), kind.Pattern)
	}
	return names
}
