package parquettable

import (
	"bytes"
	"errors"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"payonce/io/parquettable/parquettest"
	"payonce/io/table"
)

// libraryColumn encodes a column with arrow-go's column writer.
type libraryColumn struct {
	node    schema.Node
	buffer  bytes.Buffer
	file    *file.Writer // nil between row groups
	group   file.BufferedRowGroupWriter
	column  file.ColumnChunkWriter
	values  []parquet.ByteArray
	numbers []int64
	offsets []int32
	levels  []int16
}

func (c *libraryColumn) encodeBatch(parts []*Cells, last bool) (Chunk, error) {
	if err := c.begin(); err != nil {
		return Chunk{}, err
	}
	for _, part := range parts {
		if err := c.write(part); err != nil {
			return Chunk{}, err
		}
	}
	if !last {
		return Chunk{}, nil
	}
	if err := errors.Join(c.column.Close(), c.group.Close(), c.file.Close()); err != nil {
		return Chunk{}, err
	}
	meta, err := c.file.FileMetadata()
	c.file = nil
	return Chunk{Data: c.buffer.Bytes(), Meta: meta}, err
}

func (c *libraryColumn) begin() (err error) {
	if c.file != nil {
		return nil
	}
	c.buffer.Reset()
	if c.file, err = newArrowFile(&c.buffer, schema.FieldList{c.node}, parquet.WithCompression(compress.Codecs.Zstd)); err != nil {
		return err
	}
	if c.group, err = c.file.AppendBufferedRowGroupChecked(); err != nil {
		return err
	}
	c.column, err = c.group.Column(0)
	return err
}

func (c *libraryColumn) write(part *Cells) (err error) {
	c.levels = c.levels[:0]
	for _, present := range part.present {
		c.levels = append(c.levels, int16(present))
	}
	switch column := c.column.(type) {
	case *file.Int64ColumnChunkWriter:
		c.numbers = c.numbers[:0]
		for _, id := range part.ids {
			c.numbers = append(c.numbers, part.numbers[id])
		}
		_, err = column.WriteBatch(c.numbers, c.levels, nil)
	case *file.ByteArrayColumnChunkWriter:
		if !part.Shared && column.SupportsArrowOffsets() {
			c.offsets = append(c.offsets[:0], 0)
			for _, end := range part.Values.Ends {
				c.offsets = append(c.offsets, int32(end))
			}
			_, err = column.WriteBatchArrow(part.Values.Text, c.offsets, c.levels, nil)
			return err
		}
		c.values = c.values[:0]
		for i := range part.count() {
			c.values = append(c.values, part.value(i))
		}
		_, err = column.WriteBatch(c.values, c.levels, nil)
	}
	return err
}

// BenchmarkBesideLibrary encodes the columns of an output, each with the encoder of this package
// and with arrow-go's column writer, one after the other on one core. It counts the time of the
// encoders alone. ENCODE_ROWS sets the number of rows.
func BenchmarkBesideLibrary(b *testing.B) {
	rows := int64(100_000)
	if text := os.Getenv("ENCODE_ROWS"); text != "" {
		var err error
		if rows, err = strconv.ParseInt(text, 10, 64); err != nil {
			b.Fatal(err)
		}
	}
	var own, library time.Duration
	var ownSize, librarySize int64
	runs := int64(0)
	for b.Loop() {
		e := newBothEncoders(b)
		list := parquettest.People(rows)
		for left := rows; left > 0; {
			step := min(left, batchRowsOfBenchmark)
			left -= step
			e.encode(b, gather(b, list, step), int(step), left == 0 || (rows-left)%(2*batchRowsOfBenchmark) == 0)
		}
		own, library = own+e.own, library+e.library
		ownSize, librarySize = e.ownSize, e.librarySize
		runs++
	}
	perRow := func(total time.Duration) float64 { return float64(total.Nanoseconds()) / float64(runs*rows) }
	b.ReportMetric(perRow(own), "own-ns/row")
	b.ReportMetric(perRow(library), "arrow-go-ns/row")
	b.ReportMetric(float64(library)/float64(own), "ratio")
	b.ReportMetric(float64(ownSize)/float64(rows), "own-B/row")
	b.ReportMetric(float64(librarySize)/float64(rows), "arrow-go-B/row")
}

// batchRowsOfBenchmark is how many rows are encoded together. A row group has twice as many.
const batchRowsOfBenchmark = 1 << 16

// bothEncoders encodes every column twice, and counts the time.
type bothEncoders struct {
	columns              []*columnEncoder
	libraries            []*libraryColumn
	scratch              EncodeScratch
	own, library         time.Duration
	ownSize, librarySize int64
}

func newBothEncoders(b *testing.B) *bothEncoders {
	b.Helper()
	var columns []table.Column
	for _, name := range parquettest.People(0).Schema().Columns {
		columns = append(columns, table.Column{Name: name})
	}
	e := &bothEncoders{}
	var err error
	if e.columns, err = newColumnEncoders(append(columns, parquettest.OutputColumns()...)); err != nil {
		b.Fatal(err)
	}
	for _, column := range e.columns {
		column.Layout = Encoding{Codec: compress.Codecs.Zstd, Dictionary: true}
		e.libraries = append(e.libraries, &libraryColumn{node: column.Node})
	}
	return e
}

// encode encodes the parts of every column. With the last ones a row group ends.
func (e *bothEncoders) encode(b *testing.B, parts [][]*Cells, rows int, last bool) {
	b.Helper()
	for i := range e.columns {
		start := time.Now()
		own, err := e.columns[i].EncodeBatch(rows, parts[i], last, &e.scratch)
		e.own += time.Since(start)
		if err != nil {
			b.Fatal(err)
		}
		start = time.Now()
		library, err := e.libraries[i].encodeBatch(parts[i], last)
		e.library += time.Since(start)
		if err != nil {
			b.Fatal(err)
		}
		if last {
			e.ownSize += own.Meta.RowGroups[0].Columns[0].MetaData.TotalCompressedSize
			e.librarySize += library.Meta.RowGroups[0].Columns[0].MetaData.TotalCompressedSize
		}
	}
}

// gather returns the cells of the next rows, a part for each block. The columns of the list hold
// their cells as they are, those of the output share values.
func gather(b *testing.B, list table.Reader, rows int64) (parts [][]*Cells) {
	b.Helper()
	listed := len(list.Schema().Columns)
	columns := parquettest.OutputColumns()
	parts = make([][]*Cells, listed+len(columns))
	for rows > 0 {
		block, err := list.Next()
		if err != nil {
			b.Fatal(err)
		}
		rows -= int64(block.Len())
		part := make([]*Cells, len(parts))
		for i := range part {
			part[i] = &Cells{}
			if i >= listed {
				part[i].Kind = columns[i-listed].Kind
			}
			parts[i] = append(parts[i], part[i])
		}
		appended := make([]string, len(columns))
		err = block.Each(func(row table.Row) error {
			clear(appended)
			fills := parquettest.OutputRow(row, appended)
			for i := range listed {
				if len(fills) > 0 && fills[0].Column == i {
					part[i].Fill(fills[0].Value)
					fills = fills[1:]
					continue
				}
				part[i].Copy(row.Cell(i))
			}
			for i, value := range appended {
				if value == "" {
					part[listed+i].AddNull()
				} else if err := part[listed+i].Add(value); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	return parts
}
