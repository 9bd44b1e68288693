// This file writes what a report on runs begins with: one paragraph, the next step, and five numbers.

package report

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"payonce/cost"
	"payonce/pipeline/scan"
)

// renderLead writes the paragraph, the numbers, and a command where the next step is one.
func (v *RunReport) renderLead(page *Page) {
	next, command := v.next(page)
	page.Leadf("%s", strings.Join(append(v.sentences(), next), " "))
	page.Gap()
	page.Figures(v.figures()...)
	if command != "" {
		page.Gap()
		page.Linef("Next:")
		page.Command(quotedWords(command))
	}
}

// quotedWords returns the words of a command as a shell reads them. Its operator && is one.
func quotedWords(command string) []string {
	words := ShellWords(command)
	for i, word := range words {
		if word != "&&" {
			words[i] = ShellWord(word)
		}
	}
	return words
}

// sentences say who asked for what of which list, what came of it, and whether it ended.
func (v *RunReport) sentences() []string {
	said := []string{}
	if v.Of.Run != "" && len(v.Runs) == 1 {
		run := v.Runs[0]
		said = append(said, run.asked(v.plurals()), v.result(), run.ending())
	} else {
		said = append(said, v.together(), v.result())
	}
	if n := int64(len(v.Doubts)) + v.MoreDoubts; n > 0 {
		said = append(said, Counted(n, "call")+" may have been charged without an answer.")
	}
	return said
}

// plurals returns the words for several values of the fields, by the names of the fields.
func (v *RunReport) plurals() map[string]string {
	plurals := map[string]string{}
	for _, f := range v.Fields {
		plurals[f.Field], plurals[f.Words] = f.Plural, f.Plural
	}
	return plurals
}

// asked says who looked up what for which list, when and for which job.
func (r ReportedRun) asked(plurals map[string]string) string {
	var fields []string
	for field := range strings.SplitSeq(r.Fields, ",") {
		fields = append(fields, cmp.Or(plurals[field], field))
	}
	text := cmp.Or(And(r.Users), "This run") + " looked up " + And(fields) + " for the list " + filepath.Base(r.List)
	if r.List == "" {
		text = cmp.Or(And(r.Users), "This run") + " searched for a list"
	}
	text += " on " + r.Started.Format(time.DateOnly)
	if r.Job != r.Run {
		text += ", for the job " + r.Job
	}
	return text + "."
}

// together says how many runs there are, and how they ended.
func (v *RunReport) together() string {
	ended := map[string]int64{}
	for _, run := range v.Runs {
		ended[run.state()]++
	}
	var parts []string
	for _, state := range []string{stateDone, stateStopped, stateRunning, stateOpen} {
		if n := ended[state]; n > 0 {
			parts = append(parts, Number(n)+" "+state)
		}
	}
	of := "The journal has"
	switch {
	case v.Of.Job != "" && v.Of.Month != "":
		of = "The job " + v.Of.Job + " had in " + v.Of.Month
	case v.Of.Job != "":
		of = "The job " + v.Of.Job + " has"
	case v.Of.Month != "":
		of = "In " + v.Of.Month + " there were"
	}
	text := of + " " + Counted(int64(len(v.Runs)), "run")
	if len(v.Runs) > 0 {
		text += ": " + And(parts)
	}
	return text + "."
}

// result says what was found and what it cost.
func (v *RunReport) result() string {
	var found []string
	for _, f := range slices.SortedStableFunc(slices.Values(v.Fields), func(a, b ReportField) int { return cmp.Compare(b.Rate.Found, a.Rate.Found) }) {
		if f.Rate.Found > 0 {
			found = append(found, valuesText(f))
		}
	}
	text := cmp.Or(And(found), "Nothing") + " was found"
	if v.Found > 1 {
		text = And(found) + " were found"
	}
	if v.takesMoney() {
		text += ", for " + RoundedUSD(v.Spent)
		if v.SpentLeast != nil {
			text += " at most"
		}
	}
	return text + "."
}

// valuesText writes how many values of a field were found.
func valuesText(f ReportField) string {
	words := f.Plural
	if f.Rate.Found == 1 {
		words = f.Words
	}
	return Number(f.Rate.Found) + " " + words
}

// The states of a run in a report.
const (
	stateDone    = "done"
	stateStopped = "stopped early"
	stateRunning = "running"
	stateOpen    = "not ended"
)

func (r ReportedRun) state() string {
	switch {
	case r.Running:
		return stateRunning
	case r.Ended == nil:
		return stateOpen
	case r.Stop != "":
		return stateStopped
	}
	return stateDone
}

// stateText describes the state of the run, and why it stopped.
func (r ReportedRun) stateText() string {
	if r.state() == stateStopped {
		return stateStopped + ": " + r.stopWords()
	}
	return r.state()
}

// ending says whether the run came to its end.
func (r ReportedRun) ending() string {
	left := ""
	if n := r.open(); n > 0 {
		left = Textf(", and %s", stillOpen(n))
	}
	switch r.state() {
	case stateRunning:
		return "It runs now."
	case stateOpen:
		return "It has not come to its end: it was killed, or it still runs."
	case stateStopped:
		return "It stopped early, because " + r.stopWords() + r.alsoReached() + left + "."
	}
	return "It came to its end" + left + "."
}

// stillOpen says how many rows are not done.
func stillOpen(rows int64) string {
	if rows == 1 {
		return "1 row is still open"
	}
	return Textf("%d rows are still open", rows)
}

// rows returns how many rows the run had when it last ended.
func (r ReportedRun) rows() (all int64) {
	for _, n := range r.Rows {
		all += n
	}
	return all
}

// open returns how many rows have no outcome yet.
func (r ReportedRun) open() int64 {
	return r.Rows[string(scan.StatusNotAttempted)] + r.Rows[string(scan.StatusInDoubt)]
}

// stopWords says why a run stopped.
func (r ReportedRun) stopWords() string {
	if name, is := strings.CutPrefix(r.Stop, "ceiling:"); is {
		limit := ""
		if c := r.ceiling(name); c.Limit > 0 {
			limit = " of " + limitText(c)
		}
		return "the ceiling " + Printable(name) + limit + " was reached"
	}
	if code, is := strings.CutPrefix(r.Stop, "service:"); is {
		return "the service refused (" + Printable(code) + ")"
	}
	if r.Stop == interrupted {
		return "it was interrupted"
	}
	return Printable(r.Stop)
}

// alsoReached names further limits because of which the last start did not send lookups; "" without any.
func (r ReportedRun) alsoReached() string {
	var others []string
	for _, left := range r.NotSent {
		words := "the account's limit of " + Printable(left.Module)
		if name, is := strings.CutPrefix(left.Reason, "ceiling:"); is {
			words = "the ceiling " + Printable(name)
			if c := r.ceiling(name); c.Limit > 0 {
				words += " of " + limitText(c)
			}
		}
		if left.Reason != r.Stop && !slices.Contains(others, words) {
			others = append(others, words)
		}
	}
	switch len(others) {
	case 0:
		return ""
	case 1:
		return ", and so was " + others[0]
	}
	return ", and so were " + And(others)
}

// ceiling returns the ceiling of that name that the user set, the zero Ceiling for none.
func (r ReportedRun) ceiling(name string) cost.Ceiling {
	for _, c := range r.ceilings {
		if c.Name == name {
			return c
		}
	}
	return cost.Ceiling{}
}

// limitText writes the limit of a ceiling.
func limitText(c cost.Ceiling) string {
	if c.Meter == cost.USD {
		return USD(cost.Money(c.Limit))
	}
	return Number(c.Limit)
}

// next says what to do next, and a command for it; "" for none.
func (v *RunReport) next(page *Page) (text, command string) {
	if len(v.Doubts) > 0 {
		command = page.Hint("reconcile_command")
		return "Next: decide what became of the calls in doubt" + below(command), command
	}
	if v.Of.Run == "" || len(v.Runs) != 1 {
		i := slices.IndexFunc(v.Runs, func(run ReportedRun) bool { return run.state() != stateDone })
		if i < 0 {
			return "Nothing is left to do.", ""
		}
		return "Next: look at the runs below that are not done.", ""
	}
	run := v.Runs[0]
	if text := page.Hint("goes_on"); text != "" && run.state() != stateDone {
		return text, ""
	}
	switch run.state() {
	case stateRunning:
		return "Nothing has to be done meanwhile.", ""
	case stateDone:
		if run.Output == "" {
			return "Nothing is left to do.", ""
		}
		return "Nothing is left to do: the enriched list is " + filepath.Base(run.Output) + ".", ""
	case stateStopped:
		text = run.remedy(page)
	}
	command = page.Hint("again_command", run, v.Again)
	return "Next: " + text + "run the same command again" + below(command), command
}

// below ends a sentence about a command. A known command follows below the numbers.
func below(command string) string {
	if command == "" {
		return "."
	}
	return "; the command is below."
}

// remedy says what to do before a run that stopped can go on.
func (r ReportedRun) remedy(page *Page) string {
	if name, is := strings.CutPrefix(r.Stop, "ceiling:"); is {
		if r.ceiling(name).Period != cost.Ever {
			return "raise this ceiling or wait until it renews, then "
		}
		return "raise this ceiling, then "
	}
	if code, is := strings.CutPrefix(r.Stop, "service:"); is {
		return lowerFirst(page.Remedy(code)) + ", then "
	}
	return ""
}

// takesMoney reports whether the runs can cost money.
func (v *RunReport) takesMoney() bool {
	return v.Spent > 0 || len(v.Units) == 0 || slices.ContainsFunc(v.Runs, func(run ReportedRun) bool { return run.MaxSpend > 0 })
}

// figures are the five numbers.
func (v *RunReport) figures() []Figure {
	rows, open, known := int64(0), int64(0), false
	for _, run := range v.Runs {
		rows += run.rows()
		open += run.open()
		known = known || len(run.Rows) > 0
	}
	figures := []Figure{{Name: "rows", Value: Number(rows)}, {Name: "values found", Value: Number(v.Found)}}
	if v.takesMoney() {
		spent := Figure{Name: "spent", Value: RoundedUSD(v.Spent), Note: v.ceilingNote()}
		if v.SpentLeast != nil {
			spent.Note = strings.TrimSpace(Textf("at most, %s at least ", RoundedUSD(*v.SpentLeast)) + spent.Note)
		}
		figures = append(figures, spent, Figure{Name: "cost per value", Value: perValueText(v.PerValue)})
	} else {
		used := int64(0)
		for _, units := range v.Units {
			used += units.Used
		}
		figures = append(figures, Figure{Name: "units used", Value: Number(used), Note: v.Units.note()}, Figure{Name: "calls answered", Value: Number(v.Answered)})
	}
	figures = append(figures, Figure{Name: "rows still open", Value: Number(open)})
	if !known {
		figures[0].Value, figures[len(figures)-1].Value = "not known", "not known"
	}
	return figures
}

// ceilingNote names the ceiling that the spend is compared with; "" for none.
func (v *RunReport) ceilingNote() string {
	switch {
	case v.Of.Run != "" && len(v.Runs) == 1 && v.Runs[0].MaxSpend > 0:
		return "of " + USD(v.Runs[0].MaxSpend) + " for this run"
	case v.Of.Month != "":
		if limit := v.limit("month", v.Of.Job); limit != nil {
			return "of " + USD(limit.Limit) + " a month for " + theOf(limit.Of)
		}
	}
	return ""
}

// theOf names what a ceiling is for within a sentence.
func theOf(of string) string {
	if of == "workspace" {
		return "the workspace"
	}
	return of
}

// perValueText writes the cost of one value.
func perValueText(amount *cost.Money) string {
	if amount == nil {
		return "not known"
	}
	return RoundedUSD(*amount)
}

// renderRuns lists the runs of a report on several, or names the files and the times of one.
func (v *RunReport) renderRuns(page *Page) {
	if v.Of.Run == "" {
		page.Sectionf("Runs")
		v.renderRunList(page)
		return
	}
	page.Sectionf("List and output")
	for _, run := range v.Runs {
		for _, entry := range []struct{ name, text string }{
			{"list", run.List}, {"output", run.Output}, {"asked for", And(strings.Split(run.Fields, ","))}, {"job", jobUnlessRun(run)}, {"started by", And(run.Users)},
		} {
			if entry.text != "" {
				page.Prosef(entry.name, "%s", entry.text)
			}
		}
		page.Entryf("started", "%s", Time(run.Started))
		if run.Ended != nil {
			page.Entryf("ended", "%s", Time(*run.Ended))
		}
	}
}

// jobUnlessRun returns the job of a run, "" for a run that has no other job than itself.
func jobUnlessRun(run ReportedRun) string {
	if run.Job == run.Run {
		return ""
	}
	return run.Job
}

func (v *RunReport) renderRunList(page *Page) {
	if len(v.Runs) == 0 {
		page.Linef("There are none.")
		return
	}
	rows := [][]string{}
	for _, run := range v.Runs {
		all, list := "-", "a search"
		if len(run.Rows) > 0 {
			all = Number(run.rows())
		}
		if run.List != "" {
			list = filepath.Base(run.List)
		}
		rows = append(rows, []string{
			run.Started.Format("2006-01-02 15:04"), run.Run, list, cmp.Or(And(run.Users), "-"), all, Number(run.Found), USD(run.Spent), run.stateText(),
		})
	}
	defer page.Gap()
	page.Table([]string{"started (UTC)", "run", "list", "by", "rows", "values found", "spent", "state"}, rows)
}
