package dispatch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"payonce/checkpoint/attempt"
	"payonce/cost"
	"payonce/enrich"
)

// task is a lookup on its way: how often it was tried, and when it began and may begin again.
type task struct {
	number int64 // its place in the list's order
	lookup enrich.Lookup
	tries  int
	begun  time.Time // its last try
	due    time.Time
}

// dispatcher is the state of a Run. One goroutine owns it; workers only send
// their results to it.
type dispatcher struct {
	*Lookups
	next    func() (enrich.Lookup, error)
	results chan result
	sends   chan func() // for the workers; a worker that is used again has a stack that is large enough
	workers int         // at least as many as calls are in flight
	gate    *gate

	flights flights
	order   int    // of the identities of the calls in flight
	pending *task  // decided on next
	paced   bool   // the pacer was waited for, and nothing was sent since
	begun   int64  // tasks that next yielded
	retries []task // waiting for their time, in its order and the list's
	ended   bool   // next returned io.EOF
	// lost are the tasks whose responses were lost and not yet settled, by their
	// last attempts; reconcileAt is when to settle them at the latest.
	lost        map[attempt.ID]task
	reconcileAt time.Time
	progress    *AccountProgress
	tally       Tally
	asked       askedPause      // the last one
	short       *CeilingReached // why no expendable field is paid for any more: as it was at the first
	reached     []reached       // in the order in which they were reached
	stop        Stop
	failure     error
}

// step does one thing: it begins a lookup, or waits for what has to come first. It reports
// whether nothing is left to do.
func (d *dispatcher) step(ctx context.Context) (done bool, err error) {
	if len(d.lost) > 0 && !d.reconcileAt.After(d.Now()) {
		return false, d.reconcile(ctx, oneLook)
	}
	if ok, next := d.flights.room(d.Now()); !ok {
		d.wait(ctx, next)
		return false, nil
	}
	if d.pending == nil {
		if err := d.choose(ctx); err != nil {
			return false, err
		}
	}
	switch {
	case d.pending != nil:
		return false, d.begin(ctx)
	case !d.ended: // a lookup was passed over
		return false, nil
	case len(d.retries) > 0:
		defer d.counting(&d.tally.Waited.Retry)()
		d.wait(ctx, d.retries[0].due)
		return false, nil
	case len(d.flights.begun) > 0:
		d.wait(ctx, time.Time{})
		return false, nil
	case len(d.lost) > 0:
		return false, d.reconcile(ctx, lastLook)
	}
	return true, nil
}

// choose makes a retry that is due the pending task, or else the next lookup.
func (d *dispatcher) choose(ctx context.Context) error {
	if len(d.retries) > 0 && !d.retries[0].due.After(d.Now()) {
		d.pending, d.retries = &d.retries[0], d.retries[1:]
		return nil
	}
	if d.ended {
		return nil
	}
	lookup, err := d.next()
	if errors.Is(err, io.EOF) {
		d.ended = true
		return nil
	}
	if err != nil && ctx.Err() != nil {
		d.halt(StopOf(ctx)) // reading the list was interrupted
		return nil
	}
	if err != nil {
		return err
	}
	d.begun++
	d.pending = &task{number: d.begun, lookup: lookup}
	if d.Pacer == nil || d.paced {
		return nil
	}
	defer d.counting(&d.tally.Waited.Pace)()
	if d.Pacer.Wait(ctx) != nil {
		d.halt(StopOf(ctx))
	}
	d.paced = true
	return nil
}

// begin asks the journal about the pending task and does what it says.
func (d *dispatcher) begin(ctx context.Context) error {
	request := d.Request
	request.Lookup = d.pending.lookup
	if d.Reask != nil {
		request.Reask = d.Reask(request.Lookup)
	}
	if d.short != nil {
		request.OnlyFree = d.Expendable
	}
	asked := d.Now()
	if i, left := d.refusedBy(request.Lookup.Fields, asked); left {
		d.leave(i)
		d.pending = nil
		return nil
	}
	if handled, err := d.isKnown(ctx); handled || err != nil {
		return err
	}
	paused := d.gate.paused()
	decision, err := d.Ledger.Begin(request)
	if err != nil {
		return err
	}
	switch decision := decision.(type) {
	case attempt.Granted:
		if d.asked.until.After(asked) { // somebody has ended the pause
			d.gate.reopen(d.asked.paused)
		}
		d.asked = askedPause{}
		d.send(ctx, *d.pending, decision)
		d.pending, d.paced = nil, false
	case attempt.Paid:
		d.dropPaid(decision.Fields)
	case attempt.Known:
		d.drop(decision.Fields)
	case attempt.Unsettled:
		d.drop(decision.Fields)
	case attempt.Limited:
		d.leave(d.reach(limitReached(decision), amountsOf(decision.Meters), asked))
		d.pending = nil
	case attempt.Over:
		return d.over(ctx, decision, asked)
	case attempt.Later:
		d.later(ctx, decision, paused)
	case attempt.Blocked:
		if len(d.flights.begun) == 0 && decision.Until.IsZero() {
			return errors.New("the journal waits for a call, but none is in flight")
		}
		if decision.Drained {
			defer d.waiting(Wait{WaitDrain, decision.LeaseEnds})()
			defer d.counting(&d.tally.Waited.Drain)()
		}
		d.wait(ctx, decision.Until)
	default:
		return fmt.Errorf("the journal returned %T, which is not a decision", decision)
	}
	return nil
}

// isKnown reports whether the pending task must not begin now, because its subject is or may become known by another
// identity. Calls by identities of another order may be about the same subject, so it waits for them. When they have
// shown that the subject is known, it drops the task, and the lookup is not sent.
func (d *dispatcher) isKnown(ctx context.Context) (handled bool, err error) {
	lookup := d.pending.lookup
	if len(d.flights.begun) > 0 && lookup.Identity.Order() != d.order {
		d.wait(ctx, time.Time{})
		return true, nil
	}
	if d.Known == nil || lookup.Row == nil {
		return false, nil
	}
	known, err := d.Known(lookup)
	if known {
		d.tally.AlreadyKnown++
		d.pending = nil
	}
	return known, err
}

// askedPause is a pause that the service asked for, as the journal showed it, and how often the gate was paused by
// then.
type askedPause struct {
	until  time.Time
	paused int
}

// later waits until the pending task may be sent, unless that is too long to wait for. The gate was paused some times
// when the journal was asked.
func (d *dispatcher) later(ctx context.Context, later attempt.Later, paused int) {
	wait := later.Until.Sub(d.Now())
	if later.Asked && wait > cmp.Or(d.LongestPause, maxPause) {
		until := later.Until.UTC().Format("2006-01-02 15:04 MST")
		d.haltAccount(ServiceRefused{Code: CodeAskedToWait, Message: "it asks to send nothing before " + until, Until: later.Until})
		return
	}
	isNew := !later.Until.Equal(d.asked.until)
	if later.Asked {
		d.asked = askedPause{later.Until, paused}
	}
	if wait > longWait && len(d.flights.begun) == 0 && isNew {
		d.note("nothing may be sent for %s", Span(wait))
	}
	reason, sum := WaitRate, &d.tally.Waited.Rate
	if later.Asked {
		reason, sum = WaitSlowDown, &d.tally.Waited.SlowDown
	}
	if wait >= shortestWait {
		defer d.waiting(Wait{reason, later.Until})()
	}
	defer d.counting(sum)()
	until := later.Until
	if again := later.AskAgain; !again.IsZero() && again.Before(until) {
		until = again
	}
	d.wait(ctx, until)
}

// over does what follows when the pending task does not fit under a ceiling. The journal was asked at a time.
func (d *dispatcher) over(ctx context.Context, over attempt.Over, asked time.Time) error {
	stop := CeilingReached(over)
	switch {
	case len(d.lost) > 0: // what they hold may come back, and they come first
		d.again(*d.pending, time.Time{})
		d.pending = nil
		return d.reconcile(ctx, lastLook)
	case d.goesOnWithout(over):
		d.short = &stop
		d.note("no more %ss are paid for: %s leaves %s, a lookup needs %s",
			strings.Join(d.Catalogue.WordsOf(d.Expendable), "s and "),
			over.Ceiling.Name, over.Ceiling.Format(over.Left), over.Ceiling.Format(over.Need))
	case over.Ceiling.Meter == cost.USD || over.Ceiling.Meter == cost.Lookups:
		d.halt(stop)
	default: // of units: other lookups use none of them
		var least cost.Amounts
		least[over.Ceiling.Meter] = over.Need
		d.leave(d.reach(stop, least, asked))
		d.pending = nil
	}
	return nil
}

// drop takes fields that need not or must not be asked out of the pending task. A lookup that asks for its fields
// together is dropped with one of them.
func (d *dispatcher) drop(fields enrich.Fields) {
	if d.pending.lookup.Fields = d.rest(d.pending.lookup, fields); d.pending.lookup.Fields == 0 {
		d.pending = nil
	}
}

// rest returns the fields that a lookup can still ask for without some.
func (d *dispatcher) rest(lookup enrich.Lookup, without enrich.Fields) enrich.Fields {
	rest, whole := lookup.Fields.Without(without), d.Whole[lookup.Identity.Pattern()]
	if rest&whole != whole {
		return 0
	}
	return rest
}

// wait returns at a time, or when a call ends, or when ctx is cancelled; the zero
// time stands for no time.
func (d *dispatcher) wait(ctx context.Context, until time.Time) {
	var alarm <-chan time.Time
	if !until.IsZero() {
		timer := time.NewTimer(until.Sub(d.Now()))
		defer timer.Stop()
		alarm = timer.C
	}
	select {
	case r := <-d.results:
		d.take(r)
	case <-alarm:
	case <-ctx.Done():
	}
}

// send lets a worker send a granted task.
func (d *dispatcher) send(ctx context.Context, t task, granted attempt.Granted) {
	t.tries++
	t.begun = d.Now()
	d.flights.begin(t.begun)
	d.order = t.lookup.Identity.Order()
	w := worker{ledger: d.Ledger, finder: d.Finder, gate: d.gate, tariff: d.Tariff}
	if d.workers < len(d.flights.begun) {
		d.workers++
		go func() {
			for send := range d.sends {
				send()
			}
		}()
	}
	d.sends <- func() { d.results <- w.work(ctx, t, granted) }
}

// halt stops the run; nothing else is sent.
func (d *dispatcher) halt(stop Stop) {
	d.gate.close()
	if d.stop == nil {
		d.stop = stop
	}
}

// fail ends the run because of a failure of the program itself. It keeps the first one: the
// others follow from it.
func (d *dispatcher) fail(err error) {
	d.gate.close()
	if d.failure == nil {
		d.failure = err
	}
}
