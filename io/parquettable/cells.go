package parquettable

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"payonce/io/table"
)

// Money is kept as a decimal of 64 bits: exact, unlike a floating point number, and
// one type for micro-dollars that every reader of Parquet knows.
const (
	moneyDigits   = 18
	moneyDecimals = 6
)

// nodeOf returns the type of an appended column.
func nodeOf(c table.Column) (schema.Node, error) {
	optional := parquet.Repetitions.Optional
	text := func(name string, repetition parquet.Repetition) (schema.Node, error) {
		return schema.NewPrimitiveNodeLogical(name, repetition, schema.StringLogicalType{}, parquet.Types.ByteArray, -1, -1)
	}
	switch c.Kind {
	case table.Text:
		return text(c.Name, optional)
	case table.Money:
		return schema.NewPrimitiveNodeLogical(c.Name, optional, schema.NewDecimalLogicalType(moneyDigits, moneyDecimals), parquet.Types.Int64, -1, -1)
	case table.Time:
		return schema.NewPrimitiveNodeLogical(c.Name, optional, schema.NewTimestampLogicalType(true, schema.TimeUnitMicros), parquet.Types.Int64, -1, -1)
	case table.Texts:
		element, err := text("element", parquet.Repetitions.Required)
		if err != nil {
			return nil, err
		}
		return schema.ListOfWithName(c.Name, element, optional, -1)
	}
	return nil, fmt.Errorf("parquettable: column %s is of kind %d, which has no type here", c.Name, c.Kind)
}

// cells are the values of one column in a part: text, or numbers for those that are
// not null.
type cells struct {
	kind table.Kind
	vector
	numbers []int64
}

// add adds a value; an empty one becomes a null.
func (c *cells) add(value string) error {
	if value == "" {
		c.end(true)
		return nil
	}
	var number int64
	var err error
	switch c.kind {
	case table.Money:
		number, err = parseMoney(value)
		c.numbers = append(c.numbers, number)
	case table.Time:
		var at time.Time
		at, err = time.Parse(time.RFC3339, value)
		c.numbers = append(c.numbers, at.UnixMicro())
	default:
		c.text = append(c.text, value...)
	}
	c.end(false)
	return err
}

// fill adds a value in place of a cell of a text column. Where a null cannot be, an
// empty value is an empty text.
func (c *cells) fill(value string, required bool) {
	c.text = append(c.text, value...)
	c.end(value == "" && !required)
}

// copy adds a cell as it is.
func (c *cells) copy(value []byte, null bool) {
	c.text = append(c.text, value...)
	c.end(null)
}

// parseMoney returns dollars with at most six decimals as micro-dollars.
func parseMoney(value string) (int64, error) {
	digits, negative := strings.CutPrefix(value, "-")
	whole, fraction, _ := strings.Cut(digits, ".")
	if len(fraction) > moneyDecimals || len(whole)+moneyDecimals > moneyDigits {
		return 0, fmt.Errorf("parquettable: %q is no amount of at most %d digits before the point and %d behind it", value, moneyDigits-moneyDecimals, moneyDecimals)
	}
	if whole+fraction == "" {
		return 0, fmt.Errorf("parquettable: %q is no amount", value)
	}
	number, err := strconv.ParseUint(whole+fraction+strings.Repeat("0", moneyDecimals-len(fraction)), 10, 63)
	if err != nil {
		return 0, fmt.Errorf("parquettable: %q is no amount", value)
	}
	if negative {
		return -int64(number), nil
	}
	return int64(number), nil
}
