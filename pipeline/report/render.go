package report

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"payonce/cost"
)

// Render writes the report.
func (v *RunReport) Render(page *Page) {
	w := page.Writer
	w.Title("Report on " + v.Of.String())
	w.Gap()
	w.Entry("as of", Time(v.At))
	w.Entry("runs", strconv.Itoa(len(v.Runs)))
	w.Entry("spent", upTo(v.SpentLeast, v.Spent))
	w.Entry("values found", strconv.FormatInt(v.Found, 10))
	w.Entry("cost per value", each(v.PerValue))
	w.Prose("calls", fmt.Sprintf("%d, of which %d are answered and %d in doubt", v.Calls, v.Answered, int64(len(v.Doubts))+v.MoreDoubts))
	if v.Pages > 0 {
		w.Prose("pages of searches", numberText(v.Pages)+" of the answered calls")
	}
	v.renderStages(w)
	v.renderDays(w)
	v.renderForecast(w)
	v.renderUnits(w)
	v.renderPrices(w)
	v.renderFields(w)
	v.renderParts(w, "Answers by step", "step", v.Steps)
	(&RunReport{}).renderParts(w, "Answers by company domain", "domain", v.Companies) // the units are those of steps
	v.renderMail(w)
	v.renderWaits(w)
	v.renderErrors(w)
	v.renderDoubts(w)
	v.renderDrift(w)
	v.renderPlan(w)
	w.Section("What the journal does not show")
	for _, text := range v.Missing {
		w.Item("  " + text)
	}
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

func numberText(n int64) string { return strconv.FormatInt(n, 10) }

func each(amount *cost.Money) string {
	if amount == nil {
		return "not known"
	}
	return "$" + amount.String()
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
	return fmt.Sprintf("%s (%s to %s)", percentOf(r.Found, r.Of), percent(r.Low), percent(r.High))
}

func (r Proportion) share() float64 {
	if r.Of == 0 {
		return 0
	}
	return float64(r.Found) / float64(r.Of)
}

func dollars(amount cost.Money) float64 { return float64(amount) / float64(cost.Dollar) }

func (v *RunReport) renderStages(w *Writer) {
	w.Section("From rows to found values")
	if len(v.Stages) == 0 || v.Stages[0].Count == 0 {
		w.Line("No run of this report has recorded its rows.")
		return
	}
	plot := Plot{Title: "From rows to found values", Description: "One bar for each stage: how many rows are left of the stage before."}
	rows := [][]string{}
	for _, stage := range v.Stages {
		plot.Bars = append(plot.Bars, Bar{Name: stage.Name, Value: float64(stage.Count), Text: numberText(stage.Count)})
		rows = append(rows, []string{stage.Name, numberText(stage.Count), percentOf(stage.Count, v.Stages[0].Count)})
	}
	w.Plot(plot)
	w.Table([]string{"rows", "count", "of all"}, rows)
}

func (v *RunReport) renderDays(w *Writer) {
	w.Section("Spend per day (UTC)")
	if len(v.Days) == 0 {
		w.Line("Nothing was called.")
		return
	}
	plot := Plot{Title: "Spend per day", Description: "One bar for each day with calls, in US dollars."}
	if limit := v.limit("day", v.dailyJob()); limit != nil {
		plot.Marks = append(plot.Marks, Mark{Name: "daily ceiling $" + limit.Limit.String(), Value: dollars(limit.Limit)})
		plot.Description += " The line is the daily ceiling of " + limit.Of + "."
	}
	rows := [][]string{}
	for _, day := range v.Days {
		plot.Bars = append(plot.Bars, Bar{Name: day.Day, Value: dollars(day.Charged), Text: "$" + day.Charged.String()})
		rows = append(rows, []string{day.Day, numberText(day.Calls), numberText(day.Found), "$" + day.Charged.String()})
	}
	w.Plot(plot)
	w.Table(v.withUnits([]string{"day", "calls", "values found", "spent"}, rows, func(i int) AllUnits { return v.Days[i].Units }))
	for _, c := range v.Ceilings {
		w.Entry(c.Name, fmt.Sprintf("$%s per %s for %s", c.Limit, c.Period, c.Of))
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

func (v *RunReport) renderForecast(w *Writer) {
	f := v.Forecast
	if f == nil {
		return
	}
	of := "the workspace"
	if f.Job != "" {
		of = "job " + f.Job
	}
	w.Section(fmt.Sprintf("%s until its end, %s", f.Month, of))
	w.Prose("spent so far", fmt.Sprintf("$%s on %s, $%s on average", f.Spent, Counted(int64(f.Days), "day"), f.Mean))
	source := "estimated from the share of days with spend so far"
	if f.Scheduled {
		source = "by the schedule"
	}
	if f.Why != "" {
		w.Prose("expected", "not known: "+f.Why)
		return
	}
	w.Prose("days left with spend", fmt.Sprintf("%d, %s", f.DaysLeft, source))
	w.Prose("expected", fmt.Sprintf("$%s, with 95 %% certainty $%s to $%s", f.Expected, f.Low, f.High))
	if f.Limit != nil {
		text := fmt.Sprintf("$%s for %s", f.Limit.Limit, f.Limit.Of)
		if *f.Expected >= f.Limit.Limit {
			text += "; it will likely be reached"
		}
		w.Prose("monthly ceiling", text)
	}
}

func (v *RunReport) renderPrices(w *Writer) {
	if len(v.Prices) == 0 {
		return
	}
	w.Section("Quantity and price")
	rows, sum := [][]string{}, cost.Money(0)
	for _, p := range v.Prices {
		price := "as reported"
		switch {
		case p.Of == asFree:
			price = "free allowance"
		case p.Price != nil:
			price = "$" + p.Price.String()
		}
		rows = append(rows, []string{p.Interface, p.Field, numberText(p.Count), price, "$" + p.Amount.String()})
		sum += p.Amount
	}
	rows = append(rows, []string{"sum", "", "", "", "$" + sum.String()})
	w.Table([]string{"interface", "field", "quantity", "price", "amount"}, rows)
}

func (v *RunReport) renderFields(w *Writer) {
	if len(v.Fields) == 0 {
		return
	}
	w.Section("Values by field")
	plot := Plot{
		Title:       "Share of asked values that were found, by field",
		Description: "One bar for each field, from 0 to 100 percent. The thin line is the range with 95 percent certainty.",
		Whole:       1,
	}
	rows := [][]string{}
	for _, f := range v.Fields {
		name := f.Interface + " " + f.Field
		plot.Bars = append(plot.Bars, barOf(name, f.Rate))
		rows = append(rows, []string{name, numberText(f.Rate.Of), numberText(f.Rate.Found), f.Rate.String(), each(f.Charged), each(f.PerValue)})
	}
	w.Plot(plot)
	w.Table([]string{"field", "asked", "found", "rate (95 % range)", "charged", "per value"}, rows)
}

func barOf(name string, rate Proportion) Bar {
	return Bar{Name: name, Value: rate.share(), Low: rate.Low, High: rate.High, Text: percentOf(rate.Found, rate.Of)}
}

func (v *RunReport) renderParts(w *Writer, title, what string, parts []AnswerPart) {
	if len(parts) == 0 {
		return
	}
	w.Section(title)
	plot := Plot{
		Title:       "Answered calls that found something, by " + what,
		Description: "One bar for each " + what + ", from 0 to 100 percent. The thin line is the range with 95 percent certainty.",
		Whole:       1,
	}
	rows := [][]string{}
	for _, p := range parts {
		plot.Bars = append(plot.Bars, barOf(p.Name, p.Rate))
		rows = append(rows, []string{p.Name, numberText(p.Rate.Of), numberText(p.Rate.Found), p.Rate.String(), numberText(p.Values), percent(p.Share), "$" + p.Charged.String()})
	}
	w.Plot(plot)
	header := []string{what, "answered", "matched", "rate (95 % range)", "values", "of all values", "charged"}
	w.Table(v.withUnits(header, rows, func(i int) AllUnits { return parts[i].Units }))
}

func (v *RunReport) renderMail(w *Writer) {
	if len(v.Mail) == 0 {
		return
	}
	w.Section("Found emails by the host of the mailbox")
	rows := [][]string{}
	for _, m := range v.Mail {
		rows = append(rows, []string{m.Host, numberText(m.Emails), percent(m.Share)})
	}
	w.Table([]string{"host", "emails", "of all emails"}, rows)
}

func (v *RunReport) renderWaits(w *Writer) {
	w.Section("Waits")
	if len(v.Waits) == 0 {
		w.Line("No run of this report has recorded a wait.")
		return
	}
	plot := Plot{Title: "How long the runs waited, by reason", Description: "One bar for each reason, in minutes."}
	rows := [][]string{}
	for _, wait := range v.Waits {
		name := Printable(wait.Words)
		plot.Bars = append(plot.Bars, Bar{Name: name, Value: wait.Seconds / 60, Text: wait.Text()})
		rows = append(rows, []string{name, wait.Text()})
	}
	w.Plot(plot)
	w.Table([]string{"waited for", "time"}, rows)
}

func (v *RunReport) renderErrors(w *Writer) {
	w.Section("Calls without an answer")
	if len(v.Errors) == 0 {
		w.Line("No call was refused, not sent or forfeited.")
	} else {
		rows := [][]string{}
		for _, e := range v.Errors {
			rows = append(rows, []string{e.State, Printable(e.Reason), numberText(e.Calls)})
		}
		w.Table([]string{"outcome", "reason", "calls"}, rows)
	}
	for _, run := range v.Runs {
		if run.Stop != "" {
			w.Entry("stopped", run.Run+": "+Printable(run.Stop))
		}
		for _, left := range run.NotSent {
			w.Entry("not sent", run.Run+": "+left.String())
		}
	}
	if v.Seconds != nil {
		w.Prose("time of an answer", fmt.Sprintf("%g s median, at most %g s for 95 %%", v.Seconds.Median, v.Seconds.Most))
	}
}

func (v *RunReport) renderDoubts(w *Writer) {
	w.Section("Calls in doubt")
	if len(v.Doubts) == 0 {
		w.Line("There are no calls in doubt.")
		return
	}
	rows := [][]string{}
	for _, d := range v.Doubts {
		rows = append(rows, []string{strconv.FormatUint(d.Attempt, 10), d.Run, d.Begun.Format(time.RFC3339), d.Fields, "$" + d.Held.String() + d.Units.held()})
	}
	w.Table([]string{"attempt", "run", "begun", "fields", "held"}, rows)
	if v.MoreDoubts > 0 {
		w.Line(fmt.Sprintf("%d more are in doubt.", v.MoreDoubts))
	}
	w.Entry("held together", "at most $"+v.Held.String())
}

func (v *RunReport) renderDrift(w *Writer) {
	w.Section("Drift between the journal and the account")
	none := true
	for _, run := range v.Runs {
		if run.Drift != nil {
			none = false
			for _, of := range slices.Sorted(maps.Keys(run.Drifts)) {
				name := run.Run
				if len(run.Drifts) > 1 {
					name += ", " + of
				}
				w.Prose(name, run.Drifts[of].String())
			}
		}
	}
	if none {
		w.Line("No run has recorded a drift.")
	}
}

func (v *RunReport) renderPlan(w *Writer) {
	c := v.Compared
	if c == nil {
		return
	}
	w.Section("Plan and outcome")
	expected := "not known"
	if c.Expected != nil && c.Range != nil {
		expected = fmt.Sprintf("$%s ($%s to $%s)", c.Expected, c.Range.Low, c.Range.High)
	}
	w.Table([]string{"what", "planned", "since the plan"}, [][]string{
		{"lookups", numberText(c.Lookups), fmt.Sprintf("%d, %d answered", c.Calls, c.Answered)},
		{"spend, at most", "$" + c.Maximum.String(), "$" + c.Spent.String()},
		{"spend, expected", expected, "$" + c.Spent.String()},
	})
}
