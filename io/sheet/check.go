package sheet

import (
	"archive/zip"
	"encoding/xml"
	"errors"
	"fmt"
	"io"

	"github.com/xuri/excelize/v2"
)

// checkSheet reads the XML of a sheet before the rows are read. The library takes an error in the
// XML for the end of the sheet, so rows would be missing without an error.
func checkSheet(path, sheet string, styles *styles) (*Checked, error) {
	book, err := zip.OpenReader(path)
	if err != nil {
		return nil, err
	}
	defer book.Close() // was only read
	entry, err := partOf(&book.Reader, sheet)
	if err != nil {
		return nil, err
	}
	part, err := entry.Open()
	if err != nil {
		return nil, err
	}
	defer part.Close()
	checked := &Checked{sheet: sheet, unvalued: map[int]int64{}, serving: map[int]int64{}, dates: newDates(styles)}
	if err := checked.read(xml.NewDecoder(part)); err != nil {
		return nil, fmt.Errorf("%s: %w", entry.Name, err)
	}
	checked.dates.styles = nil
	checked.table, err = tableOf(&book.Reader, entry)
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
	dates    *dates
}

// note records the first line of a column.
func note(lines map[int]int64, column int, line int64) {
	if _, found := lines[column]; !found {
		lines[column] = line
	}
}

func (c *Checked) read(decoder *xml.Decoder) error {
	order := order{}
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		if err := order.next(start); err != nil {
			return err
		}
		if start.Name.Local != "c" {
			continue
		}
		formula, err := readFormula(decoder, start)
		if err != nil {
			return err
		}
		column, line := order.column-1, int64(order.rows.line)
		c.dates.note(column, line, start)
		if formula.unvalued {
			note(c.unvalued, column, line)
		}
		if formula.serves {
			note(c.serving, column, line)
		}
	}
}

// order finds rows and cells that are out of order. The library puts such a cell into the column
// after the cell before.
type order struct {
	rows   patch
	column int // of the previous cell
}

func (o *order) next(start xml.StartElement) error {
	switch start.Name.Local {
	case "row":
		o.column = 0
		return o.rows.number(start)
	case "c":
		name, before := attribute(start, "r"), o.column
		o.column++
		if name == "" {
			return nil
		}
		column, _, err := excelize.CellNameToCoordinates(name)
		if err != nil {
			return err
		}
		if o.column = column; column <= before {
			return fmt.Errorf("the cell %s is out of order", name)
		}
	}
	return nil
}
