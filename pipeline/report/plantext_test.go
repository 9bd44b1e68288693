package report

import (
	"testing"

	"payonce/cost"
	"payonce/enrich"
)

func TestPlanSaysHowManyLookupsAskForWhat(t *testing.T) {
	t.Parallel()
	c := enrich.Named("work_email", "business_phone", "age")
	c.Fields[0].Word, c.Fields[1].Word = "email", "phone"
	for _, test := range []struct {
		wanted  int // of the fields
		lookups cost.Workload
		want    string
	}{
		{2, cost.Workload{3: 121, 2: 61, 1: 46}, "email and phone 121, phone only 61, email only 46"},
		{2, cost.Workload{3: 5, 1: 0}, "email and phone 5"},
		{2, cost.Workload{1: 3, 2: 2}, "phone only 2, email only 3"},
		{2, cost.Workload{2: 3}, "phone only 3"}, // the emails were answered before
		{1, cost.Workload{1: 3}, "email 3"},
		{1, cost.Workload{2: 3}, "phone 3"},
		{3, cost.Workload{7: 2, 5: 1}, "email and phone and age 2, email and age 1"},
	} {
		plan := &Plan{PlanLookups: PlanLookups{Asks: AsksOf(c, test.lookups), Fields: make(Values[int64], test.wanted)}}
		if got := plan.lookups(); got != test.want {
			t.Errorf("%v: %q, want %q", test.lookups, got, test.want)
		}
	}
	kept := &Plan{PlanLookups: PlanLookups{Lookups: map[string]int64{"find-phone": 2, "enrich": 3, "find-work-email": 0}}}
	if got := kept.lookups(); got != "enrich 3, find-phone 2" {
		t.Errorf("a plan that was kept earlier: %q", got)
	}
}

// TestOptionsAreComparedWithTheFieldsAlone: no option of the rate card pays for units of modules.
func TestOptionsAreComparedWithTheFieldsAlone(t *testing.T) {
	t.Parallel()
	plan := &Plan{PlanSpend: PlanSpend{Maximum: 150 * cost.Cent}, Steps: PlanSteps{
		{Step: "v2", Maximum: 70 * cost.Cent},
		{Step: "v1", Maximum: 80 * cost.Cent, Prices: map[string]cost.Money{"work_email": 15 * cost.Cent}},
	}}
	plan.Prices.AddUnit("contacts", 30*cost.Cent)
	if most, _ := plan.own(); most != 80*cost.Cent {
		t.Errorf("options are compared with $%s, want the $0.80 of the fields", most)
	}
}
