// This file reads JSON objects of a service leniently. A member that is missing, null or of another type is not
// known, which is not the same as zero.

package service

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

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
	o = Object{}
	ok = EachMember(data, func(name, value []byte) bool {
		if _, known := o[string(name)]; known {
			repeated = append(repeated, string(name))
		}
		o[string(name)] = value
		return true
	})
	if !ok {
		return nil, nil, false
	}
	slices.Sort(repeated)
	return o, slices.Compact(repeated), true
}

// EachMember calls visit for the members of a JSON object in their order, until visit returns false. It reports false
// for anything else than an object, also when visit got members of it before. Name and value may be parts of data, which
// must not change.
func EachMember(data []byte, visit func(name, value []byte) bool) bool {
	return eachIn(data, '{', func(literal []byte, isPlain bool, value []byte) bool {
		name := literal[1 : len(literal)-1]
		if !isPlain {
			name, _ = jsontext.AppendUnquote(nil, literal) // the only error is of characters that it replaces
		}
		return visit(name, value)
	})
}

// EachElement calls visit for the elements of a JSON array in their order, until visit returns false. It reports false
// for anything else than an array, also when visit got elements of it before. The element is a part of data.
func EachElement(data []byte, visit func(element []byte) bool) bool {
	return eachIn(data, '[', func(_ []byte, _ bool, element []byte) bool { return visit(element) })
}

// eachIn visits what an object or an array has, until visit returns false. It reports whether data is nothing but one
// such value, as far as it was read.
func eachIn(data []byte, kind byte, visit func(name []byte, isPlain bool, value []byte) bool) bool {
	s, stopped := split{data: data}, false
	isWhole := s.each(kind, 0, func(name []byte, isPlain bool, value []byte) bool {
		stopped = !visit(name, isPlain, value)
		return !stopped
	})
	return stopped || isWhole && s.next() == 0 && s.at == len(data)
}

// plainText returns the text of a JSON string as a part of the literal; nil for a string with an escape or with letters
// beyond ASCII.
func plainText(literal []byte) []byte {
	if len(literal) < 2 || literal[0] != '"' {
		return nil
	}
	text := literal[1 : len(literal)-1]
	for _, b := range text {
		if b == '\\' || b >= utf8.RuneSelf {
			return nil
		}
	}
	return text
}

// Object returns a member object, and whether there is one. The members of none
// are not known.
func (o Object) Object(name string) (Object, bool) { return ParseObject(o[name]) }

// IsNull reports whether the member is there and null.
func (o Object) IsNull(name string) bool { return string(o[name]) == "null" }

// Literal is a JSON value as it is written. One that is empty, null or of another type than is asked for is not known.
type Literal []byte

// Bool returns a value that is true or false.
func (l Literal) Bool() cost.Optional[bool] {
	switch string(l) {
	case "true":
		return cost.Known(true)
	case "false":
		return cost.Known(false)
	}
	return cost.Optional[bool]{}
}

// String returns a string.
func (l Literal) String() cost.Optional[string] {
	if len(l) == 0 || l[0] != '"' {
		return cost.Optional[string]{}
	}
	if plain := plainText(l); plain != nil {
		return cost.Known(string(plain))
	}
	value, _ := jsontext.AppendUnquote(nil, l) // the only error is of characters that it replaces
	return cost.Known(string(value))
}

// Text returns a string trimmed, in NFC and without NUL characters, which no list could hold; "" when it is not known.
func (l Literal) Text() string {
	if plain := plainText(l); plain != nil && bytes.IndexByte(plain, 0) < 0 {
		return string(bytes.TrimSpace(plain))
	}
	value := strings.ReplaceAll(l.String().Value, "\x00", "")
	return strings.TrimSpace(norm.NFC.String(value))
}

// Integer returns a number without a fraction; a string that holds one counts too.
func (l Literal) Integer() cost.Optional[int64] {
	literal := l
	if s := l.String(); s.Known {
		if literal = Literal(strings.TrimSpace(s.Value)); !json.Valid(literal) {
			return cost.Optional[int64]{}
		}
	}
	if len(literal) == 0 || !strings.Contains("-0123456789", string(literal[:1])) {
		return cost.Optional[int64]{}
	}
	return integerOf(string(literal))
}

// integerOf returns a JSON number without a fraction.
func integerOf(literal string) cost.Optional[int64] {
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

// Time returns a timestamp (ISO 8601) in UTC, zero when it is not known. A timestamp without a zone is UTC.
func (l Literal) Time() time.Time {
	text := l.Text()
	layouts := []string{time.RFC3339, "2006-01-02T15:04:05Z0700", "2006-01-02T15:04:05", time.DateTime, time.DateOnly}
	if len(text) <= len(time.DateOnly) {
		layouts = layouts[len(layouts)-1:] // the others are longer
	}
	for _, layout := range layouts {
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

// Bool returns a member that is true or false.
func (o Object) Bool(name string) cost.Optional[bool] { return Literal(o[name]).Bool() }

// String returns a member string.
func (o Object) String(name string) cost.Optional[string] { return Literal(o[name]).String() }

// Text returns a member string as Literal.Text does.
func (o Object) Text(name string) string { return Literal(o[name]).Text() }

// Integer returns a member number as Literal.Integer does.
func (o Object) Integer(name string) cost.Optional[int64] { return Literal(o[name]).Integer() }

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

// Time returns a member timestamp as Literal.Time does.
func (o Object) Time(name string) time.Time { return Literal(o[name]).Time() }

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
