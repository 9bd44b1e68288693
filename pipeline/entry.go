package pipeline

import (
	"encoding/binary"
	"math/bits"

	"payonce/enrich"
)

// entry is what is kept of a person: the key, and the number of the leading row with
// marks in its low bits. It holds no pointer, so that the garbage collector does not
// look at millions of them.
type entry struct {
	high, low uint64 // the key
	lead      uint64
}

// markBits is how many low bits of lead are marks; a list can have 2^40 rows.
const markBits = 24

func newEntry(key enrich.Key, row int64, marks uint64) entry {
	return entry{binary.BigEndian.Uint64(key[:]), binary.BigEndian.Uint64(key[8:]), uint64(row)<<markBits | marks}
}

func (e entry) key() (key enrich.Key) {
	binary.BigEndian.PutUint64(key[:], e.high)
	binary.BigEndian.PutUint64(key[8:], e.low)
	return key
}

// keyByte returns the last byte of the key.
func (e entry) keyByte() byte { return byte(e.low) }

func (e entry) row() int64    { return int64(e.lead >> markBits) }
func (e entry) marks() uint64 { return e.lead & (1<<markBits - 1) }

// merge makes two entries of one person one: the first row leads, and the marks add up.
func (e entry) merge(other entry) entry {
	e.lead = min(e.lead>>markBits, other.lead>>markBits)<<markBits | e.marks() | other.marks()
	return e
}

// A shard is the table of the persons whose keys begin with one byte, by open
// addressing. An empty place has lead 0, since rows count from 1.
type shard struct {
	places []entry
	count  int
}

// numShards is the number of shards: one for each first byte of a key.
const numShards = 256

// shardOf returns the number of the shard that a person belongs to.
func (e entry) shardOf() int { return int(e.high >> 56) }

// place returns where the search for a person begins. It grows with the key, so that
// a table is copied into a larger one from front to back.
func (s *shard) place(e entry) int {
	at, _ := bits.Mul64(e.low, uint64(len(s.places)))
	return int(at)
}

// search returns the place of a person, or the empty one where they belong.
func (s *shard) search(e entry) int {
	at := s.place(e)
	for {
		p := &s.places[at]
		if p.lead == 0 || p.low == e.low && p.high == e.high {
			return at
		}
		if at++; at == len(s.places) {
			at = 0
		}
	}
}

// find returns the entry of a person, nil when there is none.
func (s *shard) find(key enrich.Key) *entry {
	if s.count == 0 {
		return nil
	}
	if p := &s.places[s.search(newEntry(key, 0, 0))]; p.lead != 0 {
		return p
	}
	return nil
}

// put adds an entry, or merges it with the person's. It returns the person's entry,
// which the next put may move.
func (s *shard) put(e entry) *entry {
	if s.count >= len(s.places)-len(s.places)/8 {
		s.grow(e.shardOf())
	}
	p := &s.places[s.search(e)]
	if p.lead == 0 {
		*p = e
		s.count++
	} else {
		*p = p.merge(e)
	}
	return p
}

// set adds an entry, or puts it in the place of the person's.
func (s *shard) set(e entry) {
	if e.lead == 0 {
		return
	}
	p := s.put(e)
	p.lead = e.lead
}

// leastPlaces is the size of the smallest table.
const leastPlaces = 64

// grow makes the table larger by a quarter. Tables begin with sizes that differ by up
// to a quarter, so that they do not all grow at the same time and together are never
// emptier than one of them is on average: a person takes 27 to 34 bytes, 31 on average.
func (s *shard) grow(number int) {
	old := s.places
	size := len(old) + len(old)/4
	if size == 0 {
		size = leastPlaces + number*leastPlaces/4/numShards
	}
	s.places = make([]entry, size)
	for _, e := range old {
		if e.lead != 0 {
			s.places[s.search(e)] = e
		}
	}
}

// each calls visit for every person.
func (s *shard) each(visit func(*entry) error) error {
	for i := range s.places {
		if s.places[i].lead != 0 {
			if err := visit(&s.places[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// entryBytes is the size of an entry, mostBytes what a person takes at most.
const (
	entryBytes = 24
	mostBytes  = 35
)

// batch gathers entries by shard before they go to the tables: one lock for many.
type batch [numShards][]entry

func (b *batch) add(e entry) { b[e.shardOf()] = append(b[e.shardOf()], e) }

func (b *batch) clear() {
	for i := range b {
		b[i] = b[i][:0]
	}
}
