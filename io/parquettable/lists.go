package parquettable

import (
	"fmt"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"payonce/enrich"
)

// isTextList reports whether a column holds lists of texts that are never null, as this program writes them. Their cells
// have the text of such a list.
func (c FileColumn) isTextList() bool {
	list, isGroup := c.Node.(*schema.GroupNode)
	if !isGroup || !list.LogicalType().Equals(schema.NewListLogicalType()) || list.NumFields() != 1 ||
		list.RepetitionType() == parquet.Repetitions.Repeated {
		return false
	}
	elements, isGroup := list.Field(0).(*schema.GroupNode)
	if !isGroup || elements.RepetitionType() != parquet.Repetitions.Repeated || elements.NumFields() != 1 {
		return false
	}
	element, isValue := elements.Field(0).(*schema.PrimitiveNode)
	return isValue && element.RepetitionType() == parquet.Repetitions.Required && element.PhysicalType() == parquet.Types.ByteArray &&
		element.LogicalType().Equals(schema.StringLogicalType{})
}

// lists decodes a column for which isTextList is true. A level of the chunk is an element, or a list without elements.
type lists struct {
	reader *file.ByteArrayColumnChunkReader
	whole  int16 // the definition level of an element; that of an empty list is one less

	values                 []parquet.ByteArray
	definition, repetition []int16
	at, levels             int // the next level, and how many were read
	next, found            int // the next value, and how many were read
}

// levelsAtOnce is how many levels are read at a time.
const levelsAtOnce = 1024

func newLists(descriptor *schema.Column, reader *file.ByteArrayColumnChunkReader) *lists {
	return &lists{
		reader: reader, whole: descriptor.MaxDefinitionLevel(), values: make([]parquet.ByteArray, levelsAtOnce),
		definition: make([]int16, levelsAtOnce), repetition: make([]int16, levelsAtOnce),
	}
}

func (d *lists) decode(v *Vector, rows int) error {
	for row := range rows {
		list, err := d.row()
		if err != nil {
			return err
		}
		v.Text = append(v.Text, list.String()...)
		if len(v.Text) > maxVector {
			return fmt.Errorf("its cells are too long: %d rows have more than %d MiB", row+1, maxVector>>20)
		}
		v.End(!list.Known)
	}
	return nil
}

// row returns the list of the next row.
func (d *lists) row() (list enrich.Cell, err error) {
	list.Kind = enrich.TextsCell
	size := 0
	for isFirst := true; ; isFirst = false {
		isThere, err := d.read()
		switch {
		case err != nil:
			return list, err
		case isFirst && !isThere:
			return list, damagef("rows are missing")
		case isFirst && d.repetition[d.at] != 0:
			return list, damagef("a row begins within a list")
		case !isFirst && (!isThere || d.repetition[d.at] == 0):
			return list, nil
		}
		level := d.definition[d.at]
		d.at++
		list.Known = list.Known || level >= d.whole-1
		if level < d.whole {
			continue
		}
		if d.next >= d.found {
			return list, damagef("a page has fewer values than it claims")
		}
		text := string(d.values[d.next])
		d.next++
		if size += len(text) + 1; size > maxVector {
			return list, fmt.Errorf("a list has more than %d MiB", maxVector>>20)
		}
		list.Texts = append(list.Texts, text)
	}
}

// read reads further levels when there are none left, and reports whether there is one.
func (d *lists) read() (bool, error) {
	if d.at < d.levels {
		return true, nil
	}
	if d.next != d.found {
		return false, damagef("a page has more values than it claims")
	}
	read, found, err := d.reader.ReadBatchInPage(levelsAtOnce, d.values, d.definition, d.repetition)
	if err == nil && read <= 0 {
		err = d.reader.Err()
	}
	d.at, d.levels, d.next, d.found = 0, int(max(read, 0)), 0, found
	if err != nil {
		return false, wrapDamage(err)
	}
	return d.levels > 0, nil
}
