package sheet

import (
	"fmt"
	"io"
	"strings"

	"github.com/xuri/excelize/v2"

	"payonce/io/table"
)

const (
	// blockRows is the most rows of a block.
	blockRows = 1024
	// blockBytes is about the most text of a block. Some blocks wait in memory for those before them.
	blockBytes = 1 << 20
	// MaxRows is the most rows of a sheet, with the header.
	MaxRows = excelize.TotalRows
	// maxUnzipped is the most bytes of a decompressed workbook.
	maxUnzipped = 1 << 30
)

// Reader reads the rows of a sheet.
type Reader struct {
	name    string
	sheet   string
	checked *Checked
	book    *book
	rows    *rows
	line    int64 // of the last row in the sheet
	number  int64 // of the last row in the list
	header  int64 // line of the header
	columns []string
	last    sizes            // of the last block
	held    []*block         // blocks that may have rows below the list; see foot.go
	found   func(table.Foot) // may be nil
	err     error            // sticky, also io.EOF
}

var (
	_ table.Reader = (*Reader)(nil)
	_ table.Footed = (*Reader)(nil)
)

// Open opens a sheet of the workbook at path and reads its header, in a row or with 0 below titles and notes. An
// empty name stands for the only sheet that has values. A fault of the workbook is a *table.Error.
func Open(path, sheet string, header int64) (*Reader, error) {
	return open(path, sheet, func(r *Reader) error {
		err := r.choose()
		if err == nil {
			r.checked.header = header
		}
		return err
	})
}

// OpenAgain opens a sheet that was checked before. The workbook must not have changed since.
func OpenAgain(path string, checked *Checked) (*Reader, error) {
	return open(path, checked.sheet, func(r *Reader) error {
		r.checked = checked
		return nil
	})
}

func open(path, sheet string, check func(*Reader) error) (r *Reader, err error) {
	defer guard(path, &err)
	book, err := openBook(path)
	if err != nil {
		return nil, unreadable(path, err)
	}
	r = &Reader{name: path, sheet: sheet, book: book}
	if err := r.begin(check); err != nil {
		_ = r.Close() // nothing was written to it
		return nil, unreadable(path, err)
	}
	return r, nil
}

// choose finds the sheet and checks it.
func (r *Reader) choose() (err error) {
	if r.sheet != "" {
		return r.find()
	}
	if r.checked, err = r.onlySheet(); err == nil {
		r.sheet = r.checked.sheet
	}
	return err
}

func (r *Reader) begin(check func(*Reader) error) (err error) {
	defer guard(r.name, &err)
	if err := check(r); err != nil {
		return err
	}
	if r.rows, err = r.book.openRows(r.sheet); err != nil {
		return err
	}
	return r.toHeader()
}

// addHeader is what to do about a sheet without a header.
const addHeader = "a list begins with a row of column names"

// find checks the sheet with the given name.
func (r *Reader) find() (err error) {
	if r.book.index(r.sheet) < 0 {
		return &table.Error{
			File: r.name, Reason: fmt.Sprintf("there is no sheet %s", r.sheet),
			Hint: "the sheets are " + strings.Join(r.book.names(), ", "),
		}
	}
	formats, err := r.book.dateFormats()
	if err == nil {
		r.checked, err = r.book.check(r.sheet, formats)
	}
	return err
}

// onlySheet returns the only sheet that has values.
func (r *Reader) onlySheet() (only *Checked, err error) {
	var found []string
	formats, err := r.book.dateFormats()
	if err != nil {
		return nil, err
	}
	for _, sheet := range r.book.names() {
		checked, err := r.book.check(sheet, formats)
		if err != nil {
			return nil, err
		}
		hasValue, err := r.book.hasValue(sheet)
		if err != nil {
			return nil, err
		}
		if hasValue {
			found, only = append(found, sheet), checked
		}
	}
	switch len(found) {
	case 0:
		return nil, &table.Error{File: r.name, Reason: "no sheet has a value", Hint: addHeader}
	case 1:
		return only, nil
	}
	reason := "there are several sheets: " + strings.Join(found, ", ")
	return nil, &table.Error{
		File: r.name, Reason: reason, Hint: "name one of them", Err: &SeveralSheetsError{found},
	}
}

// SeveralSheetsError says that several sheets of a workbook have values and none is named.
type SeveralSheetsError struct{ Names []string }

func (*SeveralSheetsError) Error() string { return "several sheets have values" }

// hasValue reports whether a sheet has a cell with a value.
func (b *book) hasValue(sheet string) (bool, error) {
	rows, err := b.openRows(sheet)
	if err != nil {
		return false, err
	}
	defer rows.Close() // was only read
	if err := rows.next(); err != io.EOF {
		return err == nil, err
	}
	return false, nil
}

// next reads the next row that has a value. It returns io.EOF after the last one.
func (r *Reader) next() error {
	err := r.rows.next()
	r.line = int64(r.rows.line)
	return err
}

// Schema returns the names of the columns.
func (r *Reader) Schema() table.Schema {
	return table.Schema{Columns: append([]string{}, r.columns...)}
}

// Checked returns the sheet, for OpenAgain.
func (r *Reader) Checked() *Checked { return r.checked }

// Next returns the next block. It returns io.EOF after the last one, and a *table.Error for a fault
// of the sheet. After an error it returns the same error again.
func (r *Reader) Next() (table.Block, error) {
	for r.err == nil && !r.mayReturn() {
		r.read()
	}
	if r.err != nil && r.err != io.EOF || len(r.held) == 0 {
		return nil, r.err
	}
	b := r.held[0]
	r.held = r.held[1:]
	return b, nil
}

// read reads a block and holds it.
func (r *Reader) read() {
	b := &block{reader: r, first: r.number + 1, width: len(r.columns)}
	b.lines, b.ends = make([]int64, 0, r.last.lines), make([]int, 0, r.last.ends)
	b.text = make([]byte, 0, r.last.text)
	r.err = r.fill(b)
	r.last = sizes{len(b.lines), len(b.ends), len(b.text) + len(b.text)/8}
	if b.Len() > 0 {
		r.held = append(r.held, b)
	}
	if r.err == io.EOF {
		r.cutFoot()
	}
}

func (r *Reader) fill(b *block) (err error) {
	defer guard(r.name, &err)
	for b.Len() < blockRows && len(b.text) < blockBytes {
		before := r.line
		err := r.next()
		switch {
		case err == io.EOF:
			return err
		case err != nil:
			return unreadable(r.name, err)
		case r.endsTable(before):
			return io.EOF
		case len(r.rows.cells.ends) > b.width:
			return &table.Error{
				File: r.name, Line: r.line,
				Reason: fmt.Sprintf("the row has %d cells; the header has %d", len(r.rows.cells.ends), b.width),
				Hint:   "name every column in the header, or say which row it is",
				Err:    &table.HeaderRowError{Row: r.line},
			}
		}
		r.number++
		b.add(r.line, &r.rows.cells)
	}
	return nil
}

// Close removes the temporary files of the workbook. Blocks that Next returned stay valid.
func (r *Reader) Close() error {
	if r.rows != nil {
		if err := r.rows.Close(); err != nil {
			_ = r.book.Close() // err is the first error
			return err
		}
	}
	return r.book.Close()
}
