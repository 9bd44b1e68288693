// Package table declares the interfaces of a list of any format. Readers return the rows in
// blocks. Writers write them again with some cells filled and some appended.
package table

import (
	"errors"
	"fmt"

	"payonce/enrich"
)

// Schema names the columns of a list.
type Schema struct {
	Columns []string // in the order of the list; names may repeat
}

// Row is one row of a list. The row and its cells are valid until visit returns.
type Row interface {
	// Number returns the number of the row from 1, not counting the header and blank lines.
	Number() int64
	// Line returns the number of the line that the row starts on, from 1. In a format without lines
	// it is Number.
	Line() int64
	// Cell returns the decoded value of column i. The list must have been opened for the column. A
	// null is an empty value.
	Cell(i int) []byte
}

// Reader reads the rows of a list in blocks, in order. Only one goroutine may use it. Any
// goroutines may use its blocks.
type Reader interface {
	Schema() Schema
	// Next returns the next block. It returns io.EOF after the last one, and an *Error for a fault
	// of the list. Such a fault comes after those that Each finds in the blocks before.
	Next() (Block, error)
	Close() error
}

// Foot is what a file of a list has below its rows: totals and notes. It is not a row, and a Writer of the same format
// writes it unchanged behind the rows.
type Foot struct {
	File string
	Line int64 // of its first row
	Rows int
}

// Footed is a Reader of a format whose lists can have something below their rows.
type Footed interface {
	// WhenFoot has found called with what is below the rows of each file, before Next returns the last rows.
	WhenFoot(found func(Foot))
}

// Block has consecutive rows. Only one goroutine may use it. Different blocks may be used at the same time.
type Block interface {
	// First returns the number of the first row.
	First() int64
	// Len returns the number of rows.
	Len() int
	// Each calls visit for every row in order. It may be called more than once. It returns the
	// first error of visit, or an *Error for a row that cannot be read.
	Each(visit func(Row) error) error
	// Release returns the memory of the block to the reader. The block and its rows must not be used afterwards.
	Release()
}

// Column is a column that a writer appends.
type Column struct {
	Name string
	Kind enrich.CellKind // of its values
}

// Fill replaces the value of one column. It is a text, because the cells of a list are texts in all formats but Parquet.
type Fill struct {
	Column int
	Value  string
}

// CheckRow refuses what would damage a list with this many columns and these appended columns: another number of
// appended values or values of another kind, and fills that do not ascend or are of no column. Writers call it for
// each row.
func CheckRow(row Row, fills []Fill, values []enrich.Cell, columns int, appended []Column) error {
	if len(values) != len(appended) {
		return fmt.Errorf("table: row %d has %d appended values; the list has %d appended columns",
			row.Number(), len(values), len(appended))
	}
	for i := range values {
		if value := &values[i]; value.Known && value.Kind != appended[i].Kind {
			return fmt.Errorf("table: row %d has %s for the column %s; the column is %s",
				row.Number(), value.Kind, appended[i].Name, appended[i].Kind)
		}
	}
	previous := -1
	for _, fill := range fills {
		if fill.Column <= previous || fill.Column >= columns {
			return fmt.Errorf("table: row %d of a list with %d columns has a fill of column %d after column %d; fills ascend",
				row.Number(), columns, fill.Column, previous)
		}
		previous = fill.Column
	}
	return nil
}

// Writer writes rows in parts. Several goroutines may fill one part each, and one goroutine writes
// the parts in order. A cell that is not filled stays the same, byte for byte where the format
// allows it.
type Writer interface {
	// Part returns an empty part for the rows of a block, or of nil for rows that are in no list. Several goroutines may
	// call it at the same time.
	Part(block Block) Part
	// Write writes the part of the next block. The part must not be used afterwards. The block must
	// not be released before.
	Write(part Part) error
	// Close writes the rest of the list. It does not close the file below.
	Close() error
}

// Discarder is a Writer that has goroutines or files until it is closed.
type Discarder interface {
	Writer
	// Discard takes the place of Close when the output is not wanted.
	Discard()
}

// Part takes rows of one block, in order. Only one goroutine may use it.
type Part interface {
	// WriteRow adds the row. The fills replace cells and are in ascending order of column. appended
	// has a value for each appended column, of its kind. An empty text means no value. The writer keeps no value
	// behind the call, except for texts.
	WriteRow(row Row, fills []Fill, appended []enrich.Cell) error
}

// Error is a fault of a list: its place, its reason, and what to do about it.
type Error struct {
	File   string
	Line   int64 // from 1; 0 when the error has no line
	Column int64 // byte of the line, from 1; 0 when the error has no column
	Reason string
	Hint   string // what to do; may be empty
	Err    error  // by which a caller recognises the fault; may be nil
}

// ErrNotUTF8 says that a text has bytes that are not UTF-8, where only UTF-8 can be written.
var ErrNotUTF8 = errors.New("bytes that are not UTF-8")

// HeaderRowError says that another row than the one that was taken may have the names of the columns: Row, as a
// spreadsheet program counts rows; 0 for one that is to be found.
type HeaderRowError struct{ Row int64 }

func (e *HeaderRowError) Error() string { return "another row may have the names of the columns" }

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

func (e *Error) Error() string {
	place := e.File
	if e.Line > 0 {
		place = fmt.Sprintf("%s:%d", place, e.Line)
		if e.Column > 0 {
			place = fmt.Sprintf("%s:%d", place, e.Column)
		}
	}
	if e.Hint == "" {
		return place + ": " + e.Reason
	}
	return place + ": " + e.Reason + "; " + e.Hint
}
