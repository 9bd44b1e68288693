package checkpoint

import (
	"slices"
	"time"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/decide"
)

// SlotWindow holds the slots of the rolling rate limit that calls occupy. decide.Window says when
// a call takes its slot and when the slot is free again.
type SlotWindow struct {
	Rate     decide.Rate
	inFlight int
	Cooling  []Slot // of calls that ended, in the order of FreeAt
}

// Slot is the slot of a call that ended.
type Slot struct {
	ID     attempt.ID
	FreeAt time.Time
}

// at returns the window as it is at a time. It drops the slots that are free by then.
func (w *SlotWindow) at(now time.Time) decide.Window {
	for len(w.Cooling) > 0 && !w.Cooling[0].FreeAt.After(now) {
		w.Cooling = w.Cooling[1:]
	}
	view := decide.Window{Slots: w.Rate.Slots, InFlight: w.inFlight, Cooling: len(w.Cooling)}
	if len(w.Cooling) > 0 {
		view.NextFree = w.Cooling[0].FreeAt
	}
	return view
}

// take takes a slot for a call that is in flight from now on.
func (w *SlotWindow) take() { w.inFlight++ }

// release frees the slot of a call that ended now, one window from now.
func (w *SlotWindow) release(id attempt.ID, now time.Time) {
	w.inFlight--
	w.cool(Slot{id, now.Add(w.Rate.Window)})
}

// giveBack frees the slot of a call that was never sent.
func (w *SlotWindow) giveBack() { w.inFlight-- }

func (w *SlotWindow) cool(s Slot) {
	at, _ := slices.BinarySearchFunc(w.Cooling, s, Slot.compare)
	w.Cooling = slices.Insert(w.Cooling, at, s)
}

// sort sorts slots that were appended in any order. Inserting each of them with cool would move
// the others every time.
func (w *SlotWindow) sort() { slices.SortFunc(w.Cooling, Slot.compare) }

func (s Slot) compare(other Slot) int { return s.FreeAt.Compare(other.FreeAt) }
