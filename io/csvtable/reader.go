// Package csvtable reads and writes lists of delimited text so that nothing is lost:
// a cell that is not filled comes out byte for byte as it went in, with its quotes,
// and so do the byte order mark, the line endings and the blank lines.
//
// Every byte of a list belongs to the header or to exactly one row. A record ends at
// LF or CRLF; a CR alone is text. A quote opens a quoted cell only as its first byte,
// anywhere else in a plain cell it is text. The text may be in any encoding in which
// ASCII stands for itself.
package csvtable

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"payonce/io/table"
)

// Reader reads the rows of a list. Its memory is bounded by the longest row, and
// that by 16 MiB.
type Reader struct {
	name    string
	closer  io.Closer // the file that Open opened; nil after NewReader
	source  source
	dialect Dialect
	header  header
	line    int64 // of the next record
	row     row
	err     error // sticky, also io.EOF
}

var _ table.Reader = (*Reader)(nil)

// Open opens the list at path and reads its header. What is wrong with the list is a
// *table.Error.
func Open(path string) (*Reader, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	r, err := NewReader(file, path)
	if err != nil {
		_ = file.Close() // nothing was written to it
		return nil, err
	}
	r.closer = file
	return r, nil
}

// NewReader reads the header of the list in; name stands for it in errors. What is
// wrong with the list is a *table.Error. The delimiter, one of comma, semicolon, tab
// and vertical bar, is recognised by the header and the first rows.
func NewReader(in io.Reader, name string) (*Reader, error) {
	r := &Reader{name: name, source: source{in: in}, line: 1}
	if err := r.readHeader(); err != nil {
		return nil, err
	}
	return r, nil
}

// Schema returns the columns that the header names.
func (r *Reader) Schema() table.Schema {
	return table.Schema{Columns: slices.Clone(r.header.columns)}
}

// Dialect returns the list's delimiter and the line ending of its header.
func (r *Reader) Dialect() Dialect { return r.dialect }

// Next returns the next row, io.EOF after the last one, or an error: a *table.Error
// for what is wrong with the list. After an error it returns that error again.
func (r *Reader) Next() (table.Row, error) {
	if r.err == nil {
		r.err = r.nextRow()
	}
	if r.err != nil {
		return nil, r.err
	}
	return &r.row, nil
}

// Close closes the file that Open opened. What was given to NewReader stays open.
func (r *Reader) Close() error {
	if r.closer == nil {
		return nil
	}
	return r.closer.Close()
}

func (r *Reader) nextRow() error {
	if err := r.nextRecord(); err != nil {
		return err
	}
	r.row.number++
	if rec := &r.row.record; len(rec.cells) != len(r.header.columns) {
		return r.errorAt(r.row.line, r.row.raw, ragged(rec, len(r.header.columns)))
	}
	return nil
}

// nextRecord reads the next record into the row, without counting it.
func (r *Reader) nextRecord() error {
	for {
		data, last := r.source.unread(), r.source.ended()
		if last && len(data) == 0 {
			return io.EOF
		}
		err := r.row.record.split(data, r.dialect.Delimiter, last)
		if err == nil {
			r.take(data[:r.row.record.size])
			return nil
		}
		var wrong *fault
		if errors.As(err, &wrong) {
			return r.errorAt(r.line, data, wrong)
		}
		if !r.source.fill() {
			return r.readError()
		}
	}
}

// take makes raw, the next record, the current row.
func (r *Reader) take(raw []byte) {
	r.source.skip(len(raw))
	r.row.raw = raw
	r.row.line = r.line
	r.row.scratch = r.row.scratch[:0]
	r.line += int64(bytes.Count(raw, []byte{'\n'}))
}

// readError says why the source gave no more although the record is not complete.
func (r *Reader) readError() error {
	if r.source.err != nil {
		return fmt.Errorf("reading %s: %w", r.name, r.source.err)
	}
	data := r.source.unread()
	var wrong *fault
	if err := r.row.record.split(data, r.dialect.Delimiter, true); !errors.As(err, &wrong) {
		wrong = overlongRecord()
	} else if data[wrong.at] == '"' {
		wrong = overlongQuote(wrong.at)
	}
	return r.errorAt(r.line, data, wrong)
}
