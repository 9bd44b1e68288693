package csvtable

import (
	"bytes"

	"payonce/io/table"
)

// row is the row of a block that is being visited.
type row struct {
	block   *block
	start   int // of the record in block.data
	raw     []byte
	number  int64
	scratch []byte // values that had doubled quotes

	record  record
	isCut   bool  // record has the cells of this row
	fault   error // why the row cannot be split
	quote   int   // the first quote after the start of the last row that was split
	careful bool  // the block has a NUL byte, or may have a record that is too long

	// The last line that Line returned, and its start in block.data.
	line   int64
	lineAt int
}

var _ table.Row = (*row)(nil)

func (r *row) Number() int64 { return r.number }

// Line returns the line that the row starts on. It counts from the last line that it returned.
func (r *row) Line() int64 {
	r.line += int64(bytes.Count(r.block.data[r.lineAt:r.start], []byte{'\n'}))
	r.lineAt = r.start
	return r.line
}

func (r *row) Cell(i int) []byte {
	if !r.isCut && r.cut() != nil {
		return nil
	}
	start, end := r.record.cell(i)
	raw := r.raw[start:end:end]
	if len(raw) == 0 || raw[0] != '"' {
		return raw
	}
	return cellValue(raw, &r.scratch)
}

// cellValue returns the value of a quoted cell. A value with doubled quotes is put into scratch,
// which only grows, so that earlier values stay valid.
func cellValue(raw []byte, scratch *[]byte) []byte {
	value := raw[1 : len(raw)-1 : len(raw)-1]
	quote := bytes.IndexByte(value, '"')
	if quote < 0 {
		return value
	}
	start := len(*scratch)
	for ; quote >= 0; quote = bytes.IndexByte(value, '"') {
		*scratch = append(*scratch, value[:quote+1]...)
		value = value[quote+2:]
	}
	*scratch = append(*scratch, value...)
	return (*scratch)[start:len(*scratch):len(*scratch)]
}

// begin moves to the position before the first row of the block.
func (r *row) begin(b *block) {
	r.number, r.line, r.lineAt = b.first-1, b.startLine, 0
	r.quote, r.fault = -1, nil
	r.careful = len(b.data) > maxRecord || !b.scanner.checked && bytes.IndexByte(b.data, 0) >= 0
}

// enter goes to the next row. Its bytes are data[start:end] of the block.
func (r *row) enter(start, end int) {
	r.start, r.raw = start, r.block.data[start:end]
	r.number++
	r.scratch = r.scratch[:0]
	r.isCut = false
}

// cut splits the row into cells, unless that is done already.
func (r *row) cut() error {
	if !r.isCut && r.fault == nil {
		r.fault = r.split()
		r.isCut = r.fault == nil
	}
	return r.fault
}

func (r *row) split() error {
	data := r.block.data[r.start:]
	if r.quote < r.start {
		r.quote = indexFrom(r.block.data, r.start, '"')
	}
	if r.careful || r.quote < r.start+len(r.raw) {
		if err := r.splitAny(data); err != nil {
			return r.block.fault(r.Line(), data, err)
		}
	} else {
		r.record.text = textEnd(r.raw)
		r.record.splitPlain(data, r.record.text, r.block.scanner.dialect.Delimiter)
	}
	if columns := r.columns(); r.record.cells() != columns {
		s := r.block.scanner
		wrong := s.errorAt(r.Line(), r.raw, ragged(&r.record, columns, s.dialect.Delimiter))
		switch row := r.block.headerRowAt(r); {
		case row > 0:
			wrong.Err = &table.HeaderRowError{Row: row}
		case s.delimiter == 0 && r.record.cells() > columns:
			wrong.Err = ErrGuessedDelimiter
		}
		return wrong
	}
	return nil
}

// splitAny splits the first record of data.
func (r *row) splitAny(data []byte) error {
	window := data[:min(len(data), recordWindow)]
	delimiter := r.block.scanner.dialect.Delimiter
	err := r.record.split(window, delimiter, len(window) == len(data))
	if err == errIncomplete || err == nil && r.record.size > maxRecord {
		return overlong(window, delimiter)
	}
	return err
}

// columns returns the number of cells of a row that was split.
func (r *row) columns() int { return len(r.block.scanner.header.columns) }

// text returns the end of the text of the row in raw. The line ending follows it.
func (r *row) text() int {
	if r.isCut {
		return r.record.text
	}
	return textEnd(r.raw)
}
