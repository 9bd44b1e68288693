package main

import (
	"fmt"

	"payonce/checkpoint"
	"payonce/cost"
	"payonce/forecast"
)

// rangeView is a range of amounts that holds the real one with 95 % certainty.
type rangeView struct {
	Low  cost.Money `json:"low"`
	High cost.Money `json:"high"`
}

// historyView says for which kinds of lookups this journal has no match rates of
// their own.
type historyView struct {
	Missing []string `json:"missing"` // none at all
	// Borrowed have those of the same operation by the other identity.
	Borrowed []string `json:"borrowed"`
}

// forecast works out what the match rates of this journal tell of the planned
// lookups.
func (j *job) forecast(free cost.Allowances) *forecast.Forecast {
	return forecast.New(forecast.Input{
		Lookups: j.counts.Kinds, Free: free,
		History: func(kind cost.Kind) cost.Totals { return j.totals(checkpoint.HistoryScope(kind)) },
	})
}

// addForecast shows what the list will likely cost.
func (v *planView) addForecast(j *job, f *forecast.Forecast) {
	v.kinds = len(j.counts.Kinds)
	v.History = historyView{Missing: kindNames(f.Unknown()), Borrowed: kindNames(f.Borrowed())}
	if spend, known := f.Spend(j.quote.Prices); known {
		v.Expected, v.ExpectedRange = &spend.Expected, &rangeView{spend.Low, spend.High}
	}
	for i, option := range f.Compare(j.card) {
		if option.Known {
			v.Options[i].Expected, v.Options[i].CheapestExpected = &option.Total.Expected, option.Cheapest
		}
	}
}

// kindNames names kinds of lookups for a person.
func kindNames(kinds []cost.Kind) []string {
	names := make([]string, len(kinds))
	for i, kind := range kinds {
		names[i] = fmt.Sprintf("%s by %s", kind.Operation, kind.Pattern)
	}
	return names
}
