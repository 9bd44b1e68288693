package dispatch

import (
	"slices"
	"time"
)

// flights are the calls in flight. They decide how many there may be: as many as the service's
// rate and the observed latency need, and no more. Each call in flight is a call in doubt when
// the program dies.
//
// By Little's law, calls that begin every spacing and take a latency need latency/spacing in
// flight. The next whole number above that sustains the rate. The age of the oldest call in
// flight is a lower bound of its latency. So if no response comes at all, a call still begins
// every spacing, and the rate is used before the first latency is known.
type flights struct {
	most    int           // Lookups.Concurrency
	spacing time.Duration // Lookups.Spacing
	latency time.Duration // moving average; 0 until the first response
	begun   []time.Time   // of the calls in flight, in ascending order
}

// latencyWeight is the share of one response in the moving average: one part in latencyWeight.
const latencyWeight = 8

// begin enters a call.
func (f *flights) begin(now time.Time) { f.begun = append(f.begun, now) }

// end removes a call that began at a time.
func (f *flights) end(begun time.Time) {
	if at, found := slices.BinarySearchFunc(f.begun, begun, time.Time.Compare); found {
		f.begun = slices.Delete(f.begun, at, at+1)
	}
}

// observe enters the latency of a response.
func (f *flights) observe(latency time.Duration) {
	if f.latency == 0 {
		f.latency = latency
		return
	}
	f.latency += (latency - f.latency) / latencyWeight
}

// room reports whether another call may begin now. If not, it returns when the age of the
// oldest call allows one; the zero time when only the end of a call does.
func (f *flights) room(now time.Time) (ok bool, next time.Time) {
	inFlight := len(f.begun)
	switch {
	case inFlight == 0:
		return true, time.Time{}
	case inFlight >= f.most:
		return false, time.Time{}
	case f.spacing <= 0:
		return true, time.Time{}
	}
	needed := time.Duration(inFlight) * f.spacing // the least latency that needs one more call
	next = f.begun[0].Add(needed)
	return f.latency >= needed || !now.Before(next), next
}
