package simulation_test

import (
	"fmt"
	"testing"
	"time"

	"payonce/checkpoint"
)

// serviceRate is the rate of the service: 30 lookups a minute.
var serviceRate = checkpoint.Rate{Slots: 30, Window: time.Minute}

// atServiceRate runs 150 lookups at the rate of the service with at most 64 in flight. It
// returns how long they took and how many were in flight at the same time.
func atServiceRate(t *testing.T, spacing time.Duration, latency func(call) time.Duration) (took time.Duration, most int) {
	withRig(t, func(c call) reply { return answers(latency(c)) }, func(t *testing.T, r *rig) {
		r.rate, r.concurrency, r.spacing = serviceRate, 64, spacing
		r.open()
		began := time.Now()
		if o := r.run(people(150, email)); o.tally.Answered != 150 {
			t.Errorf("%d of 150 lookups were answered", o.tally.Answered)
		}
		took, most = time.Since(began), r.service.most
	})
	return took, most
}

// TestTheRateIsUsedWithFewCallsInFlight compares runs that keep few calls in flight with runs
// that send all that the window allows at once. The last lookups of a window come up to one
// window later; before that nothing is lost.
func TestTheRateIsUsedWithFewCallsInFlight(t *testing.T) {
	constant := func(latency time.Duration) func(call) time.Duration {
		return func(call) time.Duration { return latency }
	}
	for name, c := range map[string]struct {
		latency func(call) time.Duration
		most    int // in flight
	}{
		"0.1 s": {constant(100 * time.Millisecond), 1},
		"1 s":   {constant(time.Second), 1},
		"2 s":   {constant(2 * time.Second), 2},
		"5 s":   {constant(5 * time.Second), 3},
		"20 s":  {constant(20 * time.Second), 11},
		"0.1 s to 20 s": {func(c call) time.Duration {
			return 100*time.Millisecond + time.Duration(c.n*37%100)*199*time.Millisecond
		}, 11},
		"0.1 s, then 20 s": {func(c call) time.Duration {
			if c.n < 50 {
				return 100 * time.Millisecond
			}
			return 20 * time.Second
		}, 11},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			greedy, _ := atServiceRate(t, 0, c.latency)
			sparing, most := atServiceRate(t, serviceRate.Spacing(), c.latency)
			if sparing > greedy+serviceRate.Window {
				t.Errorf("150 lookups take %s, and %s with all calls at once", sparing, greedy)
			}
			if most > c.most {
				t.Errorf("%d calls in flight, want at most %d", most, c.most)
			}
		})
	}
}

// TestConcurrencyLimitsTheCallsInFlight shows that --concurrency stays an upper bound.
func TestConcurrencyLimitsTheCallsInFlight(t *testing.T) {
	for _, concurrency := range []int{1, 3, 8} {
		t.Run(fmt.Sprint(concurrency), func(t *testing.T) {
			withRig(t, func(call) reply { return answers(20 * time.Second) }, func(t *testing.T, r *rig) {
				r.concurrency, r.spacing = concurrency, 100*time.Millisecond
				r.run(people(40, email))
				if r.service.most != concurrency {
					t.Errorf("%d calls in flight, want %d", r.service.most, concurrency)
				}
			})
		})
	}
}
