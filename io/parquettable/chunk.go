package parquettable

import (
	"bytes"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"
)

// chunk is an encoded column of a row group: the start of a file with nothing else in
// it. It is valid until its encoder begins again.
type chunk struct {
	data []byte
	meta *metadata.FileMetaData
}

// sink is a file in memory.
type sink struct{ bytes.Buffer }

func (s *sink) Tell() int64 { return int64(s.Len()) }

// finish ends the row group.
func (e *encoder) finish() (chunk, error) {
	to := &e.sink
	to.Reset()
	to.WriteString(magic)
	properties := parquet.NewWriterProperties(parquet.WithCompression(e.layout.codec), parquet.WithCreatedBy(creator))
	builder := metadata.NewFileMetadataBuilder(e.schema, properties, nil)
	group := builder.AppendRowGroup()
	column := group.NextColumnChunk()
	w, err := file.NewPageWriter(to, e.layout.codec, properties.CompressionLevelFor(""), column, 0, 0, memory.DefaultAllocator, false, nil, nil)
	if err != nil {
		return chunk{}, err
	}
	plain, err := e.writePages(w)
	if err != nil {
		return chunk{}, err
	}
	if e.rows > 0 {
		column.SetStats(e.summary.statistics(e.descriptor.PhysicalType() == parquet.Types.Int64))
	}
	if err := w.Close(e.coded > 0, e.coded > 0 && plain); err != nil {
		return chunk{}, err
	}
	group.SetNumRows(int(e.rows))
	if err := group.Finish(0, 0); err != nil {
		return chunk{}, err
	}
	meta, err := builder.Finish()
	e.reset()
	return chunk{data: to.Bytes(), meta: meta}, err
}

// writePages writes the dictionary and the pages, and reports whether some of these hold
// their values as they are.
func (e *encoder) writePages(w file.PageWriter) (plain bool, err error) {
	if e.coded > 0 {
		for i := range e.coded {
			e.summary.text(e.words.texts.cell(i))
		}
		texts := memory.NewBufferBytes(e.words.appendPage(nil, e.coded))
		dictionary := file.NewDictionaryPage(texts, int32(e.coded), parquet.Encodings.Plain)
		defer dictionary.Release()
		if _, err := w.WriteDictionaryPage(dictionary); err != nil {
			return false, err
		}
	}
	start := 0
	for _, p := range e.pages {
		data := file.NewDataPageV1(memory.NewBufferBytes(e.data[start:p.end]), int32(p.cells), p.encoding,
			parquet.Encodings.RLE, parquet.Encodings.RLE, int32(p.uncompressed))
		_, err := w.WriteDataPage(data)
		data.Release()
		if err != nil {
			return plain, err
		}
		plain = plain || p.encoding == parquet.Encodings.Plain
		start = p.end
	}
	return plain, nil
}
