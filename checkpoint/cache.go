package checkpoint

import (
	"fmt"
	"math"
	"sync/atomic"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/record"
)

// cache reads one kind of record of attempts. When it is asked for many attempts that lie
// apart, it keeps what it reads in memory: a list whose persons come again far behind then
// reads every record about once. It reads the records of a chunk of attempts together, as
// soon as it is asked for one of them: seeking that one takes half as long as reading all.
type cache struct {
	store  record.Store
	prefix byte
	chunks []atomic.Pointer[chunk]
	room   *atomic.Int64 // how many bytes more the cache may take
	// asked and apart are how many attempts were asked for, and how many of them lay
	// apart from the one before.
	asked, apart atomic.Int64
}

// chunk has the values of the records of a chunk, one after the other.
type chunk struct {
	values string
	ends   [chunkSize]uint32 // of the values; that of a record that is not there is empty
}

// chunkSize is how many attempts are in a chunk.
const chunkSize = 64

// chunkOverhead is what a chunk takes besides the values, in bytes.
const chunkOverhead = chunkSize*4 + 64

// garbageShare is how many times as much memory as what is held the garbage collector
// lets grow for it.
const garbageShare = 2

// worthKeeping is how many records are read in a row in the time of one that is sought.
const worthKeeping = 16

// roomIn returns how many bytes of records may be held in so much memory; 0 is no
// ceiling.
func roomIn(memory int64) int64 {
	if memory == 0 {
		return math.MaxInt64
	}
	return memory / garbageShare
}

// newCache returns what reads the records of attempts up to the last, and of later ones.
func newCache(s record.Store, prefix byte, last attempt.ID, room *atomic.Int64) *cache {
	return &cache{store: s, prefix: prefix, chunks: make([]atomic.Pointer[chunk], (last+chunkSize-1)/chunkSize), room: room}
}

// each hands the records of attempts, whose numbers ascend, to visit, with the place of
// their number among ids; not in their order. Those that are not there are left out. keep
// copies a value that is not held.
func (c *cache) each(ids []attempt.ID, visit func(i int, key []byte, value string) error, keep func(value []byte) string) error {
	if c.worthwhile(ids) {
		if err := c.fill(ids); err != nil {
			return err
		}
	}
	var others []attempt.ID
	var at []int // of the others among ids
	var key []byte
	for i, id := range ids {
		value := c.value(id)
		if value == "" {
			others, at = append(others, id), append(at, i)
			continue
		}
		key = record.AppendIDKey(key[:0], c.prefix, id)
		if err := visit(i, key, value); err != nil {
			return err
		}
	}
	return eachRecord(c.store, c.prefix, others, func(i int, key, value []byte) error { return visit(at[i], key, keep(value)) })
}

// worthwhile counts attempts that are asked for. It reports whether enough of all of them lie
// apart that keeping what was read costs less than reading it again.
func (c *cache) worthwhile(ids []attempt.ID) bool {
	apart := c.apart.Add(int64(apartIn(ids)))
	return apart*worthKeeping > c.asked.Add(int64(len(ids)))
}

// apartIn counts the attempts that have to be sought, of some whose numbers ascend.
func apartIn(ids []attempt.ID) (apart int) {
	for i, id := range ids {
		if i == 0 || id-ids[i-1] > nearby {
			apart++
		}
	}
	return apart
}

// fill reads the chunks of attempts that are not in memory.
func (c *cache) fill(ids []attempt.ID) error {
	var due []int
	if c.room.Load() <= 0 {
		return nil
	}
	last := -1
	for _, id := range ids {
		number := c.chunkOf(id)
		if number >= len(c.chunks) {
			break // they began since
		}
		if number != last && c.chunks[number].Load() == nil {
			due = append(due, number)
		}
		last = number
	}
	if len(due) == 0 {
		return nil
	}
	return c.read(due)
}

func (c *cache) chunkOf(id attempt.ID) int { return int((id - 1) / chunkSize) }

// read reads chunks, whose numbers ascend, as far as there is room for them.
func (c *cache) read(due []int) error {
	firstKey := func(number int) []byte { return record.IDKey(c.prefix, attempt.ID(number*chunkSize+1)) }
	var reading chunkReading
	enter := func() {
		c.enter(due[0], reading.end())
		due = due[1:]
	}
	err := record.Seek(c.store, []byte{c.prefix}, firstKey(due[0]), func(key, value []byte) (bool, []byte, error) {
		if len(key) != record.IDKeyLength {
			return false, nil, fmt.Errorf("%w: record %q has no ID; %s", record.ErrCorrupt, key, record.Restore)
		}
		number := c.chunkOf(record.IDOf(key))
		for len(due) > 0 && due[0] < number {
			enter()
		}
		switch {
		case len(due) == 0:
			return false, nil, nil
		case number < due[0]:
			return true, firstKey(due[0]), nil
		}
		reading.add(int(record.IDOf(key)-1)%chunkSize, value)
		return true, nil, nil
	})
	if err != nil {
		return err
	}
	for len(due) > 0 {
		enter()
	}
	return nil
}

// chunkReading gathers the records of one chunk after the other.
type chunkReading struct {
	values []byte
	ends   [chunkSize]uint32
	known  int // how many of the ends are
}

// add adds the value of the record at a place, behind those that were added.
func (r *chunkReading) add(at int, value []byte) {
	r.endUpTo(at)
	r.values = append(r.values, value...)
}

func (r *chunkReading) endUpTo(at int) {
	for ; r.known < at; r.known++ {
		r.ends[r.known] = uint32(len(r.values))
	}
}

// end returns the records of the chunk, and begins with another one.
func (r *chunkReading) end() *chunk {
	r.endUpTo(chunkSize)
	records := &chunk{string(r.values), r.ends}
	r.values, r.known = r.values[:0], 0
	return records
}

// enter holds the records of a chunk, when there is room for them and nobody else was
// faster. When there is none, nothing more is held.
func (c *cache) enter(number int, records *chunk) {
	size := int64(len(records.values) + chunkOverhead)
	if c.room.Add(-size) < 0 {
		return // and so it stays
	}
	if !c.chunks[number].CompareAndSwap(nil, records) {
		c.room.Add(size)
	}
}

// value returns the value of a record, "" when it is not held.
func (c *cache) value(id attempt.ID) string {
	number := c.chunkOf(id)
	if number >= len(c.chunks) {
		return ""
	}
	records := c.chunks[number].Load()
	if records == nil {
		return ""
	}
	at, start := (id-1)%chunkSize, uint32(0)
	if at > 0 {
		start = records.ends[at-1]
	}
	return records.values[start:records.ends[at]]
}
