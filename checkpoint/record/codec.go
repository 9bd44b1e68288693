// Package record has the formats of the journal's records, and which of them a store must hold.
package record

import (
	"encoding/json"
	"fmt"

	"payonce/attempt"
	"payonce/checkpoint/store"
	"payonce/cost"
)

// Version is the version of the form of all records, and the first byte of every
// value. A program reads the forms of all versions from 5 on, and writes the newest. There
// is one so far. The records of attempts and those that every commit writes are packed, as
// pack.go says; the others are in JSON.
const Version = 5

// IsKnownVersion reports whether a value is of a version that this program reads.
func IsKnownVersion[T string | []byte](value T) bool {
	return len(value) > 0 && value[0] == Version
}

// Record is everything that a value can be decoded as.
type Record interface {
	Intent | About | Doubt | OpenMark | FieldEntry | attempt.Resolution | Ending | cost.Totals | Span | State | Run | File | Journal | []byte
}

// packer is a record that has a packed form.
type packer interface {
	unpacker
	// pack appends the form to data.
	pack(data []byte) []byte
}

// unpacker is a record, or a part of one, that can be read from a packed form.
type unpacker interface {
	// unpack reads the form. What is wrong with it, the packet keeps.
	unpack(from *Packet)
}

// packerOf returns the packed form of a record that is pointed to, nil for a kind of
// record that is written in JSON.
func packerOf(record any) unpacker {
	switch record := record.(type) {
	case *attempt.Resolution:
		return (*resolution)(record)
	case *cost.Totals:
		return (*totals)(record)
	case unpacker:
		return record
	}
	return nil
}

// Encode returns the value of a record: the version and its form.
func Encode[T Record](record *T) []byte {
	const room = 256 // for most
	data := append(make([]byte, 0, room), Version)
	if packed, ok := packerOf(record).(packer); ok {
		return packed.pack(data)
	}
	text, err := json.Marshal(record)
	if err != nil {
		panic(fmt.Sprintf("a journal record that has no JSON form: %v", err)) // a mistake in this package
	}
	return append(data, text...)
}

// Decode reads the value of a record. The key is what errors tell.
func Decode[T Record](key, data []byte, into *T) error {
	return DecodeFrom(&Packet{}, key, string(data), into)
}

// DecodeFrom is decode for who reads many records, with a packet that is used again. The
// texts of the record are parts of its value.
func DecodeFrom[T Record](from *Packet, key []byte, value string, into *T) error {
	if !IsKnownVersion(value) {
		return fmt.Errorf("%w: record %q is of a version that this program does not know", store.ErrCorrupt, string(key))
	}
	var err error
	if packed := packerOf(into); packed != nil {
		from.reset(value[1:])
		err = unpackAll(packed, from)
	} else {
		err = json.Unmarshal([]byte(value[1:]), into)
	}
	if err != nil {
		return fmt.Errorf("%w: record %q cannot be read: %w", store.ErrCorrupt, string(key), err)
	}
	return nil
}

// Load reads one record and reports whether it is there.
func Load[T Record](s store.Store, key []byte) (record T, found bool, err error) {
	data, err := s.Get(key)
	if err != nil || data == nil {
		return record, false, err
	}
	return record, true, Decode(key, data, &record)
}
