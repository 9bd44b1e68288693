package sheet

import (
	"archive/zip"
	"encoding/xml"
	"errors"
	"fmt"
	"io"

	"github.com/xuri/excelize/v2"
)

// checkSheet reads the XML of a sheet once before its rows are read: the library takes
// an error in it for its end, and rows would be missing without a word.
func checkSheet(path, sheet string) (err error) {
	book, err := zip.OpenReader(path)
	if err != nil {
		return err
	}
	defer book.Close() // was only read
	entry, err := partOf(&book.Reader, sheet)
	if err != nil {
		return err
	}
	part, err := entry.Open()
	if err != nil {
		return err
	}
	defer part.Close()
	order := order{}
	decoder := xml.NewDecoder(part)
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", entry.Name, err)
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		if err = order.next(start); err == nil && start.Name.Local == "c" {
			err = decoder.Skip() // what is within a cell is no cell
		}
		if err != nil {
			return fmt.Errorf("%s: %w", entry.Name, err)
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
