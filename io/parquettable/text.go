package parquettable

import (
	"encoding/binary"
	"encoding/hex"
	"math"
	"math/big"
	"slices"
	"strconv"
	"time"

	"github.com/apache/arrow-go/v18/arrow/float16"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/schema"
)

// appender appends the text of a value.
type appender[T any] func(text []byte, value T) []byte

// maxScale is the most decimals of a decimal number.
const maxScale = 1000

// integerText returns the appender for a column of integers.
func integerText(descriptor *schema.Column) appender[int64] {
	switch logical := descriptor.LogicalType().(type) {
	case schema.IntLogicalType:
		if !logical.IsSigned() {
			return unsignedText(descriptor.PhysicalType())
		}
	case schema.DecimalLogicalType:
		scale := int(logical.Scale())
		return func(text []byte, value int64) []byte {
			return appendScaled(text, strconv.AppendInt(nil, value, 10), scale)
		}
	case schema.DateLogicalType:
		return func(text []byte, value int64) []byte {
			return time.Unix(value*24*60*60, 0).UTC().AppendFormat(text, time.DateOnly)
		}
	case schema.TimeLogicalType:
		unit := duration(logical.TimeUnit())
		return func(text []byte, value int64) []byte {
			return time.Unix(0, 0).UTC().Add(time.Duration(value)*unit).AppendFormat(text, "15:04:05.999999999")
		}
	case schema.TimestampLogicalType:
		return timestampText(logical)
	}
	return func(text []byte, value int64) []byte { return strconv.AppendInt(text, value, 10) }
}

func unsignedText(physical parquet.Type) appender[int64] {
	if physical == parquet.Types.Int32 {
		return func(text []byte, value int64) []byte { return strconv.AppendUint(text, uint64(uint32(value)), 10) }
	}
	return func(text []byte, value int64) []byte { return strconv.AppendUint(text, uint64(value), 10) }
}

func duration(unit schema.TimeUnitType) time.Duration {
	switch unit {
	case schema.TimeUnitMillis:
		return time.Millisecond
	case schema.TimeUnitMicros:
		return time.Microsecond
	}
	return time.Nanosecond
}

// localTime is the text of a time without zone.
const localTime = "2006-01-02T15:04:05.999999999"

func timestampText(logical schema.TimestampLogicalType) appender[int64] {
	layout := localTime
	if logical.IsAdjustedToUTC() {
		layout = time.RFC3339Nano
	}
	at := func(value int64) time.Time { return time.Unix(0, value) }
	switch logical.TimeUnit() {
	case schema.TimeUnitMillis:
		at = time.UnixMilli
	case schema.TimeUnitMicros:
		at = time.UnixMicro
	}
	return func(text []byte, value int64) []byte { return at(value).UTC().AppendFormat(text, layout) }
}

// int96Text appends the old timestamps of Impala and Spark: the nanoseconds of a day and its Julian
// day number.
func int96Text(text []byte, value parquet.Int96) []byte {
	const julianOfUnixEpoch = 2440588
	nanos := int64(binary.LittleEndian.Uint64(value[:8]))
	days := int64(binary.LittleEndian.Uint32(value[8:])) - julianOfUnixEpoch
	return time.Unix(days*24*60*60, nanos).UTC().AppendFormat(text, localTime)
}

func boolText(text []byte, value bool) []byte { return strconv.AppendBool(text, value) }

func float32Text(text []byte, value float32) []byte { return appendFloat(text, float64(value), 32) }

func float64Text(text []byte, value float64) []byte { return appendFloat(text, value, 64) }

// appendFloat appends an exponent only to very large and very small numbers.
func appendFloat(text []byte, value float64, bits int) []byte {
	const plainBelow = 1e21
	size := math.Abs(value)
	switch {
	case math.IsInf(value, 1):
		return append(text, "Inf"...)
	case size < plainBelow && (size >= 1e-7 || size == 0):
		return strconv.AppendFloat(text, value, 'f', -1, bits)
	}
	return strconv.AppendFloat(text, value, 'g', -1, bits) // also NaN and -Inf
}

// binaryText returns the appender for a column of byte strings.
func binaryText(descriptor *schema.Column) appender[[]byte] {
	fixed := descriptor.PhysicalType() == parquet.Types.FixedLenByteArray
	switch logical := descriptor.LogicalType().(type) {
	case schema.DecimalLogicalType:
		scale := int(logical.Scale())
		return func(text, value []byte) []byte {
			return appendScaled(text, bigEndian(value).Append(nil, 10), scale)
		}
	case schema.UUIDLogicalType:
		if fixed && descriptor.TypeLength() == 16 {
			return uuidText
		}
	case schema.IntervalLogicalType:
		if fixed && descriptor.TypeLength() == 12 {
			return intervalText
		}
	case schema.Float16LogicalType:
		if fixed && descriptor.TypeLength() == 2 {
			return func(text, value []byte) []byte { return float32Text(text, float16.FromLEBytes(value).Float32()) }
		}
	}
	return func(text, value []byte) []byte { return append(text, value...) }
}

// bigEndian returns the integer whose two's complement is value.
func bigEndian(value []byte) *big.Int {
	number := new(big.Int).SetBytes(value)
	if len(value) > 0 && value[0]&0x80 != 0 {
		number.Sub(number, new(big.Int).Lsh(big.NewInt(1), uint(len(value))*8))
	}
	return number
}

// appendScaled appends the digits of an integer with a point before the last scale digits. The
// digits may start with a minus sign.
func appendScaled(text, digits []byte, scale int) []byte {
	if digits[0] == '-' {
		text = append(text, '-')
		digits = digits[1:]
	}
	if missing := scale + 1 - len(digits); missing > 0 {
		digits = append(slices.Repeat([]byte{'0'}, missing), digits...)
	}
	point := len(digits) - scale
	text = append(text, digits[:point]...)
	if scale == 0 {
		return text
	}
	return append(append(text, '.'), digits[point:]...)
}

func uuidText(text, value []byte) []byte {
	for i, end := range []int{4, 6, 8, 10, 16} {
		start := []int{0, 4, 6, 8, 10}[i]
		if i > 0 {
			text = append(text, '-')
		}
		text = hex.AppendEncode(text, value[start:end])
	}
	return text
}

// intervalText appends months, days and milliseconds, which cannot be converted into each other.
func intervalText(text, value []byte) []byte {
	months, days := binary.LittleEndian.Uint32(value), binary.LittleEndian.Uint32(value[4:])
	millis := binary.LittleEndian.Uint32(value[8:])
	text = append(text, 'P')
	if months > 0 {
		text = append(strconv.AppendUint(text, uint64(months), 10), 'M')
	}
	if days > 0 {
		text = append(strconv.AppendUint(text, uint64(days), 10), 'D')
	}
	if millis > 0 || months == 0 && days == 0 {
		text = append(text, 'T')
		text = append(appendFloat(text, float64(millis)/1000, 64), 'S')
	}
	return text
}

// checkScale refuses a scale that no writer uses.
func checkScale(name string, descriptor *schema.Column) error {
	decimal, ok := descriptor.LogicalType().(schema.DecimalLogicalType)
	if ok && (decimal.Scale() < 0 || decimal.Scale() > maxScale) {
		return damagef("column %s has decimals with a scale of %d", name, decimal.Scale())
	}
	return nil
}
