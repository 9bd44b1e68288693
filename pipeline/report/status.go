package report

import (
	"cmp"
	"strconv"
	"time"

	"payonce/cost"
	"payonce/pipeline/dispatch"
)

// Status says what uses the journal of a workspace now, and how the last run ended.
type Status struct {
	At     time.Time `json:"at"`
	Active []*Active `json:"active"`
	Last   *Run      `json:"last_run"` // that started last; null while a command is active and without runs
	// Waiting are the jobs that go on by themselves at a time.
	Waiting []WaitingJob `json:"waiting_jobs,omitempty"`
	// Limits are those of modules that are reached and that last.
	Limits []ReachedLimit `json:"limits,omitempty"`
	// Processes are those that work on a shared journal.
	Processes []SharedProcess `json:"processes,omitempty"`
	Zone      *time.Location  `json:"-"` // of the times that a person reads
}

// SharedProcess is a process that works on a shared journal.
type SharedProcess struct {
	Epoch      int64     `json:"epoch"`
	Holder     string    `json:"holder"` // its command, its number and its machine
	Command    string    `json:"-"`      // such as "run leads"
	Since      time.Time `json:"since"`
	LeaseUntil time.Time `json:"lease_until"`
	Silent     bool      `json:"silent,omitempty"` // its lease has ended, so it sends nothing
}

// Idle reports whether nothing works on the journal.
func (v *Status) Idle() bool { return len(v.Active)+len(v.Processes) == 0 }

// WaitingJob is an occurrence of a job that reached a limit and goes on when the limit has ended.
type WaitingJob struct {
	Job        string    `json:"job"`
	Occurrence string    `json:"occurrence"`
	Until      time.Time `json:"until"`
	Reason     string    `json:"reason"`
}

// Active is a command that owns the journal.
type Active struct {
	Command  string     `json:"command"`
	Process  int        `json:"process"`
	Since    time.Time  `json:"since"`
	Phase    string     `json:"phase,omitempty"`
	Progress *Progress  `json:"progress"` // null before the first lookup is sent
	Run      *ActiveRun `json:"run"`      // null before the run is recorded
}

// ActiveRun is what the journal has of a run that is active.
type ActiveRun struct {
	Run             string        `json:"run"`
	Spent           cost.Money    `json:"spent_usd"`
	Held            cost.Money    `json:"held_usd"`
	InFlight        int64         `json:"in_flight,omitempty"` // calls without an outcome that are not in doubt
	MaxSpend        cost.Money    `json:"max_spend_usd"`
	MostRestrictive string        `json:"closest_limit"`
	Left            cost.Money    `json:"left_usd"`
	Accounts        AccountsUsage `json:"accounts"`
}

// Progress says how far a run has come with the lookups of this start.
type Progress struct {
	Run    string      `json:"run"`
	Step   RunStep     `json:"step"`
	Done   int64       `json:"done"`
	Total  int64       `json:"total"`
	Calls  bool        `json:"calls,omitempty"` // they are not lookups of rows, but other calls, such as pages of a search
	Found  ValuesFound `json:"found"`
	Rate   string      `json:"rate"`
	Wait   *Waiting    `json:"wait"` // null while nothing waits
	EndsAt time.Time   `json:"ends_at"`
}

// RunStep is one pass of a run over its list.
type RunStep struct {
	Number int    `json:"number"`
	Of     int    `json:"of"`
	Fields string `json:"fields"`
	Name   string `json:"name,omitempty"` // of one of several steps
}

// Waiting says what the next lookup waits for.
type Waiting struct {
	Reason dispatch.WaitReason `json:"reason"`
	Until  *time.Time          `json:"until"` // null when that is not known
	Times  int64               `json:"times"` // that the service has asked to slow down
}

// Percent returns the share of the lookups that are done.
func (v *Progress) Percent() int64 {
	if v.Total == 0 {
		return 0
	}
	return min(v.Done, v.Total) * 100 / v.Total
}

// Percent writes a share.
func Percent(n int64) string { return Textf("%d %%", n) }

func (v *Status) Render(p *Page) {
	if v.Idle() {
		p.Linef("nothing runs")
	}
	for _, process := range v.Processes {
		lease := "lease until "
		if process.Silent {
			lease = "sends nothing, because its lease ended "
		}
		p.Prosef("works", "%s, epoch %d, since %s, %s%s", Printable(process.Holder), process.Epoch, v.clock(process.Since), lease, v.clock(process.LeaseUntil))
	}
	if v.Last != nil {
		v.renderLast(p)
	}
	for _, active := range v.Active {
		active.Render(p, v)
	}
	for _, limit := range v.Limits {
		p.Alertf("limit", "%s", limit)
	}
	for _, waiting := range v.Waiting {
		p.Prosef("waits", "%s, occurrence %s, until %s: %s", waiting.Job, waiting.Occurrence, v.clock(waiting.Until), Printable(waiting.Reason))
	}
}

// renderLast writes how the last run ended.
func (v *Status) renderLast(p *Page) {
	last := v.Last
	when := "started " + v.clock(last.Started)
	if last.Ended != nil {
		when = "ended " + v.clock(*last.Ended)
	}
	p.Prosef("last run", "%s, %s, %s", last.Run, when, last.State())
	if last.takesMoney() {
		p.Entryf("spent", "%s of $%s", upTo(last.SpentLeast, last.Spent), last.MaxSpend)
	}
	last.Accounts.RenderUnits(p)
}

func (v *Active) Render(p *Page, status *Status) {
	phase := ""
	if v.Phase != "" {
		phase = ", " + v.Phase
	}
	p.Linef("%s", v.Command)
	p.Prosef("process", "%s, since %s%s", strconv.Itoa(v.Process), status.clock(v.Since), phase)
	progress := v.Progress
	if progress != nil {
		p.Entryf("step", "%d of %d: %s", progress.Step.Number, progress.Step.Of, cmp.Or(progress.Step.Name, progress.Step.Fields))
		of := Lookups(progress.Total)
		if progress.Calls {
			of = Counted(progress.Total, "call")
		}
		p.Entryf("done", "%d of %s, %s", progress.Done, of, Percent(progress.Percent()))
		if found := progress.Found.fields(); found != "" {
			p.Prosef("found", "%s", found)
		}
	}
	if run := v.Run; run != nil {
		if run.MaxSpend > 0 || run.Spent > 0 || run.Accounts.TakeMoney() {
			p.Entryf("spent", "$%s of $%s, $%s held", run.Spent, run.MaxSpend, run.Held)
			p.Entryf("closest limit", "%s, $%s left", cmp.Or(p.Hint("limit "+run.MostRestrictive), run.MostRestrictive), run.Left)
		}
		run.Accounts.RenderUnits(p)
		if run.InFlight > 0 {
			p.Entryf("in flight", "%s", Counted(run.InFlight, "call"))
		}
	}
	if progress != nil {
		if progress.Wait == nil {
			p.Prosef("waiting", "%s", progress.Wait.text(status))
		} else {
			p.Alertf("waiting", "%s", progress.Wait.text(status))
		}
		p.Entryf("rate", "%s", progress.Rate)
		p.Entryf("ends", "about %s", status.clock(progress.EndsAt))
	}
}

// text says what the next lookup waits for.
func (w *Waiting) text(status *Status) string {
	if w == nil {
		return "for nothing"
	}
	text := map[dispatch.WaitReason]string{
		dispatch.WaitSlowDown: "service says slow down, " + Counted(w.Times, "time"),
		dispatch.WaitRate:     "the rate limit is used up",
		dispatch.WaitSettle:   "responses were lost: the account has to settle",
		dispatch.WaitDrain:    "another process compares lost lookups of this account, or erases",
	}[w.Reason]
	if w.Until == nil {
		return text
	}
	if w.Reason == dispatch.WaitDrain {
		return Textf("%s, at most until its lease ends: %s, unless it renews the lease", text, status.clock(*w.Until))
	}
	return Textf("%s, next call %s", text, status.clock(*w.Until))
}

// clock writes a time for a person: with the date when it is another day.
func (v *Status) clock(t time.Time) string {
	zone := v.Zone
	if zone == nil {
		zone = time.UTC
	}
	t, now := t.In(zone), v.At.In(zone)
	if t.Format(time.DateOnly) == now.Format(time.DateOnly) {
		return t.Format(time.TimeOnly)
	}
	return t.Format("2006-01-02 15:04")
}
