package parquettable

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"payonce/io/table"
)

// libraryColumn encodes a column with arrow-go's column writer, where an encoder does it in an Encoder.
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

func (c *libraryColumn) encodeStretch(_ int, parts []*cells, last bool) (chunk, error) {
	if err := c.begin(); err != nil {
		return chunk{}, err
	}
	for _, part := range parts {
		if err := c.write(part); err != nil {
			return chunk{}, err
		}
	}
	if !last {
		return chunk{}, nil
	}
	if err := errors.Join(c.column.Close(), c.group.Close(), c.file.Close()); err != nil {
		return chunk{}, err
	}
	meta, err := c.file.FileMetadata()
	c.file = nil
	return chunk{data: c.buffer.Bytes(), meta: meta}, err
}

func (c *libraryColumn) begin() (err error) {
	if c.file != nil {
		return nil
	}
	c.buffer.Reset()
	if c.file, err = newFile(&c.buffer, schema.FieldList{c.node}, parquet.WithCompression(compress.Codecs.Zstd)); err != nil {
		return err
	}
	if c.group, err = c.file.AppendBufferedRowGroupChecked(); err != nil {
		return err
	}
	c.column, err = c.group.Column(0)
	return err
}

func (c *libraryColumn) write(part *cells) (err error) {
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
		if !part.shared && column.SupportsArrowOffsets() {
			c.offsets = append(c.offsets[:0], 0)
			for _, end := range part.values.ends {
				c.offsets = append(c.offsets, int32(end))
			}
			_, err = column.WriteBatchArrow(part.values.text, c.offsets, c.levels, nil)
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

// libraryEncoder is an Encoder whose columns arrow-go encodes.
type libraryEncoder struct {
	*Encoder
	columns []*libraryColumn
}

func newLibraryEncoder(b *testing.B, out io.Writer, list table.Schema, appended []table.Column) *libraryEncoder {
	own, err := NewEncoder(out, list, appended)
	if err != nil {
		b.Fatal(err)
	}
	w := &libraryEncoder{Encoder: own}
	for _, e := range own.encoders {
		w.columns = append(w.columns, &libraryColumn{node: e.node})
	}
	return w
}

func (w *libraryEncoder) Write(p table.Part) error {
	w.gathered.add(p.(*encodedPart).part)
	w.rows += int64(p.(*encodedPart).rows)
	if w.rows >= groupRows || w.gathered.full() {
		return w.encode(w.rows >= groupRows)
	}
	return nil
}

func (w *libraryEncoder) encode(last bool) error {
	if err := w.settle(w.out.addGroup); err != nil {
		return err
	}
	if last {
		w.rows = 0
	}
	w.start(len(w.columns), last, func(i int, s stretch, _ *scratch) (chunk, error) {
		if added := i - len(w.names); added >= 0 {
			return w.columns[i].encodeStretch(s.rows, s.added(added), last)
		}
		return w.columns[i].encodeStretch(s.rows, s.own(i), last)
	})
	return nil
}

func (w *libraryEncoder) Close() error {
	if w.rows > 0 {
		if err := w.encode(true); err != nil {
			return err
		}
	}
	return errors.Join(w.settle(w.out.addGroup), w.wait(), w.out.close())
}

// counter counts the bytes that are written.
type counter int64

func (c *counter) Write(data []byte) (int, error) {
	*c += counter(len(data))
	return len(data), nil
}

// BenchmarkEncodeBesideLibrary writes the output of a run for a list of another format, once with the
// encoder of this package and once with arrow-go's column writers in its place. All else is the same:
// the rows, the batches, and the cores. "no encoding" only gathers the cells. ENCODE_ROWS sets the number of rows.
func BenchmarkEncodeBesideLibrary(b *testing.B) {
	rows := int64(100_000)
	if text := os.Getenv("ENCODE_ROWS"); text != "" {
		var err error
		if rows, err = strconv.ParseInt(text, 10, 64); err != nil {
			b.Fatal(err)
		}
	}
	for _, by := range []string{"no encoding", "own", "arrow-go"} {
		b.Run(fmt.Sprintf("%s/%d", by, rows), func(b *testing.B) {
			var size counter
			for b.Loop() {
				size = 0
				list := &peopleList{rows: rows}
				var w table.Writer
				switch by {
				case "arrow-go":
					w = newLibraryEncoder(b, &size, list.Schema(), outputColumns())
				default:
					own, err := NewEncoder(&size, list.Schema(), outputColumns())
					if err != nil {
						b.Fatal(err)
					}
					w = own
					if by == "no encoding" {
						w = gatherOnly{own}
					}
				}
				write(b, list, w, outputRow, len(outputColumns()))
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(rows), "ns/row")
			b.ReportMetric(float64(size)/float64(rows), "file-B/row")
		})
	}
}

// gatherOnly takes parts and encodes none of them.
type gatherOnly struct{ *Encoder }

func (w gatherOnly) Write(p table.Part) error {
	w.parts.put(p.(*encodedPart).part)
	return nil
}
