package checkpoint

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"payonce/checkpoint/attempt"
	"payonce/io/service/v1"
)

// slotHistory is a journal with attempts of many days, and when the slot of each is free.
type slotHistory struct {
	*rig
	draw   *rand.Rand
	flying map[attempt.ID]bool
	freeAt map[attempt.ID]time.Time // of those that took one
}

func newSlotHistory(t *testing.T, seed uint64, window time.Duration) *slotHistory {
	h := &slotHistory{rig: newRig(t), draw: rand.New(rand.NewPCG(seed, 0)), flying: map[attempt.ID]bool{}, freeAt: map[attempt.ID]time.Time{}}
	h.rate = Rate{Slots: 1 << 20, Window: window}
	h.rig.reopen()
	return h
}

// step lets something happen to a lookup, and some time pass.
func (h *slotHistory) step(n int) {
	h.t.Helper()
	id := h.grant(request(person(n), email)).ID
	h.flying[id] = true
	for _, id := range slices.Sorted(maps.Keys(h.flying)) {
		if h.draw.IntN(4) > 0 {
			h.end(id)
		}
	}
	if doubts := h.Doubts(); len(doubts) > 0 && h.draw.IntN(8) == 0 {
		h.check(h.Assume(false, doubts[h.draw.IntN(len(doubts))].ID))
	}
	if h.draw.IntN(50) == 0 {
		h.crash(time.Duration(h.draw.Int64N(int64(5 * 24 * time.Hour))))
	}
	h.clock.at = h.clock.at.Add(time.Duration(h.draw.Int64N(int64(4 * time.Hour))))
}

// end ends a call as the seed wants it.
func (h *slotHistory) end(id attempt.ID) {
	h.t.Helper()
	delete(h.flying, id)
	sent := true
	switch h.draw.IntN(4) {
	case 0:
		h.check(h.MarkInDoubt(id, attempt.LostCall{Cause: "lost"}))
	case 1:
		sent = h.draw.IntN(2) == 0
		h.check(h.Release(id, attempt.Release{Reason: "refused", Sent: sent}))
	default:
		_, err := h.Settle(id, v1.EncodeAnswer(found))
		h.check(err)
	}
	if sent {
		h.freeAt[id] = h.clock.at.Add(h.rate.Window)
	}
}

// crash ends the process with all that is in flight, and opens the journal some time later.
func (h *slotHistory) crash(later time.Duration) {
	h.t.Helper()
	h.clock.at = h.clock.at.Add(later)
	for id := range h.flying {
		h.freeAt[id] = h.clock.at.Add(h.rate.OnTheWay() + h.rate.Window)
	}
	clear(h.flying)
	h.rig.reopen()
}

// taken returns how many slots are taken at a time.
func (h *slotHistory) taken(at time.Time) (count int) {
	for _, freeAt := range h.freeAt {
		if freeAt.After(at) {
			count++
		}
	}
	return count
}

func takenIn(w SlotWindow, at time.Time) (count int) {
	for _, s := range w.Cooling {
		if s.FreeAt.After(at) {
			count++
		}
	}
	return count
}

// TestReopeningFindsTheWindowSlotsInUse compares the slots that are found in a journal with those that its
// lookups took.
func TestReopeningFindsTheWindowSlotsInUse(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long and tells nothing about data races")
	}
	for seed := range uint64(20) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			h := newSlotHistory(t, seed, 20*24*time.Hour)
			for n := range 400 {
				h.step(n)
			}
			h.crash(0)
			for after := range 21 * 24 {
				at := h.clock.at.Add(time.Duration(after) * time.Hour)
				want := h.taken(at)
				if got := takenIn(h.state.accounts[0].Window, at); got != want {
					t.Fatalf("%d hours on, %d slots are taken, want %d", after, got, want)
				}
			}
		})
	}
}

// TestTheSlotOfASlowLookupIsFound: many lookups after it have ended before the window, in
// which it ended.
func TestTheSlotOfASlowLookupIsFound(t *testing.T) {
	for name, c := range map[string]struct {
		slow, quick, late int           // slow ones, quick ones after each of them, and those after all
		window            time.Duration // of the next start; of this one it is a second
	}{
		"of the same window":           {slow: 1, quick: 5 * horizonStep, window: time.Second},
		"of a window that was shorter": {slow: 1, quick: 32, late: 170, window: 34 * time.Second},
		"one of two after each other":  {slow: 2, quick: 40, late: 121, window: 82 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.rate = Rate{Slots: 1000, Window: time.Second}
			r.reopen()
			var slow []attempt.Ticket
			lookUp := func(count int, pause time.Duration) {
				for range count {
					r.settle(r.grant(request(person(int(r.state.persisted.NextID)), email)), found)
					r.clock.at = r.clock.at.Add(pause)
				}
			}
			for range c.slow {
				slow = append(slow, r.grant(request(person(int(r.state.persisted.NextID)), email)))
				lookUp(c.quick, time.Second)
			}
			for _, ticket := range slow {
				r.settle(ticket, found)
			}
			r.clock.at = r.clock.at.Add(c.window - time.Second/2)
			lookUp(c.late, 0)
			r.rate.Window = c.window
			r.reopen()
			if got := len(r.state.accounts[0].Window.Cooling); got != c.late+c.slow {
				t.Errorf("%d slots are taken, want %d", got, c.late+c.slow)
			}
		})
	}
}

// TestTheSlotOfACrashIsFoundInALongerWindow: the request of a call that was in flight at a
// crash is waited for as long as a window, so that its slot is taken again when the window
// gets longer, while those of all lookups after it stay free.
func TestTheSlotOfACrashIsFoundInALongerWindow(t *testing.T) {
	r := newRig(t)
	r.rate = Rate{Slots: 1000, Window: time.Second}
	r.reopen()
	lost := r.grant(request(person(0), email)).ID
	r.reopen()
	r.clock.at = r.clock.at.Add(2*time.Second + time.Second/2)
	for n := range horizonStep {
		r.settle(r.grant(request(person(1+n), email)), found)
	}
	if got := r.state.accounts[0].Horizon; got != lost+1 {
		t.Fatalf("the horizon is attempt %d, and the test says nothing", got)
	}
	r.rate.Window = time.Minute
	r.clock.at = start.Add(time.Minute + 45*time.Second - time.Second)
	r.reopen()
	if cooling := r.state.accounts[0].Window.Cooling; len(cooling) != 1 || cooling[0].ID != lost {
		t.Errorf("the slots %v are taken, want that of attempt %d", cooling, lost)
	}
}
