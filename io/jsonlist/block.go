package jsonlist

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"payonce/io/table"
)

// span is a row in the data of a block: the text before the object, the object, and in lines the
// end of its line.
type span struct{ start, object, objectEnd, end int }

// block is a range of rows.
type block struct {
	reader *Reader
	from   place // of data
	first  int64 // number of the first row
	data   []byte
	rows   []span
	row    row
}

var _ table.Block = (*block)(nil)

func (b *block) First() int64 { return b.first }

func (b *block) Len() int { return len(b.rows) }

func (b *block) Release() { b.reader.free.Put(b) }

// Each calls visit for every row. A row is read when a cell is used. The whole list was read before, so
// that finds a fault only if the file has changed.
func (b *block) Each(visit func(table.Row) error) error {
	r := &b.row
	r.block, r.line, r.counted = b, b.from.line, 0
	for r.index = range b.rows {
		r.isRead, r.fault, r.scratch = false, nil, r.scratch[:0]
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

// object returns the bytes of a row's object.
func (b *block) object(i int) []byte {
	s := b.rows[i]
	return b.data[s.object:s.objectEnd:s.objectEnd]
}

// row is the row of a block that is being visited.
type row struct {
	block   *block
	index   int
	parser  parser
	cells   []valueRange
	isRead  bool
	fault   error  // why the object cannot be read
	scratch []byte // values of strings with escapes

	line    int64 // of the byte at counted
	counted int
}

// valueRange is where a value is in an object. It is empty for a missing member.
type valueRange struct{ start, end int }

var _ table.Row = (*row)(nil)

func (r *row) Number() int64 { return r.block.first + int64(r.index) }

// Line returns the line that the object starts on.
func (r *row) Line() int64 {
	object := r.block.rows[r.index].object
	r.line += int64(bytes.Count(r.block.data[r.counted:object], []byte{'\n'}))
	r.counted = object
	return r.line
}

// Cell returns the value of a string, nothing for null, and the bytes of any other value.
func (r *row) Cell(i int) []byte {
	if !r.isRead && !r.read() {
		return nil
	}
	at := r.cells[i]
	raw := r.block.object(r.index)[at.start:at.end:at.end]
	switch {
	case len(raw) == 0 || raw[0] == 'n':
		return nil
	case raw[0] != '"':
		return raw
	}
	return unquote(raw, &r.scratch)
}

// unquote returns the value of a string. A value with escapes is put into scratch, which only grows, so
// that earlier values stay valid.
func unquote(raw []byte, scratch *[]byte) []byte {
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1 : len(raw)-1]
	}
	start := len(*scratch)
	*scratch, _ = jsontext.AppendUnquote(*scratch, raw) // it was read before without an error
	return (*scratch)[start:len(*scratch):len(*scratch)]
}

// read finds the values of the wanted columns.
func (r *row) read() bool {
	if r.fault != nil {
		return false
	}
	reader := r.block.reader
	if r.cells == nil {
		r.cells = make([]valueRange, len(reader.layout.columns))
	}
	clear(r.cells)
	object := r.block.object(r.index)
	r.parser.begin(object)
	if err := r.parser.read(reader.wanted, r.cells); err != nil {
		s := r.block.rows[r.index]
		r.fault = r.block.from.after(r.block.data[:s.object]).syntax(object, err, !reader.layout.array)
		return false
	}
	r.isRead = true
	return true
}
