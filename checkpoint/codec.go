package checkpoint

import (
	"encoding/json"
	"fmt"

	"payonce/attempt"
	"payonce/cost"
)

// recordVersion is the version of the form of all records, and the first byte of every
// value. A program reads the forms of all versions from 5 on, and writes the newest. There
// is one so far. The records of attempts and those that every commit writes are packed, as
// pack.go says; the others are in JSON.
const recordVersion = 5

// isKnownVersion reports whether a value is of a version that this program reads.
func isKnownVersion[T string | []byte](value T) bool {
	return len(value) > 0 && value[0] == recordVersion
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
	unpack(from *packet)
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

// encode returns the value of a record: the version and its form.
func encode[T any](record *T) []byte {
	const room = 256 // for most
	data := append(make([]byte, 0, room), recordVersion)
	if packed, ok := packerOf(record).(packer); ok {
		return packed.pack(data)
	}
	text, err := json.Marshal(record)
	if err != nil {
		panic(fmt.Sprintf("a journal record that has no JSON form: %v", err)) // a mistake in this package
	}
	return append(data, text...)
}

// decode reads the value of a record. The key is what errors tell.
func decode[T any](key, data []byte, into *T) error {
	return decodeFrom(&packet{}, key, string(data), into)
}

// decodeFrom is decode for who reads many records, with a packet that is used again. The
// texts of the record are parts of its value.
func decodeFrom[T any](from *packet, key []byte, value string, into *T) error {
	if !isKnownVersion(value) {
		return fmt.Errorf("%w: record %q is of a version that this program does not know", ErrCorrupt, string(key))
	}
	var err error
	if packed := packerOf(into); packed != nil {
		from.reset(value[1:])
		err = unpackAll(packed, from)
	} else {
		err = json.Unmarshal([]byte(value[1:]), into)
	}
	if err != nil {
		return fmt.Errorf("%w: record %q cannot be read: %w", ErrCorrupt, string(key), err)
	}
	return nil
}

// load reads one record and reports whether it is there.
func load[T any](s Store, key []byte) (record T, found bool, err error) {
	data, err := s.Get(key)
	if err != nil || data == nil {
		return record, false, err
	}
	return record, true, decode(key, data, &record)
}
