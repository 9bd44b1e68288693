package sheet

import (
	"archive/zip"
	"encoding/xml"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"

	"github.com/xuri/excelize/v2"

	"payonce/io/table"
)

// area is where a table of a workbook is, in lines from 1.
type area struct {
	part   string // of the table's definition
	right  int    // last column
	header int64
	last   int64 // of the rows, without totals
	end    int64 // with totals
}

// tableOf returns the area of the only table of a sheet that has a header. It returns nil when there is none
// or there are several.
func tableOf(book *zip.Reader, sheet *zip.File) (*area, error) {
	var parts relations
	dir, name := path.Split(sheet.Name)
	if found, err := readPart(book, dir+"_rels/"+name+".rels", &parts); !found || err != nil {
		return nil, err
	}
	var only *area
	for _, part := range parts.List {
		if !strings.HasSuffix(part.Type, "/table") {
			continue
		}
		name := path.Join(dir, part.Target)
		if path.IsAbs(part.Target) {
			name = strings.TrimPrefix(part.Target, "/")
		}
		found, err := tableIn(book, name)
		if err != nil {
			return nil, err
		}
		if found != nil && only != nil {
			return nil, nil
		}
		if found != nil {
			only = found
		}
	}
	return only, nil
}

// tableIn reads the area of a table; nil for one without a header.
func tableIn(book *zip.Reader, name string) (*area, error) {
	var definition struct {
		Ref     string `xml:"ref,attr"`
		Type    string `xml:"tableType,attr"`
		Headers string `xml:"headerRowCount,attr"`
		Totals  int64  `xml:"totalsRowCount,attr"`
	}
	there, err := readPart(book, name, &definition)
	if err != nil || !there || definition.Headers == "0" {
		return nil, err
	}
	from, to, isArea := strings.Cut(definition.Ref, ":")
	_, first, err := excelize.CellNameToCoordinates(from)
	if err != nil || !isArea {
		return nil, nil // no program writes such a table
	}
	right, last, err := excelize.CellNameToCoordinates(to)
	if err != nil {
		return nil, nil
	}
	found := &area{name, right, int64(first), int64(last) - definition.Totals, int64(last)}
	if definition.Type != "" && definition.Type != "worksheet" {
		found.right = 0 // its columns are those of a query
	}
	return found, nil
}

// maxPart is the most bytes of a part that describes a table.
const maxPart = 1 << 20

// readPart reads the XML of a part, and reports whether it is there.
func readPart(book *zip.Reader, name string, into any) (bool, error) {
	for _, entry := range book.File {
		if entry.Name != name {
			continue
		}
		part, err := entry.Open()
		if err != nil {
			return false, err
		}
		defer part.Close() // was only read
		if err := xml.NewDecoder(io.LimitReader(part, maxPart)).Decode(into); err != nil {
			return false, fmt.Errorf("%s: %w", name, err)
		}
		return true, nil
	}
	return false, nil
}

// findHeader returns the line of the header: that of the table, or else the first row, unless that is a
// title.
func (r *Reader) findHeader() (int64, error) {
	if r.checked.table != nil {
		return r.checked.table.header, nil
	}
	first, names := int64(0), []string(nil)
	namesLine := int64(0)
	for range table.MaxTitles {
		err := r.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return 0, err
		}
		cells := r.rows.cells.strings()
		switch {
		case first == 0:
			if first = r.line; table.FilledCells(cells) != 1 {
				return first, nil
			}
		case names != nil && r.line == namesLine+1 && len(cells) <= len(names):
			return namesLine, nil
		case table.HasColumnNames(cells):
			names, namesLine = cells, r.line
		default:
			names = nil
		}
	}
	return max(first, 1), nil
}

// toHeader reads up to the header.
func (r *Reader) toHeader() error {
	if r.checked.header == 0 {
		line, err := r.findHeader()
		if err != nil {
			return err
		}
		r.checked.header = line
		if err := r.rows.Close(); err != nil {
			return err
		}
		if r.rows, err = r.book.openRows(r.sheet); err != nil {
			return err
		}
		r.line = 0
	}
	for {
		err := r.next()
		switch {
		case err == io.EOF && r.line == 0:
			return &table.Error{File: r.name, Reason: fmt.Sprintf("the sheet %s is empty", r.sheet), Hint: addHeader}
		case err == io.EOF || err == nil && r.line > r.checked.header:
			return &table.Error{
				File: r.name, Reason: "row " + strconv.FormatInt(r.checked.header, 10) + " for the header is blank",
				Hint: "name the row with the names of the columns", Err: &table.HeaderRowError{},
			}
		case err != nil:
			return err
		case r.line == r.checked.header:
			r.columns, r.header = r.rows.cells.strings(), r.line
			r.rows.dates = r.checked.dates
			return nil
		}
	}
}

// endsTable reports whether a row is below the rows of the table: its totals, or what follows after a blank
// line, a total or a row with few cells. A row that somebody added right below the table is a row.
func (r *Reader) endsTable(before int64) bool {
	t := r.checked.table
	if t == nil || r.header != t.header || r.line <= t.last {
		return false
	}
	cells := r.rows.cells.strings()
	switch {
	case r.line <= t.end || before != r.line-1 || 2*table.FilledCells(cells) < len(r.columns):
		return true
	}
	return isTotal(cells)
}

// isTotal reports whether a row begins with a word for a total.
func isTotal(cells []string) bool {
	for _, cell := range cells {
		word := strings.ToLower(strings.Trim(cell, " :"))
		switch word {
		case "":
			continue
		case "total", "totals", "sum", "summe", "gesamt", "somme", "totale", "suma", "soma", "totaal":
			return true
		}
		return false
	}
	return false
}

// HeaderRow returns the line of the header.
func (r *Reader) HeaderRow() int64 { return r.header }
