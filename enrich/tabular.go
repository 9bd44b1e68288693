// This file has typed values for tables: what the answers of an interface say in rows and columns, and what a row
// of a list gets. The package of the interface decodes its answers into them, and a format of files writes them.

package enrich

import (
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"time"
)

// CellKind is the type of a value in a table.
type CellKind uint8

// The kinds of values.
const (
	TextCell CellKind = iota
	IntegerCell
	NumberCell
	FlagCell
	DateCell
	TimestampCell // in UTC
	TextsCell     // a list
	MoneyCell     // US dollars
	DateTimeCell  // without a zone
)

// String says what a value of the kind is.
func (k CellKind) String() string {
	names := [...]string{
		TextCell: "text", IntegerCell: "an integer", NumberCell: "a number", FlagCell: "true or false", DateCell: "a date",
		TimestampCell: "a timestamp", TextsCell: "a list of texts", MoneyCell: "an amount",
		DateTimeCell: "a date and time",
	}
	if int(k) < len(names) {
		return names[k]
	}
	return "of unknown kind"
}

// TableColumn is a column of a table.
type TableColumn struct {
	Name string
	Kind CellKind
}

// Cell is a value of a table. Of one that is not known only the kind is set.
type Cell struct {
	Kind  CellKind
	Known bool
	Flag  bool
	// Text is the value of a text. Cells of other kinds may have the text that String returns; amounts always have it.
	Text    string
	Integer int64 // of an amount too, in millionths of a dollar
	Number  float64
	Time    time.Time // of a date too, at midnight UTC, and of a date and time without a zone, as if it were in UTC
	Texts   []string
}

// TextOf returns a text as a cell. An empty one is not known.
func TextOf(text string) Cell { return Cell{Known: text != "", Text: text} }

// ExtraValue is a value that has a name and no column.
type ExtraValue struct {
	Name string
	Cell Cell
}

// Table describes a table that has rows of many answers.
type Table struct {
	Name string
	// Of is the field whose answers have the rows.
	Of Field
	// Key is the column that names the subject of the answer. It comes first and is not among Columns.
	Key     string
	Columns []TableColumn
	// Open says that rows can have values without a column. Each name of them becomes a column.
	Open bool
}

// TableRow is a row of a table.
type TableRow struct {
	Table int // its index among the tables of the interface
	// Subject is the key of the row where the answer names it, "" where the call was about it.
	Subject string
	// Cells are the values of the table's columns, in their order.
	Cells []Cell
	// Extra are values without a column, in the order of their names.
	Extra []ExtraValue
}

// CellFrom returns the cell of a kind that has a text: what String returns, and for a list what ListJSON returns. A text
// that is not of the kind gives a cell that is not known.
func CellFrom(kind CellKind, text string) Cell {
	if kind == TextCell {
		return TextOf(text)
	}
	c := Cell{Kind: kind, Known: true, Text: text}
	var err error
	switch {
	case text == "":
		return Cell{Kind: kind}
	case kind == IntegerCell:
		c.Integer, err = strconv.ParseInt(text, 10, 64)
	case kind == NumberCell:
		c.Number, err = strconv.ParseFloat(text, 64)
	case kind == FlagCell:
		c.Flag, err = strconv.ParseBool(text)
	case kind == DateCell:
		c.Time, err = time.Parse(time.DateOnly, text)
	case kind == DateTimeCell:
		c.Time, err = time.Parse(dateTime, text)
	case kind == TimestampCell:
		c.Time, err = time.Parse(time.RFC3339Nano, text)
	case kind == TextsCell:
		c.Text = ""
		err = json.Unmarshal([]byte(text), &c.Texts)
	case kind == MoneyCell:
		err = errors.ErrUnsupported
	}
	if err != nil {
		return Cell{Kind: kind}
	}
	return c
}

// dateTime is the form of a date and time without a zone.
const dateTime = "2006-01-02T15:04:05.999999999"

// String returns the value as it stands in a list of texts: "" when it is not known. A list of one text is that text.
// Any other list is a JSON array, and so is one whose only text is empty or could be taken for an array.
func (c Cell) String() string {
	if !c.Known || c.Text != "" {
		return c.Text
	}
	switch c.Kind {
	case IntegerCell:
		return strconv.FormatInt(c.Integer, 10)
	case NumberCell:
		return formatNumber(c.Number)
	case FlagCell:
		return strconv.FormatBool(c.Flag)
	case DateCell:
		return c.Time.Format(time.DateOnly)
	case TimestampCell:
		return c.Time.Format(time.RFC3339Nano)
	case DateTimeCell:
		return c.Time.Format(dateTime)
	case TextsCell:
		if len(c.Texts) == 1 && c.Texts[0] != "" && c.Texts[0][0] != '[' {
			return c.Texts[0]
		}
		return c.ListJSON()
	default:
		return ""
	}
}

// ListJSON returns a list as a JSON array, "" when it is not known.
func (c Cell) ListJSON() string {
	if !c.Known {
		return ""
	}
	return jsonOf(c.Texts)
}

// formatNumber writes a number without an exponent where that is short.
func formatNumber(n float64) string {
	const long = 1e21
	if math.Abs(n) >= long || n != 0 && math.Abs(n) < 1/long {
		return strconv.FormatFloat(n, 'e', -1, 64)
	}
	return strconv.FormatFloat(n, 'f', -1, 64)
}

// jsonOf writes texts as a JSON array.
func jsonOf(texts []string) string {
	encoded, err := json.Marshal(texts)
	if err != nil || texts == nil {
		return "[]"
	}
	return string(encoded)
}
