package parquettable

import (
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"payonce/io/table"
)

// Money is a decimal of 64 bits with six decimals. It is exact, and every reader of Parquet knows the type.
const (
	moneyDigits   = 18
	moneyDecimals = 6
)

// schemaNode returns the schema of an appended column.
func schemaNode(c table.Column) (schema.Node, error) {
	optional := parquet.Repetitions.Optional
	text := func(name string, repetition parquet.Repetition) (schema.Node, error) {
		return schema.NewPrimitiveNodeLogical(
			name, repetition, schema.StringLogicalType{}, parquet.Types.ByteArray, -1, -1)
	}
	value := func(kind schema.LogicalType, stored parquet.Type) (schema.Node, error) {
		return schema.NewPrimitiveNodeLogical(c.Name, optional, kind, stored, -1, -1)
	}
	switch c.Kind {
	case table.Text:
		return text(c.Name, optional)
	case table.Money:
		return value(schema.NewDecimalLogicalType(moneyDigits, moneyDecimals), parquet.Types.Int64)
	case table.Time:
		return value(schema.NewTimestampLogicalType(true, schema.TimeUnitMicros), parquet.Types.Int64)
	case table.Integer:
		return value(schema.NewIntLogicalType(64, true), parquet.Types.Int64)
	case table.Number:
		return value(schema.NoLogicalType{}, parquet.Types.Double)
	case table.Flag:
		return value(schema.NoLogicalType{}, parquet.Types.Boolean)
	case table.Date:
		return value(schema.DateLogicalType{}, parquet.Types.Int32)
	case table.Texts, table.List:
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
	Values  Vector  // as text
	numbers []int64 // the values, in a column of numbers: see numberOf
	present []uint8 // of every cell: 1 for a value, 0 for a null, 2 for a list without elements

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
	switch c.Kind {
	case table.Texts:
		c.addElements(strings.SplitSeq(value, " "))
		return nil
	case table.List:
		return c.addList(value)
	}
	for _, id := range &c.recent {
		if int(id) < len(c.Values.Ends) && string(c.Values.Cell(int(id))) == value {
			c.Repeat(id)
			return nil
		}
	}
	if isNumber(c.Kind) {
		number, err := numberOf(c.Kind, value)
		if err != nil {
			return err
		}
		c.numbers = append(c.numbers, number)
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

// addList adds the row of a list, which is a JSON array.
func (c *Cells) addList(value string) error {
	var elements []string
	if err := json.Unmarshal([]byte(value), &elements); err != nil || elements == nil {
		return fmt.Errorf("parquettable: %.100q is not a JSON array of texts", value)
	}
	if len(elements) == 0 {
		c.present = append(c.present, emptyList)
		return nil
	}
	c.addElements(slices.Values(elements))
	return nil
}

// emptyList stands for a list without elements among the cells of a column.
const emptyList = 2

// addElements adds the row of a list, with a cell for each element.
func (c *Cells) addElements(elements iter.Seq[string]) {
	c.endRepeats()
	repeats := uint8(0)
	for element := range elements {
		c.put(element)
		c.repeats = append(c.repeats, repeats)
		repeats = 1
	}
}

// endRepeats adds the nulls that repeats lacks in a column of lists.
func (c *Cells) endRepeats() {
	if missing := len(c.present) - len(c.repeats); isList(c.Kind) && missing > 0 {
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
