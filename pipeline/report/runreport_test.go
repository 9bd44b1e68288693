package report

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payonce/checkpoint"
	"payonce/checkpoint/attempt"
	"payonce/checkpoint/record"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/service/v1"
)

var (
	email = enrich.FieldsOf(v1.WorkEmail)
	both  = enrich.FieldsOf(v1.WorkEmail, v1.BusinessPhone)
	rates = cost.Rates{v1.WorkEmail: {Uses: cost.OfMoney(150_000)}, v1.BusinessPhone: {Uses: cost.OfMoney(500_000)}}
)

func day(of int) time.Time { return time.Date(2026, 11, of, 2, 30, 0, 0, time.UTC) }

// answer is an answered call: what it was paid for follows from what it returned and what was free.
func answer(id int, at time.Time, asked, returned, free enrich.Fields) ReportCall {
	paid := returned.Without(free)
	amounts, _ := rates.Total(paid)
	return ReportCall{Entry: attempt.Entry{
		ID: attempt.ID(id), Begun: at, Ended: at.Add(time.Duration(id) * 10 * time.Millisecond), Run: "night-1", Job: "night", State: attempt.Settled, Pattern: "name",
		Asked: asked, Returned: returned, Rates: rates, Charge: cost.Charge{Amounts: amounts, Free: free, Paid: paid},
	}, Company: fmt.Sprintf("company%d.example", id%2)}
}

// trialFacts are those of a job with two runs of which one has not ended.
func trialFacts() ReportFacts {
	return ReportFacts{
		Scope: ReportScope{Job: "night"}, At: day(20), Accounts: Terms{{v1.Catalogue(), cost.AllowancePerField(v1.Catalogue())}},
		Waits: WaitsOf([]checkpoint.Run{{Waits: []record.Waited{
			{For: "rate", Milliseconds: 95_500}, {For: "ceiling:daily", Milliseconds: 77_700_000}, {For: "slow_down", Milliseconds: 2_250},
		}}}, ""),
		Runs: []checkpoint.Run{
			{Name: "night-2", Job: "night", Started: day(20), List: "/lists/night-2.csv"},
			{
				Name: "night-1", Job: "night", Started: day(17), Ended: day(19), Stop: "ceiling_reached",
				Rows:  map[string]int64{"filled": 3, "unidentifiable": 2, "duplicate": 1, "not_attempted": 4, "rejected": 1, "in_doubt": 1, "forfeited": 1, "not_found": 5, "partial": 4, "matched": 8, "mismatch": 2},
				Drift: cost.Drift{Lost: cost.OfMoney(300_000)},
				Ceilings: []cost.Ceiling{
					{Name: "daily", Scope: checkpoint.JobScope("night"), Period: cost.Day, Limit: int64(3 * cost.Dollar)},
					{Name: "monthly", Scope: checkpoint.JobScope("night"), Period: cost.Month, Limit: int64(20 * cost.Dollar)},
					{Name: "max-spend", Scope: checkpoint.RunScope("night-1"), Limit: int64(9 * cost.Dollar)},
				},
			},
		},
	}
}

// trialCalls are calls on four days, with losses, refusals and doubts.
func trialCalls() (calls []ReportCall) {
	for i := range 16 {
		returned := []enrich.Fields{both, email, 0, both}[i%4]
		c := answer(i+1, day(17+i/5), both, returned, 0)
		if returned.Has(v1.WorkEmail) {
			c.MailHost = []string{"company0.example", "mail.example"}[i%2]
		}
		calls = append(calls, c)
	}
	free := answer(17, day(19), email, email, email)
	free.Company, free.MailHost = "", UnknownPart
	lost := answer(18, day(19), email, email, 0)
	lost.State, lost.Returned, lost.Reason = attempt.Forfeited, 0, "assumed charged"
	calls = append(calls, free, lost)
	for i := range 22 {
		c := answer(19+i, day(20), email, 0, 0)
		c.State, c.Ended, c.Held = attempt.InDoubt, time.Time{}, cost.OfMoney(150_000)
		calls = append(calls, c)
	}
	for i := range 3 {
		c := answer(41+i, day(20), email, 0, 0)
		c.State, c.Reason = attempt.Released, []string{"invalid_input", "rate_limited", "rate_limited"}[i]
		calls = append(calls, c)
	}
	provisional := answer(44, day(20), email, email, 0)
	provisional.MayBeFree, provisional.Run = email, "night-2"
	return append(calls, provisional)
}

func reportOn(facts ReportFacts, calls []ReportCall) *RunReport {
	facts.Open.Closed = make([][]record.ClosedPeriod, len(facts.Accounts))
	for _, c := range calls {
		if c.Ended.IsZero() {
			facts.Open.Calls = append(facts.Open.Calls, checkpoint.OpenCall{ID: c.ID, Account: c.Account, InDoubt: c.State == attempt.InDoubt, Holds: c.Held})
		}
	}
	builder := NewReportBuilder(facts)
	for _, c := range calls {
		builder.Add(c)
	}
	return builder.Report()
}

func TestAReportIsRenderedAsItsGoldenFiles(t *testing.T) {
	t.Parallel()
	view := reportOn(trialFacts(), trialCalls())
	for ending, render := range map[string]func(*bytes.Buffer) error{
		"txt":  func(to *bytes.Buffer) error { return WriteText(to, view, nil) },
		"md":   func(to *bytes.Buffer) error { return WriteMarkdown(to, view, nil) },
		"html": func(to *bytes.Buffer) error { return WriteHTML(to, view, nil) },
		"json": func(to *bytes.Buffer) error { return WriteJSON(to, view) },
	} {
		var got bytes.Buffer
		if err := render(&got); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join("testdata", "job."+ending)
		if *update {
			if err := os.WriteFile(path, got.Bytes(), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
}

// What the parts of a report say adds up to what it says of the whole.
func TestThePartsOfAReportAddUp(t *testing.T) {
	t.Parallel()
	view := reportOn(trialFacts(), trialCalls())
	var byDay, byPrice, fields cost.Money
	var calls, values, byStep, byCompany, doubts int64
	for _, d := range view.Days {
		byDay, calls, values = byDay+d.Charged, calls+d.Calls, values+d.Found
	}
	for _, p := range view.Prices {
		byPrice += p.Amount
	}
	for _, f := range view.Fields {
		fields += *f.Charged
	}
	for _, p := range view.Steps {
		byStep += p.Rate.Of
	}
	for _, p := range view.Companies {
		byCompany += p.Rate.Of
	}
	doubts = int64(len(view.Doubts)) + view.MoreDoubts
	if byDay != view.Spent || byPrice != view.Spent || fields != view.Spent || view.Spent == 0 {
		t.Errorf("spent %s: by day %s, by price %s, by field %s", view.Spent, byDay, byPrice, fields)
	}
	if calls != view.Calls || values != view.Found || byStep != view.Answered || byCompany != view.Answered || doubts != 22 || view.Held != 22*150_000 {
		t.Errorf("%d, %d of %d; steps %d, companies %d of %d; %d doubts hold %s", calls, values, view.Found, byStep, byCompany, view.Answered, doubts, view.Held)
	}
	if view.SpentLeast == nil || *view.SpentLeast != view.Spent-150_000 {
		t.Errorf("at least %v of %s", view.SpentLeast, view.Spent)
	}
}

// A call counts in the reports on its run, its job and its month alone.
func TestAReportHoldsTheCallsOfItsScope(t *testing.T) {
	t.Parallel()
	other := answer(45, day(20), email, email, 0)
	other.Run, other.Job = "day-1", "day"
	earlier := answer(46, day(20).AddDate(0, -1, 0), email, email, 0)
	calls := append(trialCalls(), other, earlier)
	for scope, want := range map[ReportScope]int64{
		{Run: "night-1"}: 44, {Run: "night-2"}: 1, {Job: "night"}: 45, {Job: "day"}: 1,
		{Month: "2026-11"}: 45, {Month: "2026-10"}: 1, {Job: "night", Month: "2026-11"}: 44, {}: 46,
	} {
		facts := trialFacts()
		facts.Scope = scope
		if got := reportOn(facts, calls).Calls; got != want {
			t.Errorf("%+v has %d calls, want %d", scope, got, want)
		}
	}
}

// A host with few calls is summed up with others: its rate says nothing, and it may tell who somebody is.
func TestHostsWithFewCallsAreNotNamed(t *testing.T) {
	t.Parallel()
	var calls []ReportCall
	for i := range 9 {
		c := answer(i+1, day(17), email, email, 0)
		c.Company, c.MailHost = "many.example", "many.example"
		if i >= 5 {
			c.Company, c.MailHost = fmt.Sprintf("few%d.example", i/7), "few.example"
		}
		calls = append(calls, c)
	}
	view := reportOn(trialFacts(), calls)
	var names []string
	for _, p := range view.Companies {
		names = append(names, fmt.Sprint(p.Name, " ", p.Rate.Of))
	}
	for _, m := range view.Mail {
		names = append(names, fmt.Sprint(m.Host, " ", m.Emails))
	}
	if diff := cmp.Diff([]string{"many.example 5", "2 other domains 4", "many.example 5", "others 4"}, names); diff != "" {
		t.Error(diff)
	}
}

// An amount that the service reported belongs to a call, so it is not split over fields.
func TestReportedAmountsAreNotSplitOverFields(t *testing.T) {
	t.Parallel()
	c := answer(1, day(17), both, both, 0)
	c.Charge = cost.Charge{Amounts: cost.OfMoney(420_000), Paid: both, Reported: true}
	view := reportOn(trialFacts(), []ReportCall{c})
	if len(view.Prices) != 1 || view.Prices[0].Of != asReported || view.Prices[0].Amount != 420_000 || view.Spent != 420_000 {
		t.Errorf("%+v of %s", view.Prices, view.Spent)
	}
	for _, f := range view.Fields {
		if f.Charged != nil || f.PerValue != nil {
			t.Errorf("%+v", f)
		}
	}
}

// unitFacts are those of a search and a run of a list, which ask a second account that counts units.
func unitFacts() ReportFacts {
	facts := trialFacts()
	second := enrich.Named("firm", "figures")
	second.Interface = "second"
	facts.Scope = ReportScope{}
	facts.Runs = []checkpoint.Run{{Name: "search", Started: day(17)}, {Name: "list", Started: day(18), List: "/list.csv"}}
	facts.Accounts = append(facts.Accounts, AccountTerms{second, cost.Tariff{Meters: []cost.MeterInfo{
		{Name: "usd", Hidden: true}, {Name: "firms"}, {Name: "years"},
	}}})
	return facts
}

// unitCall is a call of the second account.
func unitCall(id int, at time.Time, field enrich.Field, pattern string, used cost.Amounts) ReportCall {
	fields := enrich.FieldsOf(field)
	c := answer(id, at, fields, fields, 0)
	c.Account, c.Pattern, c.Company = 1, pattern, ""
	c.Charge = cost.Charge{Amounts: used, Paid: fields, Reported: true}
	return c
}

// TestUnitsAndPagesOfSearchesAreReported: a page of a search uses units and costs what they cost, and is not a value.
func TestUnitsAndPagesOfSearchesAreReported(t *testing.T) {
	t.Parallel()
	price := int64(10 * cost.Cent)
	calls := []ReportCall{
		unitCall(1, day(17), 0, "search", cost.Amounts{price, 1}),
		unitCall(2, day(17), 0, "search", cost.Amounts{price, 1}),
		unitCall(3, day(18), 0, "company_id", cost.Amounts{price, 1}),
		unitCall(4, day(18), 1, "company_id", cost.Amounts{0, 0, 1}),
		unitCall(5, day(18), 1, "company_id", cost.Amounts{0, 0, 1}),
	}
	lost := unitCall(6, day(18), 1, "company_id", cost.Amounts{})
	lost.State, lost.Ended, lost.Returned, lost.Held, lost.Charge = attempt.InDoubt, time.Time{}, 0, cost.Amounts{0, 0, 1}, cost.Charge{}
	view := reportOn(unitFacts(), append(calls, lost))
	want := AllUnits{{Interface: "second", Meter: "firms", Used: 3, Spent: 30 * cost.Cent}, {Interface: "second", Meter: "years", Used: 2, Held: 1}}
	if diff := cmp.Diff(want, view.Units); diff != "" {
		t.Errorf("units (-want +got):\n%s", diff)
	}
	if view.Pages != 2 || view.Found != 3 || view.Answered != 5 || view.Spent != 30*cost.Cent {
		t.Errorf("%d pages, %d values in %d answers for $%s", view.Pages, view.Found, view.Answered, view.Spent)
	}
	got := map[string]string{}
	for _, p := range view.Steps {
		got[p.Name] = fmt.Sprintf("%d answers, %d values, %s, $%s", p.Rate.Of, p.Values, p.Units, p.Charged)
	}
	for _, day := range view.Days {
		got[day.Day] = day.Units.String()
	}
	for _, p := range view.Prices {
		got["price of "+p.Field] = fmt.Sprintf("%d for $%s", p.Count, p.Amount)
	}
	for _, f := range view.Fields {
		got["rate of "+f.Field] = fmt.Sprintf("%d of %d", f.Rate.Found, f.Rate.Of)
	}
	if diff := cmp.Diff(map[string]string{
		"second firm, pages of searches": "2 answers, 0 values, firms 2, $0.20",
		"second firm, by company_id":     "1 answers, 1 values, firms 1, $0.10",
		"second figures, by company_id":  "2 answers, 2 values, years 2, $0.00",
		"2026-11-17":                     "firms 2", "2026-11-18": "firms 1, years 2",
		"price of firm, pages of searches": "2 for $0.20", "price of firm": "1 for $0.10", "price of figures": "2 for $0.00",
		"rate of firm": "1 of 1", "rate of figures": "2 of 2",
	}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	var text strings.Builder
	if err := WriteText(&text, view, nil); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		`pages of searches +2 of the answered calls`, `second +firms +3 +0 +\$0.30`, `second +years +2 +1 +\$0.00`, `2026-11-18 +4 +3 +\$0.10 +firms 1, years 2`,
		`firm, pages of searches .* \$0.20 +firms 2`,
		`6 +night-1 .* figures +\$0.00, years 1`,
	} {
		if !regexp.MustCompile(line).MatchString(text.String()) {
			t.Errorf("no line is like %q:\n%s", line, &text)
		}
	}
}

// Jeffreys' intervals, as numerical integration of the posterior has them, and the ends of 0 and 1.
func TestRatesHaveJeffreysIntervals(t *testing.T) {
	t.Parallel()
	for _, want := range []Proportion{{8, 10, 0.4972, 0.9559}, {0, 4, 0, 0.4448}, {4, 4, 0.5552, 1}, {0, 0, 0, 1}} {
		if got := rateOf(want.Found, want.Of); got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
}

// callsOf returns calls that spend dollars on days of November.
func callsOf(amounts map[int]cost.Money) (calls []ReportCall) {
	for on, amount := range amounts {
		c := answer(on, day(on), email, email, 0)
		c.Charge = cost.Charge{Amounts: cost.OfMoney(amount * cost.Dollar), Reported: true}
		calls = append(calls, c)
	}
	return calls
}

// The forecast is what was spent and the mean for each day left, with the range of their sum.
func TestTheForecastTakesTheDaysLeftForDaysLikeThoseBefore(t *testing.T) {
	t.Parallel()
	facts := trialFacts()
	facts.Runs = nil
	at := func(on int, left *int, amounts map[int]cost.Money) *MonthForecast {
		facts.At, facts.DaysLeft = day(on), left
		return reportOn(facts, callsOf(amounts)).Forecast
	}
	// 2, 3 and 4 dollars: the mean is 3 and the deviation 1. 10 days follow, since each day had spend. Student's
	// quantile for two degrees is 4.303: the range is 30 ± 4.303 · √(10 + 100/3).
	f := at(20, nil, map[int]cost.Money{18: 2, 19: 3, 20: 4})
	if f.DaysLeft != 10 || *f.Expected != 39*cost.Dollar || f.Low.String() != "10.68" || f.High.String() != "67.32" {
		t.Errorf("%d days: %s, %s to %s", f.DaysLeft, f.Expected, f.Low, f.High)
	}
	if f = at(20, nil, map[int]cost.Money{16: 2, 18: 3, 20: 4}); f.DaysLeft != 6 {
		t.Errorf("with spend on 3 of 5 days, %d of 10 days are left", f.DaysLeft)
	}
	if f = at(20, new(2), map[int]cost.Money{18: 2, 19: 3, 20: 4}); !f.Scheduled || *f.Expected != 15*cost.Dollar {
		t.Errorf("%+v", f)
	}
	if f = at(20, nil, map[int]cost.Money{19: 3, 20: 4}); f.Expected != nil || f.Why == "" || f.Spent != 7*cost.Dollar {
		t.Errorf("two days: %+v", f)
	}
	if f = at(30, nil, map[int]cost.Money{30: 4}); *f.Low != 4*cost.Dollar || *f.High != 4*cost.Dollar {
		t.Errorf("on the last day: %+v", f)
	}
	facts.Scope = ReportScope{Month: "2026-10"}
	if f = at(20, nil, nil); f != nil {
		t.Errorf("a month that is over has the forecast %+v", f)
	}
}

// No amount of a forecast exceeds the ceiling on the month, which the run that started last was given.
func TestTheForecastStaysBelowTheCeiling(t *testing.T) {
	t.Parallel()
	f := reportOn(trialFacts(), callsOf(map[int]cost.Money{18: 2, 19: 3, 20: 4})).Forecast
	if f.Limit == nil || f.Limit.Limit != 20*cost.Dollar || *f.Expected != 20*cost.Dollar || *f.High != 20*cost.Dollar || *f.Low >= *f.Expected {
		t.Errorf("%+v: %s, %s to %s", f.Limit, f.Expected, f.Low, f.High)
	}
}

// Only the calls since the plan count as its outcome.
func TestAPlanIsComparedWithWhatCameAfterIt(t *testing.T) {
	t.Parallel()
	facts := trialFacts()
	facts.Scope, facts.Plan = ReportScope{Run: "night-1"}, &Plan{At: day(19).Add(-time.Hour), PlanSpend: PlanSpend{Maximum: 5 * cost.Dollar}}
	facts.Plan.Rows.Lookup = 8
	c := reportOn(facts, trialCalls()).Compared
	if c == nil || c.Lookups != 8 || c.Maximum != 5*cost.Dollar || c.Calls != 33 || c.Answered != 7 {
		t.Errorf("%+v", c)
	}
}

// TestReportViewsAddUpToTheSumOfAllCalls adds calls of two accounts once, and compares each view with the sum of all.
func TestReportViewsAddUpToTheSumOfAllCalls(t *testing.T) {
	t.Parallel()
	facts := unitFacts()
	builder, all := NewReportBuilder(facts), CallSum{}
	calls := append(trialCalls(), unitCall(50, day(18), 0, "company_id", cost.Amounts{int64(cost.Cent), 1}), unitCall(51, day(19), 1, "search", cost.Amounts{0, 0, 2}))
	for _, c := range calls {
		builder.Add(c)
		all.Add(c)
	}
	view, spend := builder.Report(), builder.Spend()
	if view.Calls != int64(len(calls)) || view.Calls != all.Calls || view.Spent != all.Charged || view.Answered != all.Answered || view.Found != all.Values {
		t.Errorf("the report has %d calls, %d answers, %d values for $%s; their sum is %+v", view.Calls, view.Answered, view.Found, view.Spent, all)
	}
	units := map[string]int64{}
	for _, u := range view.Units {
		units[u.Meter] = u.Used
	}
	if diff := cmp.Diff(map[string]int64{"firms": 1, "years": 2}, units); diff != "" {
		t.Errorf("units (-want +got):\n%s", diff)
	}
	for name, parts := range map[string]SpendParts{"operation": spend.ByOperation, "outcome": spend.ByOutcome, "day": spend.ByDay} {
		var calls, free int64
		var charged cost.Money
		used := map[string]int64{}
		for _, part := range parts {
			calls, charged, free = calls+part.Attempts, charged+part.Charged, free+part.FreeUsed.Get("work_email")
			for meter, n := range part.Units {
				used[meter] += n
			}
		}
		if calls != view.Calls || charged != view.Spent || free != 1 {
			t.Errorf("by %s there are %d calls for $%s and %d free emails, want %d for $%s and 1", name, calls, charged, free, view.Calls, view.Spent)
		}
		if diff := cmp.Diff(units, used); diff != "" {
			t.Errorf("units by %s (-want +got):\n%s", name, diff)
		}
	}
	var priced, daily cost.Money
	for _, p := range view.Prices {
		priced += p.Amount
	}
	for _, day := range view.Days {
		daily += day.Charged
	}
	if priced != view.Spent || daily != view.Spent {
		t.Errorf("prices add up to $%s and days to $%s, want $%s", priced, daily, view.Spent)
	}
}
