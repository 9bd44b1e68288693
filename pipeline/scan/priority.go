package scan

import (
	"errors"
	"strings"

	"payonce/io/table"
	"payonce/pipeline/columns"
)

// Priority sends the lookups in the order of a column's cells instead of the
// list's: numbers first, then texts, then blank cells; rows with equal cells go
// in the list's order. The cell of the first occurrence counts.
//
// A number is a decimal one, with a sign, a fraction and an exponent if need be, and
// with commas where they part groups of three digits. Everything else that is not
// blank is text: it is compared without regard to case, by its first 64 bytes.
type Priority struct {
	Column int
	// Ascending puts small numbers and the beginning of the alphabet first; without
	// it they come last.
	Ascending bool
	// AtOnce is how many lookups are gathered from the list at first, zero for 50,000.
	// Each time after it is twice as many, as far as Scope.Memory allows.
	AtOnce int
}

// ParsePriority reads a priority: a column by its name or number, with
// ":asc" behind it for ascending order, or ":desc".
func ParsePriority(schema table.Schema, text string) (*Priority, error) {
	if text == "" {
		return nil, errors.New("write COLUMN, or COLUMN:asc for small numbers first")
	}
	column, err := columns.Find(schema, text)
	if err == nil {
		return &Priority{Column: column}, nil
	}
	if cut := strings.LastIndexByte(text, ':'); cut > 0 {
		direction := text[cut+1:]
		column, short := columns.Find(schema, text[:cut])
		if short == nil && (direction == "asc" || direction == "desc") {
			return &Priority{Column: column, Ascending: direction == "asc"}, nil
		}
	}
	return nil, err
}
