package pipeline

import (
	"math/bits"

	"payonce/enrich"
)

// distinct holds one entry for each person, in the order in which they were put in, and
// finds them by open addressing. It is made anew from one log of a census at a time, so
// it is small enough for a core's cache.
type distinct struct {
	entries []entry
	places  []uint32 // numbers of entries, from 1; 0 in an empty place
}

// reset empties the table and makes room for so many persons.
func (d *distinct) reset(persons int) {
	d.entries = d.entries[:0]
	size := max(2*persons, leastPlaces)
	if cap(d.places) < size {
		d.places = make([]uint32, size+size/8)
	}
	d.places = d.places[:size]
	clear(d.places)
}

// search returns the place of a person, or the empty one where they belong.
func (d *distinct) search(high, low uint64) int {
	start, _ := bits.Mul64(low, uint64(len(d.places)))
	for at := int(start); ; at++ {
		if at == len(d.places) {
			at = 0
		}
		number := d.places[at]
		if number == 0 {
			return at
		}
		if e := &d.entries[number-1]; e.low == low && e.high == high {
			return at
		}
	}
}

// put adds an entry, or merges it with the person's.
func (d *distinct) put(e entry) {
	if 2*len(d.entries) >= len(d.places) {
		d.grow()
	}
	place := &d.places[d.search(e.high, e.low)]
	if *place != 0 {
		known := &d.entries[*place-1]
		*known = known.merge(e)
		return
	}
	d.entries = append(d.entries, e)
	*place = uint32(len(d.entries))
}

// grow makes room for twice as many persons.
func (d *distinct) grow() {
	entries := d.entries
	d.reset(2 * len(entries))
	for _, e := range entries {
		place := d.search(e.high, e.low)
		d.entries = d.entries[:len(d.entries)+1]
		d.places[place] = uint32(len(d.entries))
	}
}

// find returns the entry of a person, nil when there is none.
func (d *distinct) find(key enrich.Key) *entry {
	if len(d.entries) == 0 {
		return nil
	}
	wanted := newEntry(key, 0, 0)
	if number := d.places[d.search(wanted.high, wanted.low)]; number != 0 {
		return &d.entries[number-1]
	}
	return nil
}
