package dispatch

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"payonce/checkpoint/attempt"
	"payonce/cost"
	"payonce/enrich"
)

// worker carries one granted attempt from its ticket to its resolution.
type worker struct {
	ledger Ledger
	finder Finder
	gate   *gate
	tariff cost.Tariff
}

// result is what a worker reports to the dispatcher.
type result struct {
	task    task
	id      attempt.ID
	sent    time.Time // when it was handed to the client
	verdict enrich.Verdict
	charge  cost.Charge
	held    bool        // the gate was shut: nothing was sent, and the task is still to do
	limited cost.Meters // with a limit for which the service refused the call
	err     error       // the journal's
}

func (w worker) work(ctx context.Context, t task, granted attempt.Granted) result {
	ticket, err := granted.Ticket()
	if err != nil {
		return result{task: t, err: err}
	}
	if !w.gate.pass(ticket.Hold.Amounts().Meters()) {
		err := w.ledger.Release(ticket.ID, attempt.Release{Reason: "held back"})
		return result{task: t, held: true, err: err}
	}
	// This is past the commit point of the call: the intent is durable. From here on a crash
	// leaves an attempt in doubt.
	r := result{task: t, id: ticket.ID, sent: w.gate.now()}
	if ticket.MaySend != nil {
		ctx = enrich.WithPermit(ctx, ticket.MaySend)
	}
	verdict := w.finder.Find(ctx, ticket.Lookup)
	r.verdict, r.limited = verdict, w.limited(ticket, verdict)
	r.charge, r.err = w.record(ticket, verdict, r.limited)
	return r
}

// limited returns the meters with a limit for which the service refused a call. It returns none for other
// verdicts, and when it is not known which other calls the limit concerns.
func (w worker) limited(ticket attempt.Ticket, verdict enrich.Verdict) cost.Meters {
	refused, is := verdict.(enrich.Refused)
	if !is || refused.Class != enrich.StopRun || refused.Limit == (enrich.Limit{}) {
		return 0
	}
	return w.tariff.Limited(ticket.Hold, refused.Limit)
}

// record makes the verdict durable. A response that concerns every lookup, or all that use some meters, shuts the
// gate for them first, before the disk has written. When the service asks one call to wait, all calls wait, and a
// later start waits, too.
func (w worker) record(ticket attempt.Ticket, verdict enrich.Verdict, limited cost.Meters) (cost.Charge, error) {
	switch v := verdict.(type) {
	case enrich.Answered:
		return w.ledger.Settle(ticket.ID, v)
	case enrich.Refused:
		releasing := attempt.Release{
			Reason: v.Code, RequestID: v.RequestID, Sent: !v.Unsent, Reject: v.Class == enrich.InvalidInput,
			Limit: v.Limit,
		}
		switch {
		case v.Class != enrich.StopRun:
		case limited != 0:
			w.gate.closeTo(attempt.Limit{Meters: limited, Until: v.Limit.Until})
		default:
			w.gate.close()
		}
		if v.Class == enrich.SlowDown || v.Pause || v.RetryAfter > 0 {
			releasing.PauseUntil = w.gate.pause(v.RetryAfter)
		}
		return cost.Charge{}, w.ledger.Release(ticket.ID, releasing)
	case enrich.NotSent:
		return cost.Charge{}, w.ledger.Release(ticket.ID, attempt.Release{Reason: "not sent: " + v.Err.Error()})
	case enrich.Lost:
		lost := attempt.LostCall{Cause: v.Err.Error()}
		if v.Stop != "" {
			w.gate.close()
		}
		if v.RetryAfter > 0 {
			lost.PauseUntil = w.gate.pause(v.RetryAfter)
		}
		return cost.Charge{}, w.ledger.MarkInDoubt(ticket.ID, lost)
	}
	// An unknown verdict proves nothing.
	err := w.ledger.MarkInDoubt(ticket.ID, attempt.LostCall{Cause: "unknown verdict"})
	return cost.Charge{}, errors.Join(errors.New("the service's client returned an unknown verdict"), err)
}

// gate is the last check before a granted lookup is sent: a stop or a pause that began after
// the grant still holds the lookup back.
type gate struct {
	now func() time.Time

	mu     sync.Mutex
	closed bool
	limits []attempt.Limit // while one lasts, no call passes that uses one of its meters
	until  time.Time
	pauses int // how many there were
}

func (g *gate) pass(uses cost.Meters) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.now()
	return !g.closed && !g.until.After(now) && !slices.ContainsFunc(g.limits, func(limit attempt.Limit) bool {
		return limit.Meters&uses != 0 && limit.Lasts(now)
	})
}

// closeTo shuts the gate, until a limit ends, for calls that use one of its meters.
func (g *gate) closeTo(limit attempt.Limit) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.now()
	g.limits = slices.DeleteFunc(g.limits, func(earlier attempt.Limit) bool { return !earlier.Lasts(now) })
	g.limits = append(g.limits, limit)
}

func (g *gate) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = true
}

// pause shuts the gate for a time, 60 s when the service does not say how long
// (specification v1, "Limits"), and returns when it opens again.
func (g *gate) pause(wait time.Duration) time.Time {
	if wait <= 0 {
		wait = defaultPause
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.pauses++
	if until := g.now().Add(wait); until.After(g.until) {
		g.until = until
	}
	return g.until
}

// paused returns how many pauses there were.
func (g *gate) paused() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.pauses
}

// reopen ends the pauses, unless there was one more after a number of them.
func (g *gate) reopen(pauses int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.pauses == pauses {
		g.until = time.Time{}
	}
}
