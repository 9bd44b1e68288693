package sandbox

import (
	"fmt"
	"maps"
	"slices"

	"payonce/cost"
)

// history holds the lookups that arrived and what was charged for them. It keeps the
// newest arrivals in full, with their charges, and sums of the older ones, so that a
// service that runs for long does not grow.
type history struct {
	keep     int // how many arrivals are kept at least; 0 for all
	arrivals []Arrival
	charges  []Charge // of the arrivals that are kept, in the order in which they were made
	older    sums     // of the arrivals that are not kept any more
}

// sums are the totals of arrivals and their charges.
type sums struct {
	arrivals int
	posts    map[string]int    // arrivals by path
	refused  map[ErrorCode]int // arrivals by the code of their refusal

	charged  cost.Money
	expired  cost.Money // the part of charged that was paid from included balance that had expired
	freeUsed FieldUnits
}

func newHistory(keep int) history {
	return history{keep: keep, older: sums{posts: map[string]int{}, refused: map[ErrorCode]int{}}}
}

func (s *sums) addArrival(a Arrival) {
	s.arrivals++
	s.posts[a.Path]++
	if a.Code != "" {
		s.refused[a.Code]++
	}
}

func (s *sums) addCharge(c Charge) {
	s.charged += c.Amount
	s.expired += c.From.Expired
	if c.Free {
		s.freeUsed[c.Field]++
	}
}

// next returns the number of the arrival that comes next.
func (h *history) next() int { return h.older.arrivals + len(h.arrivals) + 1 }

// find returns an arrival; nil when it is older than those that are kept.
func (h *history) find(number int) (*Arrival, error) {
	if number < 1 || number >= h.next() {
		return nil, fmt.Errorf("arrival %d has not arrived", number)
	}
	if number <= h.older.arrivals {
		return nil, nil
	}
	return &h.arrivals[number-1-h.older.arrivals], nil
}

// arrive adds an arrival. When there are twice as many as are to be kept, it sums up the
// older half, so that the work for each arrival stays the same.
func (h *history) arrive(a Arrival) {
	h.arrivals = append(h.arrivals, a)
	if h.keep == 0 || len(h.arrivals) < 2*h.keep {
		return
	}
	older := len(h.arrivals) - h.keep
	for _, a := range h.arrivals[:older] {
		h.older.addArrival(a)
	}
	h.arrivals = slices.Delete(h.arrivals, 0, older)
	h.charges = slices.DeleteFunc(h.charges, func(c Charge) bool {
		if c.Arrival > h.older.arrivals {
			return false
		}
		h.older.addCharge(c)
		return true
	})
}

// charge adds a charge.
func (h *history) charge(c Charge) {
	if c.Arrival <= h.older.arrivals {
		h.older.addCharge(c)
		return
	}
	h.charges = append(h.charges, c)
}

// refuse notes why an arrival was refused after all.
func (h *history) refuse(number int, code ErrorCode) error {
	arrival, err := h.find(number)
	switch {
	case err != nil:
		return err
	case arrival == nil:
		h.older.refused[code]++
	default:
		arrival.Code = code
	}
	return nil
}

// total returns the sums of all arrivals, those that are kept as well.
func (h *history) total() sums {
	all := h.older
	all.posts, all.refused = maps.Clone(all.posts), maps.Clone(all.refused)
	for _, a := range h.arrivals {
		all.addArrival(a)
	}
	for _, c := range h.charges {
		all.addCharge(c)
	}
	return all
}
