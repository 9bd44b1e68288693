package simulation_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"payonce/cost"
	"payonce/enrich"
	"payonce/pipeline/dispatch"
)

// TestFailuresInFlightTogetherCountAsOne: what was in flight when the first of them was
// told to wait, or was cut off, says nothing new.
func TestFailuresInFlightTogetherCountAsOne(t *testing.T) {
	for title, trouble := range map[string]reply{
		"429":      slowsDown(300*time.Millisecond, 2*time.Second),
		"not sent": unsent(),
		"lost":     loses(300*time.Millisecond, 0),
	} {
		t.Run(title, func(t *testing.T) {
			script := func(c call) reply {
				if c.n <= 16 {
					return trouble
				}
				return answers(300 * time.Millisecond)
			}
			withRig(t, script, func(t *testing.T, r *rig) {
				r.concurrency = 16
				r.store.latency = time.Millisecond // all sixteen leave together
				if o := r.run(people(80, email)); o.stop != nil || o.tally.Answered != 80 {
					t.Errorf("stop %q, tally %+v; want all answered after one bad moment", o.word(), o.tally)
				}
			})
		})
	}
}

// TestARetryAfterIsKeptByTheNextStart: whatever the refusal, nothing is sent inside
// a Retry-After, nor within a minute of any 429.
func TestARetryAfterIsKeptByTheNextStart(t *testing.T) {
	for title, c := range map[string]struct {
		refusal enrich.Refused
		want    time.Duration
	}{
		"attempt limit":                        {enrich.Refused{Class: enrich.StopRun, HTTPStatus: 429, Pause: true, Code: "attempt_limit_reached"}, time.Minute},
		"attempt limit with a Retry-After":     {enrich.Refused{Class: enrich.StopRun, HTTPStatus: 429, Pause: true, Code: "attempt_limit_reached", RetryAfter: 10 * time.Minute}, 10 * time.Minute},
		"maintenance that says how long":       {enrich.Refused{Class: enrich.StopRun, HTTPStatus: 503, Code: "service_misconfigured", RetryAfter: 5 * time.Minute}, 5 * time.Minute},
		"a key that is refused is not a pause": {enrich.Refused{Class: enrich.StopRun, HTTPStatus: 401, Code: "invalid_api_key"}, 0},
	} {
		t.Run(title, func(t *testing.T) {
			script := func(call call) reply {
				if call.n == 1 {
					return reply{verdict: c.refusal}
				}
				return answers(0)
			}
			withRig(t, script, func(t *testing.T, r *rig) {
				r.run(people(1, email))
				r.open()
				if o := r.run(people(1, email)); o.tally.Answered != 1 {
					t.Fatalf("stop %q, tally %+v", o.word(), o.tally)
				}
				if gap := r.service.gaps("p1")[0]; gap < c.want || gap > c.want+time.Second {
					t.Errorf("asked again after %s, want %s", gap, c.want)
				}
			})
		})
	}
}

// TestTheRetryAfterOfALostResponseIsKeptByTheNextStart: the page of a gateway may ask to
// wait as well. The start that it was sent to ends before it could wait.
func TestTheRetryAfterOfALostResponseIsKeptByTheNextStart(t *testing.T) {
	const wait = time.Hour
	script := func(c call) reply {
		if c.n == 1 {
			return reply{verdict: enrich.Lost{Err: errReset, RetryAfter: wait}}
		}
		return answers(0)
	}
	withRig(t, script, func(t *testing.T, r *rig) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if o := r.runWith(ctx, people(2, email)); o.tally.Lost != 1 || len(r.service.calls) != 1 {
			t.Fatalf("%d calls, tally %+v; want one, and that lost", len(r.service.calls), o.tally)
		}
		r.open()
		if o := r.run(people(2, email)[1:]); o.tally.Answered != 1 {
			t.Fatalf("stop %q, tally %+v", o.word(), o.tally)
		}
		if gap := r.service.calls[1].at.Sub(r.service.calls[0].at); gap < wait || gap > wait+time.Second {
			t.Errorf("the next start sends after %s, want %s", gap, wait)
		}
	})
}

// TestTheRetryAfterOfALostResponseDelaysGrantedCalls: who was granted leave before as well.
func TestTheRetryAfterOfALostResponseDelaysGrantedCalls(t *testing.T) {
	script := func(c call) reply {
		if c.n == 1 {
			return reply{took: 5 * time.Millisecond, verdict: enrich.Lost{Err: errReset, RetryAfter: time.Hour}}
		}
		return answers(time.Millisecond)
	}
	withRig(t, script, func(t *testing.T, r *rig) {
		holdTheSecondTicketBack(r)
		if o := r.run(people(4, email)); o.stop != nil || o.tally.Answered != 4 {
			t.Fatalf("stop %q, tally %+v; want all answered", o.word(), o.tally)
		}
		if gap := r.service.calls[1].at.Sub(r.service.calls[0].at); gap < time.Hour {
			t.Errorf("the second was sent after %s, want an hour", gap)
		}
	})
}

// TestAWaitOfMoreThanADayEndsTheRun: it is not waited for, whoever asks for it and
// however, and no start sends anything before it is over.
func TestAWaitOfMoreThanADayEndsTheRun(t *testing.T) {
	const month = 30 * 24 * time.Hour
	for title, verdict := range map[string]enrich.Verdict{
		"slow down":     enrich.Refused{Class: enrich.SlowDown, Code: "rate_limited", RetryAfter: month},
		"try again":     enrich.Refused{Class: enrich.TryAgain, Code: "temporarily_unavailable", RetryAfter: month},
		"invalid input": enrich.Refused{Class: enrich.InvalidInput, Code: "invalid_identifiers", RetryAfter: month},
		"lost":          enrich.Lost{Err: errReset, RetryAfter: month},
	} {
		t.Run(title, func(t *testing.T) {
			script := func(c call) reply {
				if c.n == 1 {
					return reply{verdict: verdict}
				}
				return answers(0)
			}
			withRig(t, script, func(t *testing.T, r *rig) {
				began := time.Now()
				until := began.Add(month).UTC().Format("2006-01-02 15:04 MST")
				for range 2 {
					stop, ok := r.run(people(2, email)).stop.(dispatch.ServiceRefused)
					if !ok || stop.Code != "asked_to_wait" || !strings.Contains(stop.Message, until) {
						t.Errorf("stop %+v, want one that says to wait until %s", stop, until)
					}
					r.open()
				}
				if n, took := len(r.service.calls), time.Since(began); n != 1 || took > time.Hour {
					t.Errorf("%d lookups were sent and %s passed; want one, and no waiting", n, took)
				}
				<-time.After(time.Until(began.Add(month)))
				if o := r.run(people(2, email)); o.stop != nil || len(r.service.calls) < 2 {
					t.Errorf("stop %q, %d calls; want the run to go on after a month", o.word(), len(r.service.calls))
				}
			})
		})
	}
}

// TestARunSaysUntilWhenTheServiceDoesNotServeIt: whoever starts it again needs the time.
func TestARunSaysUntilWhenTheServiceDoesNotServeIt(t *testing.T) {
	const wait = 20 * time.Minute
	began := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC) // of every test with virtual time
	for title, verdict := range map[string]enrich.Verdict{
		"slow down": enrich.Refused{Class: enrich.SlowDown, Code: "rate_limited", RetryAfter: wait},
		"limit":     enrich.Refused{Class: enrich.StopRun, Code: "limits.daily", Limit: enrich.Limit{Module: "contacts", Until: began.Add(wait)}},
	} {
		t.Run(title, func(t *testing.T) {
			withRig(t, func(call) reply { return reply{verdict: verdict} }, func(t *testing.T, r *rig) {
				r.longestPause = 10 * time.Minute
				stop, ok := r.run(people(2, email)).stop.(dispatch.ServiceRefused)
				if !ok || !stop.Until.Equal(began.Add(wait)) || time.Since(began) > time.Minute {
					t.Errorf("stop %+v after %s, want until %s at once", stop, time.Since(began), began.Add(wait))
				}
				if isLimit := title == "limit"; isLimit != (stop.Module == "contacts") {
					t.Errorf("the limit is said to be one of the module %q", stop.Module)
				}
			})
		})
	}
}

// TestAFaultWithALongWaitEndsTheRun has nothing left to do but the retry.
func TestAFaultWithALongWaitEndsTheRun(t *testing.T) {
	script := func(call) reply {
		return reply{verdict: enrich.Refused{Class: enrich.TryAgain, Code: "temporarily_unavailable", RetryAfter: 100 * 365 * 24 * time.Hour}}
	}
	withRig(t, script, func(t *testing.T, r *rig) {
		began := time.Now()
		if o := r.run(people(1, email)); o.word() != "service:asked_to_wait" || time.Since(began) > time.Hour {
			t.Errorf("stop %q after %s, want it soon and because of the wait", o.word(), time.Since(began))
		}
		r.open()
		if _, err := r.journal.EndPause(); err != nil {
			t.Fatal(err)
		}
		r.open()
		if o := r.run(people(1, email)); o.word() != "service:asked_to_wait" || len(r.service.calls) != 2 {
			t.Errorf("stop %q, %d calls; want the second to be sent once somebody has ended the wait", o.word(), len(r.service.calls))
		}
	})
}

// TestALossIsDecidedByALaterReadingWhenTheFirstFails: an account that could not be read at the
// first loss is read again, and what was not charged is answered in the end.
func TestALossIsDecidedByALaterReadingWhenTheFirstFails(t *testing.T) {
	withRig(t, losesFirst(0, "p1"), func(t *testing.T, r *rig) {
		r.service.status = func(n int, account cost.Account) (cost.Account, error) {
			if n <= 12 {
				return cost.Account{}, errReset
			}
			return account, nil
		}
		if o := r.run(people(3, email)); o.stop != nil || o.tally.Answered != 3 || o.tally.InDoubt != 0 {
			t.Errorf("stop %q, tally %+v; want all answered", o.word(), o.tally)
		}
	})
}

// TestTheSettleDelayCountsFromTheLastAnswer: an account that lags behind an answer
// would hide the charge of a lost call.
func TestTheSettleDelayCountsFromTheLastAnswer(t *testing.T) {
	script := func(c call) reply {
		if c.who == "p1" {
			return loses(time.Second, 0)
		}
		return answers(20 * time.Second)
	}
	withRig(t, script, func(t *testing.T, r *rig) {
		r.concurrency = 2
		r.run(people(2, email))
		answered := r.service.calls[1].at.Add(20 * time.Second)
		if read := r.service.reads[0]; read.Sub(answered) < settleDelay {
			t.Errorf("the account was looked at %s after the last answer, want %s", read.Sub(answered), settleDelay)
		}
	})
}
