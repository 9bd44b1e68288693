package parquettable

import (
	"fmt"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"payonce/enrich"
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
	case enrich.TextCell:
		return text(c.Name, optional)
	case enrich.MoneyCell:
		return value(schema.NewDecimalLogicalType(moneyDigits, moneyDecimals), parquet.Types.Int64)
	case enrich.TimestampCell:
		return value(schema.NewTimestampLogicalType(true, schema.TimeUnitMicros), parquet.Types.Int64)
	case enrich.DateTimeCell:
		return value(schema.NewTimestampLogicalType(false, schema.TimeUnitMicros), parquet.Types.Int64)
	case enrich.IntegerCell:
		return value(schema.NewIntLogicalType(64, true), parquet.Types.Int64)
	case enrich.NumberCell:
		return value(schema.NoLogicalType{}, parquet.Types.Double)
	case enrich.FlagCell:
		return value(schema.NoLogicalType{}, parquet.Types.Boolean)
	case enrich.DateCell:
		return value(schema.DateLogicalType{}, parquet.Types.Int32)
	case enrich.TextsCell:
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
	Kind    enrich.CellKind
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
	if c.Kind == enrich.TextsCell {
		c.repetition = append(c.repetition, 0)
	}
}

// Add adds the cell of a row.
func (c *Cells) Add(value *enrich.Cell) {
	switch {
	case !value.Known:
		c.AddNull()
	case c.Kind == enrich.TextCell:
		c.Fill(value.Text)
	case c.Kind == enrich.TextsCell && len(value.Texts) == 0:
		c.definition = append(c.definition, emptyListLevel)
		c.repetition = append(c.repetition, 0)
	case c.Kind == enrich.TextsCell:
		c.addElements(value.Texts)
	default:
		c.numbers = append(c.numbers, numberOf(value))
		c.definition = append(c.definition, valueLevel)
	}
}

// addElements adds the row of a list, with a cell for each element.
func (c *Cells) addElements(elements []string) {
	repetition := int16(0)
	for _, element := range elements {
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
