package kit

import (
	"slices"
	"time"
)

// Window allows Limit calls to arrive within any span of Per.
type Window struct {
	Limit int
	Per   time.Duration
}

// RollingWindow remembers the arrivals that count against a Window. An arrival
// counts for exactly Per: at its end the place is free.
type RollingWindow struct {
	Window
	arrivals []time.Time // oldest first
}

// Taken returns how many places are taken now.
func (w *RollingWindow) Taken(now time.Time) int {
	counting := slices.IndexFunc(w.arrivals, func(at time.Time) bool { return now.Sub(at) < w.Per })
	if counting < 0 {
		counting = len(w.arrivals)
	}
	w.arrivals = w.arrivals[counting:]
	return len(w.arrivals)
}

// Wait returns how long it takes until one more may arrive; zero when it may now.
func (w *RollingWindow) Wait(now time.Time) time.Duration {
	taken := w.Taken(now)
	if taken < w.Limit {
		return 0
	}
	// With more arrivals than places, which a restart under a smaller limit can
	// leave behind, it is not the oldest that has to go.
	return w.arrivals[taken-w.Limit].Add(w.Per).Sub(now)
}

// Count takes a place for an arrival.
func (w *RollingWindow) Count(at time.Time) {
	w.Taken(at)
	w.arrivals = append(w.arrivals, at)
}
