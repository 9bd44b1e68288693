package pipeline_test

import (
	"testing"
	"time"

	"payonce/cost"
	"payonce/enrich"
)

// TestOneBurstOfTroubleIsOneSpell: what was in flight when the first of them was
// told to wait, or was cut off, says nothing new.
func TestOneBurstOfTroubleIsOneSpell(t *testing.T) {
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
		"attempt limit":                     {enrich.Refused{Class: enrich.StopRun, HTTPStatus: 429, Code: "attempt_limit_reached"}, time.Minute},
		"attempt limit with a Retry-After":  {enrich.Refused{Class: enrich.StopRun, HTTPStatus: 429, Code: "attempt_limit_reached", RetryAfter: 10 * time.Minute}, 10 * time.Minute},
		"maintenance that says how long":    {enrich.Refused{Class: enrich.StopRun, HTTPStatus: 503, Code: "service_misconfigured", RetryAfter: 5 * time.Minute}, 5 * time.Minute},
		"a key that is refused is no pause": {enrich.Refused{Class: enrich.StopRun, HTTPStatus: 401, Code: "invalid_api_key"}, 0},
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

// TestALossWaitsForTheNextLookAtTheAccount: an account that could not be read at the
// first loss is read again, and what was not charged is answered in the end.
func TestALossWaitsForTheNextLookAtTheAccount(t *testing.T) {
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
