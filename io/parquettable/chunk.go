package parquettable

import (
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"
)

// Finish ends the row group. The chunk is valid until the next row group ends.
func (e *columnEncoder) Finish(s *EncodeScratch) (Chunk, error) {
	info := metadata.ChunkMetaInfo{IndexPageOffset: -1}
	counts := metadata.EncodingStats{
		DictEncodingStats: map[parquet.Encoding]int32{}, DataEncodingStats: map[parquet.Encoding]int32{},
	}
	data := append(e.chunk[:0], magic...)
	if e.coded > 0 {
		e.summarizeDictionary()
		info.DictPageOffset = int64(len(data))
		texts, err := e.compress(s, e.texts.appendPage(s.page[:0], e.coded))
		if err != nil {
			return Chunk{}, err
		}
		p := encodedPage{cells: e.coded, encoding: parquet.Encodings.Plain, uncompressed: len(s.page)}
		data = p.append(data, file.PageTypeDictionaryPage, texts, &info)
		counts.DictEncodingStats[p.encoding]++
	}
	if len(e.pages) > 0 {
		info.DataPageOffset = int64(len(data))
	}
	start := 0
	for _, p := range e.pages {
		data = p.append(data, file.PageTypeDataPage, e.data[start:p.end], &info)
		counts.DataEncodingStats[p.encoding]++
		info.NumValues += int64(p.cells)
		start = p.end
	}
	e.chunk = data
	info.CompressedSize = int64(len(data) - len(magic))
	meta, err := e.describe(info, counts)
	e.reset()
	return Chunk{Data: data, Meta: meta}, err
}

// append appends the header of the page and the page, and counts the bytes.
func (p encodedPage) append(
	data []byte, kind file.PageType, compressed []byte, info *metadata.ChunkMetaInfo,
) []byte {
	start := len(data)
	rle := int64(parquet.Encodings.RLE)
	fields := []int64{int64(kind), int64(p.uncompressed), int64(len(compressed))}
	if kind == file.PageTypeDictionaryPage {
		data = appendPageHeader(data, fields, 7, []int64{int64(p.cells), int64(p.encoding)})
	} else {
		data = appendPageHeader(data, fields, 5, []int64{int64(p.cells), int64(p.encoding), rle, rle})
	}
	info.UncompressedSize += int64(len(data) - start + p.uncompressed)
	return append(data, compressed...)
}

// describe returns the footer of a file that has only this chunk.
func (e *columnEncoder) describe(
	info metadata.ChunkMetaInfo, counts metadata.EncodingStats,
) (*metadata.FileMetaData, error) {
	properties := parquet.NewWriterProperties(
		parquet.WithCompression(e.Layout.Codec), parquet.WithCreatedBy(creator))
	builder := metadata.NewFileMetadataBuilder(e.schema, properties, nil)
	group := builder.AppendRowGroup()
	column := group.NextColumnChunk()
	if e.rows > 0 {
		column.SetStats(e.summary.statistics(e.descriptor.PhysicalType()))
	}
	fallback := e.coded > 0 && counts.DataEncodingStats[parquet.Encodings.Plain] > 0
	if err := column.Finish(info, e.coded > 0, fallback, counts); err != nil {
		return nil, err
	}
	group.SetNumRows(int(e.rows))
	if err := group.Finish(0, 0); err != nil {
		return nil, err
	}
	return builder.Finish()
}

// summarizeDictionary adds the texts of the dictionary to the statistics.
func (e *columnEncoder) summarizeDictionary() {
	for i := range e.coded {
		e.summary.text(e.texts.texts.Cell(i))
	}
}
