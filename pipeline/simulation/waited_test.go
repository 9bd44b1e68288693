package simulation_test

import (
	"testing"
	"time"

	"payonce/checkpoint"
	"payonce/enrich"
	"payonce/pipeline/dispatch"
)

// TestATallyHasTheTimesInWhichNothingWasSent: each wait counts for its own reason, for as long as it lasted.
func TestATallyHasTheTimesInWhichNothingWasSent(t *testing.T) {
	once := func(first reply) func(call) reply {
		sent := 0
		return func(call) reply {
			if sent++; sent == 1 {
				return first
			}
			return answers(0)
		}
	}
	for name, c := range map[string]struct {
		script func(call) reply
		set    func(*rig)
		want   dispatch.Waited
	}{
		"nothing":     {once(answers(time.Second)), func(*rig) {}, dispatch.Waited{}},
		"rate limit":  {once(answers(0)), func(r *rig) { r.rate = checkpoint.Rate{Slots: 2, Window: time.Minute} }, dispatch.Waited{Rate: time.Minute}},
		"retry-after": {once(slowsDown(0, 10*time.Second)), func(*rig) {}, dispatch.Waited{SlowDown: 10 * time.Second}},
		"retry": {
			once(reply{verdict: enrich.Refused{Class: enrich.TryAgain, Code: "temporarily_unavailable"}}),
			func(*rig) {},
			dispatch.Waited{Retry: time.Second},
		},
		"lost": {once(loses(0, 0)), func(*rig) {}, dispatch.Waited{Settle: settleDelay}},
		"pace": {once(answers(0)), func(r *rig) { r.pacer = every(time.Second) }, dispatch.Waited{Pace: 3 * time.Second}},
	} {
		t.Run(name, func(t *testing.T) {
			withRig(t, c.script, func(t *testing.T, r *rig) {
				c.set(r)
				r.open() // with the rate
				if o := r.run(people(3, email)); o.stop != nil || o.tally.Waited != c.want {
					t.Errorf("waited %+v, want %+v; stop %q", o.tally.Waited, c.want, o.word())
				}
			})
		})
	}
}
