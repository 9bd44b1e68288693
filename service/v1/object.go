package v1

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"payonce/cost"
)

// object is a JSON object read leniently: a member that is missing, null or of
// another type than the one asked for is not known.
type object map[string]json.RawMessage

// parseObject reads a JSON object. It reports false for anything else.
func parseObject(data []byte) (object, bool) {
	var o object
	err := json.Unmarshal(data, &o)
	return o, err == nil && o != nil
}

// object returns a member object, and whether there is one. The members of none
// are not known.
func (o object) object(name string) (object, bool) { return parseObject(o[name]) }

// isNull reports whether the member is there and null.
func (o object) isNull(name string) bool { return string(o[name]) == "null" }

func (o object) boolean(name string) cost.Optional[bool] { return member[bool](o, name) }

func (o object) string(name string) cost.Optional[string] { return member[string](o, name) }

func member[T any](o object, name string) cost.Optional[T] {
	var value *T // stays nil for null
	if json.Unmarshal(o[name], &value) != nil || value == nil {
		return cost.Optional[T]{}
	}
	return cost.Known(*value)
}

// text returns a member string trimmed, in NFC and without NUL characters, which
// no list could hold; "" when it is not known.
func (o object) text(name string) string {
	value := strings.ReplaceAll(o.string(name).Value, "\x00", "")
	return strings.TrimSpace(norm.NFC.String(value))
}

// integer returns a member number without a fraction; a string that holds one
// counts too.
func (o object) integer(name string) cost.Optional[int64] {
	literal := string(o[name])
	if s := o.string(name); s.Known {
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

// cents returns a member amount in USD cents. An amount beyond cost.MaxMoney is
// no amount.
func (o object) cents(name string) cost.Optional[cost.Money] {
	const most = int64(cost.MaxMoney / cost.Cent)
	n := o.integer(name)
	if !n.Known || n.Value > most || n.Value < -most {
		return cost.Optional[cost.Money]{}
	}
	return cost.Known(cost.Cents(n.Value))
}

// time returns a member timestamp (ISO 8601) in UTC, zero when it is not known. A
// timestamp without a zone is UTC.
func (o object) time(name string) time.Time {
	text := o.text(name)
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
