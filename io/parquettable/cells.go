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
	Values  Vector  // the texts of the cells that are not null, in a column of texts or lists
	numbers []int64 // the values of the cells that are not null, in a column of numbers: see numberOf

	// The levels of Parquet: a null has the definition level 0. In a column of lists every element is a cell,
	// with the repetition level 1 behind another element of the same row. Other columns have no repetition levels.
	definition, repetition []int16
}

// Definition levels of cells that are not null, as schemaNode makes their columns.
const (
	valueLevel     = 1
	emptyListLevel = 1
	elementLevel   = 2
)

// Reset removes all cells and keeps their memory.
func (c *Cells) Reset() {
	c.Values.Reset()
	c.numbers, c.definition, c.repetition = c.numbers[:0], c.definition[:0], c.repetition[:0]
}

// AddNull adds a null.
func (c *Cells) AddNull() {
	c.definition = append(c.definition, 0)
	if isList(c.Kind) {
		c.repetition = append(c.repetition, 0)
	}
}

// Add adds the cell of a row. It is not empty.
func (c *Cells) Add(value string) error {
	switch {
	case c.Kind == table.Texts:
		c.addElements(strings.SplitSeq(value, " "))
	case c.Kind == table.List:
		return c.addList(value)
	case isNumber(c.Kind):
		number, err := numberOf(c.Kind, value)
		if err != nil {
			return err
		}
		c.numbers = append(c.numbers, number)
		c.definition = append(c.definition, valueLevel)
	default:
		c.Fill(value)
	}
	return nil
}

// addList adds the row of a list, which is a JSON array.
func (c *Cells) addList(value string) error {
	var elements []string
	if err := json.Unmarshal([]byte(value), &elements); err != nil || elements == nil {
		return fmt.Errorf("parquettable: %.100q is not a JSON array of texts", value)
	}
	if len(elements) == 0 {
		c.definition = append(c.definition, emptyListLevel)
		c.repetition = append(c.repetition, 0)
		return nil
	}
	c.addElements(slices.Values(elements))
	return nil
}

// addElements adds the row of a list, with a cell for each element.
func (c *Cells) addElements(elements iter.Seq[string]) {
	repetition := int16(0)
	for element := range elements {
		c.Values.Add(element)
		c.definition = append(c.definition, elementLevel)
		c.repetition = append(c.repetition, repetition)
		repetition = 1
	}
}

// Fill adds a text. An empty one becomes a null.
func (c *Cells) Fill(value string) {
	if value == "" {
		c.AddNull()
		return
	}
	c.Values.Add(value)
	c.definition = append(c.definition, valueLevel)
}

// Copy is Fill for bytes.
func (c *Cells) Copy(value []byte) {
	if len(value) == 0 {
		c.AddNull()
		return
	}
	c.put(value)
}

// put adds a text, which may be empty.
func (c *Cells) put(value []byte) {
	c.Values.AddBytes(value)
	c.definition = append(c.definition, valueLevel)
}
