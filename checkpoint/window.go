package checkpoint

import (
	"slices"
	"time"

	"payonce/attempt"
	"payonce/checkpoint/decide"
)

// Rate is the service's limit: at most Slots calls in each Window.
type Rate = decide.Rate

// window holds the slots of the rolling rate limit that calls occupy. decide.Window says when
// a call takes its slot and when the slot is free again.
type window struct {
	rate     Rate
	inFlight int
	cooling  []slot // of calls that ended, in the order of freeAt
}

type slot struct {
	id     attempt.ID
	freeAt time.Time
}

// at returns the window as it is at a time. It drops the slots that are free by then.
func (w *window) at(now time.Time) decide.Window {
	for len(w.cooling) > 0 && !w.cooling[0].freeAt.After(now) {
		w.cooling = w.cooling[1:]
	}
	view := decide.Window{Slots: w.rate.Slots, InFlight: w.inFlight, Cooling: len(w.cooling)}
	if len(w.cooling) > 0 {
		view.NextFree = w.cooling[0].freeAt
	}
	return view
}

// take takes a slot for a call that is in flight from now on.
func (w *window) take() { w.inFlight++ }

// release frees the slot of a call that ended now, one window from now.
func (w *window) release(id attempt.ID, now time.Time) {
	w.inFlight--
	w.cool(slot{id, now.Add(w.rate.Window)})
}

// giveBack frees the slot of a call that was never sent.
func (w *window) giveBack() { w.inFlight-- }

func (w *window) cool(s slot) {
	at, _ := slices.BinarySearchFunc(w.cooling, s, slot.compare)
	w.cooling = slices.Insert(w.cooling, at, s)
}

// sort sorts slots that were appended in any order. Inserting each of them with cool would move
// the others every time.
func (w *window) sort() { slices.SortFunc(w.cooling, slot.compare) }

func (s slot) compare(other slot) int { return s.freeAt.Compare(other.freeAt) }
