package checkpoint

import (
	"bytes"
	"errors"

	"payonce/attempt"
)

// held are the intents and resolutions of the attempts of a journal, as they are in the
// store, in memory. Those of a chunk of attempts stand together.
type held struct {
	intents, resolutions []*heldChunk
	room                 int64 // how many bytes more may be held
	scratch              []byte
}

// heldChunk are the values of the records of one kind of a chunk of attempts, one after
// the other.
type heldChunk struct {
	values []byte
	ends   [chunk]uint32 // of the values; that of a record that is not there is empty
}

// chunkOverhead is what a chunk takes besides the values, in bytes.
const chunkOverhead = chunk * 4

// garbageShare is how many times as much memory as what is held the garbage collector
// lets grow for it.
const garbageShare = 2

// errNoRoom says that records take more memory than they may.
var errNoRoom = errors.New("no room")

// holdAll holds the records of the attempts up to the last. It returns nil when they take
// more than so many bytes; 0 is no ceiling.
func holdAll(store Store, last attempt.ID, most int64) (*held, error) {
	if most == 0 {
		most = 1 << 62
	}
	h := &held{room: most / garbageShare}
	for first := attempt.ID(1); first <= last; first += chunk {
		intents, err := h.read(store, intentPrefix, first)
		if err != nil {
			return orNoRoom(err)
		}
		resolutions, err := h.read(store, resolutionPrefix, first)
		if err != nil {
			return orNoRoom(err)
		}
		h.intents, h.resolutions = append(h.intents, intents), append(h.resolutions, resolutions)
	}
	h.scratch = nil
	return h, nil
}

func orNoRoom(err error) (*held, error) {
	if errors.Is(err, errNoRoom) {
		return nil, nil
	}
	return nil, err
}

// read reads the records of one kind of a chunk of attempts.
func (h *held) read(store Store, prefix byte, first attempt.ID) (*heldChunk, error) {
	c := &heldChunk{}
	h.room -= chunkOverhead
	values, next := h.scratch[:0], 0
	endUpTo := func(at int) {
		for ; next < at; next++ {
			c.ends[next] = uint32(len(values))
		}
	}
	err := scanIDs(store, prefix, first, first+chunk-1, func(id attempt.ID, _, value []byte) error {
		if h.room -= int64(len(value)); h.room < 0 {
			return errNoRoom
		}
		endUpTo(int(id - first))
		values = append(values, value...)
		return nil
	})
	endUpTo(chunk)
	c.values, h.scratch = bytes.Clone(values), values
	return c, err
}

// value returns the value of a record, nil when it is not held.
func (h *held) value(prefix byte, id attempt.ID) []byte {
	chunks := h.intents
	if prefix == resolutionPrefix {
		chunks = h.resolutions
	}
	number, at := int((id-1)/chunk), int((id-1)%chunk)
	if id == 0 || number >= len(chunks) {
		return nil
	}
	c, start := chunks[number], uint32(0)
	if at > 0 {
		start = c.ends[at-1]
	}
	if start == c.ends[at] {
		return nil
	}
	return c.values[start:c.ends[at]]
}
