// This file writes column chunks with arrow-go's column writers.

package parquettable

import (
	"bytes"
	"math"
	"slices"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"payonce/io/table"
)

// Encoding says how a column is encoded.
type Encoding struct {
	Codec      compress.Compression
	Dictionary bool // a dictionary may be used
	Unordered  bool // the order of the values is not known, so they get no statistics
}

// writableCodec returns a compression that can be written: the same one, or Zstandard.
func writableCodec(codec compress.Compression) compress.Compression {
	if codec == compress.Codecs.Uncompressed {
		return codec
	}
	if _, err := compress.GetCodec(codec); err != nil {
		return compress.Codecs.Zstd
	}
	return codec
}

// chunkWriter writes a column of any type. It writes each row group to a small file in memory, whose
// column chunks then become those of the output. The columns of a row group do not depend on each
// other, so they can be written on all cores.
type chunkWriter struct {
	Node   schema.Node
	Layout Encoding // of the row groups that begin after it is set

	buffer bytes.Buffer
	file   *file.Writer // nil between row groups
	group  file.BufferedRowGroupWriter
	leaves []file.ColumnChunkWriter
}

// begin starts a row group, unless one is started already.
func (w *chunkWriter) begin(options ...parquet.WriterProperty) error {
	if w.file != nil {
		return nil
	}
	w.buffer.Reset()
	options = append([]parquet.WriterProperty{
		parquet.WithCompression(w.Layout.Codec), parquet.WithStats(!w.Layout.Unordered),
		parquet.WithDictionaryDefault(false),
	}, options...)
	started, err := newArrowFile(&w.buffer, schema.FieldList{w.Node}, options...)
	if err != nil {
		return err
	}
	if w.group, err = started.AppendBufferedRowGroupChecked(); err != nil {
		return err
	}
	w.leaves = w.leaves[:0]
	for i := range w.group.NumColumns() {
		leaf, err := w.group.Column(i)
		if err != nil {
			return err
		}
		w.leaves = append(w.leaves, leaf)
	}
	w.file = started
	return nil
}

// Finish ends the row group.
func (w *chunkWriter) Finish() (Chunk, error) {
	if err := w.begin(); err != nil { // without rows
		return Chunk{}, err
	}
	for _, leaf := range w.leaves {
		if err := leaf.Close(); err != nil {
			return Chunk{}, err
		}
	}
	if err := w.group.Close(); err != nil {
		return Chunk{}, err
	}
	if err := w.file.Close(); err != nil {
		return Chunk{}, err
	}
	meta, err := w.file.FileMetadata()
	w.file = nil
	return Chunk{Data: w.buffer.Bytes(), Meta: meta}, err
}

// columnEncoder encodes a column of texts, of numbers or of lists of texts.
type columnEncoder struct{ chunkWriter }

// newColumnEncoders returns encoders of columns.
func newColumnEncoders(appended []table.Column) ([]*columnEncoder, error) {
	encoders := make([]*columnEncoder, len(appended))
	for i, column := range appended {
		node, err := schemaNode(column)
		if err != nil {
			return nil, err
		}
		encoders[i] = &columnEncoder{chunkWriter{Node: node}}
	}
	return encoders, nil
}

// Encode adds the cells of the parts to the row group, in order.
func (e *columnEncoder) Encode(parts []*Cells) error {
	if !slices.ContainsFunc(parts, func(c *Cells) bool { return len(c.definition) > 0 }) {
		return nil
	}
	if e.file == nil {
		if err := e.begin(e.properties(parts)...); err != nil {
			return err
		}
	}
	values := make([]parquet.ByteArray, 0, textBatchValues)
	for _, c := range parts {
		if err := c.writeTo(e.leaves[0], values); err != nil {
			return err
		}
	}
	return nil
}

// properties returns how a row group is written that starts with these cells.
func (e *columnEncoder) properties(parts []*Cells) []parquet.WriterProperty {
	size := parquet.WithDataPageSize(pageSize)
	if isNumber(parts[0].Kind) {
		return []parquet.WriterProperty{size}
	}
	return []parquet.WriterProperty{
		size, parquet.WithBatchSize(math.MaxInt32), // writeTexts makes the batches
		parquet.WithDictionaryDefault(e.Layout.Dictionary && repeat(parts)),
	}
}

// EncodeBatch adds the cells of a batch to the row group. After the last batch it returns the chunk.
func (e *columnEncoder) EncodeBatch(parts []*Cells, last bool) (Chunk, error) {
	if err := e.Encode(parts); err != nil || !last {
		return Chunk{}, err
	}
	return e.Finish()
}

// repeat reports whether enough of the first texts repeat for a dictionary. arrow-go gives a dictionary up
// only when it is too large, and then leaves it in the file.
func repeat(parts []*Cells) bool {
	const sample = 4096
	seen := make(map[string]bool, sample)
	values := 0
	for _, c := range parts {
		for i := range c.Values.Ends {
			if values == sample {
				break
			}
			seen[string(c.Values.Cell(i))] = true
			values++
		}
	}
	return len(seen) <= values/4*3
}

// writeTo writes the cells to a column writer of their type. values is memory for texts.
func (c *Cells) writeTo(leaf file.ColumnChunkWriter, values []parquet.ByteArray) (err error) {
	switch leaf := leaf.(type) {
	case *file.ByteArrayColumnChunkWriter:
		return c.writeTexts(leaf, values)
	case *file.Int64ColumnChunkWriter:
		_, err = leaf.WriteBatch(c.numbers, c.definition, nil)
	case *file.Int32ColumnChunkWriter:
		numbers := converted(c.numbers, func(number int64) int32 { return int32(number) })
		_, err = leaf.WriteBatch(numbers, c.definition, nil)
	case *file.Float64ColumnChunkWriter:
		numbers := converted(c.numbers, func(bits int64) float64 { return math.Float64frombits(uint64(bits)) })
		_, err = leaf.WriteBatch(numbers, c.definition, nil)
	case *file.BooleanColumnChunkWriter:
		flags := converted(c.numbers, func(number int64) bool { return number != 0 })
		_, err = leaf.WriteBatch(flags, c.definition, nil)
	default:
		err = UnsupportedType(leaf.Type().String())
	}
	return err
}

func converted[T any](numbers []int64, convert func(int64) T) []T {
	out := make([]T, len(numbers))
	for i, number := range numbers {
		out[i] = convert(number)
	}
	return out
}

const (
	// pageSize is how many bytes of values end a page. With a batch a page has at most 128 KiB: arrow-go's
	// encoder of Zstandard allocates 16 MiB for longer ones, again and again.
	pageSize = 100 << 10
	// Between batches arrow-go ends a page that has enough bytes. A batch of texts ends with a row behind this
	// many values or bytes, so that long texts do not make a long page.
	textBatchValues = 1024
	textBatchSize   = 16 << 10
)

// writeTexts writes texts in batches of whole rows.
func (c *Cells) writeTexts(leaf *file.ByteArrayColumnChunkWriter, values []parquet.ByteArray) error {
	highest := leaf.Descr().MaxDefinitionLevel()
	start, next, size := 0, 0, 0
	write := func(end int) error {
		repetition := c.repetition
		if len(repetition) > 0 {
			repetition = repetition[start:end]
		}
		_, err := leaf.WriteBatch(values, c.definition[start:end], repetition)
		start, values, size = end, values[:0], 0
		return err
	}
	for at, level := range c.definition {
		startsRow := len(c.repetition) == 0 || c.repetition[at] == 0
		if startsRow && (len(values) >= textBatchValues || size >= textBatchSize) {
			if err := write(at); err != nil {
				return err
			}
		}
		if level >= highest {
			value := c.Values.Cell(next)
			values = append(values, value)
			next++
			size += len(value)
		}
	}
	return write(len(c.definition))
}
