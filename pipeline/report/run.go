package report

import (
	"time"

	"payonce/checkpoint"
	"payonce/cost"
)

// Run is one run as it is shown.
type Run struct {
	Run     string    `json:"run"`
	Job     string    `json:"job"` // the run's name when it belongs to no job
	List    string    `json:"list"`
	Output  string    `json:"output"`
	Fields  string    `json:"fields"`
	Started time.Time `json:"started"` // for the first time
	// LastStarted is when it was started last.
	LastStarted time.Time  `json:"last_started,omitzero"`
	Ended       *time.Time `json:"ended"` // null while it runs, or after a crash
	Running     bool       `json:"running,omitempty"`
	Stop        string     `json:"stop,omitempty"`
	MaxSpend    cost.Money `json:"max_spend_usd"`
	Spent       cost.Money `json:"spent_usd"`
	// SpentLeast is the least that it can be while charges may turn out to have been free.
	SpentLeast *cost.Money `json:"spent_least_usd,omitempty"`
	Held       cost.Money  `json:"held_usd"`
	Lookups    int64       `json:"lookups"` // that were answered, with pages of searches
	// Pages counts the pages of searches among them. They are not values. It is set only when one run is shown.
	Pages    int64         `json:"search_pages,omitempty"`
	FreeUsed Values[int64] `json:"free_used"`
	InDoubt  int64         `json:"in_doubt"`
	// Forfeited counts lookups that were charged and whose answers are lost.
	Forfeited int64            `json:"forfeited"`
	Rows      map[string]int64 `json:"rows"`
	Accounts  AccountsUsage    `json:"accounts"`
	// Drift is what the account had lost beyond the journal when the run last ended;
	// it and Spend are shown for one run alone.
	Drift *Drift `json:"drift,omitempty"`
	Spend *Spend `json:"spend,omitempty"`
	// Waits are those of all starts of one run, the longest first.
	Waits []Waited `json:"waits,omitempty"`
	// NotSent are lookups that the last start of one run did not send.
	NotSent []NotSent `json:"not_sent,omitempty"`
}

// Runs lists the runs of a journal.
type Runs struct {
	Runs []*Run `json:"runs"` // the one that started last first
	// More is how many earlier runs are left out.
	More int64 `json:"more,omitempty"`
	// LastStart is the last start of a run. It is left out without one.
	LastStart *checkpoint.Start `json:"last_start,omitempty"`
}

func (r *Runs) Render(p *Page) {
	if len(r.Runs) == 0 {
		p.Linef("no runs")
	}
	rows, units := make([][]string, len(r.Runs)), false
	for i, v := range r.Runs {
		spent, limit := v.Money()
		started := v.LastStarted
		if started.IsZero() {
			started = v.Started
		}
		rows[i] = []string{started.Format("2006-01-02 15:04"), v.Run, spent, limit, Number(v.Lookups), v.State()}
		units = units || v.Accounts.UnitsText() != ""
	}
	header := []string{"started (UTC)", "run", "spent", "limit", "lookups", "state"}
	if units { // a column that would be empty is left out
		header = append(header, "units")
		for i, v := range r.Runs {
			rows[i] = append(rows[i], v.Accounts.UnitsText())
		}
	}
	if len(rows) > 0 {
		p.Table(header, rows)
	}
	if r.More > 0 {
		p.Gap()
		p.Linef("%s not shown%s.", Counted(r.More, "earlier run"), p.Hint("more_runs"))
	}
	if r.LastStart != nil {
		p.Gap()
		p.Linef("last start: %s", r.LastStart)
		p.Itemf("    %s", r.LastStart.Command)
	}
}

// takesMoney reports whether the run can cost money.
func (v *Run) takesMoney() bool {
	return v.MaxSpend > 0 || v.Spent > 0 || v.Held > 0 || v.Accounts.TakeMoney()
}

// Money writes what the run spent and its limit, "-" for each where it takes no money.
func (v *Run) Money() (spent, limit string) {
	if !v.takesMoney() {
		return "-", "-"
	}
	return upTo(v.SpentLeast, v.Spent), USD(v.MaxSpend)
}

// State describes the state of a run.
func (v *Run) State() string {
	switch {
	case v.Running:
		return "running"
	case v.Ended == nil:
		return "not ended: run it again to go on"
	case v.Stop != "":
		return "stopped: " + v.Stop
	case v.InDoubt > 0:
		return Textf("done, %d in doubt", v.InDoubt)
	}
	return "done"
}

func (v *Run) Render(p *Page) {
	p.Titlef("Run %s, %s", v.Run, v.State())
	p.Gap()
	if v.List != "" {
		p.Entryf("list", "%s", v.List)
	}
	if v.Output != "" {
		p.Entryf("output", "%s", v.Output)
	}
	p.Entryf("fields", "%s", v.Fields)
	p.Entryf("started", "%s", v.Started.Format(time.RFC3339))
	if v.Ended != nil && !v.Running {
		p.Entryf("ended", "%s", v.Ended.Format(time.RFC3339))
	}
	if text := foundText(v.Accounts.Found()); text != "" {
		p.Prosef("found", "%s", text)
	}
	v.Accounts.Render(p)
	if v.takesMoney() {
		p.Entryf("spent", "%s of $%s", upTo(v.SpentLeast, v.Spent), v.MaxSpend)
		p.Entryf("held", "$%s, %s in doubt", v.Held, Lookups(v.InDoubt))
	} else {
		p.Entryf("in doubt", "%s", Lookups(v.InDoubt))
	}
	if v.Forfeited > 0 {
		p.Alertf("forfeited", "%s: charged, and what was answered is lost", Lookups(v.Forfeited))
	}
	if v.takesMoney() {
		p.Prosef("free allowance used", "%s", Counts(v.FreeUsed))
	}
	if v.Pages > 0 {
		p.Entryf("pages of searches", "%d", v.Pages)
	}
	p.Entryf("lookups answered", "%d", v.Lookups-v.Pages)
	for _, left := range v.NotSent {
		p.Entryf("not sent", "%s", left)
	}
	v.Accounts.RenderDrift(p)
	renderRows(p, v.Rows)
	renderMismatch(p, v.Rows, v.Run)
	for _, w := range v.Waits {
		p.Prosef("waited", "%s for %s", w.Text(), w.Words)
	}
	v.Spend.Render(p)
}

// Starts lists the starts of commands that spend or that change a journal or an output.
type Starts struct {
	Starts []checkpoint.Start `json:"starts"` // the oldest first
}

func (v *Starts) Render(p *Page) {
	if len(v.Starts) == 0 {
		p.Linef("no starts yet")
	}
	for _, start := range v.Starts {
		p.Linef("%s", start)
		p.Itemf("    %s", start.Command)
		if start.Output != "" {
			p.Itemf("    output %s", start.Output)
		}
	}
}
