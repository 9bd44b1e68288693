package badgerstore

import (
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/dgraph-io/badger/v4"
	"github.com/klauspost/compress/s2"

	"payonce/checkpoint/record"
)

// A long value is compressed once, before Badger gets it. Badger compresses the blocks of its tables too, but only when
// it writes them, and again in each compaction. So answers about companies take half the space in its logs and memory
// tables.
//
// A value that is too long even then is stored in parts, which are entries of their own. So memory tables can be small,
// although Badger limits a commit to 15 % of one. The parts are durable before the entry that names them is written.
// After a crash in between, and when the entry is replaced, no entry names them. They stay until the store is copied,
// as after an erasure.

// These bits of the user metadata of an entry say how its value is stored. No bit is set for a value that is stored as
// it is, like all values of earlier versions.
const (
	isCompressed = 1 << iota // with S2
	isInParts                // the entry has the number of the first part and the count of parts, in 12 bytes, big-endian
)

const (
	// leastCompressed is the length of the shortest value that is compressed, in bytes. Shorter ones compress better
	// together, in Badger's blocks.
	leastCompressed = 1 << 10
	// longestPart is the length of the longest part, and of the longest value that is stored without parts, in bytes.
	longestPart = 64 << 10
	// partPrefix begins the key of a part. Its number follows. No record has such a key, and the keys of
	// all records come before.
	partPrefix = 0xff
)

// compress returns what is stored for a value, and the metadata of its entry.
func compress(value []byte) (stored []byte, meta byte) {
	if len(value) < leastCompressed {
		return value, 0
	}
	if stored = s2.Encode(nil, value); len(stored) > len(value)-len(value)/8 {
		return value, 0
	}
	return stored, isCompressed
}

// split returns what is stored in the entry of a value, and its metadata. A value of more than limit bytes is stored in
// parts, which put takes. The first part has the number first.
func split(stored []byte, meta byte, limit int, first uint64, put func(key, part []byte)) ([]byte, byte) {
	if len(stored) <= limit {
		return stored, meta
	}
	count := uint32(0)
	for part := range slices.Chunk(stored, longestPart) {
		put(partKey(first+uint64(count)), part)
		count++
	}
	return binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint64(nil, first), count), meta | isInParts
}

// entrySize is at least what Badger counts for an entry in a transaction, in bytes. An entry that names parts takes less
// than the room beside its key.
func entrySize(entry *badger.Entry) int {
	const room = 32
	return room + len(entry.Key) + len(entry.Value)
}

// limitFor returns how long a value of a commit may be without parts, so that all entries together have at most most
// bytes.
func limitFor(entries []*badger.Entry, most int) int {
	const leastLimit = 1 << 10
	for limit := longestPart; ; limit /= 2 {
		size := 0
		for _, entry := range entries {
			if size += entrySize(entry); len(entry.Value) > limit {
				size -= len(entry.Value)
			}
		}
		if size <= most || limit <= leastLimit {
			return limit
		}
	}
}

// chunks returns entries in their order, as many at a time as have at most most bytes, but at least one.
func chunks(entries []*badger.Entry, most int) iter.Seq[[]*badger.Entry] {
	return func(yield func([]*badger.Entry) bool) {
		for len(entries) > 0 {
			count, size := 1, entrySize(entries[0])
			for count < len(entries) && size+entrySize(entries[count]) <= most {
				size += entrySize(entries[count])
				count++
			}
			if !yield(entries[:count]) {
				return
			}
			entries = entries[count:]
		}
	}
}

// firstPart returns the number of the first part that is written with a version. Other versions have other numbers.
func firstPart(version uint64) uint64 { return version << 24 }

func partKey(number uint64) []byte { return binary.BigEndian.AppendUint64([]byte{partPrefix}, number) }

func isPart(key []byte) bool { return len(key) > 0 && key[0] == partPrefix }

// valueReader reads the values of entries, one after the other.
type valueReader struct {
	txn    *badger.Txn
	joined []byte
	buffer []byte
	named  func(part uint64) // is called for each part that is read; may be nil
}

// read calls visit with the value of an entry. The value is valid until visit returns.
func (r *valueReader) read(item *badger.Item, visit func(value []byte) error) error {
	return item.Value(func(stored []byte) error {
		value, err := r.value(item, stored)
		if err != nil {
			return err
		}
		return visit(value)
	})
}

// value returns the value of an entry by what is stored in it: the same bytes, or others that are valid until the next
// value is read.
func (r *valueReader) value(item *badger.Item, stored []byte) (value []byte, err error) {
	value = stored
	if item.UserMeta()&isInParts != 0 {
		value, err = r.join(value)
	}
	if err == nil && item.UserMeta()&isCompressed != 0 {
		if r.buffer, err = s2.Decode(r.buffer[:cap(r.buffer)], value); err != nil {
			err = fmt.Errorf("%w: a compressed value cannot be read: %w; %s", record.ErrCorrupt, err, record.Restore)
		}
		value = r.buffer
	}
	if err != nil {
		return nil, fmt.Errorf("record %q: %w", item.Key(), err)
	}
	return value, nil
}

// join returns the bytes of all parts that an entry names.
func (r *valueReader) join(entry []byte) ([]byte, error) {
	const numbers = 8 + 4
	if len(entry) != numbers {
		return nil, fmt.Errorf("%w: the entry of a long value does not name its parts; %s", record.ErrCorrupt, record.Restore)
	}
	first, count := binary.BigEndian.Uint64(entry), binary.BigEndian.Uint32(entry[8:])
	r.joined = r.joined[:0]
	for number := range uint64(count) {
		if r.named != nil {
			r.named(first + number)
		}
		part, err := r.txn.Get(partKey(first + number))
		if errors.Is(err, badger.ErrKeyNotFound) {
			return nil, fmt.Errorf("%w: part %d of %d of a long value is missing; %s", record.ErrCorrupt, number+1, count, record.Restore)
		}
		if err == nil {
			err = part.Value(func(bytes []byte) error {
				r.joined = append(r.joined, bytes...)
				return nil
			})
		}
		if err != nil {
			return nil, err
		}
	}
	return r.joined, nil
}
