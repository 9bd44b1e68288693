package parquettable

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"
)

// chunkReader is the library's reader of the values in a column chunk: what it failed with.
type chunkReader interface{ Err() error }

// decoder appends the next rows of a column chunk to a vector.
type decoder interface {
	decode(v *vector, rows int) error
}

// newColumnReader returns the library's decoder of the chunk that p is open for.
func newColumnReader(p *pages) file.ColumnChunkReader {
	//lint:ignore SA1019 it is the only way to decode pages that were read and checked here
	return file.NewColumnReader(p.descriptor, p, memory.DefaultAllocator, nil)
}

// newDecoder returns a decoder of the chunk that p is open for.
func newDecoder(p *pages) (decoder, error) {
	descriptor := p.descriptor
	integer := integerText(descriptor)
	switch r := newColumnReader(p).(type) {
	case *file.ByteArrayColumnChunkReader:
		text := binaryText(descriptor)
		return newValues(descriptor, r, r.ReadBatchInPage, func(to []byte, value parquet.ByteArray) []byte { return text(to, value) }), nil
	case *file.FixedLenByteArrayColumnChunkReader:
		text := binaryText(descriptor)
		return newValues(descriptor, r, r.ReadBatchInPage, func(to []byte, value parquet.FixedLenByteArray) []byte { return text(to, value) }), nil
	case *file.Int32ColumnChunkReader:
		return newValues(descriptor, r, r.ReadBatchInPage, func(to []byte, value int32) []byte { return integer(to, int64(value)) }), nil
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
	return nil, fmt.Errorf("columns of type %s are not supported", descriptor.PhysicalType())
}

// readBatch reads values and levels of one page. It returns how many rows they are and
// how many of them have a value. Byte strings are valid until the next call.
type readBatch[T any] func(size int64, values []T, definition, repetition []int16) (rows int64, found int, err error)

// values decodes a column of values of type T.
type values[T any] struct {
	reader     chunkReader
	read       readBatch[T]
	text       appender[T]
	optional   bool
	values     []T
	definition []int16
}

func newValues[T any](descriptor *schema.Column, reader chunkReader, read readBatch[T], text appender[T]) *values[T] {
	return &values[T]{reader: reader, read: read, text: text, optional: descriptor.MaxDefinitionLevel() > 0}
}

func (d *values[T]) decode(v *vector, rows int) error {
	if len(d.values) < rows {
		d.values, d.definition = make([]T, rows), make([]int16, rows)
	}
	for rows > 0 {
		read, found, err := d.read(int64(rows), d.values[:rows], d.definition[:rows], nil)
		switch {
		case err != nil:
			return asDamaged(err)
		case read <= 0 && d.reader.Err() != nil:
			return asDamaged(d.reader.Err())
		case read <= 0:
			return damaged("%d rows are missing", rows)
		}
		if err := d.append(v, int(read), found); err != nil {
			return err
		}
		rows -= int(read)
	}
	return nil
}

func (d *values[T]) append(v *vector, rows, found int) error {
	next := 0
	for i := range rows {
		null := d.optional && d.definition[i] == 0
		if !null {
			if next >= found {
				return damaged("a page has fewer values than it claims")
			}
			v.text = d.text(v.text, d.values[next])
			next++
		}
		if len(v.text) > maxVector {
			return fmt.Errorf("its cells are too long: %d rows have more than %d MiB", len(v.ends)+1, maxVector>>20)
		}
		v.end(null)
	}
	if next != found {
		return damaged("a page has more values than it claims")
	}
	return nil
}
