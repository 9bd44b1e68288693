package dispatch

import (
	"cmp"
	"slices"
	"time"

	"payonce/checkpoint/attempt"
	"payonce/cost"
	"payonce/enrich"
)

// Stop says why a run ended before its last lookup; nil when it did not. It is a closed set:
// CeilingReached, ServiceRefused, PriceHigher and Interrupted.
type Stop interface {
	// Word is the reason in a form for machines, such as "ceiling:max-spend".
	Word() string
}

// CeilingReached says that the next lookup did not fit under a ceiling.
type CeilingReached attempt.Over

// ServiceRefused says that the service does not serve this run any more. Somebody has to act, unless it says
// until when.
type ServiceRefused struct {
	Code    string
	Message string
	// Until is when the service serves the run again without anybody acting; zero when that is not known.
	Until time.Time
	// Module is the part of the account whose limit is reached; "" when the whole account is refused. Lookups
	// that use other parts go on.
	Module string
}

// limitReached returns the stop of lookups that need a part of the account whose limit is reached, as an earlier
// response of the service has said.
func limitReached(limited attempt.Limited) ServiceRefused {
	return ServiceRefused{
		Code: limited.Code, Until: limited.Until, Module: limited.Module,
		Message: "the limit of " + limited.Module + " was reached on " + limited.At.UTC().Format("2006-01-02 15:04 MST"),
	}
}

// PriceHigher says that the account shows a higher price than the one in use: every
// hold is too small, and no ceiling is safe. The prices are per returned field.
type PriceHigher struct {
	Field        enrich.Field
	InUse, Shown cost.Money
}

// Interrupted says that the user stopped the run.
type Interrupted struct{}

// Word returns the reason and the ceiling's name.
func (c CeilingReached) Word() string { return "ceiling:" + c.Ceiling.Name }

// Word returns the reason and the service's code.
func (s ServiceRefused) Word() string { return "service:" + s.Code }

// Word returns the reason. The same person can act on it as on a refusal.
func (PriceHigher) Word() string { return "service:price_higher" }

// Word returns the reason.
func (Interrupted) Word() string { return "interrupted" }

// The codes of a ServiceRefused that do not come from one verdict.
const (
	CodeResponsesLost = "responses_lost"
	CodeUnavailable   = "temporarily_unavailable"
	CodeUnreachable   = "unreachable"
	CodeRateLimited   = "rate_limited"
	CodeAskedToWait   = "asked_to_wait"

	CodeAccountRefused = "account_status_refused"
	CodeKeyInvalid     = "invalid_api_key"
	CodeNotReady       = "not_ready" // the account status gives no code
	// CodeModuleDiffers says that the service counts calls on other modules than is assumed, so no ceiling on units
	// is safe.
	CodeModuleDiffers = "module_differs"
)

// streaks count failures of one kind in a row.
type streaks struct {
	rejectCode               string
	rejects, givenUp         int
	lost, notSent, slowDowns streak
}

// streak counts bursts of failures in a row. Failures of calls that were sent before a burst was
// noticed belong to that burst, however many calls were in flight.
type streak struct {
	count   int
	noticed time.Time
}

// add counts the failure of a call that was sent at a time. It returns the number of bursts in
// a row.
func (s *streak) add(sent, now time.Time) int {
	if s.count == 0 || !sent.Before(s.noticed) {
		s.count++
		s.noticed = now
	}
	return s.count
}

// take counts a result and decides what follows from it.
func (d *dispatcher) take(r result) {
	d.flights.end(r.task.begun)
	if r.err != nil {
		d.fail(r.err)
		return
	}
	if r.held {
		r.task.tries--
		d.again(r.task, time.Time{})
		return
	}
	switch v := r.verdict.(type) {
	case enrich.Answered:
		d.answered(r, v)
	case enrich.Refused:
		if !v.Unsent {
			d.tally.Posts++
		}
		d.refused(r, v)
	case enrich.NotSent:
		d.notSent(r, v)
	case enrich.Lost:
		d.tally.Posts++
		d.lose(r, v)
	}
	if d.Report != nil {
		d.Report(d.tally)
	}
}

func (d *dispatcher) answered(r result, answer enrich.Answered) {
	d.progress.streaks = streaks{}
	d.flights.observe(d.Now().Sub(r.task.begun))
	d.tally.Posts++
	d.tally.Lookups++
	d.tally.Answered++
	d.tally.Spent += r.charge.Money()
	for f := range r.task.lookup.Fields.Each() {
		d.tally.Asked[f]++
		if answer.Returned.Has(f) {
			d.tally.Returned[f]++
		}
	}
}

func (d *dispatcher) refused(r result, refusal enrich.Refused) {
	t := r.task
	switch refusal.Class {
	case enrich.StopRun:
		d.stopped(r, refusal)
	case enrich.InvalidInput:
		d.rejected(refusal)
	case enrich.TryAgain:
		d.tryAgain(t, refusal)
	case enrich.SlowDown:
		d.tally.SlowDowns++
		if d.progress.streaks.slowDowns.add(r.sent, d.Now()) >= maxPausesInARow {
			d.haltAccount(ServiceRefused{
				Code:    CodeRateLimited,
				Message: "it asked to slow down repeatedly; check the rate limit, and whether others use it up",
			})
			return
		}
		t.tries-- // a wait that the service asked for is not a retry
		d.again(t, time.Time{})
	}
}

// stopped ends the step, and later steps that ask the account. When only a limit on a meter of the account is
// reached, lookups that do not use the meter go on, if it is known which these are.
func (d *dispatcher) stopped(r result, refusal enrich.Refused) {
	stop := ServiceRefused{
		Code: refusal.Code, Message: refusal.Message, Until: refusal.Limit.Until, Module: refusal.Limit.Module,
	}
	switch {
	case r.limited != 0:
		d.leave(d.reach(stop, amountsOf(r.limited), d.Now()))
	case refusal.Limit != (enrich.Limit{}):
		d.halt(stop)
	default:
		d.haltAccount(stop)
	}
}

func (d *dispatcher) rejected(refusal enrich.Refused) {
	d.tally.Lookups++
	d.tally.Rejected++
	if d.progress.streaks.rejectCode != refusal.Code {
		d.progress.streaks.rejectCode, d.progress.streaks.rejects = refusal.Code, 0
	}
	d.progress.streaks.rejects++
	if d.progress.streaks.rejects >= maxSameInARow {
		d.halt(ServiceRefused{Code: refusal.Code, Message: refusal.Message})
	}
}

// tryAgain repeats a lookup after a temporary fault, with growing waits. If the service asks
// for a longer wait, nothing is sent before its end.
func (d *dispatcher) tryAgain(t task, refusal enrich.Refused) {
	if t.tries < maxTries {
		d.again(t, d.Now().Add(firstBackoff<<(t.tries-1)))
		return
	}
	d.tally.Lookups++
	d.tally.GivenUp++
	d.progress.streaks.givenUp++
	if d.progress.streaks.givenUp >= maxSameInARow {
		d.haltAccount(ServiceRefused{Code: CodeUnavailable, Message: refusal.Message})
	}
}

// notSent repeats a lookup of which no byte left this machine. To try costs nothing.
func (d *dispatcher) notSent(r result, verdict enrich.NotSent) {
	bursts := d.progress.streaks.notSent.add(r.sent, d.Now())
	if bursts >= maxSameInARow {
		d.haltAccount(ServiceRefused{Code: CodeUnreachable, Message: verdict.Err.Error()})
		return
	}
	r.task.tries--
	d.again(r.task, d.Now().Add(firstBackoff<<(bursts-1)))
}

// lose keeps a task whose response was lost until the account shows whether it was charged. It
// stops a run whose losses go on, and at once when the response says that they will.
func (d *dispatcher) lose(r result, verdict enrich.Lost) {
	d.tally.Lost++
	d.lost[r.id] = r.task
	if verdict.Stop != "" {
		d.haltAccount(ServiceRefused{Code: verdict.Stop, Message: verdict.Err.Error()})
		return
	}
	tooMany := d.tally.Lost >= maxLosses && d.tally.Lost*lossShare > d.tally.Posts
	if d.progress.streaks.lost.add(r.sent, d.Now()) >= maxSameInARow || tooMany {
		d.haltAccount(ServiceRefused{Code: CodeResponsesLost, Message: verdict.Err.Error()})
	}
}

// again puts a task among the retries. A task that may be tried at once has the zero time, so
// that those tasks stay in the list's order.
func (d *dispatcher) again(t task, due time.Time) {
	t.due = due
	at, _ := slices.BinarySearchFunc(d.retries, t, func(a, b task) int {
		return cmp.Or(a.due.Compare(b.due), cmp.Compare(a.number, b.number))
	})
	d.retries = slices.Insert(d.retries, at, t)
}
