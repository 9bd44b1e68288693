// Package table declares what the program needs of a list, whatever its format:
// rows come one after the other, and go out again with some cells filled and
// some appended.
package table

import "fmt"

// Schema names the columns of a list.
type Schema struct {
	Columns []string // as they stand in the list; names may repeat
}

// Row is one row of a list. It and all that it returns are valid until the next
// call of the reader that made it.
type Row interface {
	// Number counts the rows from 1, without the header and blank lines.
	Number() int64
	// Line is the number of the line that the row starts on, from 1; for a format
	// without lines it is Number.
	Line() int64
	// Cell returns the decoded value of column i.
	Cell(i int) []byte
}

// Reader reads the rows of a list in order. It is used by one goroutine.
type Reader interface {
	Schema() Schema
	// Next returns the next row, io.EOF after the last one, or an *Error.
	Next() (Row, error)
	Close() error
}

// Fill replaces the value of one column.
type Fill struct {
	Column int
	Value  string
}

// Writer writes rows in order. A cell that is not filled is written as it was
// read, byte for byte where the format allows it. It is used by one goroutine.
type Writer interface {
	// WriteRow writes the row with the fills, in ascending order of column, in
	// place of its cells, and with one cell for each appended column.
	WriteRow(row Row, fills []Fill, appended []string) error
	// Close writes what is left over. It does not close the file below.
	Close() error
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
