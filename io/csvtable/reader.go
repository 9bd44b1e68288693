// Package csvtable reads and writes lists of delimited text so that nothing is lost:
// a cell that is not filled comes out byte for byte as it went in, with its quotes,
// and so do the byte order mark, the line endings and the blank lines.
//
// Every byte of a list belongs to the header or to exactly one row. A record ends at
// LF or CRLF; a CR alone is text. A quote opens a quoted cell only as its first byte,
// anywhere else in a plain cell it is text. Lines and columns in errors are those of the
// list as UTF-8, the columns in bytes.
//
// The bytes are read in chunks that end with a line. Whether a chunk begins with a
// record or within a quoted cell shows only after the chunk before, so each is looked
// at in the likelier way, beside the others, and again where that was wrong. The cells
// are cut when a block is visited, or only where they are asked for when the list was
// checked by a pass before.
package csvtable

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"payonce/io/table"
)

// Input is a file of a list. It can be opened any number of times.
type Input interface {
	// Name stands for the file in errors.
	Name() string
	Open() (io.ReadCloser, error)
}

// Options say what is known of a list beforehand.
type Options struct {
	// Encoding is that of the list's files; "" has it recognised. A byte order mark
	// goes before it.
	Encoding Encoding
	// Checked says that every row of the list was read before and found sound, with these
	// very bytes. Then a row is cut into cells only when a cell is asked for or filled.
	// Should it be ragged after all, its cells are empty, it cannot be written with fills,
	// and Block.Each returns the error after its visit; a row that is not cut is written as
	// it is.
	Checked bool
}

// Reader reads the rows of a list, which may be of several files. Its memory is
// bounded by some chunks, or by the longest rows, and those by 16 MiB each.
//
// An error of Next follows all blocks that were handed out before: what Block.Each finds
// wrong in one of them stands before it in the list.
type Reader struct {
	options Options
	first   *scanner // of the first file, whose header is the list's
	scanner *scanner
	further []Input // not yet opened
	err     error   // sticky, also io.EOF
}

var _ table.Reader = (*Reader)(nil)

// Open reads the header of a list of one or more files, whose rows follow each other.
// All have the same columns; delimiter, line endings and encoding may differ, but the
// text of all has to fit into the encoding of the first. What is wrong with the list is a
// *table.Error.
func Open(options Options, inputs ...Input) (*Reader, error) {
	if len(inputs) == 0 {
		return nil, errors.New("csvtable: a list without files")
	}
	s, err := openInput(inputs[0], options, nil)
	if err != nil {
		return nil, err
	}
	return &Reader{options: options, first: s, scanner: s, further: inputs[1:]}, nil
}

// NewReader reads the header of the list in; name stands for it in errors. What is
// wrong with the list is a *table.Error. The delimiter, one of comma, semicolon, tab
// and vertical bar, is recognised by the header and the first rows.
func NewReader(in io.Reader, name string, options Options) (*Reader, error) {
	s, err := newScanner(in, name, options, nil)
	if err != nil {
		return nil, err
	}
	return &Reader{options: options, first: s, scanner: s}, nil
}

// openInput opens a file of a list whose first one is leader; nil for that one itself.
func openInput(input Input, options Options, leader *scanner) (*scanner, error) {
	file, err := input.Open()
	if err != nil {
		return nil, err
	}
	s, err := newScanner(file, input.Name(), options, leader)
	if err != nil {
		_ = file.Close() // nothing was written to it
		return nil, err
	}
	s.closer = file
	return s, nil
}

// Schema returns the columns that the header names.
func (r *Reader) Schema() table.Schema {
	return table.Schema{Columns: slices.Clone(r.first.header.columns)}
}

// Dialect returns the list's delimiter, the line ending of its header and its encoding.
func (r *Reader) Dialect() Dialect { return r.first.dialect }

// EncodingGuessed reports whether the list leaves a doubt about its encoding, so that the
// user should be told which one was taken.
func (r *Reader) EncodingGuessed() bool { return r.first.guessed }

// Next returns the next block of rows, io.EOF after the last one, or an error: a
// *table.Error for what is wrong with the list. After an error it returns that error
// again.
func (r *Reader) Next() (table.Block, error) {
	for r.err == nil {
		block, err := r.scanner.next()
		if err == nil {
			return block, nil
		}
		if r.err = err; err == io.EOF && len(r.further) > 0 {
			r.err = r.advance()
		}
	}
	return nil, r.err
}

// advance goes on with the next file.
func (r *Reader) advance() error {
	if err := r.scanner.close(); err != nil {
		return fmt.Errorf("reading %s: %w", r.scanner.name, err)
	}
	s, err := openInput(r.further[0], r.options, r.first)
	if err != nil {
		return err
	}
	s.number = r.scanner.number
	r.scanner, r.further = s, r.further[1:]
	if f := s.header.differs(&r.first.header, r.first.name); f != nil {
		return s.errorAt(s.header.line, s.header.raw, f)
	}
	return nil
}

// Close ends what reads ahead, and closes the files that Open opened. What was given
// to NewReader stays open. It waits for a Read of the list that has begun.
func (r *Reader) Close() error {
	if r.err == nil {
		r.err = os.ErrClosed
	}
	return r.scanner.close()
}
