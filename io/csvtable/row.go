package csvtable

import (
	"bytes"

	"payonce/io/table"
)

// row is the row that a Reader stands on.
type row struct {
	record    record
	raw       []byte // the record, its line ending and the blank lines after it
	delimiter byte
	number    int64
	line      int64
	scratch   []byte // the values whose doubled quotes were undone
}

var _ table.Row = (*row)(nil)

func (r *row) Number() int64 { return r.number }

func (r *row) Line() int64 { return r.line }

func (r *row) Cell(i int) []byte {
	c := r.record.cells[i]
	switch c.quoting {
	case quoted:
		return r.raw[c.start+1 : c.end-1 : c.end-1]
	case escaped:
		return r.unescape(r.raw[c.start+1 : c.end-1])
	default:
		return r.raw[c.start:c.end:c.end]
	}
}

// unescape returns value with every doubled quote made one. What it returned before
// stays valid: the scratch only grows until the next row.
func (r *row) unescape(value []byte) []byte {
	start := len(r.scratch)
	for {
		quote := bytes.IndexByte(value, '"')
		if quote < 0 {
			r.scratch = append(r.scratch, value...)
			return r.scratch[start:len(r.scratch):len(r.scratch)]
		}
		r.scratch = append(r.scratch, value[:quote+1]...)
		value = value[quote+2:]
	}
}
