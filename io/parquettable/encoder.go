package parquettable

import (
	"bytes"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"payonce/io/table"
)

// layout says how a column is to be encoded.
type layout struct {
	codec      compress.Compression
	dictionary dictionary
}

// dictionary says whether the values of a column are kept once each, and numbered.
type dictionary uint8

const (
	never dictionary = iota
	always
	whereUseful // where the first values of a row group repeat themselves
)

// encoder encodes one column, row group by row group, into memory: each time into a
// whole small file, whose column chunk is then put into the file that is written. So
// the columns of a row group need nothing of each other and are encoded on all cores.
type encoder struct {
	node    schema.Node
	layout  layout
	useful  bool // a dictionary in the row group before
	buffer  bytes.Buffer
	file    *file.Writer // nil between row groups
	columns []file.ColumnChunkWriter
	group   file.BufferedRowGroupWriter

	// Memory that is used again for every batch.
	values                 []parquet.ByteArray
	definition, repetition []int16
}

// begin starts a row group, unless one is started.
func (e *encoder) begin() error {
	if e.file != nil {
		return nil
	}
	e.buffer.Reset()
	dictionary := e.layout.dictionary == always && len(e.values) > 0 // some readers fail on an empty one
	if e.layout.dictionary == whereUseful {
		e.useful = repeat(e.values, e.useful)
		dictionary = e.useful
	}
	writer, err := newFile(&e.buffer, schema.FieldList{e.node},
		parquet.WithCompression(e.layout.codec), parquet.WithDictionaryDefault(dictionary))
	if err != nil {
		return err
	}
	if e.group, err = writer.AppendBufferedRowGroupChecked(); err != nil {
		return err
	}
	e.columns = e.columns[:0]
	for i := range e.group.NumColumns() {
		column, err := e.group.Column(i)
		if err != nil {
			return err
		}
		e.columns = append(e.columns, column)
	}
	e.file = writer
	return nil
}

// chunk is an encoded column of a row group: a file with nothing else in it. It is
// valid until its encoder begins again.
type chunk struct {
	data []byte
	meta *metadata.FileMetaData
}

// finish ends the row group.
func (e *encoder) finish() (chunk, error) {
	if err := e.begin(); err != nil { // without rows
		return chunk{}, err
	}
	for _, column := range e.columns {
		if err := column.Close(); err != nil {
			return chunk{}, err
		}
	}
	if err := e.group.Close(); err != nil {
		return chunk{}, err
	}
	if err := e.file.Close(); err != nil {
		return chunk{}, err
	}
	meta, err := e.file.FileMetadata()
	e.file = nil
	e.values = e.values[:0] // they lie in parts that others fill now
	return chunk{data: e.buffer.Bytes(), meta: meta}, err
}

// encodeAll adds a part to the row group of all encoders.
func encodeAll(encoders []*encoder, p *part) error {
	columns := p.columns()
	return onAllCores(len(columns), func(i int) error { return encoders[i].encode(columns[i]) })
}

// finishAll ends the row group of all encoders.
func finishAll(encoders []*encoder) ([]chunk, error) {
	chunks := make([]chunk, len(encoders))
	err := onAllCores(len(encoders), func(i int) (err error) {
		chunks[i], err = encoders[i].finish()
		return err
	})
	return chunks, err
}

// required reports whether the column has no nulls.
func (e *encoder) required() bool {
	return e.node.RepetitionType() == parquet.Repetitions.Required
}

// encode adds the cells of a part to the row group.
func (e *encoder) encode(c *cells) error {
	switch c.kind {
	case table.Texts:
		e.words(&c.vector)
	case table.Text:
		e.texts(&c.vector)
	default:
		e.levels(&c.vector)
	}
	if err := e.begin(); err != nil {
		return err
	}
	var err error
	switch w := e.columns[0].(type) {
	case *file.Int64ColumnChunkWriter:
		_, err = w.WriteBatch(c.numbers, e.definition, nil)
	case *file.ByteArrayColumnChunkWriter:
		_, err = w.WriteBatch(e.values, e.definition, e.repetition)
	}
	return err
}

// levels gathers the definition levels of the cells; none for a column without nulls.
func (e *encoder) levels(v *vector) {
	e.definition = e.definition[:0]
	if e.required() {
		return
	}
	for _, null := range v.nulls {
		level := int16(1)
		if null {
			level = 0
		}
		e.definition = append(e.definition, level)
	}
}

// texts gathers the cells that are not null.
func (e *encoder) texts(v *vector) {
	e.levels(v)
	e.values = e.values[:0]
	for i, null := range v.nulls {
		if !null {
			e.values = append(e.values, v.cell(i))
		}
	}
}

// Definition levels of a list of texts that are never null themselves.
const (
	levelNull = 0
	levelWord = 2
)

// words gathers the words of the cells, a list for each.
func (e *encoder) words(v *vector) {
	e.values, e.definition, e.repetition = e.values[:0], e.definition[:0], e.repetition[:0]
	for i, null := range v.nulls {
		if null {
			e.definition, e.repetition = append(e.definition, levelNull), append(e.repetition, 0)
			continue
		}
		repetition := int16(0)
		for word := range bytes.SplitSeq(v.cell(i), []byte{' '}) {
			e.values = append(e.values, word)
			e.definition, e.repetition = append(e.definition, levelWord), append(e.repetition, repetition)
			repetition = 1
		}
	}
}

// repeat reports whether a sample of values has at most half as many different ones;
// for a few values what was so before.
func repeat(values []parquet.ByteArray, before bool) bool {
	const fewest, most = 16, 1024
	if len(values) < fewest {
		return before
	}
	step := max(len(values)/most, 1)
	different := map[string]struct{}{}
	sampled := 0
	for i := 0; i < len(values); i += step {
		different[string(values[i])] = struct{}{}
		sampled++
	}
	return len(different)*2 <= sampled
}
