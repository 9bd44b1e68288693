package encode

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"payonce/io/parquettable/vector"
	"payonce/io/table"
)

// Money is a decimal of 64 bits with six decimals. It is exact, and every reader of Parquet knows the type.
const (
	MoneyDigits   = 18
	MoneyDecimals = 6
)

// NodeOf returns the schema of an appended column.
func NodeOf(c table.Column) (schema.Node, error) {
	optional := parquet.Repetitions.Optional
	text := func(name string, repetition parquet.Repetition) (schema.Node, error) {
		return schema.NewPrimitiveNodeLogical(
			name, repetition, schema.StringLogicalType{}, parquet.Types.ByteArray, -1, -1)
	}
	integer := func(kind schema.LogicalType) (schema.Node, error) {
		return schema.NewPrimitiveNodeLogical(c.Name, optional, kind, parquet.Types.Int64, -1, -1)
	}
	switch c.Kind {
	case table.Text:
		return text(c.Name, optional)
	case table.Money:
		return integer(schema.NewDecimalLogicalType(MoneyDigits, MoneyDecimals))
	case table.Time:
		return integer(schema.NewTimestampLogicalType(true, schema.TimeUnitMicros))
	case table.Texts:
		element, err := text("element", parquet.Repetitions.Required)
		if err != nil {
			return nil, err
		}
		return schema.ListOfWithName(c.Name, element, optional, -1)
	}
	return nil, fmt.Errorf("parquettable: column %s has the unknown kind %d", c.Name, c.Kind)
}

// Cells are the cells of one column in some rows, and their values.
type Cells struct {
	Kind    table.Kind
	Values  vector.Vector // as text
	numbers []int64       // the values, in a column of numbers
	present []uint8       // of every cell: 1 for a value, 0 for a null

	// Shared says that cells may share values: ids has the index of the value for each cell that is not null.
	// Otherwise each cell that is not null has the next value.
	Shared bool
	ids    []uint32

	// In a column of lists every element is a cell, and repeats is 1 for an element of the same row as the
	// element before. It may lack the last nulls.
	repeats []uint8

	recent [4]uint32 // the last values, to notice most repetitions
	oldest int       // index of the oldest recent value
}

// Reset removes all cells and keeps their memory.
func (c *Cells) Reset() {
	c.Values.Reset()
	c.numbers, c.present, c.ids, c.repeats = c.numbers[:0], c.present[:0], c.ids[:0], c.repeats[:0]
}

// AddNull adds a null.
func (c *Cells) AddNull() { c.present = append(c.present, 0) }

// Add adds the cell of a row. It is not empty.
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

// Repeat adds a cell with the value at an index of Values.
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

// count returns the number of cells that are not null.
func (c *Cells) count() int {
	if c.Shared {
		return len(c.ids)
	}
	return len(c.Values.Ends)
}

// value returns the value of the cell at an index among the cells that are not null.
func (c *Cells) value(i int) []byte {
	if c.Shared {
		i = int(c.ids[i])
	}
	return c.Values.Cell(i)
}

// addNumber parses a value of a column of numbers.
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

// addWords adds the row of a list, with a cell for each word.
func (c *Cells) addWords(value string) {
	c.endRepeats()
	repeats := uint8(0)
	for word := range strings.SplitSeq(value, " ") {
		c.put(word)
		c.repeats = append(c.repeats, repeats)
		repeats = 1
	}
}

// endRepeats adds the nulls that repeats lacks in a column of lists.
func (c *Cells) endRepeats() {
	if missing := len(c.present) - len(c.repeats); c.Kind == table.Texts && missing > 0 {
		c.repeats = append(c.repeats, make([]uint8, missing)...)
	}
}

// Fill adds a cell in place of another. An empty value becomes a null.
func (c *Cells) Fill(value string) {
	if value == "" {
		c.AddNull()
		return
	}
	c.put(value)
}

// put adds a cell with a value that is not shared.
func (c *Cells) put(value string) {
	c.present = append(c.present, 1)
	c.Values.Add(value)
}

// Copy adds a cell unchanged. An empty one becomes a null.
func (c *Cells) Copy(value []byte) {
	if len(value) == 0 {
		c.AddNull()
		return
	}
	c.present = append(c.present, 1)
	c.Values.AddBytes(value)
}

// parseMoney parses dollars with at most six decimals, and returns micro-dollars.
func parseMoney(value string) (int64, error) {
	digits, negative := strings.CutPrefix(value, "-")
	whole, fraction, _ := strings.Cut(digits, ".")
	if len(fraction) > MoneyDecimals || len(whole)+MoneyDecimals > MoneyDigits {
		return 0, fmt.Errorf(
			"parquettable: %q is not an amount with at most %d digits before the point and %d after it",
			value, MoneyDigits-MoneyDecimals, MoneyDecimals)
	}
	if whole+fraction == "" {
		return 0, fmt.Errorf("parquettable: %q is not an amount", value)
	}
	number, err := strconv.ParseUint(whole+fraction+strings.Repeat("0", MoneyDecimals-len(fraction)), 10, 63)
	if err != nil {
		return 0, fmt.Errorf("parquettable: %q is not an amount", value)
	}
	if negative {
		return -int64(number), nil
	}
	return int64(number), nil
}
