package simulation_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payonce/checkpoint"
	"payonce/checkpoint/attempt"
	"payonce/enrich"
	"payonce/pipeline/dispatch"
)

func TestSlowDownPausesEveryone(t *testing.T) {
	tests := map[string]struct{ retryAfter, want time.Duration }{
		"as long as it says":        {10 * time.Second, 10 * time.Second},
		"longer than the default":   {90 * time.Second, 90 * time.Second},
		"60 s when it does not say": {0, time.Minute},
	}
	for title, test := range tests {
		t.Run(title, func(t *testing.T) {
			const told = 50 * time.Millisecond
			script := func(c call) reply {
				if c.who == "p3" && c.try <= 4 { // more often than a lookup is retried
					return slowsDown(told, test.retryAfter)
				}
				return answers(30 * time.Millisecond)
			}
			withRig(t, script, func(t *testing.T, r *rig) {
				r.concurrency = 4
				o := r.run(people(40, email))
				if o.stop != nil || o.tally.Answered != 40 {
					t.Errorf("stop %v, tally %+v; want all answered: waiting as told is not a retry", o.stop, o.tally)
				}
				for _, slowed := range r.service.calls {
					if slowed.who != "p3" || slowed.try > 4 {
						continue
					}
					from, until := slowed.at.Add(told), slowed.at.Add(told+test.want)
					for _, c := range r.service.calls {
						if c.at.After(from) && c.at.Before(until) {
							t.Errorf("%s was asked %s into a pause of %s", c.who, c.at.Sub(from), test.want)
						}
					}
				}
				if diff := cmp.Diff(told+test.want, r.service.gaps("p3")[0]); diff != "" {
					t.Errorf("p3 was asked again after (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// Whoever watches a run learns what it waits for, and that the wait is over.
func TestWaitsAreReportedWithReasonAndEnd(t *testing.T) {
	script := func(c call) reply {
		if c.who == "p1" && c.try <= 2 {
			return slowsDown(time.Millisecond, 10*time.Second)
		}
		return answers(time.Millisecond)
	}
	withRig(t, script, func(t *testing.T, r *rig) {
		r.concurrency = 1
		begun := time.Now()
		r.run(people(3, email))
		var waits []dispatch.Wait
		for _, tally := range r.reports {
			if tally.Wait.Reason != "" {
				waits = append(waits, tally.Wait)
			}
		}
		want := []dispatch.Wait{
			{Reason: dispatch.WaitSlowDown, Until: begun.Add(10*time.Second + time.Millisecond)},
			{Reason: dispatch.WaitSlowDown, Until: begun.Add(20*time.Second + 2*time.Millisecond)},
		}
		if diff := cmp.Diff(want, waits); diff != "" {
			t.Errorf("waits (-want +got):\n%s", diff)
		}
		if last := r.reports[len(r.reports)-1]; last.Wait != (dispatch.Wait{}) || last.SlowDowns != 2 {
			t.Errorf("at the end: %+v", last)
		}
	})
}

// holdTheSecondTicketBack has p1's intent be durable at 11 ms, so that its POST
// ends at 16 ms when it takes 5 ms, and p2's, which was decided at 2 ms, at 21 ms.
func holdTheSecondTicketBack(r *rig) {
	r.concurrency, r.pacer, r.store.latency = 2, every(time.Millisecond), 10*time.Millisecond
}

// TestGrantedTicketsAreNotSentDuringAPause has a 429 come between the decision about p2
// and the moment in which its intent is durable.
func TestGrantedTicketsAreNotSentDuringAPause(t *testing.T) {
	script := func(c call) reply {
		switch {
		case c.n == 1:
			return slowsDown(5*time.Millisecond, time.Minute)
		case c.who == "p2" && c.try < 3:
			return refuses(0, enrich.TryAgain, "reservation_conflict")
		default:
			return answers(time.Millisecond)
		}
	}
	withRig(t, script, func(t *testing.T, r *rig) {
		holdTheSecondTicketBack(r)
		start := time.Now()
		o := r.run(people(4, email))
		calls := r.service.calls
		if o.tally.Answered != 4 || len(calls) != 7 {
			t.Fatalf("%d calls, tally %+v; want 7 calls and 4 answers: being held back is not a try", len(calls), o.tally)
		}
		if opens := start.Add(16*time.Millisecond + time.Minute); calls[1].at.Before(opens) {
			t.Errorf("%s was sent %s before the pause was over", calls[1].who, opens.Sub(calls[1].at))
		}
		if held := r.resolution(2); held.State != attempt.Released || held.Sent {
			t.Errorf("the ticket that was held back ended as %+v; want voided, not sent", held)
		}
		if o.tally.Posts != 7 {
			t.Errorf("%d POSTs counted, want 7: what was held back is none", o.tally.Posts)
		}
	})
}

// endedElsewhere is a ledger of which another process ends the pause at a time.
type endedElsewhere struct {
	*checkpoint.Journal
	at time.Time
}

func (e *endedElsewhere) Begin(req attempt.Request) (attempt.Decision, error) {
	if !time.Now().Before(e.at) {
		if _, err := e.EndPause(); err != nil {
			return nil, err
		}
	}
	decision, err := e.Journal.Begin(req)
	if later, is := decision.(attempt.Later); is && later.Asked {
		later.AskAgain = time.Now().Add(time.Second)
		decision = later
	}
	return decision, err
}

// TestAPauseThatAnotherProcessEndsIsOver: also for the process whose own call was told to wait.
func TestAPauseThatAnotherProcessEndsIsOver(t *testing.T) {
	script := func(c call) reply {
		if c.n == 1 {
			return slowsDown(0, time.Hour)
		}
		return answers(0)
	}
	withRig(t, script, func(t *testing.T, r *rig) {
		start := time.Now()
		r.ledger = &endedElsewhere{r.journal, start.Add(5 * time.Second)}
		if o := r.run(people(3, email)); o.stop != nil || o.tally.Answered != 3 || o.tally.Waited.SlowDown != 5*time.Second {
			t.Errorf("stop %v, tally %+v", o.stop, o.tally)
		}
		if took := time.Since(start); took != 5*time.Second || len(r.service.calls) != 4 {
			t.Errorf("%d calls in %s, want 4 in 5 s", len(r.service.calls), took)
		}
		if len(r.notes) != 1 {
			t.Errorf("notes %q, want one about the wait", r.notes)
		}
	})
}

func TestAPauseOutlivesTheProcess(t *testing.T) {
	script := func(c call) reply {
		if c.n == 1 {
			return slowsDown(0, time.Minute)
		}
		return answers(0)
	}
	withRig(t, script, func(t *testing.T, r *rig) {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		start := time.Now()
		if o := r.runWith(ctx, people(1, email)); o.word() != "interrupted" {
			t.Fatalf("stop %q, error %v; want interrupted", o.word(), o.err)
		}
		if waited := time.Since(start); waited != 20*time.Second {
			t.Errorf("the interrupt was heard after %s, want at once", waited)
		}
		r.open()
		r.run(people(1, email))
		if diff := cmp.Diff([]time.Duration{time.Minute}, r.service.gaps("p1")); diff != "" {
			t.Errorf("asked again after (-want +got):\n%s", diff)
		}
	})
}

func TestPausesWithoutAnyAnswerStop(t *testing.T) {
	script := func(call) reply { return slowsDown(0, time.Second) }
	withRig(t, script, func(t *testing.T, r *rig) {
		o := r.run(people(3, email))
		if o.word() != "service:rate_limited" || len(r.service.calls) != 10 {
			t.Errorf("stop %q after %d calls; want service:rate_limited after 10", o.word(), len(r.service.calls))
		}
	})
}
