// Package cost calculates with money: amounts, prices, ceilings, holds and the plan. It has no
// clock and does no input or output.
package cost

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
)

// Money is an amount in micro-USD, a millionth of a dollar. It is never a float.
type Money int64

// Units of money.
const (
	Cent   Money = 10_000
	Dollar Money = 100 * Cent
)

// MaxMoney is the largest amount that ParseMoney accepts. It leaves room to add
// up as many amounts as a list can have rows without overflow.
const MaxMoney = 1_000_000_000 * Dollar

const decimals = 6

// Cents returns an amount given in USD cents, the unit of the account status.
func Cents(cents int64) Money { return Money(cents) * Cent }

// ErrNotMoney is wrapped by every error of ParseMoney.
var ErrNotMoney = errors.New("not an amount in USD")

// ParseMoney reads a decimal number of dollars such as "3", "0.15" or "$12.50",
// with at most six decimals. It refuses signs, exponents and thousands separators.
func ParseMoney(text string) (Money, error) {
	whole, fraction, hasFraction := strings.Cut(strings.TrimPrefix(text, "$"), ".")
	if !isDigits(whole) || hasFraction && !isDigits(fraction) {
		return 0, fmt.Errorf("%q: %w; write it like 3.00", text, ErrNotMoney)
	}
	if len(fraction) > decimals {
		return 0, fmt.Errorf("%q: %w: more than %d decimals", text, ErrNotMoney, decimals)
	}
	digits := whole + fraction + strings.Repeat("0", decimals-len(fraction))
	micros, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || micros > int64(MaxMoney) {
		return 0, fmt.Errorf("%q: %w: more than %s", text, ErrNotMoney, MaxMoney)
	}
	return Money(micros), nil
}

func isDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// String returns the amount in dollars with as many decimals as it needs, at
// least two: "0.15", "12.00", "-0.0005".
func (m Money) String() string {
	text := make([]byte, 0, 24)
	micros := uint64(m)
	if m < 0 {
		text, micros = append(text, '-'), -uint64(m)
	}
	text = append(strconv.AppendUint(text, micros/uint64(Dollar), 10), '.')
	rest := micros % uint64(Dollar)
	for place := uint64(Dollar) / 10; place > 0 && (rest > 0 || place >= uint64(Cent)); place /= 10 {
		text = append(text, byte('0'+rest/place))
		rest %= place
	}
	return string(text)
}

// Grouped writes the amount as String does, with thousands separators: "1,234.50".
func (m Money) Grouped() string {
	whole, decimals, _ := strings.Cut(m.String(), ".")
	if dollars := int64(m / Dollar); dollars != 0 { // not for the sign of an amount like -0.50
		whole = humanize.Comma(dollars)
	}
	return whole + "." + decimals
}

// MarshalText writes the amount as String does; amounts are strings in JSON.
func (m Money) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (m *Money) UnmarshalText(text []byte) error {
	unsigned, negative := strings.CutPrefix(string(text), "-")
	amount, err := ParseMoney(unsigned)
	if negative {
		amount = -amount
	}
	*m = amount
	return err
}

// Plus returns the sum of two amounts that are not negative, saturating at the
// largest amount there is.
func (m Money) Plus(other Money) Money {
	if m > math.MaxInt64-other {
		return math.MaxInt64
	}
	return m + other
}

// Times returns the amount n times, saturating at the largest amount there is.
func (m Money) Times(n int64) Money {
	if m > 0 && n > math.MaxInt64/int64(m) {
		return math.MaxInt64
	}
	return m * Money(n)
}
