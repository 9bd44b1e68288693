package report

import (
	"fmt"
	"time"

	"payonce/cost"
	"payonce/internal/starts"
)

// Run is one run as it is shown.
type Run struct {
	Run      string     `json:"run"`
	List     string     `json:"list"`
	Output   string     `json:"output"`
	Fields   string     `json:"fields"`
	Started  time.Time  `json:"started"`
	Ended    *time.Time `json:"ended"` // null while it runs, or after a crash
	Running  bool       `json:"running,omitempty"`
	Stop     string     `json:"stop,omitempty"`
	MaxSpend cost.Money `json:"max_spend_usd"`
	Spent    cost.Money `json:"spent_usd"`
	// SpentLeast is the least that it can be while charges may turn out to have been free.
	SpentLeast *cost.Money      `json:"spent_least_usd,omitempty"`
	Held       cost.Money       `json:"held_usd"`
	Lookups    int64            `json:"lookups"`
	FreeUsed   map[string]int64 `json:"free_used"`
	InDoubt    int64            `json:"in_doubt"`
	// Forfeited counts lookups that were charged and whose answers are lost.
	Forfeited int64            `json:"forfeited"`
	Rows      map[string]int64 `json:"rows"`
	// Drift is what the account had lost beyond the journal when the run last ended;
	// it and Spend are shown for one run alone.
	Drift *Drift `json:"drift,omitempty"`
	Spend *Spend `json:"spend,omitempty"`
}

// Runs lists the runs of a journal.
type Runs struct {
	Runs []*Run `json:"runs"`
	// LastStart is the last start of a run. It is left out without one.
	LastStart *starts.Start `json:"last_start,omitempty"`
}

func (r *Runs) render(p *page) {
	if len(r.Runs) == 0 {
		p.line("no runs yet")
	}
	rows := make([][]string, len(r.Runs))
	for i, v := range r.Runs {
		rows[i] = []string{
			v.Started.Format("2006-01-02 15:04"), v.Run, UpTo(v.SpentLeast, v.Spent), "$" + v.MaxSpend.String(), fmt.Sprint(v.Lookups), v.state(),
		}
	}
	if len(rows) > 0 {
		p.table([]string{"started (UTC)", "run", "spent", "limit", "lookups", "state"}, rows)
	}
	if r.LastStart != nil {
		p.gap()
		p.line("last start: %s", r.LastStart)
		p.item("    %s", r.LastStart.Command)
	}
}

// state says how a run stands.
func (v *Run) state() string {
	switch {
	case v.Running:
		return "running"
	case v.Ended == nil:
		return "not ended: run it again to go on"
	case v.Stop != "":
		return "stopped: " + v.Stop
	case v.InDoubt > 0:
		return fmt.Sprintf("done, %d in doubt", v.InDoubt)
	}
	return "done"
}

func (v *Run) render(p *page) {
	p.title("Run %s, %s", v.Run, v.state())
	p.gap()
	if v.List != "" {
		p.entry("list", "%s", v.List)
	}
	if v.Output != "" {
		p.entry("output", "%s", v.Output)
	}
	p.entry("fields", "%s", v.Fields)
	p.entry("started", "%s", v.Started.Format(time.RFC3339))
	if v.Ended != nil && !v.Running {
		p.entry("ended", "%s", v.Ended.Format(time.RFC3339))
	}
	p.entry("spent", "%s of $%s", UpTo(v.SpentLeast, v.Spent), v.MaxSpend)
	p.entry("held", "$%s, %s in doubt", v.Held, Lookups(v.InDoubt))
	if v.Forfeited > 0 {
		p.alert("forfeited", "%s: charged, and what was answered is lost", Lookups(v.Forfeited))
	}
	p.prose("free allowance used", "%s", Counts(v.FreeUsed))
	p.entry("lookups answered", "%d", v.Lookups)
	if v.Drift != nil {
		p.alert("drift", "%s", v.Drift)
	}
	p.rows(v.Rows)
	v.Spend.render(p)
}

// Starts lists the starts of commands that spend or that change a journal or an output.
type Starts struct {
	Starts []starts.Start `json:"starts"` // the oldest first
}

func (v *Starts) render(p *page) {
	if len(v.Starts) == 0 {
		p.line("no starts yet")
	}
	for _, start := range v.Starts {
		p.line("%s", start)
		p.item("    %s", start.Command)
		if start.Output != "" {
			p.item("    output %s", start.Output)
		}
	}
}
