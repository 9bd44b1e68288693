package sheet

import (
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/xuri/excelize/v2"
)

// Depths of elements in the part of a sheet.
const (
	sheetDepth = iota + 1
	dataDepth  // of the element with the rows
	rowDepth
	cellDepth
	valueDepth
)

// cursor walks over the rows of a sheet and their cells.
type cursor struct {
	in   *xmlReader
	pass func() error // called with each token that the cursor moves over; may be nil
	line int          // of the row, from 1
	// column is that of the cell, from 1.
	column int
	within bool // the element with the rows is open
	done   bool // it was read
}

// row moves to the start of the next row. It returns false after the last one.
func (c *cursor) row() (bool, error) {
	for !c.done {
		kind, err := c.in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return false, err
		}
		switch depth := c.in.Depth(); {
		case kind == xmlStart && depth == rowDepth && c.within && c.in.Is("row"):
			return true, c.number()
		case kind == xmlStart && depth == dataDepth && c.in.Is("sheetData"):
			c.within = true
		case kind == xmlEnd && depth == dataDepth && c.within:
			c.done = true
		}
		if err := c.moved(); err != nil {
			return false, err
		}
	}
	c.done = true
	return false, nil
}

func (c *cursor) moved() error {
	if c.pass == nil {
		return nil
	}
	return c.pass()
}

// number reads the number of the row. A row without a number follows the previous row.
func (c *cursor) number() error {
	line := c.line + 1
	if text := c.in.Attribute("r"); len(text) > 0 {
		var err error
		if line, err = strconv.Atoi(text); err != nil {
			return fmt.Errorf("a row has the number %q", text)
		}
	}
	if line > MaxRows {
		return fmt.Errorf("row %d is more than the %d rows of a sheet", line, MaxRows)
	}
	if line <= c.line {
		return fmt.Errorf("row %d is out of order: it follows row %d", line, c.line)
	}
	c.line, c.column = line, 0
	return nil
}

// cell moves to the start of the next cell of the row. It returns false at the end of the row.
func (c *cursor) cell() (bool, error) {
	for {
		kind, err := c.in.Next()
		if err != nil {
			return false, err
		}
		switch depth := c.in.Depth(); {
		case kind == xmlStart && depth == cellDepth && c.in.Is("c"):
			return true, c.name()
		case kind == xmlEnd && depth == rowDepth:
			return false, nil
		}
		if err := c.moved(); err != nil {
			return false, err
		}
	}
}

// name reads the name of the cell. A cell without a name follows the previous cell.
func (c *cursor) name() error {
	before := c.column
	c.column++
	name := c.in.Attribute("r")
	if len(name) == 0 {
		return nil
	}
	if c.column = columnOf(name); c.column == 0 {
		var err error
		if c.column, _, err = excelize.CellNameToCoordinates(name); err != nil {
			return err
		}
	}
	if c.column <= before {
		return fmt.Errorf("the cell %s is out of order", name)
	}
	return nil
}

// restOf reads the rest of a cell that has one of the usual forms, and returns its value as it is stored.
func restOf(in *xmlReader, kind kind) (value []byte, found bool) {
	if kind != inlineText {
		return in.Rest("<v>", "</v></c>")
	}
	if value, found = in.Rest("<is><t>", "</t></is></c>"); found {
		return value, true
	}
	return in.Rest(`<is><t xml:space="preserve">`, "</t></is></c>")
}

// columnOf returns the column of a name such as AB12, and 0 for a name in another form.
func columnOf(name string) int {
	column, letters := 0, 0
	for letters < len(name) && letters < 3 && name[letters] >= 'A' && name[letters] <= 'Z' {
		column = column*26 + int(name[letters]-'A') + 1
		letters++
	}
	if letters == len(name) || len(name)-letters > 6 || name[letters] == '0' || column > excelize.MaxColumns {
		return 0
	}
	for _, digit := range name[letters:] {
		if digit < '0' || digit > '9' {
			return 0
		}
	}
	return column
}
