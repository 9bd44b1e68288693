package parquettable

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"payonce/io/table"
)

// isList reports whether the cells of a kind are lists of texts.
func isList(kind table.Kind) bool { return kind == table.Texts || kind == table.List }

// isNumber reports whether the cells of a kind are stored as numbers.
func isNumber(kind table.Kind) bool { return kind != table.Text && !isList(kind) }

// numberOf parses a value of a kind that is stored as a number. It returns the bits of numbers with a fraction.
func numberOf(kind table.Kind, value string) (int64, error) {
	switch kind {
	case table.Money:
		return parseMoney(value)
	case table.Time:
		at, err := time.Parse(time.RFC3339, value)
		return at.UnixMicro(), err
	case table.Date:
		at, err := time.Parse(time.DateOnly, value)
		return at.Unix() / (24 * 60 * 60), err // no time of a year has more days than 32 bits
	case table.Flag:
		switch value {
		case "true":
			return 1, nil
		case "false":
			return 0, nil
		}
		return 0, fmt.Errorf("parquettable: %.100q is neither true nor false", value)
	case table.Number:
		number, err := strconv.ParseFloat(value, 64)
		if err != nil || math.IsNaN(number) || math.IsInf(number, 0) {
			return 0, fmt.Errorf("parquettable: %.100q is not a finite number", value)
		}
		if number == 0 { // its negative is the same number
			return 0, nil
		}
		return int64(math.Float64bits(number)), nil
	default:
		return strconv.ParseInt(value, 10, 64)
	}
}

// parseMoney parses dollars with at most six decimals, and returns micro-dollars.
func parseMoney(value string) (int64, error) {
	digits, negative := strings.CutPrefix(value, "-")
	whole, fraction, _ := strings.Cut(digits, ".")
	if len(fraction) > moneyDecimals || len(whole)+moneyDecimals > moneyDigits {
		return 0, fmt.Errorf(
			"parquettable: %q is not an amount with at most %d digits before the point and %d after it",
			value, moneyDigits-moneyDecimals, moneyDecimals)
	}
	if whole+fraction == "" {
		return 0, fmt.Errorf("parquettable: %q is not an amount", value)
	}
	number, err := strconv.ParseUint(whole+fraction+strings.Repeat("0", moneyDecimals-len(fraction)), 10, 63)
	if err != nil {
		return 0, fmt.Errorf("parquettable: %q is not an amount", value)
	}
	if negative {
		return -int64(number), nil
	}
	return int64(number), nil
}
