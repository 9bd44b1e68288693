package sheet

import (
	"archive/zip"
	"bytes"
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

// filter returns the bytes of the start of an element. A filter is extended.
func (e *extension) filter(in *xmlReader) []byte {
	if !in.Is("autoFilter") {
		return in.Raw()
	}
	if ref, changed := e.extended(in.Attribute("ref")); changed {
		return withAttribute(in.Raw(), "ref", ref)
	}
	return in.Raw()
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
func (e *extension) extendTable(out io.Writer, part io.Reader) error {
	in, highest, grown := newXMLReader(part), 0, false
	return copyChanged(out, in, func(kind XMLKind) ([]byte, error) {
		switch {
		case kind == xmlEnd && grown && in.Is("tableColumns"):
			return append(e.columns(in.Prefix(), highest), in.Raw()...), nil
		case kind != xmlStart:
		case in.Is("table"):
			ref, extended := e.extended(in.Attribute("ref"))
			grown = extended
			return withAttribute(in.Raw(), "ref", ref), nil
		case in.Is("tableColumns"):
			if count, err := strconv.Atoi(in.Attribute("count")); err == nil && grown {
				return withAttribute(in.Raw(), "count", strconv.Itoa(count+len(e.names))), nil
			}
		case in.Is("tableColumn"):
			id, _ := strconv.Atoi(in.Attribute("id"))
			highest = max(highest, id)
		default:
			return e.filter(in), nil
		}
		return in.Raw(), nil
	})
}

// columns returns the definitions of the appended columns of a table whose highest number of a column is id.
func (e *extension) columns(prefix string, id int) (all []byte) {
	for _, name := range e.names {
		id++
		all = fmt.Appendf(all, `<%stableColumn id="%d" name="%s"/>`, prefix, id, appendXML(nil, name))
	}
	return all
}

// extendNames copies the definition of the workbook. It extends the hidden name of the filter of one sheet.
func (e *extension) extendNames(out io.Writer, part io.Reader, sheet int) error {
	in, isFilter := newXMLReader(part), false
	return copyChanged(out, in, func(kind XMLKind) ([]byte, error) {
		raw := in.Raw()
		switch kind {
		case xmlStart:
			isFilter = in.Is("definedName") && in.Attribute("name") == "_xlnm._FilterDatabase" &&
				in.Attribute("localSheetId") == strconv.Itoa(sheet)
		case xmlEnd:
			isFilter = false
		case xmlText:
			// The area stands behind the name of the sheet: 'Sheet 1'!$A$3:$C$9.
			at := bytes.LastIndexByte(raw, '!') + 1
			if ref, changed := e.extended(string(raw[at:])); isFilter && changed {
				return append(bytes.Clone(raw[:at]), ref...), nil
			}
		}
		return raw, nil
	})
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
