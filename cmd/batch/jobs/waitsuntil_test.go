package jobs

import (
	"testing"
	"time"

	"payonce/cost"
	"payonce/io/service/v1"
	"payonce/pipeline"
	"payonce/pipeline/dispatch"
	"payonce/pipeline/provider"
)

func TestAStopEndsWhenItsLimitRenews(t *testing.T) {
	began := time.Date(2026, 11, 22, 23, 59, 0, 0, time.UTC)
	midnight, month := time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC), time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	resets := time.Date(2026, 11, 28, 0, 0, 0, 0, time.UTC)
	ceiling := func(name string, period cost.Period) dispatch.Stop {
		return dispatch.CeilingReached{Ceiling: cost.Ceiling{Name: name, Period: period}}
	}
	for name, c := range map[string]struct {
		stop    dispatch.Stop
		resets  time.Time
		want    time.Time
		credits bool
	}{
		"it came to its end":            {stop: nil},
		"interrupted":                   {stop: dispatch.Interrupted{}},
		"its own ceiling":               {stop: ceiling(provider.CeilingMaxSpend, cost.Ever)},
		"its own number of lookups":     {stop: ceiling(provider.CeilingMaxLookups, cost.Ever)},
		"the day's ceiling":             {stop: ceiling(provider.CeilingDaily, cost.Day), want: midnight},
		"the month's ceiling":           {stop: ceiling(provider.CeilingMonthly, cost.Month), want: month},
		"the workspace's ceiling":       {stop: ceiling(provider.CeilingWorkspaceMonthly, cost.Month), want: month},
		"the budget":                    {stop: ceiling(cost.UsageBudget, cost.Ever), resets: resets, want: resets},
		"the budget, renewal not known": {stop: ceiling(cost.UsageBudget, cost.Ever), want: month},
		"the budget, renewal has passed": {
			stop: ceiling(cost.UsageBudget, cost.Ever), resets: began.Add(-time.Hour), want: month,
		},
		"the balance":         {stop: ceiling(cost.AccountBalance, cost.Ever), credits: true},
		"units of a module":   {stop: ceiling("companies", cost.Ever), credits: true},
		"the budget, refused": {stop: dispatch.ServiceRefused{Code: v1.CodeBudgetReached}, resets: resets, want: resets},
		"a pause":             {stop: dispatch.ServiceRefused{Code: dispatch.CodeAskedToWait, Until: midnight}, want: midnight},
		"its own units":       {stop: ceiling(provider.CeilingMaxUnits+" companies", cost.Ever)},
		"a wrong key":         {stop: dispatch.ServiceRefused{Code: dispatch.CodeKeyInvalid}},
		"a module, for good":  {stop: dispatch.ServiceRefused{Code: "limit", Module: "companies"}, credits: true},
		"a module, today":     {stop: dispatch.ServiceRefused{Code: "limits.daily", Module: "companies", Until: midnight}, want: midnight},
		"a higher price":      {stop: dispatch.PriceHigher{}},
	} {
		ended := &pipeline.RunEnded{Stop: c.stop, BudgetResets: c.resets}
		if got := waitsUntil(ended, began); !got.Equal(c.want) {
			t.Errorf("%s: until %s, want %s", name, got, c.want)
		}
		if got := needsCredit(ended); got != c.credits {
			t.Errorf("%s: needs credit %t", name, got)
		}
	}
}
