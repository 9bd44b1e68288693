package parquettable

import (
	"math"

	"payonce/enrich"
)

// isNumber reports whether the cells of a kind are stored as numbers.
func isNumber(kind enrich.CellKind) bool { return kind != enrich.TextCell && kind != enrich.TextsCell }

// numberOf returns the number that a value is stored as. It returns the bits of numbers with a fraction.
func numberOf(value *enrich.Cell) int64 {
	switch value.Kind {
	case enrich.TimestampCell, enrich.DateTimeCell:
		return value.Time.UnixMicro()
	case enrich.DateCell:
		return value.Time.Unix() / (24 * 60 * 60) // no time of a year has more days than 32 bits
	case enrich.FlagCell:
		if value.Flag {
			return 1
		}
		return 0
	case enrich.NumberCell:
		if value.Number == 0 { // its negative is the same number
			return 0
		}
		return int64(math.Float64bits(value.Number))
	default:
		return value.Integer
	}
}
