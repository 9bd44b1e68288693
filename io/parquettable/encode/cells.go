package encode

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"payonce/io/parquettable/vector"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"payonce/io/table"
)

// Money is kept as a decimal of 64 bits: exact, unlike a floating point number, and
// one type for micro-dollars that every reader of Parquet knows.
const (
	MoneyDigits   = 18
	MoneyDecimals = 6
)

// NodeOf returns the type of an appended column.
func NodeOf(c table.Column) (schema.Node, error) {
	optional := parquet.Repetitions.Optional
	text := func(name string, repetition parquet.Repetition) (schema.Node, error) {
		return schema.NewPrimitiveNodeLogical(name, repetition, schema.StringLogicalType{}, parquet.Types.ByteArray, -1, -1)
	}
	switch c.Kind {
	case table.Text:
		return text(c.Name, optional)
	case table.Money:
		return schema.NewPrimitiveNodeLogical(c.Name, optional, schema.NewDecimalLogicalType(MoneyDigits, MoneyDecimals), parquet.Types.Int64, -1, -1)
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

// Cells are the cells of one column in a run of rows, and their values.
type Cells struct {
	Kind    table.Kind
	Values  vector.Vector // as text
	numbers []int64       // that the values are, in a column of numbers
	present []uint8       // of every cell: 1 for a value, 0 for a null

	// Where values may be shared, ids are their indexes for the cells that are not null.
	// Otherwise these cells have the values one after the other.
	Shared bool
	ids    []uint32

	// repeats says in a column of lists, where every element is a cell, whether it
	// belongs to the row of the cell before, by 1. It may lack the last nulls.
	repeats []uint8

	recent [4]uint32 // values that came last, by which most repetitions are noticed
	oldest int       // of the recent ones
}

func (c *Cells) Reset() {
	c.Values.Reset()
	c.numbers, c.present, c.ids, c.repeats = c.numbers[:0], c.present[:0], c.ids[:0], c.repeats[:0]
}

// AddNull adds a null.
func (c *Cells) AddNull() { c.present = append(c.present, 0) }

// Add adds the cell of a row, which is not empty.
func (c *Cells) Add(value string) error {
	if c.Kind == table.Texts {
		c.addWords(value)
		return nil
	}
	for _, id := range &c.recent {
		if int(id) < len(c.Values.Ends) && string(c.Values.Cell(int(id))) == value {
			c.Repeat(id)
			return nil
		}
	}
	if err := c.addNumber(value); err != nil {
		return err
	}
	id := uint32(len(c.Values.Ends))
	c.recent[c.oldest] = id
	c.oldest = (c.oldest + 1) % len(c.recent)
	c.Values.Add(value)
	c.Repeat(id)
	return nil
}

// Repeat adds a cell with a value that is there.
func (c *Cells) Repeat(id uint32) {
	c.Shared = true
	c.present, c.ids = append(c.present, 1), append(c.ids, id)
}

// Rows counts the rows of the cells.
func (c *Cells) Rows() int {
	c.endRepeats()
	rows := len(c.present)
	for _, repeats := range c.repeats {
		rows -= int(repeats)
	}
	return rows
}

// count is the number of cells that are not null.
func (c *Cells) count() int {
	if c.Shared {
		return len(c.ids)
	}
	return len(c.Values.Ends)
}

// value returns the value of the cell at an index among those that are not null.
func (c *Cells) value(i int) []byte {
	if c.Shared {
		i = int(c.ids[i])
	}
	return c.Values.Cell(i)
}

// addNumber keeps the number that a value is, in a column of numbers.
func (c *Cells) addNumber(value string) error {
	switch c.Kind {
	case table.Money:
		number, err := parseMoney(value)
		c.numbers = append(c.numbers, number)
		return err
	case table.Time:
		at, err := time.Parse(time.RFC3339, value)
		c.numbers = append(c.numbers, at.UnixMicro())
		return err
	}
	return nil
}

// addWords adds the row of a list, a cell for each of its words.
func (c *Cells) addWords(value string) {
	c.endRepeats()
	repeats := uint8(0)
	for word := range strings.SplitSeq(value, " ") {
		c.put(word)
		c.repeats = append(c.repeats, repeats)
		repeats = 1
	}
}

// endRepeats adds what repeats lacks, in a column of lists.
func (c *Cells) endRepeats() {
	if missing := len(c.present) - len(c.repeats); c.Kind == table.Texts && missing > 0 {
		c.repeats = append(c.repeats, make([]uint8, missing)...)
	}
}

// Fill adds a cell in place of another; an empty one becomes a null.
func (c *Cells) Fill(value string) {
	if value == "" {
		c.AddNull()
		return
	}
	c.put(value)
}

// put adds a cell with a value of its own.
func (c *Cells) put(value string) {
	c.present = append(c.present, 1)
	c.Values.Add(value)
}

// Copy adds a cell as it is; an empty one becomes a null.
func (c *Cells) Copy(value []byte) {
	if len(value) == 0 {
		c.AddNull()
		return
	}
	c.present = append(c.present, 1)
	c.Values.AddBytes(value)
}

// parseMoney returns dollars with at most six decimals as micro-dollars.
func parseMoney(value string) (int64, error) {
	digits, negative := strings.CutPrefix(value, "-")
	whole, fraction, _ := strings.Cut(digits, ".")
	if len(fraction) > MoneyDecimals || len(whole)+MoneyDecimals > MoneyDigits {
		return 0, fmt.Errorf("parquettable: %q is no amount of at most %d digits before the point and %d behind it", value, MoneyDigits-MoneyDecimals, MoneyDecimals)
	}
	if whole+fraction == "" {
		return 0, fmt.Errorf("parquettable: %q is no amount", value)
	}
	number, err := strconv.ParseUint(whole+fraction+strings.Repeat("0", MoneyDecimals-len(fraction)), 10, 63)
	if err != nil {
		return 0, fmt.Errorf("parquettable: %q is no amount", value)
	}
	if negative {
		return -int64(number), nil
	}
	return int64(number), nil
}
