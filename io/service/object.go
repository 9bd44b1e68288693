// This file reads JSON objects of a service leniently. A member that is missing, null or of another type is not
// known, which is not the same as zero.

package service

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/text/unicode/norm"

	"payonce/cost"
)

// Object is a JSON object.
type Object map[string]json.RawMessage

// ParseObject reads a JSON object. It reports false for anything else. The object refers to data, which must not
// change. Of members with the same name it has the last one.
func ParseObject(data []byte) (Object, bool) {
	o, _, ok := ParseRepeatedObject(data)
	return o, ok
}

// ParseRepeatedObject is like Parse. It also returns the names that repeat, sorted.
func ParseRepeatedObject(data []byte) (o Object, repeated []string, ok bool) {
	decoder := jsontext.NewDecoder(bytes.NewBuffer(data), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if decoder.PeekKind() != '{' {
		return nil, nil, false
	}
	if _, err := decoder.ReadToken(); err != nil {
		return nil, nil, false
	}
	o = Object{}
	for decoder.PeekKind() == '"' {
		token, err := decoder.ReadToken()
		if err != nil {
			return nil, nil, false
		}
		name := token.String()
		value, err := decoder.ReadValue()
		if err != nil {
			return nil, nil, false
		}
		if _, known := o[name]; known {
			repeated = append(repeated, name)
		}
		end := decoder.InputOffset() // the value itself is only valid until the next one is read
		o[name] = data[end-int64(len(value)) : end : end]
	}
	if _, err := decoder.ReadToken(); err != nil {
		return nil, nil, false
	}
	if _, err := decoder.ReadToken(); !errors.Is(err, io.EOF) { // something follows
		return nil, nil, false
	}
	slices.Sort(repeated)
	return o, slices.Compact(repeated), true
}

// Object returns a member object, and whether there is one. The members of none
// are not known.
func (o Object) Object(name string) (Object, bool) { return ParseObject(o[name]) }

// IsNull reports whether the member is there and null.
func (o Object) IsNull(name string) bool { return string(o[name]) == "null" }

// Bool returns a member that is true or false.
func (o Object) Bool(name string) cost.Optional[bool] {
	switch string(o[name]) {
	case "true":
		return cost.Known(true)
	case "false":
		return cost.Known(false)
	}
	return cost.Optional[bool]{}
}

// String returns a member string.
func (o Object) String(name string) cost.Optional[string] {
	literal := o[name]
	if len(literal) == 0 || literal[0] != '"' {
		return cost.Optional[string]{}
	}
	value, _ := jsontext.AppendUnquote(nil, literal) // the only error is of characters that it replaces
	return cost.Known(string(value))
}

// Text returns a member string trimmed, in NFC and without NUL characters, which
// no list could hold; "" when it is not known.
func (o Object) Text(name string) string {
	value := strings.ReplaceAll(o.String(name).Value, "\x00", "")
	return strings.TrimSpace(norm.NFC.String(value))
}

// Integer returns a member number without a fraction; a string that holds one
// counts too.
func (o Object) Integer(name string) cost.Optional[int64] {
	literal := string(o[name])
	if s := o.String(name); s.Known {
		literal = strings.TrimSpace(s.Value)
	}
	if !isNumber(literal) {
		return cost.Optional[int64]{}
	}
	if n, err := strconv.ParseInt(literal, 10, 64); err == nil {
		return cost.Known(n)
	}
	const exact = 1 << 53 // below it a float is the number that was written
	f, err := strconv.ParseFloat(literal, 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) >= exact {
		return cost.Optional[int64]{}
	}
	return cost.Known(int64(f))
}

// isNumber reports whether s is a JSON number.
func isNumber(s string) bool {
	return s != "" && strings.Contains("-0123456789", s[:1]) && json.Valid([]byte(s))
}

// Cents returns a member amount in USD cents. An amount beyond cost.MaxMoney is
// no amount.
func (o Object) Cents(name string) cost.Optional[cost.Money] {
	const most = int64(cost.MaxMoney / cost.Cent)
	n := o.Integer(name)
	if !n.Known || n.Value > most || n.Value < -most {
		return cost.Optional[cost.Money]{}
	}
	return cost.Known(cost.Cents(n.Value))
}

// Time returns a member timestamp (ISO 8601) in UTC, zero when it is not known. A
// timestamp without a zone is UTC.
func (o Object) Time(name string) time.Time {
	text := o.Text(name)
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05Z0700", "2006-01-02T15:04:05", time.DateTime, time.DateOnly} {
		at, err := time.Parse(layout, text)
		if err != nil {
			continue
		}
		if at = at.UTC(); at.Year() >= 1 && at.Year() <= 9999 { // others cannot be written again
			return at
		}
	}
	return time.Time{}
}

// Compact returns a member object as compact JSON in valid UTF-8, with its members
// as they stand. It is "" for none, and for one that is longer than limit bytes: an
// answer is not thrown away over its profile.
func (o Object) Compact(name string, limit int) string {
	var compact bytes.Buffer
	if _, ok := o.Object(name); !ok || json.Compact(&compact, o[name]) != nil {
		return ""
	}
	text := strings.ToValidUTF8(compact.String(), "\uFFFD")
	if len(text) > limit {
		return ""
	}
	return text
}

// Texts returns the strings of a member array that are not empty.
func (o Object) Texts(name string) []string {
	var elements []json.RawMessage
	if json.Unmarshal(o[name], &elements) != nil {
		return nil
	}
	var texts []string
	for _, element := range elements {
		if text := (Object{name: element}).Text(name); text != "" {
			texts = append(texts, text)
		}
	}
	return texts
}

// Dollars returns a member amount in USD, written as a number or as a string of one.
func (o Object) Dollars(name string) cost.Optional[cost.Money] {
	literal := string(o[name])
	if s := o.String(name); s.Known {
		literal = strings.TrimSpace(s.Value)
	}
	amount, err := cost.ParseMoney(literal)
	if err != nil {
		return cost.Optional[cost.Money]{}
	}
	return cost.Known(amount)
}
