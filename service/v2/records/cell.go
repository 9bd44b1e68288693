package records

import (
	"encoding/json"
	"math"
	"strconv"
	"time"
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
