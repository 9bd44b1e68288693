package simulation_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payonce/checkpoint"
	"payonce/checkpoint/attempt"
	"payonce/enrich"
	"payonce/io/service/v1"
	"payonce/pipeline/dispatch"
)

// gaps returns the times between the calls of a person.
func (s *scripted) gaps(who string) []time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	var gaps []time.Duration
	var last time.Time
	for _, c := range s.calls {
		if c.who != who {
			continue
		}
		if !last.IsZero() {
			gaps = append(gaps, c.at.Sub(last))
		}
		last = c.at
	}
	return gaps
}

func TestAPassingFaultIsRetriedTwiceWithBackOff(t *testing.T) {
	tests := map[string]struct {
		retryAfter time.Duration
		want       []time.Duration
	}{
		"its own back-off":           {0, []time.Duration{time.Second, 2 * time.Second}},
		"a longer wait that it asks": {5 * time.Second, []time.Duration{5 * time.Second, 5 * time.Second}},
		"a shorter one":              {1500 * time.Millisecond, []time.Duration{1500 * time.Millisecond, 2 * time.Second}},
	}
	for title, test := range tests {
		t.Run(title, func(t *testing.T) {
			script := func(c call) reply {
				if c.who == "p1" {
					return reply{verdict: enrich.Refused{Class: enrich.TryAgain, Code: "reservation_conflict", RetryAfter: test.retryAfter}}
				}
				return answers(0)
			}
			withRig(t, script, func(t *testing.T, r *rig) {
				o := r.run(people(3, email))
				if diff := cmp.Diff(test.want, r.service.gaps("p1")); diff != "" {
					t.Errorf("waits before the retries (-want +got):\n%s", diff)
				}
				if o.stop != nil || o.tally.GivenUp != 1 || o.tally.Answered != 2 || o.tally.Lookups != 3 || o.tally.Posts != 5 {
					t.Errorf("stop %v, tally %+v; want p1 given up after 3 POSTs and the others answered", o.stop, o.tally)
				}
				if got := r.state("p1", v1.WorkEmail); got != attempt.Unasked {
					t.Errorf("p1 is in state %d; the next run has to ask again", got)
				}
			})
		})
	}
}

func TestARetryThatSucceedsIsAnswered(t *testing.T) {
	script := func(c call) reply {
		if c.try < 3 {
			return refuses(0, enrich.TryAgain, "temporarily_unavailable")
		}
		return answers(0)
	}
	withRig(t, script, func(t *testing.T, r *rig) {
		if o := r.run(people(1, email)); o.stop != nil || o.tally.Answered != 1 || o.tally.GivenUp != 0 {
			t.Errorf("stop %v, tally %+v; want one answer", o.stop, o.tally)
		}
	})
}

func TestARowDoesNotWaitForAnothersRetry(t *testing.T) {
	script := func(c call) reply {
		if c.who == "p1" && c.try == 1 {
			return refuses(0, enrich.TryAgain, "temporarily_unavailable")
		}
		return answers(100 * time.Millisecond)
	}
	withRig(t, script, func(t *testing.T, r *rig) {
		r.run(people(3, email))
		if diff := cmp.Diff([]string{"p1", "p2", "p3", "p1"}, r.service.asked()); diff != "" {
			t.Errorf("asked (-want +got):\n%s", diff)
		}
	})
}

func TestFiveLookupsGivenUpInARowStop(t *testing.T) {
	script := func(call) reply { return refuses(0, enrich.TryAgain, "temporarily_unavailable") }
	withRig(t, script, func(t *testing.T, r *rig) {
		o := r.run(people(20, email))
		if o.word() != "service:temporarily_unavailable" || o.tally.GivenUp != 5 {
			t.Errorf("stop %q after %d given up; want service:temporarily_unavailable after 5", o.word(), o.tally.GivenUp)
		}
	})
}

func TestAStopSendsNothingElse(t *testing.T) {
	script := func(c call) reply {
		if c.who == "p3" {
			return refuses(5*time.Millisecond, enrich.StopRun, "credits_exhausted")
		}
		return answers(time.Second)
	}
	withRig(t, script, func(t *testing.T, r *rig) {
		r.concurrency = 4
		o := r.run(people(20, email))
		want := dispatch.ServiceRefused{Code: "credits_exhausted", Message: "no: credits_exhausted"}
		if diff := cmp.Diff(dispatch.Stop(want), o.stop); diff != "" {
			t.Errorf("stop (-want +got):\n%s", diff)
		}
		if len(r.service.calls) != 4 || o.tally.Answered != 3 {
			t.Errorf("%d calls and %d answers; want the 4 in flight at most, and their 3 answers", len(r.service.calls), o.tally.Answered)
		}
		if again := r.run(people(20, email)); again.tally.Posts != 4 {
			t.Errorf("running again sent %d POSTs; want p3 and the next three, with nothing paid twice", again.tally.Posts)
		}
	})
}

// TestAStopReleasesGrantedTickets has a refusal come between the decision about p2
// and the moment in which its intent is durable.
func TestAStopReleasesGrantedTickets(t *testing.T) {
	script := func(call) reply { return refuses(5*time.Millisecond, enrich.StopRun, "invalid_api_key") }
	withRig(t, script, func(t *testing.T, r *rig) {
		holdTheSecondTicketBack(r)
		o := r.run(people(4, email))
		if diff := cmp.Diff([]string{"p1"}, r.service.asked()); diff != "" {
			t.Errorf("asked (-want +got):\n%s", diff)
		}
		if held := r.resolution(2); held.State != attempt.Released || held.Sent {
			t.Errorf("the ticket that was not sent ended as %+v; want voided, not sent", held)
		}
		if o.word() != "service:invalid_api_key" || o.tally.Posts != 1 {
			t.Errorf("stop %q, %d POSTs; want service:invalid_api_key and 1", o.word(), o.tally.Posts)
		}
	})
}

func TestA400RejectsTheRowAlone(t *testing.T) {
	script := func(c call) reply {
		if c.who == "p2" {
			return refuses(0, enrich.InvalidInput, "invalid_identifiers")
		}
		return answers(0)
	}
	withRig(t, script, func(t *testing.T, r *rig) {
		o := r.run(people(3, email))
		if o.stop != nil || o.tally.Rejected != 1 || o.tally.Answered != 2 || o.tally.Lookups != 3 {
			t.Errorf("stop %v, tally %+v; want 1 rejected and 2 answered", o.stop, o.tally)
		}
		if got := r.state("p2", v1.WorkEmail); got != attempt.Rejected {
			t.Errorf("p2 is in state %d, want rejected", got)
		}
		r.run(people(3, email))
		if diff := cmp.Diff(names(3), r.service.asked()); diff != "" {
			t.Errorf("asked in both runs (-want +got):\n%s", diff)
		}
	})
}

func TestRejectionsInARowStop(t *testing.T) {
	tests := map[string]struct {
		codes string // of p1, p2, …: a letter for a code, "." for an answer
		want  string
		asked int
	}{
		"five of one code":         {"aaaaa.....", "service:a", 5},
		"four of one code":         {"aaaa......", "", 10},
		"an answer in between":     {"aaaa.aaaa.", "", 10},
		"another code in between":  {"aaaabaaaa.", "", 10},
		"five after another code":  {"bbaaaaa...", "service:a", 7},
		"alternating codes":        {"ababababab", "", 10},
		"five after an answer too": {"aaa.aaaaa.", "service:a", 9},
	}
	for title, test := range tests {
		t.Run(title, func(t *testing.T) {
			script := func(c call) reply {
				if code := test.codes[c.n-1]; code != '.' {
					return refuses(0, enrich.InvalidInput, string(code))
				}
				return answers(0)
			}
			withRig(t, script, func(t *testing.T, r *rig) {
				if o := r.run(people(10, email)); o.word() != test.want || len(r.service.calls) != test.asked {
					t.Errorf("stop %q after %d calls; want %q after %d", o.word(), len(r.service.calls), test.want, test.asked)
				}
			})
		})
	}
}

func TestWhatWasNotSentIsRepeated(t *testing.T) {
	tests := map[string]struct {
		fails string // of the calls: "x" for one that was not sent, "." for an answer
		want  string
		calls int
	}{
		"until it is answered":          {"xxxx..", "", 6},
		"five in a row stop":            {"xxxxx.", "service:unreachable", 5},
		"an answer in between resets":   {"xxxx.xxxx.", "", 10},
		"five after an answer stop too": {".xxxxx", "service:unreachable", 6},
	}
	for title, test := range tests {
		t.Run(title, func(t *testing.T) {
			script := func(c call) reply {
				if test.fails[c.n-1] == 'x' {
					return unsent()
				}
				return answers(0)
			}
			withRig(t, script, func(t *testing.T, r *rig) {
				o := r.run(people(2, email))
				if o.word() != test.want || len(r.service.calls) != test.calls {
					t.Errorf("stop %q after %d calls; want %q after %d", o.word(), len(r.service.calls), test.want, test.calls)
				}
				if o.tally.Posts != o.tally.Answered {
					t.Errorf("%d POSTs counted for %d answers: nothing else was sent", o.tally.Posts, o.tally.Answered)
				}
				if held := r.journal.Totals("all").Held.Money(); held != 0 {
					t.Errorf("%s is still held for what was not sent", held)
				}
			})
		})
	}
}

func TestOnlyPassingFaultsCountAsTries(t *testing.T) {
	others := map[string]reply{"429": slowsDown(0, time.Second), "not sent": unsent()}
	for title, other := range others {
		t.Run(title, func(t *testing.T) {
			script := func(c call) reply {
				switch {
				case c.try <= 3:
					return other
				case c.try <= 5:
					return refuses(0, enrich.TryAgain, "temporarily_unavailable")
				default:
					return answers(0)
				}
			}
			withRig(t, script, func(t *testing.T, r *rig) {
				if o := r.run(people(1, email)); o.stop != nil || o.tally.Answered != 1 {
					t.Errorf("stop %v, tally %+v; want an answer at the second retry", o.stop, o.tally)
				}
			})
		})
	}
}

func TestWhatWasNotSentIsRepeatedWithBackOff(t *testing.T) {
	script := func(c call) reply {
		if c.try <= 4 {
			return unsent()
		}
		return answers(0)
	}
	withRig(t, script, func(t *testing.T, r *rig) {
		r.run(people(1, email))
		want := []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second}
		if diff := cmp.Diff(want, r.service.gaps("p1")); diff != "" {
			t.Errorf("waits (-want +got):\n%s", diff)
		}
	})
}

// TestASlotIsTakenByWhatWasSentOnly has a window of one lookup a minute.
func TestASlotIsTakenByWhatWasSentOnly(t *testing.T) {
	tests := map[string]struct {
		first reply
		want  time.Duration
	}{
		"a rejection was sent": {refuses(0, enrich.InvalidInput, "invalid_identifiers"), time.Minute},
		"a 5xx was sent":       {refuses(0, enrich.TryAgain, "temporarily_unavailable"), time.Minute},
		"nothing was sent":     {unsent(), 0},
	}
	for title, test := range tests {
		t.Run(title, func(t *testing.T) {
			script := func(c call) reply {
				if c.n == 1 {
					return test.first
				}
				return answers(0)
			}
			withRig(t, script, func(t *testing.T, r *rig) {
				r.rate = checkpoint.Rate{Slots: 1, Window: time.Minute}
				r.open()
				r.run(people(2, email))
				if got := r.service.calls[1].at.Sub(r.service.calls[0].at); got != test.want {
					t.Errorf("the second call came after %s, want %s", got, test.want)
				}
			})
		})
	}
}

func TestRetriesAreSentInTheOrderOfTheirTimes(t *testing.T) {
	script := func(c call) reply {
		switch {
		case c.try > 1:
			return answers(0)
		case c.who == "p1":
			return reply{verdict: enrich.Refused{Class: enrich.TryAgain, Code: "reservation_conflict", RetryAfter: 10 * time.Second}}
		default:
			return refuses(0, enrich.TryAgain, "reservation_conflict")
		}
	}
	withRig(t, script, func(t *testing.T, r *rig) {
		r.run(people(2, email))
		if got := [][]time.Duration{r.service.gaps("p1"), r.service.gaps("p2")}; !cmp.Equal(got, [][]time.Duration{{10 * time.Second}, {time.Second}}) {
			t.Errorf("waits of p1 and p2: %v, want 10s and 1s", got)
		}
	})
}
