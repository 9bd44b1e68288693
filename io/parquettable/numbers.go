package parquettable

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/parquet"

	"payonce/io/table"
)

// isList reports whether the cells of a kind are lists of texts.
func isList(kind table.Kind) bool { return kind == table.Texts || kind == table.List }

// isNumber reports whether the cells of a kind are stored as numbers.
func isNumber(kind table.Kind) bool { return kind != table.Text && !isList(kind) }

// numberOf parses a value of a kind that is stored as a number. Numbers with a fraction become integers in the
// same order: see orderOf.
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
		return orderOf(number), nil
	default:
		return strconv.ParseInt(value, 10, 64)
	}
}

// orderOf returns an integer for each number, so that both have the same order. Zero and its negative are one.
func orderOf(number float64) int64 {
	bits := int64(math.Float64bits(number))
	if number == 0 {
		return 0
	}
	if bits < 0 {
		bits ^= math.MaxInt64
	}
	return bits
}

// bitsOf returns the bits of the number that orderOf was given.
func bitsOf(order int64) uint64 {
	if order < 0 {
		order ^= math.MaxInt64
	}
	return uint64(order)
}

// appendNumber appends a number as a file stores it.
func appendNumber(data []byte, stored parquet.Type, number int64) []byte {
	switch stored {
	case parquet.Types.Boolean:
		return append(data, byte(number))
	case parquet.Types.Int32:
		return binary.LittleEndian.AppendUint32(data, uint32(int32(number)))
	case parquet.Types.Double:
		return binary.LittleEndian.AppendUint64(data, bitsOf(number))
	default:
		return binary.LittleEndian.AppendUint64(data, uint64(number))
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
