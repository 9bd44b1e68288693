package checkpoint

import (
	"slices"
	"time"

	"payonce/attempt"
)

// Rate is the service's limit: at most Slots lookups in any Window.
type Rate struct {
	Slots  int
	Window time.Duration
}

// Spacing returns the mean time between two lookups at the limit.
func (r Rate) Spacing() time.Duration { return r.Window / time.Duration(r.Slots) }

// window counts the lookups of the last window. A slot is taken at Begin and is
// free again one window after the response, not after the request: the service
// counts a request when it arrives, which is some time between the two, so no
// delay on the network can put one more request into a window than its slots.
type window struct {
	rate     Rate
	inFlight int
	cooling  []slot // answered and not yet free, in the order of freeAt
}

type slot struct {
	id     attempt.ID
	freeAt time.Time
}

// take takes a slot at now. Without a free one it says when the next gets free,
// or the zero time when that depends on a call in flight.
func (w *window) take(now time.Time) (ok bool, next time.Time) {
	for len(w.cooling) > 0 && !w.cooling[0].freeAt.After(now) {
		w.cooling = w.cooling[1:]
	}
	if w.inFlight+len(w.cooling) < w.rate.Slots {
		w.inFlight++
		return true, time.Time{}
	}
	if len(w.cooling) > 0 {
		return false, w.cooling[0].freeAt
	}
	return false, time.Time{}
}

// release lets the slot of a call that ended at now cool down.
func (w *window) release(id attempt.ID, now time.Time) {
	w.inFlight--
	w.cool(slot{id, now.Add(w.rate.Window)})
}

// giveBack frees the slot of a call that never left.
func (w *window) giveBack() { w.inFlight-- }

func (w *window) cool(s slot) {
	at, _ := slices.BinarySearchFunc(w.cooling, s, slot.compare)
	w.cooling = slices.Insert(w.cooling, at, s)
}

// sort puts slots in order that were noted in another: many one by one, each before the
// others, would move all the others each time.
func (w *window) sort() { slices.SortFunc(w.cooling, slot.compare) }

func (s slot) compare(other slot) int { return s.freeAt.Compare(other.freeAt) }
