package pipeline

import (
	"encoding/binary"

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

// numShards is the number of shards: one for each first byte of a key.
const numShards = 256

// shardOf returns the number of the shard that a person belongs to.
func (e entry) shardOf() int { return int(e.high >> 56) }

// entryBytes is the size of an entry.
const entryBytes = 24

// batch gathers entries by shard before they go to the tables: one lock for many.
type batch [numShards][]entry

func (b *batch) add(e entry) { b[e.shardOf()] = append(b[e.shardOf()], e) }

func (b *batch) clear() {
	for i := range b {
		b[i] = b[i][:0]
	}
}
