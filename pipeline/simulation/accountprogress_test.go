package simulation_test

import (
	"testing"
	"time"

	"payonce/enrich"
	"payonce/pipeline/dispatch"
)

// TestAStopOfTheAccountStopsLaterSteps: the second step of a start sends nothing, and says why. One that a limit of
// a module or rejected identities stopped says nothing about the others.
func TestAStopOfTheAccountStopsLaterSteps(t *testing.T) {
	refuses := func(r enrich.Refused) reply { return reply{verdict: r} }
	for title, c := range map[string]struct {
		reply reply
		binds bool
	}{
		"key":      {refuses(enrich.Refused{Class: enrich.StopRun, Code: "invalid_api_key"}), true},
		"faults":   {refuses(enrich.Refused{Class: enrich.TryAgain, Code: "temporarily_unavailable"}), true},
		"slow":     {slowsDown(0, time.Second), true},
		"wait":     {refuses(enrich.Refused{Class: enrich.SlowDown, RetryAfter: 100 * time.Hour}), true},
		"unsent":   {unsent(), true},
		"lost":     {loses(time.Second, 0), true},
		"limit":    {refuses(enrich.Refused{Class: enrich.StopRun, Code: "limit", Limit: enrich.Limit{Module: "a"}}), false},
		"rejected": {refuses(enrich.Refused{Class: enrich.InvalidInput, Code: "invalid"}), false},
	} {
		t.Run(title, func(t *testing.T) {
			withRig(t, func(call) reply { return c.reply }, func(t *testing.T, r *rig) {
				r.progress = new(dispatch.AccountProgress)
				first := r.run(people(30, email))
				sent := len(r.service.calls)
				if first.stop == nil {
					t.Fatalf("the first step was not stopped: %+v", first.tally)
				}
				second := r.run(people(60, phone)[30:])
				if c.binds && (second.stop != first.stop || len(r.service.calls) != sent) {
					t.Errorf("stopped by %v, then by %v after %d more calls", first.stop, second.stop, len(r.service.calls)-sent)
				}
				if !c.binds && len(r.service.calls) == sent {
					t.Errorf("stopped by %v, and the second step sends nothing", first.stop)
				}
			})
		})
	}
}

// TestFailuresInARowAreCountedAcrossSteps: four lookups in a row fail for good at the end of a step, and the first of
// the next.
func TestFailuresInARowAreCountedAcrossSteps(t *testing.T) {
	script := func(call) reply {
		return reply{verdict: enrich.Refused{Class: enrich.TryAgain, Code: "temporarily_unavailable"}}
	}
	withRig(t, script, func(t *testing.T, r *rig) {
		r.progress = new(dispatch.AccountProgress)
		if o := r.run(people(4, email)); o.stop != nil || o.tally.GivenUp != 4 {
			t.Fatalf("stop %q, tally %+v", o.word(), o.tally)
		}
		if o := r.run(people(4, phone)); o.stop == nil || o.tally.GivenUp != 1 {
			t.Errorf("stop %q, tally %+v; want the step to end at its first", o.word(), o.tally)
		}
	})
}
