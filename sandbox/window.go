package sandbox

import (
	"slices"
	"time"
)

// rollingWindow remembers the arrivals that count against a Window. An arrival
// counts for exactly Per: at its end the place is free.
type rollingWindow struct {
	Window
	arrivals []time.Time // oldest first
}

// wait returns how long it takes until one more may arrive; zero when it may now.
func (w *rollingWindow) wait(now time.Time) time.Duration {
	w.arrivals = slices.DeleteFunc(w.arrivals, func(at time.Time) bool { return now.Sub(at) >= w.Per })
	if len(w.arrivals) < w.Limit {
		return 0
	}
	// With more arrivals than places, which a restart under a smaller limit can
	// leave behind, it is not the oldest that has to go.
	blocking := w.arrivals[len(w.arrivals)-w.Limit]
	return blocking.Add(w.Per).Sub(now)
}

// count takes a place for an arrival.
func (w *rollingWindow) count(at time.Time) {
	w.wait(at)
	w.arrivals = append(w.arrivals, at)
}
