package report

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"payonce/cost"
)

// TestAPlanShowsWhatEachStepAsksForAndUses shows a waterfall: units first, then money.
func TestAPlanShowsWhatEachStepAsksForAndUses(t *testing.T) {
	steps := PlanSteps{
		{
			Step: "v2", Interface: "v2", Lookups: 500, Fields: map[string]int64{"email": 500}, Seconds: 480, Rate: "60/1m0s",
			Units: []StepUnits{{Meter: "contacts", Most: 500, Left: new(int64(9000))}, {Meter: "email_count", Most: 500}},
		},
		{
			Step: "v1", Interface: "v1", Lookups: 500, UpTo: true, Fields: map[string]int64{"work_email": 500}, Seconds: 960, Rate: "30/1m0s",
			Prices: map[string]cost.Money{"work_email": 15 * cost.Cent}, Free: map[string]int64{"work_email": 20}, Maximum: 72 * cost.Dollar,
		},
	}
	want := []PlanLine{
		{"step 1", "v2"},
		{"  lookups", "500"},
		{"  email", "500"},
		{"  units at most", "500 of contacts (9,000 left), 500 of email_count"},
		{"  time", "at least 8m at 60/1m0s"},
		{"step 2", "v1"},
		{"  lookups", "up to 500"},
		{"  work_email", "480 × $0.15 = $72.00, and 20 free"},
		{"  at most", "$72.00"},
		{"  time", "at least 16m at 30/1m0s"},
	}
	if diff := cmp.Diff(want, steps.Lines()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !steps.Ask("v1") || steps[:1].Ask("v1") {
		t.Error("only the second step asks v1")
	}
	if steps.Lookups() != 1000 || !steps.TakeMoney() || steps[:1].TakeMoney() {
		t.Errorf("%d lookups, money %t", steps.Lookups(), steps.TakeMoney())
	}
}

// TestAPlanShowsWhatUnitsWithPricesCost shows a step whose service takes no money, and one without lookups.
func TestAPlanShowsWhatUnitsWithPricesCost(t *testing.T) {
	steps := PlanSteps{
		{
			Step: "v2", Lookups: 2, Fields: map[string]int64{"email": 2}, Rate: "60/1m0s", Maximum: 70 * cost.Cent,
			Units: []StepUnits{{Meter: "contacts", Most: 2, Left: new(int64(9)), Price: new(30 * cost.Cent)}, {Meter: "phone_count", Most: 2}},
		},
		{Step: "v2_company", Fields: map[string]int64{"company": 0}},
	}
	want := []PlanLine{
		{"step 1", "v2"},
		{"  lookups", "2"},
		{"  email", "2"},
		{"  at most", "$0.70"},
		{"  units at most", "2 of contacts (9 left) at $0.30, 2 of phone_count"},
		{"  time", "less than 1s at 60/1m0s"},
		{"step 2", "v2_company"},
		{"  lookups", "0"},
		{"  company", "0"},
	}
	if diff := cmp.Diff(want, steps.Lines()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !steps.TakeMoney() || steps[1:].TakeMoney() {
		t.Error("only the first step takes money")
	}
}

func TestPlanNamesTheLimitThatCoversThePeople(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		ceiling Ceiling
		want    string
	}{
		{Ceiling{Name: "max-spend", Limit: new(40 * cost.Dollar), Left: new(40 * cost.Dollar)}, "your $40.00 limit covers"},
		{Ceiling{Name: "max-spend", Limit: new(40 * cost.Dollar), Left: new(9 * cost.Dollar)}, "the $9.00 left covers"},
		{Ceiling{Name: cost.AccountBalance, Limit: new(cost.Dollar), Left: new(cost.Dollar)}, "the $1.00 left covers"},
		{Ceiling{Name: "max-lookups", LimitLookups: new(int64(7)), LeftLookups: new(int64(7))}, "your limit of 7 lookups covers"},
		{Ceiling{Name: "max-lookups", LimitLookups: new(int64(7)), LeftLookups: new(int64(3))}, "the 3 lookups left cover"},
		{Ceiling{Name: "max-units", Meter: "contacts", LimitUnits: new(int64(9)), LeftUnits: new(int64(1))}, "the 1 unit of contacts left cover"},
	} {
		if got := test.ceiling.Covering(); got != test.want {
			t.Errorf("%s, %s left of %s: %q, want %q", test.ceiling.Name, test.ceiling.LeftText(), test.ceiling.LimitText(), got, test.want)
		}
	}
}
