package simulation_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payonce/checkpoint"
	"payonce/checkpoint/attempt"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/service/v1"
	"payonce/pipeline/dispatch"
)

// losesFirst loses the first response for some people and answers everything else.
func losesFirst(charged enrich.Fields, who ...string) func(call) reply {
	return func(c call) reply {
		if c.try == 1 && slices.Contains(who, c.who) {
			return loses(time.Second, charged)
		}
		return answers(time.Second)
	}
}

func TestALossThatWasNotChargedIsAskedAgain(t *testing.T) {
	withRig(t, losesFirst(0, "p2"), func(t *testing.T, r *rig) {
		o := r.run(people(5, email))
		if o.stop != nil || o.tally.Lost != 1 || o.tally.Answered != 5 || o.tally.Posts != 6 {
			t.Errorf("stop %v, tally %+v; want 1 lost and all 5 answered in 6 POSTs", o.stop, o.tally)
		}
		if want := 5 * prices[v1.WorkEmail]; r.service.charged != want || o.tally.Spent != want {
			t.Errorf("charged %s, counted %s; want %s", r.service.charged, o.tally.Spent, want)
		}
		if waited := r.service.gaps("p2")[0]; waited < settleDelay {
			t.Errorf("p2 was asked again after %s; the account settles for %s", waited, settleDelay)
		}
	})
}

// TestNotesUseSingularAndPlural: one response was lost, or two were.
func TestNotesUseSingularAndPlural(t *testing.T) {
	for want, lost := range map[string][]string{"1 response was lost: ": {"p1"}, "2 responses were lost: ": {"p1", "p2"}} {
		withRig(t, losesFirst(0, lost...), func(t *testing.T, r *rig) {
			r.concurrency = 2
			if r.run(people(2, email)); len(r.notes) == 0 || !strings.HasPrefix(r.notes[0], want) {
				t.Errorf("notes %q, want the first to begin with %q", r.notes, want)
			}
		})
	}
}

func TestALossThatWasChargedIsForfeitedAndNeverAskedAgain(t *testing.T) {
	withRig(t, losesFirst(email, "p2"), func(t *testing.T, r *rig) {
		for run := range 2 {
			o := r.run(people(5, email))
			if o.stop != nil || r.service.triesOf("p2") != 1 {
				t.Fatalf("run %d: stop %v, p2 was asked %d times, want once", run+1, o.stop, r.service.triesOf("p2"))
			}
			if run == 0 && (o.tally.Forfeited != 1 || o.tally.Answered != 4 || o.tally.Spent != r.service.charged) {
				t.Errorf("tally %+v, charged %s; want 1 forfeited, 4 answered and all of it counted", o.tally, r.service.charged)
			}
		}
		if got := r.state("p2", v1.WorkEmail); got != attempt.PaidAndGone {
			t.Errorf("p2 is in state %d, want paid and gone", got)
		}
	})
}

func TestTheUnchargedFieldsOfALostCallAreAskedAgain(t *testing.T) {
	withRig(t, losesFirst(email, "p1"), func(t *testing.T, r *rig) {
		o := r.run(people(1, v1.AllFields))
		if o.tally.Answered != 1 || o.tally.Forfeited != 0 || o.tally.Spent != r.service.charged {
			t.Errorf("tally %+v, charged %s; want the rest answered and all of it counted", o.tally, r.service.charged)
		}
		if len(r.service.calls) != 2 || r.service.calls[1].fields != phone {
			t.Errorf("calls %+v; want both fields, then the phone alone", r.service.calls)
		}
		want := enrich.ByField[attempt.FieldState]{v1.WorkEmail: attempt.PaidAndGone, v1.BusinessPhone: attempt.Found}
		if diff := cmp.Diff(want, r.record("p1").States); diff != "" {
			t.Errorf("states (-want +got):\n%s", diff)
		}
	})
}

// TestASharedAccountProvesOnlyThatALossWasNotCharged: what it lost somebody else may have
// spent. A loss that was not charged is asked again; one that was charged stays in doubt.
func TestASharedAccountProvesOnlyThatALossWasNotCharged(t *testing.T) {
	for name, c := range map[string]struct {
		charged        enrich.Fields
		tries          int
		answered, left int64
	}{
		"not charged": {charged: 0, tries: 2, answered: 2},
		"charged":     {charged: email, tries: 1, answered: 1, left: 1},
	} {
		t.Run(name, func(t *testing.T) {
			withRig(t, losesFirst(c.charged, "p1"), func(t *testing.T, r *rig) {
				r.shared = true
				for range 2 {
					if o := r.run(people(2, email)); o.stop != nil {
						t.Fatalf("stop %v", o.stop)
					}
				}
				if got := r.service.triesOf("p1"); got != c.tries {
					t.Errorf("p1 was asked %d times, want %d", got, c.tries)
				}
				if count, _ := r.journal.InDoubt("run"); int64(count) != c.left {
					t.Errorf("%d are in doubt, want %d", count, c.left)
				}
				if totals := r.journal.Totals(checkpoint.RunScope("run")); totals.Lookups != c.answered || totals.Forfeited != 0 {
					t.Errorf("%d answered and %d forfeited, want %d and none", totals.Lookups, totals.Forfeited, c.answered)
				}
			})
		})
	}
}

// undecidable loses p1 and p2 together and charges one of them, so that the account
// cannot tell which.
func undecidable(c call) reply {
	switch {
	case c.who == "p1" && c.try == 1:
		return loses(time.Second, email)
	case c.who == "p2" && c.try == 1:
		return loses(time.Second, 0)
	default:
		return answers(time.Second)
	}
}

func TestAnUndecidedLossStaysInDoubtAndTheOtherRowsGoOn(t *testing.T) {
	withRig(t, undecidable, func(t *testing.T, r *rig) {
		r.concurrency = 2
		for run := range 2 {
			o := r.run(people(6, email))
			if o.stop != nil || r.service.triesOf("p1") != 1 || r.service.triesOf("p2") != 1 {
				t.Fatalf("run %d: stop %v, p1 asked %d times, p2 %d times; want once each",
					run+1, o.stop, r.service.triesOf("p1"), r.service.triesOf("p2"))
			}
			if run == 0 && (o.tally.InDoubt != 2 || o.tally.Answered != 4 || o.tally.Lookups != 6) {
				t.Errorf("tally %+v; want 2 in doubt and 4 answered", o.tally)
			}
		}
		if count, held := r.journal.InDoubt("run"); count != 2 || held != 15*cost.Cent {
			t.Errorf("%d in doubt hold %s; want 2 and the 0.15 that is gone", count, held)
		}
		if !strings.Contains(strings.Join(r.notes, "\n"), "more than one explanation fits") {
			t.Errorf("notes %q do not say why", r.notes)
		}
	})
}

func TestHoldsInDoubtCountAgainstTheCeiling(t *testing.T) {
	withRig(t, undecidable, func(t *testing.T, r *rig) {
		r.concurrency = 2
		r.maxSpend(60 * cost.Cent)
		o := r.run(people(6, email))
		if o.word() != "ceiling:max-spend" || o.tally.Answered != 3 || r.service.charged > 60*cost.Cent {
			t.Errorf("stop %q, %d answers, charged %s; want 3 answers beside 2 doubts of which one was charged", o.word(), o.tally.Answered, r.service.charged)
		}
	})
}

func TestALossStaysInDoubtWithoutAReadableAccount(t *testing.T) {
	tests := map[string]struct {
		status func(int, cost.Account) (cost.Account, error)
		why    string
		reads  int
	}{
		"it cannot be read": {
			func(int, cost.Account) (cost.Account, error) { return cost.Account{}, errors.New("HTTP 503") },
			"cannot be read: HTTP 503", 24, // once at the loss and once at the end
		},
		"it never comes to rest": {
			func(_ int, account cost.Account) (cost.Account, error) {
				account.Balance.Reserved = cost.Known(cost.Cent)
				return account, nil
			},
			"reports reservations", 24,
		},
		"it leaves the balance out": {
			func(int, cost.Account) (cost.Account, error) { return cost.Account{}, nil },
			"does not show", 1,
		},
	}
	for title, test := range tests {
		t.Run(title, func(t *testing.T) {
			withRig(t, losesFirst(0, "p1"), func(t *testing.T, r *rig) {
				r.service.status = test.status
				o := r.run(people(3, email))
				if o.stop != nil || o.tally.InDoubt != 1 || o.tally.Answered != 2 || r.service.triesOf("p1") != 1 {
					t.Errorf("stop %v, tally %+v; want p1 in doubt and the others answered", o.stop, o.tally)
				}
				if len(r.service.reads) != test.reads || !strings.Contains(strings.Join(r.notes, "\n"), test.why) {
					t.Errorf("%d reads, notes %q; want %d reads and a note with %q", len(r.service.reads), r.notes, test.reads, test.why)
				}
			})
		})
	}
}

func TestALossIsDecidedOnlyWithoutReservations(t *testing.T) {
	withRig(t, losesFirst(email, "p1"), func(t *testing.T, r *rig) {
		r.service.status = func(read int, account cost.Account) (cost.Account, error) {
			if read <= 3 { // the lost call is not charged before the third look
				account.FreeReserved[v1.WorkEmail] = cost.Known(int64(1))
				account.Balance.Available.Value += prices[v1.WorkEmail]
			}
			return account, nil
		}
		o := r.run(people(2, email))
		if o.tally.Forfeited != 1 || r.service.triesOf("p1") != 1 || len(r.service.reads) != 4 {
			t.Errorf("tally %+v after %d reads; want p1 forfeited at the fourth", o.tally, len(r.service.reads))
		}
	})
}

// TestNothingIsSentWhileTheAccountSettles also shows that losses of one moment
// share one reconciliation.
func TestNothingIsSentWhileTheAccountSettles(t *testing.T) {
	withRig(t, losesFirst(0, "p1", "p2", "p3"), func(t *testing.T, r *rig) {
		r.concurrency = 6
		start := time.Now()
		o := r.run(people(30, email))
		if o.stop != nil || o.tally.Answered != 30 || o.tally.Lost != 3 {
			t.Fatalf("stop %v, tally %+v; want 3 lost and 30 answered", o.stop, o.tally)
		}
		if len(r.service.reads) != 1 {
			t.Errorf("the account was read %d times; three losses together need one look", len(r.service.reads))
		}
		// At 1 s the first result of the first six is a loss; the others drain.
		from, until := start.Add(time.Second), start.Add(time.Second+settleDelay)
		for _, c := range r.service.calls {
			if c.at.After(from) && c.at.Before(until) {
				t.Errorf("%s was asked %s after the loss", c.who, c.at.Sub(from))
			}
		}
	})
}

// waits returns how long nothing was in flight for as long as the account settles.
func (s *scripted) waits() time.Duration {
	var waits time.Duration
	for i := range len(s.calls) - 1 {
		if gap := s.calls[i+1].at.Sub(s.calls[i].at); gap >= settleDelay {
			waits += gap
		}
	}
	return waits
}

func TestWaitingForTheAccountTakesASixthOfTheRunAtMost(t *testing.T) {
	script := func(c call) reply {
		if c.n%10 == 0 {
			return loses(3*time.Second, 0)
		}
		return answers(3 * time.Second)
	}
	withRig(t, script, func(t *testing.T, r *rig) {
		start := time.Now()
		o := r.run(people(600, email))
		if o.stop != nil || o.tally.Answered+o.tally.GivenUp != 600 {
			t.Fatalf("stop %v, tally %+v; want the run to go on to its end", o.stop, o.tally)
		}
		took := time.Since(start)
		// The first loss is settled at once and the last ones at the end.
		if waits := r.service.waits(); waits > took/6+2*settleDelay || waits < took/12 {
			t.Errorf("waited %s of %s; want a sixth at most, and more than a twelfth with that many losses", waits, took)
		}
	})
}

// TestACeilingIsNotCalledReachedWhileALossMayGiveBack has the money for two: p1,
// whose loss is settled at once, and p3, whose loss would wait and which comes back
// empty when it is asked again, before p4.
func TestACeilingIsNotCalledReachedWhileALossMayGiveBack(t *testing.T) {
	script := func(c call) reply {
		if c.who == "p2" || c.who == "p3" && c.try == 2 {
			return answersWith(time.Second, 0)
		}
		return losesFirst(0, "p1", "p3")(c)
	}
	withRig(t, script, func(t *testing.T, r *rig) {
		r.maxSpend(30 * cost.Cent)
		o := r.run(people(4, email))
		if o.stop != nil || o.tally.Answered != 4 {
			t.Errorf("stop %q, tally %+v; want all 4 answered: neither loss was charged", o.word(), o.tally)
		}
	})
}

// TestASettledLossIsAskedAgainInTheListsOrder has the money for one more: p3, whose
// loss was not charged, comes before p4.
func TestASettledLossIsAskedAgainInTheListsOrder(t *testing.T) {
	withRig(t, losesFirst(0, "p1", "p3"), func(t *testing.T, r *rig) {
		r.maxSpend(45 * cost.Cent)
		o := r.run(people(4, email))
		if o.word() != "ceiling:max-spend" || o.tally.Answered != 3 {
			t.Errorf("stop %q, tally %+v; want 3 answered", o.word(), o.tally)
		}
		var order []string
		for _, c := range r.service.calls {
			order = append(order, c.who)
		}
		if diff := cmp.Diff([]string{"p1", "p1", "p2", "p3", "p3"}, order); diff != "" {
			t.Errorf("order of the calls (-want +got):\n%s", diff)
		}
	})
}

func TestContinuedLossesStopTheRun(t *testing.T) {
	tests := map[string]struct {
		lost  func(n int) bool
		calls int
	}{
		"five in a row": {func(n int) bool { return n > 10 }, 15},
		// Every third of 60 is one more than a quarter and makes twenty.
		"twenty and more than a quarter": {func(n int) bool { return n%3 == 0 }, 60},
	}
	for title, test := range tests {
		t.Run(title, func(t *testing.T) {
			script := func(c call) reply {
				if test.lost(c.n) {
					return loses(time.Second, 0)
				}
				return answers(time.Second)
			}
			withRig(t, script, func(t *testing.T, r *rig) {
				o := r.run(people(500, email))
				if o.word() != "service:responses_lost" || len(r.service.calls) != test.calls {
					t.Errorf("stop %q after %d calls; want service:responses_lost after %d", o.word(), len(r.service.calls), test.calls)
				}
				if count, _ := r.journal.InDoubt("run"); count != 0 {
					t.Errorf("%d lookups left in doubt; a run that stops settles its losses first", count)
				}
			})
		})
	}
}

// TestALossThatWillGoOnStopsAtOnce: the response to the third call says that every other call would be lost too. The
// calls in flight are waited for, and the account decides about the lost ones.
func TestALossThatWillGoOnStopsAtOnce(t *testing.T) {
	for name, charged := range map[string]enrich.Fields{"not charged": 0, "charged": email} {
		t.Run(name, func(t *testing.T) {
			script := func(c call) reply {
				if c.n < 3 {
					return answers(time.Second)
				}
				return reply{time.Second, enrich.Lost{Err: errReset, Stop: "unknown_route"}, charged}
			}
			withRig(t, script, func(t *testing.T, r *rig) {
				o := r.run(people(500, email))
				refused, _ := o.stop.(dispatch.ServiceRefused)
				if refused.Code != "unknown_route" || refused.Message != errReset.Error() || len(r.service.reads) == 0 {
					t.Errorf("stop %+v, %d readings of the account; want one that says what came", o.stop, len(r.service.reads))
				}
				if calls := len(r.service.calls); calls > 2+r.concurrency {
					t.Errorf("%d calls were sent, want no more after the first loss", calls)
				}
				left, _ := r.journal.InDoubt("run")
				totals := r.journal.Totals(r.journal.Number().Scope(checkpoint.ScopeAll))
				if charged == 0 && (left != 0 || totals.Held[cost.USD] != 0) {
					t.Errorf("%d calls are in doubt and %d is held; they were not charged", left, totals.Held[cost.USD])
				}
				if known := totals.Settled[cost.USD] + totals.Held[cost.USD]; known < int64(r.service.charged) {
					t.Errorf("%d was charged, and the journal has %d settled and held", r.service.charged, known)
				}
			})
		})
	}
}

func TestAFewLossesDoNotStopTheRun(t *testing.T) {
	tests := map[string]func(n int) bool{
		"four in a row":       func(n int) bool { return n%50 < 4 },
		"a quarter, for long": func(n int) bool { return n%4 == 0 },
	}
	for title, lost := range tests {
		t.Run(title, func(t *testing.T) {
			script := func(c call) reply {
				if lost(c.n) {
					return loses(time.Second, 0)
				}
				return answers(time.Second)
			}
			withRig(t, script, func(t *testing.T, r *rig) {
				o := r.run(people(200, email))
				if o.stop != nil || o.tally.Answered+o.tally.GivenUp != 200 {
					t.Errorf("stop %v, tally %+v; want the run to go on to its end", o.stop, o.tally)
				}
			})
		})
	}
}

func TestALookupLostThreeTimesIsGivenUp(t *testing.T) {
	script := func(c call) reply {
		if c.who == "p1" {
			return loses(0, 0)
		}
		return answers(0)
	}
	withRig(t, script, func(t *testing.T, r *rig) {
		o := r.run(people(2, email))
		if o.stop != nil || r.service.triesOf("p1") != 3 || o.tally.GivenUp != 1 || o.tally.Answered != 1 || o.tally.Lookups != 2 {
			t.Errorf("stop %v, %d tries of p1, tally %+v; want p1 given up after 3", o.stop, r.service.triesOf("p1"), o.tally)
		}
	})
}

func TestAnInterruptLeavesLossesToTheNextStart(t *testing.T) {
	withRig(t, losesFirst(email, "p1"), func(t *testing.T, r *rig) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		o := r.runWith(ctx, people(2, email))
		if o.err != nil || o.word() != "interrupted" || o.tally.InDoubt != 1 || len(r.service.reads) != 0 {
			t.Fatalf("stop %q, error %v, tally %+v, %d reads; want p1 in doubt without a look", o.word(), o.err, o.tally, len(r.service.reads))
		}
		r.open()
		reconciler := r.lookups().Reconciler
		if got := reconciler.Pending(); got != 1 {
			t.Fatalf("%d doubts pending at the next start, want 1", got)
		}
		reconciled, err := reconciler.Reconcile(t.Context())
		if err != nil || reconciled.Why != "" || len(reconciled.Cases) != 1 || reconciled.Cases[0].Result != cost.Charged {
			t.Errorf("results %+v, error %v; want p1 charged", reconciled, err)
		}
		if o := r.run(people(2, email)); r.service.triesOf("p1") != 1 || o.tally.Answered != 1 {
			t.Errorf("p1 was asked %d times, tally %+v; want once, and p2 answered", r.service.triesOf("p1"), o.tally)
		}
	})
}

// TestAClockSetBackDoesNotStretchTheSettleDelay opens a journal whose doubt lies
// in what is now the future.
func TestAClockSetBackDoesNotStretchTheSettleDelay(t *testing.T) {
	withRig(t, losesFirst(0, "p1"), func(t *testing.T, r *rig) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		r.runWith(ctx, people(1, email))
		reconciler := r.lookups().Reconciler
		reconciler.Now = func() time.Time { return time.Now().Add(-time.Hour) }
		start := time.Now()
		if _, err := reconciler.Reconcile(t.Context()); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); took != settleDelay {
			t.Errorf("waited %s, want %s", took, settleDelay)
		}
	})
}
