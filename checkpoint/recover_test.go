package checkpoint

import (
	"testing"
	"time"

	"payonce/checkpoint/attempt"
)

// A request outlives its process: the network may deliver it after the journal was
// opened again, and the service counts it then.
func TestASlotOfADeadProcessIsFreedAfterItsRequestMustHaveArrived(t *testing.T) {
	r := newRig(t)
	r.rate = Rate{Slots: 1, Window: time.Minute}
	r.reopen()
	r.grant(request(person(1), email))
	r.reopen()
	opened := r.clock.at
	free := opened.Add(45*time.Second + time.Minute)

	r.clock.at = opened.Add(time.Minute)
	r.want(r.begin(request(person(2), email)), attempt.Later{Until: free})

	r.clock.at = r.clock.at.Add(-time.Hour)
	r.reopen()
	r.want(r.begin(request(person(2), email)), attempt.Later{Until: r.clock.at.Add(45*time.Second + time.Minute)})

	r.clock.at = free
	r.grant(request(person(2), email))
}
