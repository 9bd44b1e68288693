// This file copies some rows of a column into a new column chunk, in the type of the column.

package parquettable

import (
	"fmt"

	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/schema"
)

// columnCopier copies rows of one column of a list, in the type of the column.
type columnCopier struct {
	meta   *metadata.FileMetaData
	name   string
	writer chunkWriter
	leaves []*leafCopier
}

// leafCopier copies one leaf of a column: the values and their levels. It does not need to know the
// other leaves.
type leafCopier struct {
	leaf  int
	pages *pageReader
	rows  rowCopier // of the row group
	group int
}

// rowCopier copies rows of a leaf in a row group to a column writer. The indexes of the rows
// ascend, also from call to call.
type rowCopier interface {
	copyRows(chosen []int64, to file.ColumnChunkWriter) error
}

// newColumnCopier returns a copier of a column of a list.
func newColumnCopier(list *Reader, c FileColumn, l Encoding) *columnCopier {
	own := &columnCopier{meta: list.meta, name: c.Name, writer: chunkWriter{Node: c.Node, Layout: l}}
	for leaf := c.Leaf; leaf < c.Leaf+c.Leaves; leaf++ {
		p := newPageReader(list.file, list.meta.Schema.Column(leaf))
		own.leaves = append(own.leaves, &leafCopier{leaf: leaf, pages: p, group: -1})
	}
	return own
}

// Close releases the memory of the readers.
func (c *columnCopier) Close() {
	for _, l := range c.leaves {
		_ = l.pages.Close() // never fails
	}
}

// Copy copies rows of a row group.
func (c *columnCopier) Copy(group int, chosen []int64) error {
	if err := c.writer.begin(); err != nil {
		return err
	}
	for i, l := range c.leaves {
		if err := l.copy(c.meta, group, chosen, c.writer.leaves[i]); err != nil {
			return fmt.Errorf("column %s of row group %d: %w", c.name, group, err)
		}
	}
	return nil
}

// Finish ends the row group.
func (c *columnCopier) Finish() (Chunk, error) { return c.writer.Finish() }

func (l *leafCopier) copy(
	meta *metadata.FileMetaData, group int, chosen []int64, to file.ColumnChunkWriter,
) (err error) {
	defer guard(&err)
	if l.group != group {
		if err := l.pages.OpenChunk(meta, group, l.leaf); err != nil {
			return err
		}
		if l.rows, err = newRowCopier(l.pages); err != nil {
			return err
		}
		l.group = group
	}
	return l.rows.copyRows(chosen, to)
}

func newRowCopier(p *pageReader) (rowCopier, error) {
	descriptor := p.Descriptor
	switch r := pageValues(p).(type) {
	case *file.ByteArrayColumnChunkReader:
		return newTypedRows(descriptor, r, r.ReadBatchInPage, (*file.ByteArrayColumnChunkWriter).WriteBatch), nil
	case *file.FixedLenByteArrayColumnChunkReader:
		write := (*file.FixedLenByteArrayColumnChunkWriter).WriteBatch
		return newTypedRows(descriptor, r, r.ReadBatchInPage, write), nil
	case *file.Int32ColumnChunkReader:
		return newTypedRows(descriptor, r, r.ReadBatchInPage, (*file.Int32ColumnChunkWriter).WriteBatch), nil
	case *file.Int64ColumnChunkReader:
		return newTypedRows(descriptor, r, r.ReadBatchInPage, (*file.Int64ColumnChunkWriter).WriteBatch), nil
	case *file.Int96ColumnChunkReader:
		return newTypedRows(descriptor, r, r.ReadBatchInPage, (*file.Int96ColumnChunkWriter).WriteBatch), nil
	case *file.Float32ColumnChunkReader:
		return newTypedRows(descriptor, r, r.ReadBatchInPage, (*file.Float32ColumnChunkWriter).WriteBatch), nil
	case *file.Float64ColumnChunkReader:
		return newTypedRows(descriptor, r, r.ReadBatchInPage, (*file.Float64ColumnChunkWriter).WriteBatch), nil
	case *file.BooleanColumnChunkReader:
		return newTypedRows(descriptor, r, r.ReadBatchInPage, (*file.BooleanColumnChunkWriter).WriteBatch), nil
	}
	return nil, UnsupportedType(descriptor.PhysicalType().String())
}

// copyBatch is the number of levels that are read at once.
const copyBatch = 4096

// typedRows copies rows of values of type T with a writer of type W.
type typedRows[T any, W file.ColumnChunkWriter] struct {
	reader  file.ColumnChunkReader
	read    readBatch[T]
	write   writeBatch[T, W]
	highest int16 // definition level of a value
	nested  bool

	values                 []T
	definition, repetition []int16
	at, levels, value      int   // next level, number of levels, and next value of the batch
	row                    int64 // that the level before at belongs to

	// The chosen rows of the batch.
	outValues                    []T
	outDefinition, outRepetition []int16
}

// writeBatch writes values with their definition and repetition levels.
type writeBatch[T any, W file.ColumnChunkWriter] func(
	to W, values []T, definition, repetition []int16,
) (int64, error)

func newTypedRows[T any, W file.ColumnChunkWriter](
	descriptor *schema.Column, reader file.ColumnChunkReader, read readBatch[T], write writeBatch[T, W],
) *typedRows[T, W] {
	return &typedRows[T, W]{
		reader: reader, read: read, write: write, row: -1,
		highest: descriptor.MaxDefinitionLevel(), nested: descriptor.MaxRepetitionLevel() > 0,
		values: make([]T, copyBatch), definition: make([]int16, copyBatch), repetition: make([]int16, copyBatch),
	}
}

func (c *typedRows[T, W]) copyRows(chosen []int64, to file.ColumnChunkWriter) error {
	last := chosen[len(chosen)-1]
	for {
		chosen = c.choose(chosen, last)
		if err := c.flush(to.(W)); err != nil {
			return err
		}
		if c.at < c.levels {
			return nil
		}
		if more, err := c.fill(); err != nil {
			return err
		} else if !more && c.row < last {
			return damagef("rows are missing")
		} else if !more {
			return nil
		}
	}
}

// choose takes levels until the batch ends or a row after the last one starts. It returns the
// chosen rows that may continue in the next batch.
func (c *typedRows[T, W]) choose(chosen []int64, last int64) []int64 {
	for ; c.at < c.levels; c.at++ {
		row := c.row
		if !c.nested || c.repetition[c.at] == 0 {
			row++
		}
		if row > last {
			break
		}
		for chosen[0] < row {
			chosen = chosen[1:]
		}
		c.row = row
		c.take(chosen[0] == row)
	}
	return chosen
}

// take copies a level when it is wanted, and moves to the next one.
func (c *typedRows[T, W]) take(wanted bool) {
	value := c.highest == 0 || c.definition[c.at] == c.highest
	if wanted && c.highest > 0 {
		c.outDefinition = append(c.outDefinition, c.definition[c.at])
	}
	if wanted && c.nested {
		c.outRepetition = append(c.outRepetition, c.repetition[c.at])
	}
	if wanted && value {
		c.outValues = append(c.outValues, c.values[c.value])
	}
	if value {
		c.value++
	}
}

func (c *typedRows[T, W]) flush(to W) error {
	if len(c.outValues) == 0 && len(c.outDefinition) == 0 {
		return nil
	}
	_, err := c.write(to, c.outValues, c.outDefinition, c.outRepetition)
	c.outValues, c.outDefinition, c.outRepetition = c.outValues[:0], c.outDefinition[:0], c.outRepetition[:0]
	return err
}

// fill reads the next batch. It returns false at the end of the chunk.
func (c *typedRows[T, W]) fill() (bool, error) {
	levels, found, err := c.read(copyBatch, c.values, c.definition, c.repetition)
	if err == nil && levels == 0 {
		err = c.reader.Err()
	}
	c.at, c.levels, c.value = 0, int(levels), 0
	clear(c.values[found:]) // removes the values of the batch before
	return levels > 0, wrapDamage(err)
}
