package sheet

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/xuri/excelize/v2"
)

// extension says over which appended columns filters and tables are extended.
type extension struct {
	header int      // line of the header
	last   int      // last column of the list
	names  []string // of the appended columns
}

// extended returns an area such as A3:C9 with the appended columns, when its first line is the header and its
// last column is that of the list.
func (e *extension) extended(ref string) (string, bool) {
	from, to, isArea := strings.Cut(ref, ":")
	_, top, err := excelize.CellNameToCoordinates(from)
	if err != nil || !isArea || top != e.header || len(e.names) == 0 {
		return ref, false
	}
	right, bottom, err := excelize.CellNameToCoordinates(to)
	if err != nil || right != e.last {
		return ref, false
	}
	to, err = excelize.CoordinatesToCellName(right+len(e.names), bottom, strings.Contains(to, "$"))
	return from + ":" + to, err == nil
}

// filter returns the start of an element. A filter is extended.
func (e *extension) filter(start xml.StartElement, raw []byte) []byte {
	if start.Name.Local != "autoFilter" {
		return raw
	}
	if ref, changed := e.extended(attribute(start, "ref")); changed {
		return withAttribute(raw, "ref", ref)
	}
	return raw
}

// withAttribute returns the start of an element with another value of an attribute that it has. The value
// needs no escapes.
func withAttribute(raw []byte, name, value string) []byte {
	for _, quote := range []string{`"`, `'`} {
		for _, space := range []string{" ", "\n", "\t", "\r"} {
			begin := []byte(space + name + "=" + quote)
			before, after, found := bytes.Cut(raw, begin)
			if _, rest, closed := bytes.Cut(after, []byte(quote)); found && closed {
				return bytes.Join([][]byte{before, begin, []byte(value + quote), rest}, nil)
			}
		}
	}
	return raw
}

// extendTable copies the definition of a table and adds the appended columns to it.
func (e *extension) extendTable(out io.Writer, in io.Reader) error {
	m, highest, grown := newMarkup(in), 0, false
	for {
		token, raw, err := m.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch t := token.(type) {
		case xml.StartElement:
			switch t.Name.Local {
			case "table":
				ref, extended := e.extended(attribute(t, "ref"))
				raw, grown = withAttribute(raw, "ref", ref), extended
			case "tableColumns":
				if count, err := strconv.Atoi(attribute(t, "count")); err == nil && grown {
					raw = withAttribute(raw, "count", strconv.Itoa(count+len(e.names)))
				}
			case "tableColumn":
				id, _ := strconv.Atoi(attribute(t, "id"))
				highest = max(highest, id)
			default:
				raw = e.filter(t, raw)
			}
		case xml.EndElement:
			if t.Name.Local == "tableColumns" && grown {
				if err := e.addColumns(out, t, highest); err != nil {
					return err
				}
			}
		}
		if _, err := out.Write(raw); err != nil {
			return err
		}
	}
}

// addColumns writes the appended columns of a table.
func (e *extension) addColumns(out io.Writer, end xml.EndElement, id int) error {
	prefix := ""
	if end.Name.Space != "" {
		prefix = end.Name.Space + ":"
	}
	for _, name := range e.names {
		var text strings.Builder
		if err := xml.EscapeText(&text, []byte(marked(name))); err != nil {
			return err
		}
		id++
		if _, err := fmt.Fprintf(out, `<%stableColumn id="%d" name="%s"/>`, prefix, id, text.String()); err != nil {
			return err
		}
	}
	return nil
}

// extendNames copies the definition of the workbook. It extends the hidden name of the filter of one sheet.
func (e *extension) extendNames(out io.Writer, in io.Reader, sheet int) error {
	m, isFilter := newMarkup(in), false
	for {
		token, raw, err := m.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch t := token.(type) {
		case xml.StartElement:
			isFilter = t.Name.Local == "definedName" && attribute(t, "name") == "_xlnm._FilterDatabase" &&
				attribute(t, "localSheetId") == strconv.Itoa(sheet)
		case xml.EndElement:
			isFilter = false
		case xml.CharData:
			// The area stands behind the name of the sheet: 'Sheet 1'!$A$3:$C$9.
			at := bytes.LastIndexByte(raw, '!') + 1
			if ref, changed := e.extended(string(raw[at:])); isFilter && changed {
				raw = append(bytes.Clone(raw[:at]), ref...)
			}
		}
		if _, err := out.Write(raw); err != nil {
			return err
		}
	}
}

// hasFilterName reports whether the workbook has a hidden name for a filter.
func hasFilterName(book *zip.Reader) (bool, error) {
	entry, err := findPart(book, workbookPart)
	if err != nil {
		return false, err
	}
	part, err := entry.Open()
	if err != nil {
		return false, err
	}
	defer part.Close()
	text, err := io.ReadAll(io.LimitReader(part, maxPart))
	return bytes.Contains(text, []byte("_xlnm._FilterDatabase")), err
}
