package checkpoint

import (
	"testing"
	"time"

	"payonce/checkpoint/attempt"
)

// TestALongerWindowCountsWhatAShorterOneDidNot opens a journal whose lookups kept to a
// short window with the same rate in a longer one.
func TestALongerWindowCountsWhatAShorterOneDidNot(t *testing.T) {
	for _, refused := range []bool{false, true} {
		r := newRig(t)
		r.rate = Rate{Slots: 1, Window: time.Second}
		r.reopen()
		for n := range 3 * horizonStep {
			ticket := r.grant(request(person(n), email))
			if refused && n%2 == 0 { // never sent: it has no slot
				r.check(r.Release(ticket.ID, attempt.Release{Reason: "connection refused"}))
				continue
			}
			r.settle(ticket, found)
			r.clock.at = r.clock.at.Add(time.Second)
		}
		r.rate = Rate{Slots: 60, Window: time.Minute}
		r.reopen()
		r.settle(r.grant(request(person(1000), email)), found) // the lookup of a minute ago is counted no more
		r.want(r.begin(request(person(1001), email)), attempt.Later{Until: r.clock.at.Add(time.Second)})
	}
	r := newRig(t)
	for n := range 5 * horizonStep {
		r.settle(r.grant(request(person(n), email)), found)
		r.clock.at = r.clock.at.Add(time.Second)
	}
	r.rate = Rate{Slots: 70, Window: time.Hour}
	r.reopen()
	if found := len(r.state.accounts[0].Window.Cooling); found < 70 || found > 70+2*horizonStep {
		t.Errorf("%d slots of 70 were looked for; more than a full window tells nothing", found)
	}
}
