package dispatch

import (
	"context"
	"fmt"
	"time"

	"payonce/checkpoint/attempt"
	"payonce/cost"
)

// drain waits for the calls in flight.
func (d *dispatcher) drain() {
	for len(d.flights.begun) > 0 {
		d.take(<-d.results)
	}
}

// look says whether another reading of the account may follow when this one is not possible.
type look bool

const (
	oneLook  look = false
	lastLook look = true
)

// reconcile waits for the calls in flight and settles the lost ones. Nothing is sent meanwhile:
// an account can be compared only while nothing changes it.
func (d *dispatcher) reconcile(ctx context.Context, this look) error {
	d.drain()
	if d.stop != nil || d.failure != nil {
		return nil // Run settles the losses of a run that ends
	}
	began := d.Now()
	err := d.settle(ctx, this)
	d.reconcileAt = d.Now().Add(d.gathers(d.Now().Sub(began)))
	return err
}

// gathers returns for how long losses wait for each other after a reconciliation that took a time.
// On an exclusive account a call that was lost alone is decided, and several lost together often
// are not. So there they do not wait where the rate sends few calls in that time. After a
// reconciliation that could not read the account they always wait.
func (d *dispatcher) gathers(took time.Duration) time.Duration {
	if len(d.lost) == 0 && d.Reconciler.Exclusive && took <= fewCalls*d.Spacing {
		return 0
	}
	return (reconcileShare - 1) * took
}

// settleLosses settles what a run that ends early has lost. When the user interrupts the run,
// the next start does it.
func (d *dispatcher) settleLosses(ctx context.Context) {
	if ctx.Err() != nil {
		d.leaveInDoubt()
		return
	}
	if err := d.settle(ctx, lastLook); err != nil {
		d.fail(err)
	}
}

// settle asks the account about the lost calls. What was not charged is asked again, what was
// charged is forfeited, and the rest stays in doubt. When the account cannot be read, the lost
// calls wait for the next reading, if there is one.
func (d *dispatcher) settle(ctx context.Context, this look) error {
	if d.dropDecided(); len(d.lost) == 0 {
		return nil
	}
	d.note("%s: waiting for the account to settle, to see what was charged",
		counted(int64(len(d.lost)), "response was lost", "responses were lost"))
	defer d.waiting(Wait{WaitSettle, d.Reconciler.settled()})()
	defer d.counting(&d.tally.Waited.Settle)()
	reconciler := *d.Reconciler
	reconciler.Waits = func(until time.Time) { d.reportWait(Wait{WaitSettle, until}) }
	reconciled, err := reconciler.Reconcile(ctx)
	switch {
	case ctx.Err() != nil:
		d.leaveInDoubt()
		return nil
	case refusesUs(err):
		d.haltAccount(ServiceRefused{Code: CodeAccountRefused, Message: err.Error()})
		d.leaveInDoubt()
		return nil
	case err != nil:
		return err
	case len(reconciled.Cases) == 0 && this == oneLook:
		d.note("what was charged is not known yet: %s. The lookups wait, and the account is read again later", reconciled.Why)
		return nil
	}
	for _, c := range reconciled.Cases {
		if t, ours := d.lost[c.ID]; ours {
			delete(d.lost, c.ID)
			d.reconciled(t, c)
		}
	}
	if reconciled.Why != "" {
		left := counted(d.tally.InDoubt+int64(len(d.lost)), "lookup stays", "lookups stay")
		d.note("%s in doubt: %s", left, reconciled.Why)
	}
	d.leaveInDoubt()
	if d.Report != nil {
		d.Report(d.tally)
	}
	return nil
}

// dropDecided begins the lost tasks again that another process has decided. The journal knows what they were charged.
func (d *dispatcher) dropDecided() {
	inDoubt := map[attempt.ID]bool{}
	for _, doubt := range d.Reconciler.Arbiter.Doubts() {
		inDoubt[doubt.ID] = true
	}
	for id, t := range d.lost {
		if inDoubt[id] {
			continue
		}
		delete(d.lost, id)
		d.repeat(t)
	}
}

// repeat begins a lost task again, unless it was tried often.
func (d *dispatcher) repeat(t task) {
	if t.tries < maxTries {
		d.again(t, time.Time{})
		return
	}
	d.tally.Lookups++
	d.tally.GivenUp++
}

// reconciled goes on with a lost task as the account proves.
func (d *dispatcher) reconciled(t task, c attempt.Case) {
	switch c.Result {
	case cost.NotCharged:
		d.repeat(t)
	case cost.Charged:
		d.tally.Spent += c.Charge.Money()
		if rest := d.rest(t.lookup, c.Fields); rest != 0 {
			t.lookup.Fields = rest
			d.again(t, time.Time{})
			return
		}
		d.tally.Lookups++
		d.tally.Forfeited++
	case cost.Undecided:
		d.tally.Lookups++
		d.tally.InDoubt++
	}
}

// leaveInDoubt gives up on the lost tasks of this start.
func (d *dispatcher) leaveInDoubt() {
	d.tally.Lookups += int64(len(d.lost))
	d.tally.InDoubt += int64(len(d.lost))
	d.lost = map[attempt.ID]task{}
	d.reconcileAt = time.Time{}
}

// counted puts a number before the words that fit it.
func counted(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func (d *dispatcher) note(format string, args ...any) {
	if d.Note != nil {
		d.Note(fmt.Sprintf(format, args...))
	}
}
