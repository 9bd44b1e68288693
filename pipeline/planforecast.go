package pipeline

import (
	"fmt"

	"payonce/cost"
	"payonce/cost/forecast"
)

// Forecast works out what the match rates of this journal say about the planned lookups.
func (s *RunStep) Forecast() *forecast.Forecast {
	return forecast.New(forecast.Input{
		Lookups: s.Counts.Kinds, Free: s.Account.FreeLeft(),
		History: s.Account.History,
	})
}

// kindNames names kinds of lookups for a person.
func (s *RunStep) kindNames(kinds []cost.Kind) []string {
	names := make([]string, len(kinds))
	for i, kind := range kinds {
		names[i] = fmt.Sprintf("%s by %s", s.Account.Catalogue.Operation(kind.Fields), kind.Pattern)
	}
	return names
}
