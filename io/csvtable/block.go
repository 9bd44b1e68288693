package csvtable

import (
	"bytes"
	"errors"

	"payonce/io/table"
)

// block is first a chunk of a file, and then the records that end in the chunk.
type block struct {
	scanner *scanner
	buffer  []byte // headroom, then the bytes that were read
	data    []byte // the chunk, later the records

	// Set by feed.
	weight   int // number of slots that the chunk takes
	last     bool
	overlong bool  // no line ends in the chunk, and it is longer than the longest record
	failure  error // why no chunk follows
	outline  outline
	ready    chan struct{} // gets a value when the outline is done

	// Set by next.
	first     int64
	startLine int64
	bounds    []int32 // 0, then the end of each record, with the blank lines after it
	released  uint64  // how often the block was released
	foot      []byte  // what is below the last row of the list; nil unless the block has that row

	row row
}

var _ table.Block = (*block)(nil)

// headroom is free space before a chunk, for a record that begins in the chunk before.
const headroom = 16 << 10

func newBlock(s *scanner) *block {
	b := &block{scanner: s, buffer: make([]byte, headroom+s.size), ready: make(chan struct{}, 1)}
	b.row.block = b
	return b
}

func (b *block) reset() {
	b.data, b.weight, b.last, b.overlong, b.failure, b.foot = nil, 1, false, false, nil, nil
}

// analyse makes the outline. Several goroutines analyse chunks at the same time.
func (b *block) analyse() {
	if !b.overlong {
		b.outline = guessOutline(b.data, b.scanner.dialect.Delimiter, b.last, b.bounds)
	}
	b.ready <- struct{}{}
}

// prepend puts the start of the first record before the data. The data are at their place in the
// buffer, or in other memory.
func (b *block) prepend(head []byte) {
	switch {
	case len(head) == 0:
		return
	case len(head) <= headroom && &b.data[0] == &b.buffer[headroom]:
		start := headroom - len(head)
		copy(b.buffer[start:], head)
		b.data = b.buffer[start : headroom+len(b.data)]
	default:
		b.data = append(append(make([]byte, 0, len(head)+len(b.data)), head...), b.data...)
	}
	for i := range b.bounds[1:] {
		b.bounds[1+i] += int32(len(head))
	}
}

func (b *block) First() int64 { return b.first }

func (b *block) Len() int { return len(b.bounds) - 1 }

func (b *block) Release() {
	b.released++
	b.data = nil
	b.scanner.free.Put(b)
}

// Each calls visit for every row. It splits each row into cells before the visit. In a checked list
// it splits a row when a cell is used, so it returns the fault of a row after the visit.
func (b *block) Each(visit func(table.Row) error) error {
	r := &b.row
	r.begin(b)
	for i, start := range b.bounds[:b.Len()] {
		r.enter(int(start), int(b.bounds[i+1]))
		if !b.scanner.checked {
			if err := r.cut(); err != nil {
				return err
			}
		}
		err := visit(r)
		if r.fault != nil {
			return r.fault
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// fault adds the place to a fault of the record at the start of raw.
func (b *block) fault(line int64, raw []byte, err error) error {
	var wrong *fault
	if !errors.As(err, &wrong) {
		return err
	}
	return b.scanner.errorAt(line, raw, wrong)
}

// indexFrom returns the offset of the first char at or after from, or len(data).
func indexFrom(data []byte, from int, char byte) int {
	if width := bytes.IndexByte(data[from:], char); width >= 0 {
		return from + width
	}
	return len(data)
}
