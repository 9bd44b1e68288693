package report

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"payonce/cost"
	"payonce/enrich"
)

func TestPlanCountsLookupsByTheirFields(t *testing.T) {
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

// The sentences of a plan about money, approval and time, as whoever has to decide reads them.
func TestPlanTextExplainsSpendApprovalAndTime(t *testing.T) {
	t.Parallel()
	hints := func(code string, values ...any) string {
		return fmt.Sprint(append([]any{"<", code, ">"}, values...)...)
	}
	money := func(cents int64) *cost.Money { return new(cost.Cents(cents)) }
	at := time.Date(2026, 11, 22, 10, 31, 0, 0, time.UTC)
	for name, test := range map[string]struct {
		plan Plan
		want []string
	}{
		"an approval that nobody has given": {
			Plan{PlanCeilings: PlanCeilings{Possible: cost.Cents(63416), Approval: &PlanApproval{Threshold: cost.Dollar, Needed: true}}},
			[]string{"approval                  needed: $634.16 is possible, above the threshold of $1.00; <approval>634.16"},
		},
		"an approval that is asked for after the plan": {
			Plan{PlanCeilings: PlanCeilings{Possible: cost.Cents(63416), Approval: &PlanApproval{Threshold: cost.Dollar, Needed: true, Asks: true}}},
			[]string{"approval                  needed: $634.16 is possible, above the threshold of $1.00; you are asked for it below"},
		},
		"an approval that was given": {
			Plan{PlanCeilings: PlanCeilings{Possible: cost.Cents(63416), Approval: &PlanApproval{Threshold: cost.Dollar, Needed: true, Approved: money(70000)}}},
			[]string{"approval                  given: $634.16 is possible, above the threshold of $1.00; $700.00 was approved<approval_given>"},
		},
		"an approval of too little": {
			Plan{PlanCeilings: PlanCeilings{Possible: cost.Cents(63416), Approval: &PlanApproval{Threshold: cost.Dollar, Needed: true, Approved: money(50000)}}},
			[]string{"approval                  needed: $634.16 is possible, above the threshold of $1.00, and $500.00 was approved; <approval>634.16"},
		},
		"a maximum that three things pay for": {
			Plan{PlanSpend: PlanSpend{Maximum: cost.Cents(63416), Split: MaximumSplit{Included: money(4900), Prepaid: money(10000), Uncovered: money(48516)}}},
			[]string{"paid from                 $49.00 of the month's included balance, $100.00 of prepaid credit, and $485.16 from nothing: the balance is too low"},
		},
		"a maximum that one balance pays for": {
			Plan{PlanSpend: PlanSpend{Split: MaximumSplit{Included: money(30), Prepaid: money(0), Uncovered: money(0)}}},
			[]string{"paid from                 $0.30 of the month's included balance"},
		},
		"several limits": {
			Plan{PlanCeilings: PlanCeilings{Ceilings: []Ceiling{
				{Name: "max-spend", Limit: money(500), Left: money(300)},
				{Name: cost.AccountBalance, Limit: money(100000), Left: money(99430)},
				{Name: cost.UsageBudget, Limit: money(43055), Left: money(42485), Cap: money(100000), Spent: money(56945)},
				{Name: cost.UsageBudget, Limit: money(43055), Left: money(43055), Cap: money(100000), Spent: money(56945)},
			}}},
			[]string{
				"ceiling max-spend         $3.00 left of $5.00",
				"ceiling account balance   $994.30 left, $5.70 held for lookups in doubt",
				"ceiling usage budget      $424.85 left of $1,000.00, $569.45 spent this month, $5.70 held for lookups in doubt",
				"ceiling usage budget      $430.55 left of $1,000.00, $569.45 spent this month",
			},
		},
		"options with and without a monthly fee": {
			Plan{
				PlanSpend: PlanSpend{Maximum: cost.Cents(79300), Expected: money(50000)},
				PlanRates: PlanRates{Options: []PlanOption{
					{Name: "growth", Monthly: cost.Cents(14900), Total: money(63416)},
					{Name: "scale", Monthly: cost.Cents(39900), Total: money(79300), Expected: money(43000)},
					{Name: "payg", Total: money(70000), Expected: money(49000)},
					{Name: "dear", Total: money(80000)},
				}},
			},
			[]string{
				"cheaper by growth         at most $634.16, with the monthly fee of $149.00 in it: at most $158.84 less than yours",
				"cheaper by scale          at most $793.00, expected $430.00, with the monthly fee of $399.00 in it: expected $70.00 less than yours",
				"cheaper by payg           at most $700.00, expected $490.00: at most $93.00 less, expected $10.00 less than yours",
			},
		},
		"a time that a ceiling and a pause decide": {
			Plan{
				PlanLookups:  PlanLookups{Rows: RowCounts{Lookup: 800}},
				PlanSchedule: PlanSchedule{Seconds: 90, Rate: "30/60s", EndsAt: at.Add(90 * time.Second), Timed: new(int64(60)), PausedUntil: new(at.Add(time.Minute))},
			},
			[]string{
				"time                      at least 1m30s at 30/60s, until 2026-11-22 10:32 UTC; the service asked to send nothing before 2026-11-22 10:32 UTC; " +
					"the ceilings cover about 60 of 800 lookups",
			},
		},
	} {
		var text bytes.Buffer
		if err := WriteText(&text, &test.plan, hints); err != nil {
			t.Fatal(err)
		}
		got := strings.Join(strings.Fields(text.String()), " ")
		for _, want := range test.want {
			if !strings.Contains(got, strings.Join(strings.Fields(want), " ")) {
				t.Errorf("%s: the plan does not say\n%s\n%s", name, want, &text)
			}
		}
		if strings.Contains(got, "cheaper by dear") {
			t.Errorf("%s: an option that costs more is called cheaper", name)
		}
	}
}
