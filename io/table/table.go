// Package table declares what the program needs of a list, whatever its format: rows
// come in blocks, one behind the other, and go out again with some cells filled and
// some appended.
package table

import "fmt"

// Schema names the columns of a list.
type Schema struct {
	Columns []string // as they stand in the list; names may repeat
}

// Row is one row of a list. It and all that it returns are valid until the visit
// that it was handed to ends.
type Row interface {
	// Number counts the rows from 1, without the header and blank lines.
	Number() int64
	// Line is the number of the line that the row starts on, from 1; for a format
	// without lines it is Number.
	Line() int64
	// Cell returns the decoded value of column i, which must be one of those that
	// the list was opened for. A null is an empty value.
	Cell(i int) []byte
}

// Reader hands out the rows of a list in blocks, in order. It is used by one
// goroutine, its blocks by as many as there are.
type Reader interface {
	Schema() Schema
	// Next returns the next block, io.EOF after the last one, or an *Error. An error of
	// Next stands behind the blocks before it: what Each finds wrong in one of them
	// comes first in the list.
	Next() (Block, error)
	Close() error
}

// Block is a run of consecutive rows. It is used by one goroutine; different blocks
// may be used at the same time.
type Block interface {
	// First is the number of the first row.
	First() int64
	// Len is the number of rows.
	Len() int
	// Each hands every row to visit, in order; it may be called more than once. It
	// returns the first error of visit, or an *Error for a row that cannot be read.
	Each(visit func(Row) error) error
	// Release gives the block's memory back to the reader. The block and its rows
	// are not used afterwards.
	Release()
}

// Kind says how the values of an appended column are kept in a format with types.
type Kind uint8

// The kinds of appended columns. Values are handed over as text in any case.
const (
	Text  Kind = iota // UTF-8
	Money             // a decimal number of dollars with at most six decimals
	Time              // RFC 3339, in UTC
	Texts             // words with single spaces between them: a list of texts
)

// Column is a column that a writer appends.
type Column struct {
	Name string
	Kind Kind
}

// Fill replaces the value of one column.
type Fill struct {
	Column int
	Value  string
}

// Writer writes rows in parts: several goroutines fill a part each, one writes them
// in order. A cell that is not filled is written as it was read, byte for byte
// where the format allows it.
type Writer interface {
	// Part returns an empty part for the rows of a block. It may be called by many
	// goroutines.
	Part(block Block) Part
	// Write writes the part of the block that follows the one written last. The part
	// is not used afterwards; its block is released after this and not before.
	Write(part Part) error
	// Close writes what is left over. It does not close the file below.
	Close() error
}

// Discarder is a Writer that holds more than memory until it is closed: goroutines, files.
type Discarder interface {
	Writer
	// Discard takes the place of Close when what was written is not wanted any more.
	Discard()
}

// Part takes rows of one block, in order. It is used by one goroutine.
type Part interface {
	// WriteRow adds the row with the fills, in ascending order of column, in place
	// of its cells, and with one value for each appended column, "" for none.
	WriteRow(row Row, fills []Fill, appended []string) error
}

// Error says where in a list something is wrong and what to do about it.
type Error struct {
	File   string
	Line   int64 // from 1; 0 when the error has no line
	Column int64 // the byte in the line, from 1; 0 when the error has no column
	Reason string
	Hint   string // what to do; may be empty
}

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
