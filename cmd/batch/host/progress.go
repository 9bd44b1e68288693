// Package host shows on the terminal how a use case proceeds, and knows the machine.
package host

import (
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/schollz/progressbar/v3"

	"payonce/checkpoint"
	"payonce/cost"
	"payonce/enrich"
	"payonce/internal/app"
	"payonce/internal/report"
	"payonce/pipeline/dispatch"
	"payonce/service/v1/v1fields"
)

// Observer tells a person how a use case proceeds.
type Observer struct {
	Log     Log
	Columns func() int // of the terminal; nil, or not above 0, without one

	mu    sync.Mutex
	shown *progress // nil while nothing is sent

	phase atomic.Pointer[string]          // what the use case does now
	state atomic.Pointer[report.Progress] // nil before the first lookup is sent
}

// The phases of a run, as status shows them.
const (
	phaseReading = "reading the list"
	phaseSending = "sending"
)

// Phase returns what the use case does now, "" when there is nothing to say. Unlike the other methods it
// never waits for the terminal.
func (w *Observer) Phase() string {
	if phase := w.phase.Load(); phase != nil {
		return *phase
	}
	return ""
}

// Progress returns how far the lookups have come, nil before the first is sent. It never waits for the
// terminal.
func (w *Observer) Progress() *report.Progress { return w.state.Load() }

// enter begins a phase, until the returned function is called.
func (w *Observer) enter(phase string) (done func()) {
	before := w.phase.Swap(&phase)
	return func() { w.phase.Store(before) }
}

// Note implements app.Observer.
func (w *Observer) Note(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.shown != nil {
		w.shown.note(text)
		return
	}
	w.Log.Note(text)
}

// surveyGCPercent is how much garbage a survey may leave, in percent of what is live: to
// collect early costs little, and keeps the memory near what is needed.
const surveyGCPercent = 30

// Surveying implements app.Observer.
func (w *Observer) Surveying() func() {
	usual, done := debug.SetGCPercent(surveyGCPercent), w.enter(phaseReading)
	return func() {
		debug.SetGCPercent(usual)
		done()
	}
}

// Sending implements app.Observer.
func (w *Observer) Sending(s app.Sending) (update func(dispatch.Tally), done func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	shown, sent := w.newProgress(s), w.enter(phaseSending)
	w.shown = shown
	w.state.Store(shown.state(s))
	update = func(tally dispatch.Tally) {
		shown.update(tally)
		w.state.Store(shown.state(s))
	}
	return update, func() {
		sent()
		w.mu.Lock()
		defer w.mu.Unlock()
		shown.finish()
		w.shown = nil
	}
}

// progress shows how a run goes on: a bar where standard error is a terminal, and
// a line every 30 seconds where it is not.
type progress struct {
	log      Log
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

func (w *Observer) newProgress(s app.Sending) *progress {
	p := &progress{
		log: w.Log, columns: w.Columns, now: w.Log.Now, total: s.Lookups, rate: s.Rate,
		spent: s.Spent, maxSpend: s.MaxSpend, logged: w.Log.Now(), begun: w.Log.Now(),
	}
	if w.Log.Terminal && !w.Log.JSON && !w.Log.Quiet {
		p.bar = progressbar.NewOptions64(p.total,
			progressbar.OptionSetWriter(p.log.Out),
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
		p.log.Note(fmt.Sprintf("%d of %d lookups, %s", tally.Lookups, p.total, p.describe()),
			"lookups", tally.Lookups, "total", p.total, "spent_usd", (p.spent + tally.Spent).String(), "seconds_left", int64(p.left().Seconds()))
	}
}

// state returns how far the lookups have come.
func (p *progress) state(s app.Sending) *report.Progress {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.tally
	view := &report.Progress{
		Run: s.Run, Step: report.Step{Number: 1, Of: 1, Fields: s.Fields}, Done: t.Lookups, Total: p.total,
		Found: report.FoundOf(t.Asked, t.Returned, t.Spent), Rate: report.Rate(p.rate), EndsAt: p.now().Add(p.left()).UTC(),
	}
	if t.Wait.Reason == "" {
		return view
	}
	view.Wait = &report.Waiting{Reason: t.Wait.Reason, Times: t.SlowDowns}
	if until := t.Wait.Until.UTC(); !t.Wait.Until.IsZero() {
		view.Wait.Until = &until
		if until.After(view.EndsAt) {
			view.EndsAt = until
		}
	}
	return view
}

// describe says what was spent, how many fields were found and what time is left. A bar
// that is longer than the terminal is wide would fill it line by line: of it the rates
// are left out, then the money.
func (p *progress) describe() string {
	money, rates := fmt.Sprintf("$%s of $%s, ", p.spent+p.tally.Spent, p.maxSpend), ""
	for f := range v1fields.AllFields.Each() {
		if asked := p.tally.Asked[f]; asked > 0 {
			rates += fmt.Sprintf("%d%% %s, ", p.tally.Returned[f]*100/asked, report.FieldNames(enrich.FieldsOf(f)))
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

// left returns how long the rest takes: what the limit asks for after the current wait, or longer where
// the service has been slower than that so far.
func (p *progress) left() time.Duration {
	rest := p.total - p.tally.Lookups
	least := cost.Duration(rest, p.rate.Slots, p.rate.Window) + max(0, p.tally.Wait.Until.Sub(p.now()))
	if p.tally.Lookups == 0 {
		return least
	}
	soFar := p.now().Sub(p.begun)
	return max(least, time.Duration(float64(soFar)/float64(p.tally.Lookups)*float64(rest)))
}

func (p *progress) note(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil {
		fmt.Fprintln(p.log.Out)
	}
	p.log.Note(text)
}

// finish ends the bar's line.
func (p *progress) finish() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil {
		p.bar.Exit()
		fmt.Fprintln(p.log.Out)
	}
}
