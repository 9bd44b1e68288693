package sheet

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"

	"github.com/xuri/excelize/v2"
)

// checkSheet reads the XML of a sheet once before its rows are read: the library takes
// an error in it for its end, and rows would be missing without a word.
func checkSheet(path, sheet string) (*Checked, error) {
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
	checked := &Checked{sheet: sheet, unvalued: map[int]int64{}}
	if err := checked.read(xml.NewDecoder(part)); err != nil {
		return nil, fmt.Errorf("%s: %w", entry.Name, err)
	}
	return checked, nil
}

// Checked is a sheet whose XML was found sound.
type Checked struct {
	sheet string
	// unvalued are the columns, from 0, in which a formula has no value, and the line
	// of the first one.
	unvalued map[int]int64
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
		valued, err := readCell(decoder, start)
		if err != nil {
			return err
		}
		if _, found := c.unvalued[order.column-1]; !valued && !found {
			c.unvalued[order.column-1] = int64(order.rows.line)
		}
	}
}

// readCell reads the rest of a cell; what is within a cell is no cell. It reports false
// for a formula that has no value, as programs write it that do not calculate. An empty
// text is a value.
func readCell(decoder *xml.Decoder, cell xml.StartElement) (valued bool, err error) {
	valued = true
	var open []string // elements in the cell
	for {
		token, err := decoder.Token()
		if err != nil {
			return false, err
		}
		switch t := token.(type) {
		case xml.StartElement:
			open = append(open, t.Name.Local)
			switch {
			case t.Name.Local == "f":
				valued = false
			case t.Name.Local == "v" && attribute(cell, "t") == "str":
				valued = true
			}
		case xml.CharData:
			if len(open) > 0 && open[len(open)-1] == "v" && len(bytes.TrimSpace(t)) > 0 {
				valued = true
			}
		case xml.EndElement:
			if len(open) == 0 {
				return valued, nil
			}
			open = open[:len(open)-1]
		}
	}
}

// order notices rows and cells that do not follow those before them. The library puts
// such a cell into the column after the cell before it.
type order struct {
	rows   patch
	column int // of the cell before
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
			return fmt.Errorf("the cell %s stands behind one that it should not follow", name)
		}
	}
	return nil
}
