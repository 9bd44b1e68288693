package pipeline

// leads knows which row leads each person, who enter in the order of the list: the first
// of their rows.
//
// It keeps the persons in a log, in the order in which they came, and finds them by tables
// of short references. So what moves when a table grows, and what a search waits for, is a
// third of an entry; the log is looked into only where half a key agrees, which is where a
// person comes again.
type leads struct {
	log     [][]entry // in chunks; all but the last are full
	count   int       // of the entries
	shards  [numShards]references
	bytes   int64  // of all
	touched uint64 // keeps touch from being left out
}

// leadChunk is how many entries the log grows by.
const leadChunk = 128

// mostLeads is how many persons there may be: half of those that references can number,
// since more of them come with the blocks that are under way.
const mostLeads = 1 << 31

// references is the table of the persons whose keys begin with one byte.
type references struct {
	places []reference
	count  int
}

// reference stands for an entry of a log: half of its key, and its number in the log from
// 1. An empty place has 0.
type reference uint64

const referenceBytes = 8

func (e entry) reference(number int) reference {
	return reference(e.low>>32<<32 | uint64(number))
}

func (r reference) number() int { return int(uint32(r)) }

// mayBe reports whether a reference stands for an entry with half the key.
func (r reference) mayBe(e entry) bool { return uint64(r)>>32 == e.low>>32 }

// place returns where the search for an entry begins. It grows with the reference, so that
// a table is copied into a larger one from front to back.
func (s *references) place(high32 uint64) int {
	return int(high32 * uint64(len(s.places)) >> 32)
}

// claim enters the entries, and hands the number of every row with that of the row that
// leads its person to named.
func (l *leads) claim(entries []entry, named func(row, lead int64)) {
	l.touch(entries)
	for i := range entries {
		e := &entries[i]
		named(e.row(), l.lead(e))
	}
}

// touch reads the places where the search for entries begins, so that the memory
// fetches them all at the same time: one after the other is what a large table costs.
func (l *leads) touch(entries []entry) {
	for i := range entries {
		e := &entries[i]
		if s := &l.shards[e.shardOf()]; len(s.places) > 0 {
			l.touched ^= uint64(s.places[s.place(e.low>>32)])
		}
	}
}

// lead returns the row that leads the person of an entry, which is entered when it is
// that row.
func (l *leads) lead(e *entry) int64 {
	s := &l.shards[e.shardOf()]
	if s.count >= len(s.places)-len(s.places)/8 {
		l.bytes += s.grow(e.shardOf())
	}
	for at := s.place(e.low >> 32); ; at++ {
		if at == len(s.places) {
			at = 0
		}
		known := s.places[at]
		if known == 0 {
			l.append(e)
			s.count++
			s.places[at] = e.reference(l.count)
			return e.row()
		}
		if known.mayBe(*e) {
			if other := l.entry(known.number()); other.low == e.low && other.high == e.high {
				return other.row()
			}
		}
	}
}

// entry returns an entry of the log by its number, from 1.
func (l *leads) entry(number int) *entry {
	return &l.log[(number-1)/leadChunk][(number-1)%leadChunk]
}

// append adds an entry to the log.
func (l *leads) append(e *entry) {
	if l.count%leadChunk == 0 {
		l.log = append(l.log, make([]entry, 0, leadChunk))
		l.bytes += leadChunk * entryBytes
	}
	last := &l.log[len(l.log)-1]
	*last = append(*last, *e)
	l.count++
}

// exceed reports whether the persons take more bytes than the ceiling, zero for none, or
// are too many to be numbered.
func (l *leads) exceed(ceiling int64) bool {
	return ceiling > 0 && l.bytes > ceiling || l.count > mostLeads
}

// grow makes the table larger by a half, and returns by how many bytes. Tables begin with
// sizes that differ, so that they do not all grow at the same time: a person takes 33 to 38
// bytes.
func (s *references) grow(number int) int64 {
	old := s.places
	size := len(old) + len(old)/2
	if size == 0 {
		size = leastPlaces + number*leastPlaces/2/numShards
	}
	s.places = make([]reference, size)
	for _, r := range old {
		if r == 0 {
			continue
		}
		at := s.place(uint64(r) >> 32)
		for s.places[at] != 0 {
			if at++; at == size {
				at = 0
			}
		}
		s.places[at] = r
	}
	return int64(size-len(old)) * referenceBytes
}
