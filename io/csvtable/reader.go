// Package csvtable reads and writes lists of delimited text without loss. A cell that is not filled is
// written byte for byte as it was read, with its quotes. The byte order mark, the line endings and the
// blank lines stay the same, too.
//
// Every byte of a list belongs to the header, to exactly one row, or to the totals and notes below the
// rows. A record ends at LF or CRLF; a CR alone is text. A quote opens a quoted cell only as the first
// byte of the cell. Elsewhere in a plain cell it is text. Lines and columns in errors are those of the
// list as UTF-8; columns count bytes.
//
// The bytes are read in chunks of whole lines. Whether a chunk starts with a record or within a quoted
// cell is known only when the chunk before was read. So chunks are read at the same time in the likelier
// way, and a chunk is read again when that was wrong. Rows are split into cells when a block is visited.
// In a list that an earlier pass checked, a row is split only when one of its cells is used.
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
	// Name returns the name of the file for errors.
	Name() string
	Open() (io.ReadCloser, error)
}

// Options say what is known about a list.
type Options struct {
	// Encoding is the encoding of the files, or "" to detect it. A byte order mark has precedence.
	Encoding Encoding
	// Delimiter is one of , ; tab |, or 0 to detect it.
	Delimiter byte
	// HeaderRow is the row of the header, from 1 and counting blank lines, or 0 to find it below titles and
	// notes. What is above the header is written unchanged.
	HeaderRow int64
	// Checked says that an earlier pass read every row of the same bytes without a fault. A row is
	// then split into cells only when a cell is used or filled. If the row is faulty nevertheless,
	// its cells are empty, it cannot be filled, and Block.Each returns the error after the visit. A
	// row that is not split is written unchanged.
	Checked bool
}

// Reader reads the rows of a list of one or more files. It holds some chunks, or the longest rows,
// which have at most 16 MiB each.
//
// An error of Next comes after all faults in the blocks that were returned before.
type Reader struct {
	options Options
	first   *scanner // of the first file, which has the header of the list
	scanner *scanner
	further []Input // not opened yet
	err     error   // sticky, also io.EOF
}

var (
	_ table.Reader = (*Reader)(nil)
	_ table.Footed = (*Reader)(nil)
)

// Open reads the header of a list of one or more files. All files have the same columns. Delimiter,
// line endings and encoding may differ, but the encoding of the first file must have all
// characters. A fault of the list is a *table.Error.
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

// NewReader reads the header of the list in. name is its name in errors. A fault of the list is a
// *table.Error. The delimiter (comma, semicolon, tab or vertical bar) is detected in the header and
// the first rows.
func NewReader(in io.Reader, name string, options Options) (*Reader, error) {
	s, err := newScanner(in, name, options, nil)
	if err != nil {
		return nil, err
	}
	return &Reader{options: options, first: s, scanner: s}, nil
}

// openInput opens a file of a list. leader is the first file, or nil for the first file itself.
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

// Schema returns the names of the columns.
func (r *Reader) Schema() table.Schema {
	return table.Schema{Columns: slices.Clone(r.first.header.columns)}
}

// Dialect returns the delimiter of the list, the line ending of its header, and its encoding.
func (r *Reader) Dialect() Dialect { return r.first.dialect }

// HeaderRow returns the row of the header, from 1 and counting blank lines.
func (r *Reader) HeaderRow() int64 { return r.first.headerRow }

// EncodingGuessed reports whether the bytes of the list fit more than one encoding. The user should
// then see which one is used.
func (r *Reader) EncodingGuessed() bool { return r.first.guessed }

// Next returns the next block of rows. It returns io.EOF after the last one, and a *table.Error for
// a fault of the list. After an error it returns the same error again.
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

// advance opens the next file.
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

// Close ends the goroutines and closes the files that Open opened. It does not close the reader
// that was passed to NewReader. It waits for a Read that has started.
func (r *Reader) Close() error {
	if r.err == nil {
		r.err = os.ErrClosed
	}
	return r.scanner.close()
}
