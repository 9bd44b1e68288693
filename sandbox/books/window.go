package books

import (
	"slices"
	"time"
)

// Window allows Limit lookups to arrive within any span of Per.
type Window struct {
	Limit int
	Per   time.Duration
}

// rollingWindow remembers the arrivals that count against a Window. An arrival
// counts for exactly Per: at its end the place is free.
type rollingWindow struct {
	Window
	arrivals []time.Time // oldest first
}

// wait returns how long it takes until one more may arrive; zero when it may now.
func (w *rollingWindow) wait(now time.Time) time.Duration {
	counting := slices.IndexFunc(w.arrivals, func(at time.Time) bool { return now.Sub(at) < w.Per })
	if counting < 0 {
		counting = len(w.arrivals)
	}
	w.arrivals = w.arrivals[counting:]
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
