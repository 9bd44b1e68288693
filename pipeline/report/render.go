package report

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"payonce/cost"
)

// Render writes the report.
func (v *RunReport) Render(page *Page) {
	page.Titlef("Report on %s", v.Of)
	page.Gap()
	v.renderLead(page)
	page.Fold()
	v.renderRuns(page)
	page.Entryf("as of", "%s", Time(v.At))
	page.Prosef("calls", "%d, of which %d are answered and %d in doubt", v.Calls, v.Answered, int64(len(v.Doubts))+v.MoreDoubts)
	if v.Pages > 0 {
		page.Prosef("pages of searches", "%d of the answered calls", v.Pages)
	}
	v.renderStages(page)
	v.renderDays(page)
	v.renderForecast(page)
	v.renderUnits(page)
	v.renderPrices(page)
	v.renderFields(page)
	v.renderParts(page, "Answers by step", "step", v.Steps)
	(&RunReport{}).renderParts(page, "Answers by company domain", "domain", v.Companies) // the units are those of steps
	v.renderMail(page)
	v.renderWaits(page)
	v.renderErrors(page)
	v.renderDoubts(page)
	v.renderDrift(page)
	v.renderPlan(page)
	page.Sectionf("What the journal does not show")
	for _, text := range v.Missing {
		page.Itemf("  %s", text)
	}
}

// Spending returns the part of the report about the spend of each day and the rest of the month.
func (v *RunReport) Spending() Report { return spendingPart{v} }

type spendingPart struct{ of *RunReport }

// Render writes the part.
func (s spendingPart) Render(page *Page) {
	s.of.renderDays(page)
	s.of.renderForecast(page)
}

// String names what the report is about.
func (s ReportScope) String() string {
	var parts []string
	if s.Run != "" {
		parts = append(parts, "run "+s.Run)
	}
	if s.Job != "" {
		parts = append(parts, "job "+s.Job)
	}
	if s.Month != "" {
		parts = append(parts, s.Month)
	}
	if len(parts) == 0 {
		return "all runs"
	}
	return strings.Join(parts, ", ")
}

func each(amount *cost.Money) string {
	if amount == nil {
		return "not known"
	}
	return USD(*amount)
}

func percent(share float64) string { return strconv.FormatFloat(share*100, 'f', 1, 64) + " %" }

func percentOf(part, of int64) string {
	if of == 0 {
		return ""
	}
	return percent(float64(part) / float64(of))
}

// String writes a rate with its range.
func (r Proportion) String() string {
	if r.Of == 0 {
		return ""
	}
	return Textf("%s (%s to %s)", percentOf(r.Found, r.Of), percent(r.Low), percent(r.High))
}

func (r Proportion) share() float64 {
	if r.Of == 0 {
		return 0
	}
	return float64(r.Found) / float64(r.Of)
}

func dollars(amount cost.Money) float64 { return float64(amount) / float64(cost.Dollar) }

func (v *RunReport) renderStages(page *Page) {
	page.Sectionf("From rows to found values")
	if len(v.Stages) == 0 || v.Stages[0].Count == 0 {
		page.Linef("No run of this report has recorded its rows.")
		return
	}
	plot := Plot{Title: "From rows to found values", Description: "One bar for each stage: how many rows are left of the stage before."}
	rows := [][]string{}
	for _, stage := range v.Stages {
		plot.Bars = append(plot.Bars, Bar{Name: stage.Name, Value: float64(stage.Count), Text: Number(stage.Count)})
		rows = append(rows, []string{stage.Name, Number(stage.Count), percentOf(stage.Count, v.Stages[0].Count)})
	}
	page.Plot(plot)
	page.Table([]string{"rows", "count", "of all"}, rows)
	for _, m := range v.Mismatches {
		page.Linef("%s: %s%s", Printable(m.Run), mismatchText(m.Rows), page.Hint("mismatch", ShellWord(m.Run)))
	}
}

func (v *RunReport) renderDays(page *Page) {
	page.Sectionf("Spend per day (UTC)")
	if len(v.Days) == 0 {
		page.Linef("Nothing was called.")
		return
	}
	plot := Plot{Title: "Spend per day", Description: "One bar for each day with calls, in US dollars."}
	if limit := v.limit("day", v.dailyJob()); limit != nil {
		plot.Marks = append(plot.Marks, Mark{Name: "daily ceiling " + USD(limit.Limit), Value: dollars(limit.Limit)})
		plot.Description += " The line is the daily ceiling of " + limit.Of + "."
	}
	rows := [][]string{}
	for _, day := range v.Days {
		plot.Bars = append(plot.Bars, Bar{Name: day.Day, Value: dollars(day.Charged), Text: USD(day.Charged)})
		rows = append(rows, []string{day.Day, Number(day.Calls), Number(day.Found), USD(day.Charged)})
	}
	page.Plot(plot)
	page.Table(v.withUnits([]string{"day", "calls", "values found", "spent"}, rows, func(i int) AllUnits { return v.Days[i].Units }))
	for _, c := range v.Ceilings {
		page.Entryf(c.Name, "$%s per %s for %s", c.Limit, c.Period, c.Of)
	}
}

// dailyJob returns the job whose daily ceiling the days can be compared with, "" when they are those of
// several jobs.
func (v *RunReport) dailyJob() string {
	if v.Of.Run == "" && v.Of.Job == "" || len(v.Runs) == 0 {
		return ""
	}
	return v.Runs[0].Job
}

func (v *RunReport) renderForecast(page *Page) {
	f := v.Forecast
	if f == nil {
		return
	}
	of := "the workspace"
	if f.Job != "" {
		of = "job " + f.Job
	}
	page.Sectionf("%s until its end, %s", f.Month, of)
	page.Prosef("spent so far", "$%s on %s, $%s on average", f.Spent, Counted(int64(f.Days), "day"), f.Mean)
	source := "estimated from the share of days with spend so far"
	if f.Scheduled {
		source = "by the schedule"
	}
	if f.Why != "" {
		page.Prosef("expected", "not known: %s", f.Why)
		return
	}
	page.Prosef("days left with spend", "%d, %s", f.DaysLeft, source)
	page.Prosef("expected", "$%s, with 95 %% certainty $%s to $%s", f.Expected, f.Low, f.High)
	if f.Limit != nil {
		text := Textf("$%s for %s", f.Limit.Limit, f.Limit.Of)
		if *f.Expected >= f.Limit.Limit {
			text += "; it will likely be reached"
		}
		page.Prosef("monthly ceiling", "%s", text)
	}
}

func (v *RunReport) renderPrices(page *Page) {
	if len(v.Prices) == 0 {
		return
	}
	page.Sectionf("Quantity and price")
	several := slices.ContainsFunc(v.Prices, func(p PricedQuantity) bool { return p.Interface != v.Prices[0].Interface })
	rows, sum := [][]string{}, cost.Money(0)
	for _, p := range v.Prices {
		price := "as reported"
		switch {
		case p.Of == asFree:
			price = "free allowance"
		case p.Price != nil:
			price = USD(*p.Price)
		}
		rows = append(rows, []string{ofInterface(p.Words, p.Interface, several), Number(p.Count), price, USD(p.Amount)})
		sum += p.Amount
	}
	rows = append(rows, []string{"sum", "", "", USD(sum)})
	page.Table([]string{"what", "quantity", "price", "amount"}, rows)
}

func (v *RunReport) renderFields(page *Page) {
	if len(v.Fields) == 0 {
		return
	}
	page.Sectionf("Values by field")
	plot := Plot{
		Title:       "Share of asked values that were found, by field",
		Description: "One bar for each field, from 0 to 100 percent. The thin line is the range with 95 percent certainty.",
		Whole:       1,
	}
	several := slices.ContainsFunc(v.Fields, func(f ReportField) bool { return f.Interface != v.Fields[0].Interface })
	rows := [][]string{}
	for _, f := range v.Fields {
		name := ofInterface(f.Words, f.Interface, several)
		plot.Bars = append(plot.Bars, barOf(name, f.Rate))
		rows = append(rows, []string{name, Number(f.Rate.Of), Number(f.Rate.Found), f.Rate.String(), each(f.Charged), perValueText(f.PerValue)})
	}
	page.Plot(plot)
	page.Table([]string{"field", "asked", "found", "rate (95 % range)", "charged", "per value"}, rows)
}

func barOf(name string, rate Proportion) Bar {
	return Bar{Name: name, Value: rate.share(), Low: rate.Low, High: rate.High, Text: percentOf(rate.Found, rate.Of)}
}

func (v *RunReport) renderParts(page *Page, title, what string, parts []AnswerPart) {
	if len(parts) == 0 {
		return
	}
	page.Sectionf("%s", title)
	plot := Plot{
		Title:       "Answered calls that found something, by " + what,
		Description: "One bar for each " + what + ", from 0 to 100 percent. The thin line is the range with 95 percent certainty.",
		Whole:       1,
	}
	rows := [][]string{}
	for _, p := range parts {
		name := cmp.Or(p.Words, p.Name)
		plot.Bars = append(plot.Bars, barOf(name, p.Rate))
		rows = append(rows, []string{name, Number(p.Rate.Of), Number(p.Rate.Found), p.Rate.String(), Number(p.Values), percent(p.Share), USD(p.Charged)})
	}
	page.Plot(plot)
	header := []string{what, "answered", "matched", "rate (95 % range)", "values", "of all values", "charged"}
	page.Table(v.withUnits(header, rows, func(i int) AllUnits { return parts[i].Units }))
}

func (v *RunReport) renderMail(page *Page) {
	if len(v.Mail) == 0 {
		return
	}
	page.Sectionf("Found emails by the host of the mailbox")
	rows := [][]string{}
	for _, m := range v.Mail {
		rows = append(rows, []string{m.Host, Number(m.Emails), percent(m.Share)})
	}
	page.Table([]string{"host", "emails", "of all emails"}, rows)
}

func (v *RunReport) renderWaits(page *Page) {
	page.Sectionf("Waits")
	if len(v.Waits) == 0 {
		page.Linef("No run of this report has recorded a wait.")
		return
	}
	plot := Plot{Title: "How long the runs waited, by reason", Description: "One bar for each reason, in minutes."}
	rows := [][]string{}
	for _, wait := range v.Waits {
		name := Printable(wait.Words)
		plot.Bars = append(plot.Bars, Bar{Name: name, Value: wait.Seconds / 60, Text: wait.Text()})
		rows = append(rows, []string{name, wait.Text()})
	}
	page.Plot(plot)
	page.Table([]string{"waited for", "time"}, rows)
}

func (v *RunReport) renderErrors(page *Page) {
	page.Sectionf("Calls without an answer")
	if len(v.Errors) == 0 {
		page.Linef("No call was refused, not sent or forfeited.")
	} else {
		rows := [][]string{}
		for _, e := range v.Errors {
			rows = append(rows, []string{e.State, Printable(e.Reason), Number(e.Calls)})
		}
		page.Table([]string{"outcome", "reason", "calls"}, rows)
	}
	for _, run := range v.Runs {
		if run.Stop != "" {
			page.Entryf("stopped", "%s: %s", run.Run, Printable(run.Stop))
		}
		for _, left := range run.NotSent {
			page.Entryf("not sent", "%s: %s", run.Run, left)
		}
	}
	if v.Seconds != nil {
		page.Prosef("time of an answer", "%g s median, at most %g s for 95 %%", v.Seconds.Median, v.Seconds.Most)
	}
}

func (v *RunReport) renderDoubts(page *Page) {
	page.Sectionf("Calls in doubt")
	if len(v.Doubts) == 0 {
		page.Linef("There are no calls in doubt.")
		return
	}
	rows := [][]string{}
	for _, d := range v.Doubts {
		rows = append(rows, []string{strconv.FormatUint(d.Attempt, 10), d.Run, d.Begun.Format(time.RFC3339), d.Fields, d.HeldText()})
	}
	page.Table([]string{"attempt", "run", "begun", "fields", "held"}, rows)
	if v.MoreDoubts > 0 {
		page.Linef("%d more are in doubt.", v.MoreDoubts)
	}
	page.Entryf("held together", "at most $%s", v.Held)
}

// HeldText writes what a call in doubt holds.
func (d ReportDoubt) HeldText() string { return USD(d.Held) + d.Units.held() }

func (v *RunReport) renderDrift(page *Page) {
	page.Sectionf("Drift between the journal and the account")
	none := true
	for _, run := range v.Runs {
		if run.Drift != nil {
			none = false
			for _, of := range slices.Sorted(maps.Keys(run.Drifts)) {
				name := run.Run
				if len(run.Drifts) > 1 {
					name += ", " + of
				}
				page.Prosef(name, "%s", run.Drifts[of])
			}
		}
	}
	if none {
		page.Linef("No run has recorded a drift.")
	}
}

func (v *RunReport) renderPlan(page *Page) {
	c := v.Compared
	if c == nil {
		return
	}
	page.Sectionf("Plan and outcome")
	expected := "not known"
	if c.Expected != nil && c.Range != nil {
		expected = Textf("$%s ($%s to $%s)", c.Expected, c.Range.Low, c.Range.High)
	}
	page.Table([]string{"what", "planned", "since the plan"}, [][]string{
		{"lookups", Number(c.Lookups), Textf("%d, %d answered", c.Calls, c.Answered)},
		{"spend, at most", USD(c.Maximum), USD(c.Spent)},
		{"spend, expected", expected, USD(c.Spent)},
	})
}
