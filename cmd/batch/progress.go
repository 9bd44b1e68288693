// This file shows on the terminal how a use case proceeds, and limits the memory that it takes.

package main

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"payonce/checkpoint"
	"payonce/cost"
	"payonce/pipeline"
	"payonce/pipeline/dispatch"
	"payonce/pipeline/report"
)

// hostObserver shows a person how a use case proceeds.
type hostObserver struct {
	Log     hostLog
	Columns func() int // of the terminal; nil, or not above 0, without one

	mu    sync.Mutex
	shown *progress // nil while nothing is sent
	// stages is the line of a stage without progress; nil before the first.
	stages *line
	// copying is when it was last told how much of a journal is copied, or when that began; zero while none is.
	copying time.Time
	// unlimited ends the limit of the heap while lookups are sent; nil without one.
	unlimited func()

	phase atomic.Pointer[string]          // what the use case does now
	state atomic.Pointer[report.Progress] // nil before the first lookup is sent
}

// The phases of a run, as status shows them.
const (
	phaseReading = "reading the list"
	phaseSending = "sending"
	phaseWriting = "writing the output"
	phaseCopying = "removing what was erased from the files of the journal"
)

// Phase returns what the use case does now, "" when there is nothing to say. Unlike the other methods it
// never waits for the terminal.
func (w *hostObserver) Phase() string {
	if phase := w.phase.Load(); phase != nil {
		return *phase
	}
	return ""
}

// Progress returns how far the lookups have come, nil before the first is sent. It never waits for the
// terminal.
func (w *hostObserver) Progress() *report.Progress { return w.state.Load() }

// enter begins a phase, until the returned function is called.
func (w *hostObserver) enter(phase string) (done func()) {
	before := w.phase.Swap(&phase)
	return func() { w.phase.Store(before) }
}

// Note implements pipeline.Observer.
func (w *hostObserver) Note(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.shown != nil {
		w.shown.note(text)
		return
	}
	w.showStage("")
	w.Log.Note(text)
}

// How much garbage a reading may leave, in percent of what is live: of a list, and of a whole journal. What a list needs
// grows with its rows, so the heap has no other limit meanwhile.
const (
	scanningGCPercent = 60
	readingGCPercent  = 30
)

// Scanning implements pipeline.Observer. The heap is not limited meanwhile, also between two steps that send.
func (w *hostObserver) Scanning() func() {
	limited, done := w.unlimitHeap(), w.enter(phaseReading)
	unlimited := limitGarbage(scanningGCPercent)
	w.stage(phaseReading)
	return func() {
		unlimited()
		done()
		w.stage("")
		if limited {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.unlimited = limitHeap(sendingHeap)
		}
	}
}

// ReadingJournal implements pipeline.Observer.
func (w *hostObserver) ReadingJournal() func() {
	return limitGarbage(readingGCPercent)
}

// unlimitHeap ends the limit of the heap. It reports whether there was one.
func (w *hostObserver) unlimitHeap() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.unlimited == nil {
		return false
	}
	w.unlimited()
	w.unlimited = nil
	return true
}

// Sending implements pipeline.Observer.
func (w *hostObserver) Sending(s pipeline.Sending) (update func(pipeline.SentSoFar), done func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	shown, sent := w.newProgress(s), w.enter(phaseSending)
	w.shown, w.unlimited = shown, limitHeap(sendingHeap)
	w.state.Store(shown.state(s))
	update = func(now pipeline.SentSoFar) {
		shown.update(now)
		w.state.Store(shown.state(s))
	}
	endTicks := ticking(func() {
		if shown.tick() {
			w.state.Store(shown.state(s))
		}
	})
	return update, func() {
		endTicks()
		sent()
		w.unlimitHeap()
		w.mu.Lock()
		defer w.mu.Unlock()
		shown.finish()
		w.shown = nil
	}
}

// ticking calls do every second until the function that it returns is called.
func ticking(do func()) (end func()) {
	ticker, stop := time.NewTicker(time.Second), make(chan struct{})
	var ended sync.WaitGroup
	ended.Go(func() {
		for {
			select {
			case <-ticker.C:
				do()
			case <-stop:
				return
			}
		}
	})
	return func() {
		ticker.Stop()
		close(stop)
		ended.Wait()
	}
}

// Writing implements pipeline.Observer.
func (w *hostObserver) Writing() func() {
	unlimited, done := limitHeap(writingHeap), w.enter(phaseWriting)
	w.stage(phaseWriting)
	return func() {
		unlimited()
		// The answers are garbage now. Without a collection the heap could grow to twice their size until the next one,
		// while the journal closes.
		runtime.GC()
		done()
		w.stage("")
	}
}

// Copying implements pipeline.Observer. Without a terminal a line is written when copying takes long.
func (w *hostObserver) Copying(done, all int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stages == nil {
		w.stages = w.terminal()
	}
	switch now := w.Log.Now(); {
	case done == all:
		w.stages.clear()
		w.copying = time.Time{}
	case w.stages.out != nil:
		w.stages.show(done, all, phaseCopying)
	case w.copying.IsZero():
		w.copying = now
	case now.Sub(w.copying) >= logInterval:
		w.copying = now
		w.Log.Note(fmt.Sprintf("%s: %d%%", phaseCopying, 100*done/all))
	}
}

// End removes the line about the last stage from the terminal.
func (w *hostObserver) End() { w.stage("") }

// stage shows what the use case does now on the terminal; "" shows nothing.
func (w *hostObserver) stage(name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.showStage(name)
}

func (w *hostObserver) showStage(name string) {
	if w.stages == nil {
		w.stages = w.terminal()
	}
	if name == "" || w.shown != nil {
		w.stages.clear()
		return
	}
	w.stages.show(0, unknownTotal, name)
}

// terminal returns a line of the terminal, or one that writes nothing.
func (w *hostObserver) terminal() *line {
	if !w.Log.Terminal || w.Log.JSON || w.Log.Quiet {
		return &line{}
	}
	return &line{out: w.Log.Out, columns: w.Columns}
}

// progress shows how a run goes on: in one line of the terminal, or with a line every 30 seconds where
// standard error is none.
type progress struct {
	log      hostLog
	line     *line
	now      func() time.Time
	total    int64
	rate     checkpoint.Rate
	spent    cost.Money // by the run before this start
	maxSpend cost.Money
	takes    bool // money
	calls    bool // they are not lookups of rows, but other calls

	begun  time.Time
	waits  time.Time  // when the current wait began; zero for none
	drawn  string     // what the line said last
	mu     sync.Mutex // drift and interrupts come from other goroutines
	logged time.Time
	tally  dispatch.Tally
	sent   pipeline.SentSoFar
}

// logInterval is how often a line is written where there is no terminal.
const logInterval = 30 * time.Second

func (w *hostObserver) newProgress(s pipeline.Sending) *progress {
	p := &progress{
		log: w.Log, line: w.terminal(), now: w.Log.Now, total: s.Lookups, rate: s.Rate,
		spent: s.Spent, maxSpend: s.MaxSpend, takes: s.Money || s.MaxSpend > 0, calls: s.Calls, logged: w.Log.Now(), begun: w.Log.Now(),
		sent: pipeline.SentSoFar{Ahead: s.Ahead},
	}
	p.show()
	return p
}

// update is called after every lookup, and when a wait begins or ends.
func (p *progress) update(now pipeline.SentSoFar) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case now.Tally.Wait.Reason == "":
		p.waits = time.Time{}
	case p.waits.IsZero():
		p.waits = p.now()
	}
	p.tally, p.sent = now.Tally, now
	p.draw()
}

// tick is called every second, because time passes during a wait while nothing else changes. It reports whether
// there is one.
func (p *progress) tick() (waits bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.waits.IsZero() {
		return false
	}
	if p.line.out == nil || strings.Join(p.parts(), ", ") != p.drawn {
		p.draw()
	}
	return true
}

// busy returns how long the lookups have taken so far, without waits.
func (p *progress) busy() time.Duration {
	w, now := p.tally.Waited, p.now()
	busy := now.Sub(p.begun) - w.SlowDown - w.Rate - w.Settle - w.Drain - w.Retry
	if !p.waits.IsZero() {
		busy -= now.Sub(p.waits)
	}
	return busy
}

// draw draws the line, or logs one.
func (p *progress) draw() {
	p.show()
	if p.line.out != nil {
		return
	}
	if at := p.now(); at.Sub(p.logged) >= logInterval {
		p.logged = at
		text := p.done() + ", " + strings.Join(p.figures(), ", ")
		if wait := p.wait(); wait != "" {
			text = wait + ", " + text
		}
		p.log.Note(text,
			"lookups", p.tally.Lookups, "total", p.total, "spent_usd", (p.spent + p.tally.Spent).String(), "seconds_left", int64(p.left().Seconds()))
	}
}

// state returns how far the lookups have come.
func (p *progress) state(s pipeline.Sending) *report.Progress {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.tally
	view := &report.Progress{
		Run: s.Run, Step: report.RunStep{Number: 1, Of: 1, Fields: s.Fields}, Done: t.Lookups, Total: p.total, Calls: s.Calls,
		Found: report.ValuesFound{Fields: p.sent.Found}, Rate: report.RateText(p.rate), EndsAt: p.now().Add(p.left()).UTC(),
	}
	if view.Found.Fields == nil {
		view.Found.Fields = report.Values[report.FieldFound]{}
	}
	if p.takes {
		var values int64
		for _, one := range p.sent.Found {
			values += one.Value.Found
		}
		view.Found.PerValue = report.PerValue(t.Spent, values)
	}
	if len(s.Steps) > 1 {
		now := s.Steps[p.sent.Step]
		view.Step = report.RunStep{Number: p.sent.Step + 1, Of: len(s.Steps), Fields: s.Fields, Name: now.Name}
		view.Rate = report.RateText(now.Rate)
	}
	if t.Wait.Reason == "" {
		return view
	}
	view.Wait = &report.Waiting{Reason: t.Wait.Reason, Times: t.SlowDowns}
	if until := t.Wait.Until.UTC(); !t.Wait.Until.IsZero() {
		view.Wait.Until = &until
	}
	return view
}

// parts are what the line of a terminal says, the most important first. A wait comes first: nothing else
// changes meanwhile.
func (p *progress) parts() []string {
	if wait := p.wait(); wait != "" {
		return append([]string{wait, p.done(), dispatch.Span(p.left()) + " left"}, p.money()...)
	}
	return append([]string{"sending: " + p.done()}, p.figures()...)
}

func (p *progress) done() string {
	what := "lookups"
	if p.calls {
		what = "calls"
	}
	// Without separators: the time that is left has to fit into 80 columns.
	return fmt.Sprintf("%d of %d %s", p.tally.Lookups, p.total, what)
}

// money says what was spent, nothing where no money is taken.
func (p *progress) money() []string {
	if !p.takes {
		return nil
	}
	return []string{fmt.Sprintf("$%s of $%s", p.spent+p.tally.Spent, p.maxSpend)}
}

// figures say what was spent, how many fields were found and what time is left.
func (p *progress) figures() []string {
	figures := append(p.money(), dispatch.Span(p.left())+" left")
	for _, one := range p.sent.Found {
		figures = append(figures, fmt.Sprintf("%d%% %s", one.Value.Found*100/one.Value.Asked, one.Value.Word))
	}
	return figures
}

// waits name the reasons of waits.
var waits = map[dispatch.WaitReason]string{
	dispatch.WaitSlowDown: "waiting: service says slow down",
	dispatch.WaitRate:     "waiting: rate limit",
	dispatch.WaitSettle:   "waiting: responses lost, account settles",
	dispatch.WaitDrain:    "waiting: another process compares the account or erases",
}

// wait says what the next lookup waits for and until when; "" for nothing.
func (p *progress) wait() string {
	text := waits[p.tally.Wait.Reason]
	if until := p.tally.Wait.Until; text != "" && !until.IsZero() {
		end := ", next call "
		if p.tally.Wait.Reason == dispatch.WaitDrain {
			end = ", lease ends "
		}
		text += end + until.Local().Format(time.TimeOnly)
	}
	return text
}

// left returns how long the rest takes that the ceilings cover, after the current wait.
func (p *progress) left() time.Duration {
	legs := slices.Clone(p.sent.Ahead)
	if legs == nil {
		legs = []cost.Leg{{Lookups: p.total - p.tally.Lookups, Slots: p.rate.Slots, Window: p.rate.Window}}
	}
	if p.tally.Lookups > 0 {
		for i := range legs {
			legs[i].Each = p.busy() / time.Duration(p.tally.Lookups)
		}
	}
	wait := time.Duration(0)
	if until := p.tally.Wait.Until; !until.IsZero() {
		wait = until.Sub(p.now())
	}
	return cost.Remaining(legs, wait)
}

func (p *progress) note(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.line.clear()
	p.log.Note(text)
	p.show()
}

// show draws the line.
func (p *progress) show() {
	parts := p.parts()
	p.drawn = strings.Join(parts, ", ")
	p.line.show(p.tally.Lookups, p.total, parts...)
}

// finish removes the line.
func (p *progress) finish() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.line.clear()
}
