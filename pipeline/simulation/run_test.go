package simulation_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"payonce/checkpoint"
	"payonce/checkpoint/attempt"
	"payonce/enrich"
	"payonce/io/service/v1"
	"payonce/pipeline/dispatch"
)

func TestConcurrencyIsUsedAndKept(t *testing.T) {
	for _, concurrency := range []int{1, 3, 8} {
		withRig(t, func(call) reply { return answers(time.Second) }, func(t *testing.T, r *rig) {
			r.concurrency = concurrency
			r.run(people(24, email))
			if r.service.most != concurrency {
				t.Errorf("%d calls in flight, want %d", r.service.most, concurrency)
			}
		})
	}
}

func TestLookupsAreBegunInTheListsOrder(t *testing.T) {
	script := func(c call) reply { return answers(time.Duration(c.n%5) * 100 * time.Millisecond) }
	withRig(t, script, func(t *testing.T, r *rig) {
		r.concurrency = 4
		r.run(people(30, email))
		var ids []attempt.ID
		for _, who := range names(30) {
			ids = append(ids, r.record(who).Attempts[v1.WorkEmail])
		}
		if !slices.IsSorted(ids) {
			t.Errorf("attempts in the list's order: %v", ids)
		}
	})
}

func TestWhatIsAnsweredIsNotAskedAgain(t *testing.T) {
	withRig(t, func(call) reply { return answers(time.Second) }, func(t *testing.T, r *rig) {
		r.concurrency = 4
		r.run(people(2, email))
		o := r.run(append(people(3, v1.AllFields), people(3, v1.AllFields)...))
		want := []enrich.Fields{email, email, phone, phone, v1.AllFields}
		var got []enrich.Fields
		for _, c := range r.service.calls {
			got = append(got, c.fields)
		}
		slices.Sort(got)
		slices.Sort(want)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("fields asked for (-want +got):\n%s", diff)
		}
		if o.tally.Lookups != 3 {
			t.Errorf("%d lookups, want 3: the second of each person finds the answer of the first", o.tally.Lookups)
		}
	})
}

func TestTheTallyAddsUp(t *testing.T) {
	script := func(c call) reply {
		if c.who == "p1" {
			return answersWith(time.Second, email)
		}
		return answers(time.Second)
	}
	withRig(t, script, func(t *testing.T, r *rig) {
		o := r.run(people(3, v1.AllFields))
		want := dispatch.Tally{
			Lookups: 3, Posts: 3, Answered: 3, Spent: r.service.charged,
			Asked:    enrich.ByField[int64]{v1.WorkEmail: 3, v1.BusinessPhone: 3},
			Returned: enrich.ByField[int64]{v1.WorkEmail: 3, v1.BusinessPhone: 2},
		}
		if diff := cmp.Diff(want, o.tally); diff != "" {
			t.Errorf("tally (-want +got):\n%s", diff)
		}
		if len(r.reports) != 3 || r.reports[2] != o.tally {
			t.Errorf("reports %+v; want one for each answer, the last the tally", r.reports)
		}
	})
}

func TestAnInterruptDrains(t *testing.T) {
	withRig(t, func(call) reply { return answers(10 * time.Second) }, func(t *testing.T, r *rig) {
		r.concurrency = 3
		ctx, cancel := context.WithTimeout(t.Context(), 15*time.Second)
		defer cancel()
		start := time.Now()
		o := r.runWith(ctx, people(20, email))
		if o.err != nil || o.word() != "interrupted" {
			t.Fatalf("stop %q, error %v; want interrupted", o.word(), o.err)
		}
		if took := time.Since(start); took != 20*time.Second {
			t.Errorf("the run ended after %s, want 20s: the POSTs under way are waited for", took)
		}
		if o.tally.Answered != 6 || len(r.service.calls) != 6 {
			t.Errorf("%d calls, %d answers; want 6 and 6", len(r.service.calls), o.tally.Answered)
		}
		for _, who := range names(6) {
			if got := r.state(who, v1.WorkEmail); got != attempt.Found {
				t.Errorf("%s is in state %d; its answer came and has to be kept", who, got)
			}
		}
	})
}

func TestAnInterruptEndsEveryWait(t *testing.T) {
	tests := map[string]struct {
		script func(call) reply
		set    func(*rig)
	}{
		"for a back-off": {script: func(call) reply { return refuses(0, enrich.TryAgain, "temporarily_unavailable") }},
		"for a pause":    {script: func(call) reply { return slowsDown(0, time.Hour) }},
		"for the window": {
			script: func(call) reply { return answers(0) },
			set:    func(r *rig) { r.rate = checkpoint.Rate{Slots: 1, Window: time.Hour}; r.open() },
		},
		"for the account": {script: func(call) reply { return loses(0, 0) }},
	}
	for title, test := range tests {
		t.Run(title, func(t *testing.T) {
			withRig(t, test.script, func(t *testing.T, r *rig) {
				if test.set != nil {
					test.set(r)
				}
				ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
				defer cancel()
				start := time.Now()
				o := r.runWith(ctx, people(2, email))
				if o.err != nil || o.word() != "interrupted" || time.Since(start) != 500*time.Millisecond {
					t.Errorf("after %s: stop %q, error %v; want interrupted after 500ms", time.Since(start), o.word(), o.err)
				}
			})
		})
	}
}

func TestAPacersWaitEndsWithTheInterrupt(t *testing.T) {
	withRig(t, func(call) reply { return answers(0) }, func(t *testing.T, r *rig) {
		ctx, cancel := context.WithTimeout(t.Context(), 2500*time.Millisecond)
		defer cancel()
		r.pacer = every(time.Second)
		if o := r.runWith(ctx, people(20, email)); o.err != nil || o.word() != "interrupted" || o.tally.Answered != 2 {
			t.Errorf("stop %q, error %v, %d answers; want interrupted after 2", o.word(), o.err, o.tally.Answered)
		}
	})
}

// TestAJournalErrorAfterAPostStopsTheRun pulls the disk while POSTs are under way.
func TestAJournalErrorAfterAPostStopsTheRun(t *testing.T) {
	withRig(t, func(call) reply { return answers(time.Second) }, func(t *testing.T, r *rig) {
		r.concurrency = 3
		time.AfterFunc(500*time.Millisecond, r.store.pull)
		o := r.runWith(t.Context(), people(20, email))
		if !errors.Is(o.err, checkpoint.ErrFailed) {
			t.Fatalf("error %v, want %v", o.err, checkpoint.ErrFailed)
		}
		if len(r.service.calls) != 3 || r.service.inFlight != 0 {
			t.Errorf("%d calls, %d of them under way at the end; want 3 and 0", len(r.service.calls), r.service.inFlight)
		}
		r.open()
		for _, who := range names(3) {
			if got := r.state(who, v1.WorkEmail); got != attempt.OutcomeUnknown {
				t.Errorf("%s is in state %d; its answer was lost, so its outcome is unknown", who, got)
			}
		}
		if o := r.run(people(3, email)); o.tally.Posts != 0 {
			t.Errorf("%d POSTs for lookups that were paid already", o.tally.Posts)
		}
	})
}

func TestWithoutADurableIntentNothingIsSent(t *testing.T) {
	withRig(t, func(call) reply { return answers(0) }, func(t *testing.T, r *rig) {
		r.concurrency = 3
		r.store.pull()
		if o := r.runWith(t.Context(), people(20, email)); !errors.Is(o.err, checkpoint.ErrFailed) || len(r.service.calls) != 0 {
			t.Errorf("error %v and %d calls; want %v and none", o.err, len(r.service.calls), checkpoint.ErrFailed)
		}
	})
}

func TestAnErrorOfTheListStopsAndDrains(t *testing.T) {
	withRig(t, func(call) reply { return answers(time.Second) }, func(t *testing.T, r *rig) {
		r.concurrency = 3
		broken, rows := errors.New("row 3 is broken"), people(2, email)
		tally, stop, err := r.lookups().Run(t.Context(), func() (enrich.Lookup, error) {
			if len(rows) == 0 {
				<-time.After(500 * time.Millisecond) // the calls have left by then
				return enrich.Lookup{}, broken
			}
			row := rows[0]
			rows = rows[1:]
			return row, nil
		})
		if !errors.Is(err, broken) || stop != nil || tally.Answered != 2 {
			t.Errorf("stop %v, error %v, %d answers; want %v after the 2 answers under way", stop, err, tally.Answered, broken)
		}
	})
}

func TestAnUnknownVerdictIsInDoubt(t *testing.T) {
	withRig(t, func(call) reply { return reply{} }, func(t *testing.T, r *rig) {
		if o := r.runWith(t.Context(), people(2, email)); o.err == nil || len(r.service.calls) != 1 {
			t.Errorf("error %v after %d calls; want an error after the first", o.err, len(r.service.calls))
		}
		if got := r.state("p1", v1.WorkEmail); got != attempt.OutcomeUnknown {
			t.Errorf("p1 is in state %d, want outcome unknown", got)
		}
	})
}

// TestRunEndsWhenTheLastCallHas guards against goroutines that outlive the run.
func TestRunEndsWhenTheLastCallHas(t *testing.T) {
	withRig(t, func(c call) reply { return answers(time.Duration(c.n) * time.Second) }, func(t *testing.T, r *rig) {
		r.concurrency = 5
		start := time.Now()
		r.run(people(5, email))
		synctest.Wait()
		if took := time.Since(start); took != 5*time.Second || r.service.inFlight != 0 {
			t.Errorf("the run ended after %s with %d calls in flight; want 5s and none", took, r.service.inFlight)
		}
	})
}

// TestGrantedTicketsAreNotSentAfterTheEndOfARun has a run end while intents are on their way to
// the disk.
func TestGrantedTicketsAreNotSentAfterTheEndOfARun(t *testing.T) {
	broken := errors.New("row 3 is broken")
	ends := map[string]func(interrupt func()) error{
		"by an interrupt":         func(interrupt func()) error { interrupt(); return nil },
		"by an error of the list": func(func()) error { return broken },
	}
	for title, end := range ends {
		t.Run(title, func(t *testing.T) {
			withRig(t, func(call) reply { return answers(0) }, func(t *testing.T, r *rig) {
				r.concurrency, r.store.latency = 4, 10*time.Millisecond
				ctx, interrupt := context.WithCancel(t.Context())
				defer interrupt()
				rows := people(3, email)
				_, _, err := r.lookups().Run(ctx, func() (enrich.Lookup, error) {
					row := rows[0]
					rows = rows[1:]
					if len(rows) == 0 {
						return row, end(interrupt)
					}
					return row, nil
				})
				if len(r.service.calls) != 0 || err != nil && !errors.Is(err, broken) {
					t.Errorf("%d calls, error %v; want none", len(r.service.calls), err)
				}
				if held := r.journal.Totals(checkpoint.ScopeAll).Held.Money(); held != 0 {
					t.Errorf("%s is still held for what was not sent", held)
				}
			})
		})
	}
}
