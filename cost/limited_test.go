package cost_test

import (
	"testing"

	"payonce/cost"
	"payonce/enrich"
)

// TestALimitOfAnUnknownModuleStopsAllMetersOfTheCall says which meters a limit is on.
func TestALimitOfAnUnknownModuleStopsAllMetersOfTheCall(t *testing.T) {
	const companies, people, emails cost.Meter = 1, 2, 3
	tariff := cost.Tariff{Meters: []cost.MeterInfo{{Name: "usd"}, {Name: "companies"}, {Name: "people"}, {Name: "emails"}}}
	hold := cost.Hold{Fields: 1, Rates: cost.Rates{0: {Uses: cost.Amounts{cost.USD: 5, people: 1, emails: 1}}}}
	for title, c := range map[string]struct {
		limit enrich.Limit
		want  cost.Meters
	}{
		"of one meter of the call":        {enrich.Limit{Meter: "people"}, cost.MetersOf(people)},
		"of a meter that it did not need": {enrich.Limit{Meter: "companies"}, cost.MetersOf(companies, people, emails)},
		"of no meter":                     {enrich.Limit{Module: "other"}, cost.MetersOf(people, emails)},
		"of a meter that there is not":    {enrich.Limit{Meter: "other"}, cost.MetersOf(people, emails)},
	} {
		if got := tariff.Limited(hold, c.limit); got != c.want {
			t.Errorf("%s: meters %b, want %b", title, got, c.want)
		}
	}
}
