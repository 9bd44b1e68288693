package cost

import (
	"encoding/binary"
	"math"
	"slices"
)

// movement is what some meters lost, and the charges that can have caused it. There may be any
// number of meters and of fields.
type movement struct {
	lost []int64 // by each meter
	sure []int64 // what is known to be charged of each meter; nil for nothing
	// grain is the unit to which the service rounds what it shows of a meter, 1 for none. The
	// loss of a meter can differ by less than that from what was charged.
	grain   []int64
	charges []charges // of each field
}

// charges are the charges of one field. Each can be paid in one of several ways: with a free
// unit, or with money. A way is what one charge takes of every meter.
type charges struct {
	ways    [][]int64
	certain int64 // this many were charged
	most    int64 // and up to this many more, to lost calls
}

// Bounds of a search. They are enough for 1,000 lost calls for two fields.
const (
	maxSteps  = 1 << 21
	maxStates = 1 << 16 // after one field
)

// explanations are what all explanations of a movement have in common: for each field, how
// many lost calls were charged for it at least and at most.
type explanations struct {
	found       bool
	least, most []int64
	// complete says that the search has seen all explanations. Otherwise nothing follows from
	// the other values.
	complete bool
}

// explain finds the charges that make up the movement exactly.
func (m movement) explain() explanations { return m.search(true, maxSteps) }

// fits reports whether the certain charges, and one more for each of the given fields, can have
// cost no more than the meters lost. It also reports true when it cannot tell.
func (m movement) fits(fields ...int) bool {
	m.charges = slices.Clone(m.charges)
	for f := range m.charges {
		m.charges[f].most = 0
	}
	for _, f := range fields {
		m.charges[f].certain++
	}
	e := m.search(false, maxSteps)
	return e.found || !e.complete
}

// search goes through the fields one after the other. After each it keeps what the charges so
// far can have taken of the meters that later fields take from, too: a state. Charges that
// lead to one state have the same explanations for what follows.
func (m movement) search(exact bool, steps int) explanations {
	fields := len(m.charges)
	s := &searcher{movement: m, exact: exact, steps: steps, lastUse: m.lastUse(), field: -1, next: map[string]*state{}}
	s.taken = make([]int64, len(m.lost))
	copy(s.taken, m.sure)
	for meter, taken := range s.taken {
		if taken >= m.lost[meter]+m.grain[meter] {
			return explanations{complete: true} // of which there is none
		}
	}
	s.keep(&state{least: make([]int64, fields), most: make([]int64, fields)}, 0)
	for f := range m.charges {
		states := s.next
		s.field, s.next = f, map[string]*state{}
		s.findClosing()
		for _, from := range states {
			if !s.extend(from) {
				return explanations{}
			}
		}
	}
	result := explanations{complete: true}
	for _, end := range s.next { // every meter is compared: there is at most one
		result.found, result.least, result.most = true, end.least, end.most
	}
	return result
}

// lastUse returns the last field that takes from each meter, -1 when none does.
func (m movement) lastUse() []int {
	last := slices.Repeat([]int{-1}, len(m.lost))
	for f, c := range m.charges {
		for _, way := range c.ways {
			for meter, amount := range way {
				if amount > 0 {
					last[meter] = f
				}
			}
		}
	}
	return last
}

// searcher is the state of a search.
type searcher struct {
	movement
	exact   bool
	steps   int               // that are left
	lastUse []int             // the last field that takes from each meter
	field   int               // that is being paid for
	closing []bool            // its ways that close meters
	next    map[string]*state // after it
	taken   []int64           // by the charges that are being paid for, and those before
	key     []byte            // scratch
}

// state is what charges can have taken of the meters, with the least and the highest number of
// charges of each field that lead to it.
type state struct {
	taken       []int64
	least, most []int64
}

// findClosing finds the ways of the field that take only from meters that nothing after them
// takes from. Such a way is used as often as possible: that leaves the most of the other meters,
// and an exact explanation has to make up all that such a meter lost.
func (s *searcher) findClosing() {
	ways := s.charges[s.field].ways
	s.closing = make([]bool, len(ways))
	for w, way := range ways {
		// A way that takes nothing explains nothing.
		s.closing[w] = slices.Max(way) > 0 && !slices.ContainsFunc(ways[w+1:], func(later []int64) bool { return shareMeter(way, later) })
		for meter, amount := range way {
			if amount > 0 && (s.grain[meter] > 1 || s.field < s.lastUse[meter]) {
				s.closing[w] = false
			}
		}
	}
}

// shareMeter reports whether two ways take from one meter.
func shareMeter(way, later []int64) bool {
	for meter := range way {
		if way[meter] > 0 && later[meter] > 0 {
			return true
		}
	}
	return false
}

// extend adds the charges of the field to a state. It reports false when the search takes too
// many steps.
func (s *searcher) extend(from *state) bool {
	c := s.charges[s.field]
	copy(s.taken, from.taken)
	for n := range c.most + 1 {
		switch s.pay(from, n, 0, c.certain+n) {
		case tooMany:
			return false
		case tooMuch: // as are more charges
			return true
		case paid:
		}
	}
	return true
}

// payment is the result of paying for charges.
type payment int

const (
	paid    payment = iota
	tooMuch         // every way takes more than the meters lost
	tooMany         // the search took too many steps
)

// pay pays for the charges that are left with a way and those after it. n is the number of lost
// calls among all charges of the field.
func (s *searcher) pay(from *state, n int64, way int, left int64) payment {
	if s.steps--; s.steps < 0 || len(s.next) > maxStates {
		return tooMany
	}
	amounts := s.charges[s.field].ways[way]
	most := s.room(amounts)
	if way == len(s.closing)-1 {
		if left > most {
			return tooMuch
		}
		s.take(amounts, left)
		s.keep(from, n)
		s.take(amounts, -left)
		return paid
	}
	most = min(most, left)
	least := int64(0)
	if s.closing[way] {
		least = most
	}
	result := tooMuch
	for count := least; count <= most; count++ {
		s.take(amounts, count)
		one := s.pay(from, n, way+1, left-count)
		s.take(amounts, -count)
		if one == tooMany {
			return tooMany
		}
		result = min(result, one)
	}
	return result
}

// take takes a number of charges from the meters.
func (s *searcher) take(amounts []int64, charges int64) {
	for m, amount := range amounts {
		s.taken[m] += charges * amount
	}
}

// room returns how many charges a way can pay for at most.
func (s *searcher) room(amounts []int64) int64 {
	most := int64(math.MaxInt64)
	for m, amount := range amounts {
		if amount > 0 {
			most = min(most, (s.lost[m]+s.grain[m]-1-s.taken[m])/amount)
		}
	}
	return most
}

// keep enters the state that n charges of the field to lost calls lead to, unless it contradicts
// the loss of a meter that no later field takes from.
func (s *searcher) keep(from *state, n int64) {
	s.key = s.key[:0]
	for m, amount := range s.taken {
		switch {
		case s.field < s.lastUse[m]:
			s.key = binary.AppendVarint(s.key, amount)
		case !s.isLost(m, amount):
			return
		}
	}
	known, found := s.next[string(s.key)]
	if !found {
		known = &state{taken: slices.Clone(s.taken), least: slices.Clone(from.least), most: slices.Clone(from.most)}
		s.next[string(s.key)] = known
	}
	for f := range max(s.field, 0) {
		known.least[f], known.most[f] = min(known.least[f], from.least[f]), max(known.most[f], from.most[f])
	}
	switch {
	case s.field < 0:
	case !found:
		known.least[s.field], known.most[s.field] = n, n
	default:
		known.least[s.field], known.most[s.field] = min(known.least[s.field], n), max(known.most[s.field], n)
	}
}

// isLost reports whether the loss of a meter allows for so much to be taken of it. Where others
// may have taken a part, it is an upper bound of what is shown.
func (s *searcher) isLost(meter int, taken int64) bool {
	lost, grain := s.lost[meter], s.grain[meter]
	if s.exact {
		return taken == lost || rounds(taken, lost, grain)
	}
	return taken-taken%grain <= lost
}

// rounds reports whether an amount can be shown as another one in whole grains.
func rounds(amount, shown, grain int64) bool {
	difference := amount - shown
	return amount%grain != 0 && difference > -grain && difference < grain
}
