package dispatch_test

import (
	"testing"
	"time"

	"payonce/cost"
	"payonce/pipeline/dispatch"
)

// TestALimitHidesNoStopThatNeedsAction combines the stops of two steps.
func TestALimitHidesNoStopThatNeedsAction(t *testing.T) {
	ceiling := dispatch.CeilingReached{}
	module := dispatch.ServiceRefused{Code: "daily_limit", Module: "companies"}
	key := dispatch.ServiceRefused{Code: "invalid_key"}
	interrupt := dispatch.Interrupted{}
	for name, c := range map[string]struct{ earlier, later, want dispatch.Stop }{
		"none":                        {nil, nil, nil},
		"the later one alone":         {nil, ceiling, ceiling},
		"the earlier one alone":       {module, nil, module},
		"two limits":                  {ceiling, module, ceiling},
		"a key after a ceiling":       {ceiling, key, key},
		"a key after a module":        {module, key, key},
		"a ceiling after a key":       {key, ceiling, key},
		"an interrupt after a limit":  {module, interrupt, interrupt},
		"a key after an interruption": {interrupt, key, interrupt},
	} {
		if got := dispatch.FirstStop(c.earlier, c.later); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// TestARunGoesOnWhenTheFirstOfTwoLimitsEnds: a run that could go on waits for that, whichever step stopped first.
func TestARunGoesOnWhenTheFirstOfTwoLimitsEnds(t *testing.T) {
	ceiling := func(name string, period cost.Period) dispatch.Stop {
		return dispatch.CeilingReached{Ceiling: cost.Ceiling{Name: name, Period: period}}
	}
	inOrder := []dispatch.Stop{
		dispatch.ServiceRefused{Code: "invalid_key"}, // first: somebody has to act
		ceiling("daily", cost.Day),
		dispatch.ServiceRefused{Code: "daily_limit", Module: "companies", Until: time.Date(2026, 11, 24, 0, 0, 0, 0, time.UTC)},
		ceiling("monthly", cost.Month),
		ceiling("max-spend", cost.Ever),
	}
	for i, first := range inOrder {
		for _, second := range inOrder[i+1:] {
			if got := dispatch.FirstStop(first, second); got != first {
				t.Errorf("%v, then %v: %v", first, second, got)
			}
			if got := dispatch.FirstStop(second, first); got != first {
				t.Errorf("%v, then %v: %v", second, first, got)
			}
		}
	}
	lookups := dispatch.CeilingReached{Ceiling: cost.Ceiling{Name: "max-lookups", Meter: cost.Lookups}}
	if got := dispatch.FirstStop(inOrder[1], lookups); got != lookups {
		t.Errorf("the ceiling of the day, then one on all lookups, which the next day does not end: %v", got)
	}
	budget, credit := ceiling(cost.UsageBudget, cost.Ever), dispatch.ServiceRefused{Code: "limit", Module: "companies"}
	if got := dispatch.FirstStop(credit, budget); got != budget {
		t.Errorf("credits that are used up, then a budget that begins again: %v", got)
	}
	pause := dispatch.ServiceRefused{Code: dispatch.CodeAskedToWait, Until: time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)}
	if got := dispatch.FirstStop(pause, inOrder[1]); got != inOrder[1] {
		t.Errorf("a pause of one account, then the ceiling of the day: %v", got)
	}
}
