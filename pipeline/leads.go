package pipeline

// leads knows which row leads each person, who enter in the order of the list: the first
// of their rows.
//
// A shard keeps its persons in a log, in the order in which they came, and finds them by
// a table of short references. So what moves when a table grows, and what a search waits
// for, is a third of an entry; the log is looked into only where half a key agrees, which
// is where a person comes again.
type leads struct {
	shards  [numShards]leadShard
	bytes   int64  // of all shards
	touched uint64 // keeps touch from being left out
}

// leadShard holds the persons whose keys begin with one byte.
type leadShard struct {
	chunks [][]entry // all but the last are full
	count  int
	places []reference
}

// leadChunk is how many entries a shard grows by.
const leadChunk = 64

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
func (s *leadShard) place(high32 uint64) int {
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
			l.bytes += s.append(e)
			s.places[at] = e.reference(s.count)
			return e.row()
		}
		if known.mayBe(*e) {
			if other := s.entry(known.number()); other.low == e.low && other.high == e.high {
				return other.row()
			}
		}
	}
}

// entry returns an entry by its number, from 1.
func (s *leadShard) entry(number int) *entry {
	return &s.chunks[(number-1)/leadChunk][(number-1)%leadChunk]
}

// append adds an entry, and returns by how many bytes the shard has grown.
func (s *leadShard) append(e *entry) (grown int64) {
	if s.count%leadChunk == 0 {
		s.chunks = append(s.chunks, make([]entry, 0, leadChunk))
		grown = leadChunk * entryBytes
	}
	last := &s.chunks[len(s.chunks)-1]
	*last = append(*last, *e)
	s.count++
	return grown
}

// grow makes the table larger by a half, and returns by how many bytes. Tables begin with
// sizes that differ, so that they do not all grow at the same time: a person takes 33 to 38
// bytes.
func (s *leadShard) grow(number int) int64 {
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
