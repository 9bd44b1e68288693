package scan

import (
	"encoding/binary"

	"payonce/enrich"
)

// Entry is what is kept of a person: the key, and the number of the first occurrence with marks in
// its low bits. It holds no pointer, so that the garbage collector skips millions of entries.
type Entry struct {
	high, low uint64 // the key
	firstRow  uint64
}

// markBits is how many low bits of firstRow are marks; a list can have 2^47 rows.
const markBits = 16

// outside is added to the number of a row that Scope.Only leaves out, so that any other row of its subject comes first.
const outside = 1 << 47

// newEntry returns the entry of a row that names the person with a key.
func newEntry(key enrich.Key, row int64, marks uint16) Entry {
	firstRow := uint64(row)<<markBits | uint64(marks)
	return Entry{binary.BigEndian.Uint64(key[:]), binary.BigEndian.Uint64(key[8:]), firstRow}
}

// Key returns the key.
func (e Entry) Key() (key enrich.Key) {
	binary.BigEndian.PutUint64(key[:], e.high)
	binary.BigEndian.PutUint64(key[8:], e.low)
	return key
}

// Row returns the number of the first occurrence.
func (e Entry) Row() int64 { return int64(e.firstRow>>markBits) &^ outside }

// Marks returns the marks.
func (e Entry) Marks() uint16 { return uint16(e.firstRow) }

// SetMarks replaces the marks.
func (e *Entry) SetMarks(marks uint16) { e.firstRow = e.firstRow>>markBits<<markBits | uint64(marks) }

// merge makes two entries of one person one: the first row is the first occurrence, and the marks add up.
func (e Entry) merge(other Entry) Entry {
	e.firstRow = min(e.firstRow>>markBits, other.firstRow>>markBits)<<markBits | uint64(e.Marks()|other.Marks())
	return e
}

// numShards is the number of shards: one for each first byte of a key.
const numShards = 256

// shardOf returns the number of the shard that a person belongs to.
func (e Entry) shardOf() int { return int(e.high >> 56) }

// shardKeys returns the first and the last key of a shard.
func shardKeys(number int) (first, last enrich.Key) {
	for i := range last {
		last[i] = 0xff
	}
	first[0], last[0] = byte(number), byte(number)
	return first, last
}

// entryBytes is the size of an entry.
const entryBytes = 24

// EntryBatch gathers entries by shard, so that one lock serves many entries.
type EntryBatch [numShards][]Entry

// Add adds an entry.
func (b *EntryBatch) Add(e Entry) { b[e.shardOf()] = append(b[e.shardOf()], e) }

func (b *EntryBatch) clear() {
	for i := range b {
		b[i] = b[i][:0]
	}
}
