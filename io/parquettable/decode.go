package parquettable

import (
	"fmt"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/schema"
)

// maxVector is the most text of a column in one block, in bytes.
const maxVector = 256 << 20

// cellDecoder decodes the cells of a column chunk.
type cellDecoder struct{ rows rowDecoder }

// rowDecoder appends the next rows of a column chunk to a vector. It may panic when the chunk is damaged.
type rowDecoder interface {
	decode(v *Vector, rows int) error
}

// newCellDecoder returns a decoder of a leaf in a row group, whose pages p reads.
func newCellDecoder(p *pageReader, meta *metadata.FileMetaData, group, leaf int) (d *cellDecoder, err error) {
	defer guard(&err)
	if err := p.OpenChunk(meta, group, leaf); err != nil {
		return nil, err
	}
	rows, err := newRowDecoder(p)
	return &cellDecoder{rows}, err
}

// Decode appends the next rows to v.
func (d *cellDecoder) Decode(v *Vector, rows int) (err error) {
	defer guard(&err)
	return d.rows.decode(v, rows)
}

// newRowDecoder returns a decoder of the chunk that p is open for.
func newRowDecoder(p *pageReader) (rowDecoder, error) {
	descriptor := p.Descriptor
	integer := integerText(descriptor)
	switch r := pageValues(p).(type) {
	case *file.ByteArrayColumnChunkReader:
		if descriptor.MaxRepetitionLevel() > 0 {
			return newLists(descriptor, r), nil
		}
		text := binaryText(descriptor)
		return newValues(descriptor, r, r.ReadBatchInPage, asText[parquet.ByteArray](text)), nil
	case *file.FixedLenByteArrayColumnChunkReader:
		text := binaryText(descriptor)
		return newValues(descriptor, r, r.ReadBatchInPage, asText[parquet.FixedLenByteArray](text)), nil
	case *file.Int32ColumnChunkReader:
		text := func(to []byte, value int32) []byte { return integer(to, int64(value)) }
		return newValues(descriptor, r, r.ReadBatchInPage, text), nil
	case *file.Int64ColumnChunkReader:
		return newValues(descriptor, r, r.ReadBatchInPage, integer), nil
	case *file.Int96ColumnChunkReader:
		return newValues(descriptor, r, r.ReadBatchInPage, int96Text), nil
	case *file.Float32ColumnChunkReader:
		return newValues(descriptor, r, r.ReadBatchInPage, float32Text), nil
	case *file.Float64ColumnChunkReader:
		return newValues(descriptor, r, r.ReadBatchInPage, float64Text), nil
	case *file.BooleanColumnChunkReader:
		return newValues(descriptor, r, r.ReadBatchInPage, boolText), nil
	}
	return nil, UnsupportedType(descriptor.PhysicalType().String())
}

// asText returns an appender of values that are byte strings.
func asText[T ~[]byte](text appender[[]byte]) appender[T] {
	return func(to []byte, value T) []byte { return text(to, value) }
}

// values decodes a column of values of type T.
type values[T any] struct {
	reader     file.ColumnChunkReader
	read       readBatch[T]
	text       appender[T]
	optional   bool
	values     []T
	definition []int16
}

func newValues[T any](
	descriptor *schema.Column, reader file.ColumnChunkReader, read readBatch[T], text appender[T],
) *values[T] {
	return &values[T]{reader: reader, read: read, text: text, optional: descriptor.MaxDefinitionLevel() > 0}
}

func (d *values[T]) decode(v *Vector, rows int) error {
	if len(d.values) < rows {
		d.values, d.definition = make([]T, rows), make([]int16, rows)
	}
	for rows > 0 {
		read, found, err := d.read(int64(rows), d.values[:rows], d.definition[:rows], nil)
		switch {
		case err != nil:
			return wrapDamage(err)
		case read <= 0 && d.reader.Err() != nil:
			return wrapDamage(d.reader.Err())
		case read <= 0:
			return damagef("%d rows are missing", rows)
		}
		if err := d.append(v, int(read), found); err != nil {
			return err
		}
		rows -= int(read)
	}
	return nil
}

func (d *values[T]) append(v *Vector, rows, found int) error {
	next := 0
	for i := range rows {
		null := d.optional && d.definition[i] == 0
		if !null {
			if next >= found {
				return damagef("a page has fewer values than it claims")
			}
			v.Text = d.text(v.Text, d.values[next])
			next++
		}
		if len(v.Text) > maxVector {
			return fmt.Errorf("its cells are too long: %d rows have more than %d MiB", len(v.Ends)+1, maxVector>>20)
		}
		v.End(null)
	}
	if next != found {
		return damagef("a page has more values than it claims")
	}
	return nil
}
