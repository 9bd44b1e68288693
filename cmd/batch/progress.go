package main

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"

	"payonce/checkpoint"
	"payonce/cost"
	"payonce/enrich"
	"payonce/internal/flagvalue"
	"payonce/internal/report"
	"payonce/pipeline/dispatch"
)

// progress shows how a run goes on: a bar where standard error is a terminal, and
// a line every 30 seconds where it is not.
type progress struct {
	out      io.Writer
	columns  func() int // of the terminal that the bar is on; nil or 0 without one
	now      func() time.Time
	total    int64
	rate     checkpoint.Rate
	spent    cost.Money // by the run before this start
	maxSpend cost.Money

	begun  time.Time
	mu     sync.Mutex // the bar and the writer; drift and interrupts come from other goroutines
	bar    *progressbar.ProgressBar
	logged time.Time
	tally  dispatch.Tally
}

// logInterval is how often a line is written where there is no terminal.
const logInterval = 30 * time.Second

func newProgress(j *job) *progress {
	p := &progress{
		out: j.env.stderr, columns: j.env.columns, now: j.env.now, total: j.counts.Lookup, rate: j.journalRate(),
		spent: j.journal.Totals(checkpoint.RunScope(j.name)).Settled, maxSpend: *j.maxSpend.Amount, logged: j.env.now(), begun: j.env.now(),
	}
	if j.env.showsProgress {
		p.bar = progressbar.NewOptions64(p.total,
			progressbar.OptionSetWriter(p.out),
			progressbar.OptionSetWidth(20),
			progressbar.OptionShowCount(),
			progressbar.OptionSetPredictTime(false),
			progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionSetDescription(p.describe()))
	}
	return p
}

// update is called after every lookup.
func (p *progress) update(tally dispatch.Tally) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tally = tally
	if p.bar != nil {
		p.bar.Describe(p.describe())
		p.bar.Set64(min(tally.Lookups, p.total)) // an error would mean more than the total
		return
	}
	if now := p.now(); now.Sub(p.logged) >= logInterval {
		p.logged = now
		fmt.Fprintf(p.out, "batch: %d of %d lookups, %s\n", tally.Lookups, p.total, p.describe())
	}
}

// describe says what was spent, how many fields were found and what time is left. A bar
// that is longer than the terminal is wide would fill it line by line: of it the rates
// are left out, then the money.
func (p *progress) describe() string {
	money, rates := fmt.Sprintf("$%s of $%s, ", p.spent+p.tally.Spent, p.maxSpend), ""
	for f := range enrich.AllFields.Each() {
		if asked := p.tally.Asked[f]; asked > 0 {
			rates += fmt.Sprintf("%d%% %s, ", p.tally.Returned[f]*100/asked, shortField(f))
		}
	}
	left := p.left().Round(time.Second).String() + " left"
	columns := 0
	if p.columns != nil {
		columns = p.columns()
	}
	room := columns - len(fmt.Sprintf("  100%% || (%d/%d) ", p.total, p.total))
	switch {
	case columns <= 0 || len(money+rates+left) <= room:
		return money + rates + left
	case len(money+left) <= room:
		return money + left
	}
	return left
}

// left returns how long the rest takes: what the limit asks for, or longer where the
// service has been slower than that so far.
func (p *progress) left() time.Duration {
	rest := p.total - p.tally.Lookups
	least := cost.Duration(rest, p.rate.Slots, p.rate.Window)
	if p.tally.Lookups == 0 {
		return least
	}
	soFar := p.now().Sub(p.begun)
	return max(least, time.Duration(float64(soFar)/float64(p.tally.Lookups)*float64(rest)))
}

func shortField(f enrich.Field) string {
	v := flagvalue.Fields(enrich.FieldsOf(f))
	return v.String()
}

// drift tells at once when the account is not as the journal has it.
func (p *progress) drift(d cost.Drift) { p.note(report.DriftOf(d).String()) }

// interrupted tells what an interrupt does.
func (p *progress) interrupted() {
	p.note("interrupted: waiting for the lookups in flight, then writing what is known; interrupt again to stop at once")
}

func (p *progress) note(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil {
		fmt.Fprintln(p.out)
	}
	fmt.Fprintln(p.out, "batch: "+text)
}

// finish ends the bar's line.
func (p *progress) finish() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil {
		p.bar.Exit()
		fmt.Fprintln(p.out)
	}
}
