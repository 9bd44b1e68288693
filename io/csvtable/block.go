package csvtable

import (
	"bytes"
	"errors"

	"payonce/io/table"
)

// block is a chunk of a file on its way to become the records that end in it.
type block struct {
	scanner *scanner
	buffer  []byte // headroom, then what was read
	data    []byte // the chunk, later the records

	// What feed says of the chunk.
	weight   int // the slots that it takes
	last     bool
	overlong bool  // no line ends in it, and it is longer than a record may be
	failure  error // why nothing follows
	outline  outline
	ready    chan struct{} // gets a value when the outline is there

	// What next says of the records.
	first     int64
	startLine int64
	bounds    []int32 // 0, then for each record where it ends, with its blank lines
	released  uint64  // how often the block was given back

	row row
}

var _ table.Block = (*block)(nil)

// headroom is kept free before a chunk for a record that began in the one before.
const headroom = 16 << 10

func newBlock(s *scanner) *block {
	b := &block{scanner: s, buffer: make([]byte, headroom+s.size), ready: make(chan struct{}, 1)}
	b.row.block = b
	return b
}

func (b *block) reset() {
	b.data, b.weight, b.last, b.overlong, b.failure = nil, 1, false, false, nil
}

// analyse runs beside other chunks'.
func (b *block) analyse() {
	if !b.overlong {
		b.outline = guessOutline(b.data, b.scanner.dialect.Delimiter, b.last, b.bounds)
	}
	b.ready <- struct{}{}
}

// prepend puts the beginning of the first record before the data, which are still at
// their place in the buffer or in memory of their own.
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

// Each hands every row to visit. It cuts them into cells as it goes, or in a list that
// was checked before as cells are asked for: what is wrong with one then shows after its
// visit.
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

// fault places what is wrong with the record that raw begins with.
func (b *block) fault(line int64, raw []byte, err error) error {
	var wrong *fault
	if !errors.As(err, &wrong) {
		return err
	}
	return b.scanner.errorAt(line, raw, wrong)
}

// indexFrom returns the offset of the first such byte at or after from, or len(data).
func indexFrom(data []byte, from int, char byte) int {
	if width := bytes.IndexByte(data[from:], char); width >= 0 {
		return from + width
	}
	return len(data)
}
