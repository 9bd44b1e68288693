// This file has typed values for tables: what the answers of an interface say in rows and columns, and what a row
// of a list gets. The package of the interface decodes its answers into them, and a format of files writes them.

package enrich

import (
	"encoding/json"
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
)

// String says what a value of the kind is.
func (k CellKind) String() string {
	names := [...]string{
		TextCell: "text", IntegerCell: "an integer", NumberCell: "a number", FlagCell: "true or false", DateCell: "a date",
		TimestampCell: "a timestamp", TextsCell: "a list of texts", MoneyCell: "an amount",
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
	Time    time.Time // of a date too, at midnight UTC
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

// String returns the value as it stands in a list of texts: "" when it is not known, and a JSON
// array for a list.
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
	case TextsCell:
		return jsonOf(c.Texts)
	default:
		return ""
	}
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
