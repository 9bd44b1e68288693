package sheet

import (
	"archive/zip"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
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
	rows := patch{}
	decoder := xml.NewDecoder(part)
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", entry.Name, err)
		}
		if start, ok := token.(xml.StartElement); ok && start.Name.Local == "row" {
			if err := rows.number(start); err != nil {
				return fmt.Errorf("%s: %w", entry.Name, err)
			}
		}
	}
}
