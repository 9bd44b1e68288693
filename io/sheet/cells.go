package sheet

import (
	"strconv"

	"github.com/xuri/excelize/v2"

	"payonce/enrich"
)

// cell is a cell that is written.
type cell struct {
	prefix string // of the names of elements
	column string // its letters
	line   int
	written
}

// written is a value as a sheet holds it.
type written struct {
	value  string
	number bool   // the value is a number, otherwise a text
	style  string // "" for none
}

// written returns a value as a sheet holds it. Dates are numbers with a style. A date before March 1900 is a text, and so
// are timestamps, because a sheet has no zones.
func (s dateStyles) written(cell *enrich.Cell) written {
	style, isNumber := "", false
	switch cell.Kind {
	case enrich.MoneyCell, enrich.IntegerCell, enrich.NumberCell:
		isNumber = true
	case enrich.DateCell:
		style = s.date
	case enrich.DateTimeCell:
		style = s.dateTime
	}
	if cell.Known && style != "" {
		if serial, isDate := serialOf(cell.Time, s.from1904); isDate {
			return written{serial, true, style}
		}
	}
	return written{value: cell.String(), number: isNumber}
}

// columnName returns the letters of a column.
func columnName(column int) (string, error) { return excelize.ColumnNumberToName(column) }

// appendCell appends the XML of a cell.
func appendCell(to []byte, c cell) []byte {
	to = appendTag(to, "<", c.prefix, `c r="`)
	to = strconv.AppendInt(append(to, c.column...), int64(c.line), 10)
	to = append(to, '"')
	if c.style != "" {
		to = append(append(append(to, ` s="`...), c.style...), '"')
	}
	switch {
	case c.value == "":
		return append(to, "/>"...)
	case c.number:
		to = appendTag(to, "><", c.prefix, "v>")
		to = append(to, c.value...)
		to = appendTag(to, "</", c.prefix, "v")
	default:
		to = appendTag(to, ` t="inlineStr"><`, c.prefix, "is><")
		if to = appendTag(to, "", c.prefix, "t"); isSpace(c.value[0]) || isSpace(c.value[len(c.value)-1]) {
			to = append(to, ` xml:space="preserve"`...)
		}
		to = append(to, '>')
		to = appendXML(to, c.value)
		to = appendTag(to, "</", c.prefix, "t></")
		to = appendTag(to, "", c.prefix, "is")
	}
	return appendTag(to, "></", c.prefix, "c>")
}

// isSpace reports whether programs leave a character out at the ends of a text, unless they are asked not to.
func isSpace(char byte) bool { return char == ' ' || char == '\t' || char == '\n' || char == '\r' }

// appendTag appends a part of a tag with a prefix.
func appendTag(to []byte, before, prefix, after string) []byte {
	return append(append(append(to, before...), prefix...), after...)
}
