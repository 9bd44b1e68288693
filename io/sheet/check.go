package sheet

import (
	"errors"
	"fmt"
	"io"
)

// check reads the XML of a sheet before the rows are read. Formulas in some cells may keep the list from being
// read or filled.
func (b *book) check(sheet string, formats *dateFormats) (*Checked, error) {
	entry, err := b.part(sheet)
	if err != nil {
		return nil, err
	}
	rows, err := b.openRows(sheet)
	if err != nil {
		return nil, err
	}
	defer rows.Close() // was only read
	checked := &Checked{sheet: sheet, unvalued: map[int]int64{}, serving: map[int]int64{}, dates: formats}
	if err := checked.read(&rows.cursor); err != nil {
		return nil, fmt.Errorf("%s: %w", entry.Name, err)
	}
	checked.table, err = tableOf(&b.file.Reader, entry)
	return checked, err
}

// Checked is a sheet whose XML is sound. For each column, from 0, it has the line of the first cell
// of either kind.
type Checked struct {
	sheet    string
	table    *area         // nil for none
	header   int64         // line of the header; 0 before it is found
	unvalued map[int]int64 // formulas without a value
	serving  map[int]int64 // formulas of several cells, without a value or with an empty text
	dates    *dateFormats
}

// Name returns the name of the sheet.
func (c *Checked) Name() string { return c.sheet }

// note records the first line of a column.
func note(lines map[int]int64, column int, line int64) {
	if _, found := lines[column]; !found {
		lines[column] = line
	}
}

func (c *Checked) read(cursor *cursor) error {
	for {
		found, err := cursor.row()
		if err != nil {
			return err
		}
		if !found {
			break
		}
		if err := c.readRow(cursor); err != nil {
			return err
		}
	}
	for { // the XML behind the rows
		if _, err := cursor.in.Next(); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
	}
}

func (c *Checked) readRow(cursor *cursor) error {
	for {
		found, err := cursor.cell()
		if err != nil || !found {
			return err
		}
		formula, err := readFormula(cursor.in)
		if err != nil {
			return err
		}
		column, line := cursor.column-1, int64(cursor.line)
		if formula.unvalued {
			note(c.unvalued, column, line)
		}
		if formula.serves {
			note(c.serving, column, line)
		}
	}
}
