package scan

import (
	"math/bits"

	"payonce/enrich"
)

// PersonTable holds one entry for each person, in the order in which they were put in, and
// finds them by open addressing. It is made from one log at a time, so that it is small enough
// for the cache of a core.
type PersonTable struct {
	Entries []Entry
	places  []uint32 // numbers of entries, from 1; 0 in an empty place

	keepAgain bool
	again     []again // the duplicate rows, when they are kept
}

// again is a duplicate row, with the place of the person among the entries.
type again struct {
	row    int64
	person int
}

// leastPlaces is the size of the smallest table.
const leastPlaces = 64

// reset empties the table and makes room for a number of persons.
func (d *PersonTable) reset(persons int) {
	d.Entries, d.again = d.Entries[:0], d.again[:0]
	d.makeRoom(persons)
}

// makeRoom empties the places and makes room for a number of persons.
func (d *PersonTable) makeRoom(persons int) {
	size := max(2*persons, leastPlaces)
	if cap(d.places) < size {
		d.places = make([]uint32, size+size/8)
	}
	d.places = d.places[:size]
	clear(d.places)
}

// search returns the place of a person, or the empty one where they belong.
func (d *PersonTable) search(high, low uint64) int {
	start, _ := bits.Mul64(low, uint64(len(d.places)))
	for at := int(start); ; at++ {
		if at == len(d.places) {
			at = 0
		}
		number := d.places[at]
		if number == 0 {
			return at
		}
		if e := &d.Entries[number-1]; e.low == low && e.high == high {
			return at
		}
	}
}

// put adds an entry, or merges it with the person's.
func (d *PersonTable) put(e Entry) {
	if 2*len(d.Entries) >= len(d.places) {
		d.grow()
	}
	place := &d.places[d.search(e.high, e.low)]
	if *place != 0 {
		known := &d.Entries[*place-1]
		if d.keepAgain {
			d.again = append(d.again, again{max(e.Row(), known.Row()), int(*place - 1)})
		}
		*known = known.merge(e)
		return
	}
	d.Entries = append(d.Entries, e)
	*place = uint32(len(d.Entries))
}

// grow makes room for twice as many persons.
func (d *PersonTable) grow() {
	entries := d.Entries
	d.makeRoom(2 * len(entries))
	d.Entries = d.Entries[:0]
	for _, e := range entries {
		place := d.search(e.high, e.low)
		d.Entries = d.Entries[:len(d.Entries)+1]
		d.places[place] = uint32(len(d.Entries))
	}
}

// Find returns the place of a person among the entries, and false when there is none.
func (d *PersonTable) Find(key enrich.Key) (person int, found bool) {
	if len(d.Entries) == 0 {
		return 0, false
	}
	wanted := newEntry(key, 0, 0)
	number := d.places[d.search(wanted.high, wanted.low)]
	return int(number) - 1, number != 0
}
