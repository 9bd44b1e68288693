package report

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"payonce/checkpoint"
	"payonce/cost"
	"payonce/pipeline/output"
	"payonce/pipeline/scan"
)

// RunSummary says how a run went.
type RunSummary struct {
	Run     string           `json:"run"`
	Job     string           `json:"job"`
	Output  string           `json:"output"`
	Rows    map[string]int64 `json:"rows"`
	Lookups int64            `json:"lookups"`        // ended by this command
	Dropped int64            `json:"phones_dropped"` // not asked for by this command, to keep a short budget for emails
	Posts   int64            `json:"posts"`          // sent by this command
	Spent   cost.Money       `json:"spent_usd"`      // by the run, over all its starts
	// SpentLeast is the least that it can be while charges may turn out to have been free.
	SpentLeast      *cost.Money           `json:"spent_least_usd,omitempty"`
	SpentNow        cost.Money            `json:"spent_now_usd"` // by this command
	Held            cost.Money            `json:"held_usd"`      // for lookups in doubt
	FreeUsed        Values[int64]         `json:"free_used"`     // by the run
	InDoubt         int64                 `json:"in_doubt"`      // lookups of the run
	MostRestrictive string                `json:"tightest"`      // the ceiling on money with the least left
	Stop            *string               `json:"stop"`          // null when every row has its outcome
	Drift           *Drift                `json:"drift,omitempty"`
	Found           ValuesFound           `json:"found"`     // by the run
	FoundNow        ValuesFound           `json:"found_now"` // by this command
	Accounts        AccountsUsage         `json:"accounts"`  // of the run
	Steps           []StepDone            `json:"steps"`     // of this command
	NotSent         []NotSent             `json:"not_sent,omitempty"`
	Kept            []output.KeptVersion  `json:"kept,omitempty"` // files that were replaced
	Tables          *output.TablesWritten `json:"tables,omitempty"`
	Ambiguous       *Choices              `json:"ambiguous,omitempty"`
	NewValues       *output.WrittenNew    `json:"new_values,omitempty"`
	Command         string                `json:"command,omitempty"` // goes on with what the run has left

	Calls int64 `json:"-"` // of the run, that were sent or may have been
	// Enough are limits under which the run can send all lookups that it had left at this start.
	Enough   Enough     `json:"-"`
	MaxSpend cost.Money `json:"-"`
	Left     cost.Money `json:"-"` // under the most restrictive ceiling
	// GivenUp counts lookups that failed three times in a run that has sent all the others.
	GivenUp int64 `json:"-"`
	// Reached are the limits at which steps of this start ended or because of which they did not send lookups, in the form
	// of Stop, with the module of a limit whose name does not have it.
	Reached []string `json:"-"`
	// Waiting says that later steps ask for more once lookups are answered that were not sent because of a limit.
	Waiting bool `json:"-"`
	// Halted says that a step ended before its last lookup, for another reason than a limit on what some lookups use.
	Halted bool `json:"-"`
	// Exclusive says that the account was declared exclusive.
	Exclusive bool   `json:"-"`
	Advice    string `json:"-"` // why the run stopped and what to do next
}

// Enough are limits of a run under which it can send all its lookups. They count what earlier starts have used.
type Enough struct {
	MaxSpend   cost.Money
	MaxLookups int64
	MaxUnits   map[string]int64 // by the names of the meters
}

// StepDone says what one step of a run found and used in one command.
type StepDone struct {
	Step string `json:"step"`
	AccountUsage
}

// NotSent are lookups of a step that a start did not send because a limit on what they use was reached. Lookups that
// do not use it were sent.
type NotSent struct {
	Step    string `json:"step"`
	Reason  string `json:"reason"` // as in the member stop of the summary
	Module  string `json:"module"` // what is limited
	Lookups int64  `json:"lookups"`
}

// NotSentBy returns the lookups that the last start of a run did not send.
func NotSentBy(run checkpoint.Run) (left []NotSent) {
	for _, end := range run.StepEnds() {
		for _, l := range end.NotSent {
			left = append(left, NotSent{Step: end.Step, Reason: l.Reason, Module: l.Module, Lookups: l.Lookups})
		}
	}
	return left
}

// LimitsReached returns the limits that the last start of a run reached, each once in the order of the steps.
func LimitsReached(run checkpoint.Run) (reached []string) {
	add := func(word string) {
		if !slices.Contains(reached, word) {
			reached = append(reached, word)
		}
	}
	for _, end := range run.StepEnds() {
		for _, l := range end.NotSent {
			if l.Module == "" || strings.Contains(l.Reason, l.Module) {
				add(l.Reason)
			} else {
				add(l.Reason + " of " + l.Module)
			}
		}
		if strings.HasPrefix(end.Stop, "ceiling:") {
			add(end.Stop)
		}
	}
	return reached
}

// String says how many lookups of which step were not sent, and why.
func (n NotSent) String() string {
	return Textf("%s of %s (%s)", Lookups(n.Lookups), n.Step, Printable(n.Reason))
}

// FoundNow says what the steps of one command found.
func FoundNow(steps []StepDone) ValuesFound {
	var accounts AccountsUsage
	for _, step := range steps {
		accounts = append(accounts, step.AccountUsage)
	}
	return FoundBy(accounts)
}

// TakesMoney reports whether the run can cost money.
func (v *RunSummary) TakesMoney() bool {
	return v.MaxSpend > 0 || v.Spent > 0 || v.Accounts.TakeMoney()
}

// statusOrder is the order in which outcomes are shown.
var statusOrder = []scan.Status{
	scan.StatusMatched, scan.StatusPartial, scan.StatusNotFound, scan.StatusFilled,
	scan.StatusDuplicate, scan.StatusUnidentifiable, scan.StatusAmbiguous, scan.StatusMismatch, scan.StatusRejected,
	scan.StatusInDoubt, scan.StatusForfeited, scan.StatusNotAttempted,
}

// OutcomesOf returns the outcomes that rows have, in the order in which they are shown.
func OutcomesOf(rows map[string]int64) (outcomes []string) {
	for _, status := range statusOrder {
		if rows[string(status)] > 0 {
			outcomes = append(outcomes, string(status))
		}
	}
	return outcomes
}

// nothingToDo reports whether the start found every row of the run with its outcome.
func (v *RunSummary) nothingToDo() bool {
	open := v.Rows[string(scan.StatusInDoubt)] + v.Rows[string(scan.StatusForfeited)] + v.Rows[string(scan.StatusNotAttempted)]
	return v.Posts == 0 && v.Stop == nil && v.InDoubt == 0 && open == 0 && v.Drift == nil && v.Advice == "" && v.answered() > 0
}

// answered returns how many rows have an answer.
func (v *RunSummary) answered() int64 {
	return v.Rows[string(scan.StatusMatched)] + v.Rows[string(scan.StatusPartial)] + v.Rows[string(scan.StatusNotFound)] +
		v.Rows[string(scan.StatusMismatch)]
}

func (v *RunSummary) Render(p *Page) {
	if v.nothingToDo() {
		found := cmp.Or(v.Found.fields(), Counted(v.answered(), "row")+" answered before")
		if v.TakesMoney() {
			found += "; " + upTo(v.SpentLeast, v.Spent) + " spent"
		}
		p.Linef("Nothing left to look up: %s.", found)
		p.Linef("Run %s, output %s", v.Run, v.Output)
		renderNewValues(p, v.NewValues)
		renderTables(p, v.Tables)
		renderCandidates(p, v.Ambiguous)
		renderMismatch(p, v.Rows, v.Run)
		RenderKept(p, v.Kept)
		return
	}
	p.Titlef("Summary of run %s", v.Run)
	p.Gap()
	renderRows(p, v.Rows)
	p.Gap()
	p.Entryf("lookups", "%d (%s)", v.Lookups, Counted(v.Posts, "request"))
	if v.Dropped > 0 {
		p.Entryf("phones not asked for", "%d, to keep a short budget for emails", v.Dropped)
	}
	for _, left := range v.NotSent {
		p.Entryf("not sent", "%s", left)
	}
	v.printFound(p)
	v.Accounts.Render(p)
	if v.TakesMoney() {
		p.Entryf("spent", "%s of $%s", upTo(v.SpentLeast, v.Spent), v.MaxSpend)
		if v.MostRestrictive != "" {
			p.Entryf("closest limit", "%s, $%s left", cmp.Or(p.Hint("limit "+v.MostRestrictive), v.MostRestrictive), v.Left)
		}
	}
	if v.Held > 0 {
		p.Alertf("held", "$%s for lookups in doubt", v.Held)
	}
	if v.TakesMoney() {
		p.Prosef("free allowance used", "%s", Counts(v.FreeUsed))
	}
	v.Accounts.RenderDrift(p)
	p.Entryf("output", "%s", v.Output)
	renderNewValues(p, v.NewValues)
	renderTables(p, v.Tables)
	renderCandidates(p, v.Ambiguous)
	renderMismatch(p, v.Rows, v.Run)
	RenderKept(p, v.Kept)
	if v.Advice != "" {
		p.Gap()
		p.Linef("%s", v.Advice)
	}
}

// printFound says what was found by the run, and by this start when an earlier one found
// something.
func (v *RunSummary) printFound(p *Page) {
	if all := v.Found.String(); all != "" {
		p.Prosef("found", "%s", all)
	}
	if len(v.FoundNow.Fields) > 0 && !maps.Equal(v.FoundNow.Fields.Map(), v.Found.Fields.Map()) {
		p.Prosef("  by this start", "%s", v.FoundNow)
	}
}

// renderRows writes the rows by outcome.
func renderRows(p *Page, rows map[string]int64) {
	for _, status := range statusOrder {
		switch n := rows[string(status)]; {
		case n == 0:
		case status == scan.StatusInDoubt || status == scan.StatusForfeited:
			p.Alertf(nameOf(status), "%d", n)
		default:
			p.Entryf(nameOf(status), "%d", n)
		}
	}
}

// nameOf names rows with a status, as a plan names them where it foresees them.
func nameOf(status scan.Status) string {
	if status == scan.StatusUnidentifiable {
		return "cannot look up"
	}
	return "rows " + string(status)
}

// RewrittenOutput says what an output holds that was written again from the journal.
type RewrittenOutput struct {
	Output string                `json:"output"`
	Rows   map[string]int64      `json:"rows"`
	Run    string                `json:"run"`
	Kept   []output.KeptVersion  `json:"kept,omitempty"`
	Tables *output.TablesWritten `json:"tables,omitempty"`

	Ambiguous *Choices           `json:"ambiguous,omitempty"`
	NewValues *output.WrittenNew `json:"new_values,omitempty"`
}

func renderNewValues(p *Page, v *output.WrittenNew) {
	if v != nil {
		p.Entryf("new values", "%s in %s, %s", Counted(v.Cells, "value"), Counted(v.Rows, "row"), v.File)
	}
}

func renderCandidates(p *Page, v *Choices) {
	if file := v.Written(); file != "" {
		p.Entryf("candidates", "%s", file)
	}
}

// renderMismatch says that rows got no values because their answers contradict them, and how to accept the answers.
func renderMismatch(p *Page, rows map[string]int64, run string) {
	if n := rows[string(scan.StatusMismatch)]; n > 0 {
		p.Alertf("mismatch", "%s%s", mismatchText(n), p.Hint("mismatch", ShellWord(run)))
	}
}

// mismatchText says how many rows did not get the values of their answers. Counts of found values and the cost of a
// value are those of the journal, which has these values too.
func mismatchText(rows int64) string {
	if rows == 1 {
		return "1 answer contradicts its row, which did not get the values; they count as found, and enrich_reason says what differs"
	}
	return Counted(rows, "answer") + " contradict their rows, which did not get the values; they count as found, and enrich_reason says what differs"
}

// RenderKept writes which earlier files were kept, and why.
func RenderKept(p *Page, files []output.KeptVersion) {
	for _, k := range files {
		p.Entryf("earlier file", "%s: %s", k.As, k.Reason)
	}
}

func (v *RewrittenOutput) Render(p *Page) {
	renderRows(p, v.Rows)
	p.Entryf("output", "%s", v.Output)
	renderNewValues(p, v.NewValues)
	renderTables(p, v.Tables)
	renderCandidates(p, v.Ambiguous)
	renderMismatch(p, v.Rows, v.Run)
	RenderKept(p, v.Kept)
}
