package simulation_test

import (
	"testing"
	"time"

	"payonce/checkpoint"
	"payonce/enrich"
)

// TestAnUnsentLookupTakesNoSlot runs over lookups that the client refuses to send:
// they are rejected, and are neither requests nor lookups of the rate window.
func TestAnUnsentLookupTakesNoSlot(t *testing.T) {
	script := func(c call) reply {
		if c.who != "p5" {
			return reply{verdict: enrich.Refused{Class: enrich.InvalidInput, Code: "input_condition", Unsent: true}}
		}
		return answers(0)
	}
	withRig(t, script, func(t *testing.T, r *rig) {
		r.rate = checkpoint.Rate{Slots: 1, Window: time.Minute}
		r.open()
		begun := time.Now()
		o := r.run(people(5, email))
		if o.stop != nil || o.tally.Rejected != 4 || o.tally.Answered != 1 || o.tally.Posts != 1 {
			t.Errorf("stop %v, tally %+v; want four rejected without a request and one answered", o.stop, o.tally)
		}
		if waited := time.Since(begun); waited != 0 {
			t.Errorf("waited %s for slots that nothing was sent in", waited)
		}
	})
}
