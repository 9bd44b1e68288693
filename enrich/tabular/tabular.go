// Package tabular has typed values for tables: what the answers of an interface say in rows and columns.
// The package of the interface decodes its answers into them, and nothing else knows where they come from.
package tabular

import (
	"encoding/json"
	"math"
	"strconv"
	"time"

	"payonce/enrich"
)

// Kind is the type of a value in a table.
type Kind uint8

// The kinds of values.
const (
	Text Kind = iota
	Integer
	Number
	Flag
	Date
	Timestamp // in UTC
	Texts     // a list
)

// String says what a value of the kind is.
func (k Kind) String() string {
	names := [...]string{
		Text: "text", Integer: "an integer", Number: "a number", Flag: "true or false", Date: "a date",
		Timestamp: "a timestamp", Texts: "a list of texts",
	}
	if int(k) < len(names) {
		return names[k]
	}
	return "of unknown kind"
}

// Column is a column of a table.
type Column struct {
	Name string
	Kind Kind
}

// Cell is a value of a table. Of one that is not known only the kind is set.
type Cell struct {
	Kind    Kind
	Known   bool
	Text    string
	Integer int64
	Number  float64
	Flag    bool
	Time    time.Time // of a date too, at midnight UTC
	Texts   []string
}

// Extra is a value that has a name and no column.
type Extra struct {
	Name string
	Cell Cell
}

// Table describes a table that has rows of many answers.
type Table struct {
	Name string
	// Of is the field whose answers have the rows.
	Of enrich.Field
	// Key is the column that names the subject of the answer. It comes first and is not among Columns.
	Key     string
	Columns []Column
	// Open says that rows can have values without a column. Each name of them becomes a column.
	Open bool
}

// Row is a row of a table.
type Row struct {
	Table int // its index among the tables of the interface
	// Cells are the values of the table's columns, in their order.
	Cells []Cell
	// Extra are values without a column, in the order of their names.
	Extra []Extra
}

// String returns the value as it stands in a list of texts: "" when it is not known, and a JSON
// array for a list.
func (c Cell) String() string {
	if !c.Known {
		return ""
	}
	switch c.Kind {
	case Integer:
		return strconv.FormatInt(c.Integer, 10)
	case Number:
		return formatNumber(c.Number)
	case Flag:
		return strconv.FormatBool(c.Flag)
	case Date:
		return c.Time.Format(time.DateOnly)
	case Timestamp:
		return c.Time.Format(time.RFC3339Nano)
	case Texts:
		return jsonOf(c.Texts)
	default:
		return c.Text
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
