package parquettable

import (
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"
)

// Measure follows the headers of the pages of a chunk until they have all its values. It returns
// the bytes that the pages take behind the end of the chunk that the footer gives, and 0 when they
// end before. It reads and checks the headers only, whatever the compression is.
func (p *pageReader) Measure(meta *metadata.FileMetaData, group, leaf int) (beyond int64, err error) {
	p.release()
	chunk := meta.RowGroups[group].Columns[leaf].MetaData
	start := chunkStart(chunk.DictionaryPageOffset, chunk.DataPageOffset)
	p.begin(start, chunk.TotalCompressedSize, chunk.NumValues)
	for p.values > 0 {
		h, err := p.readHeader()
		if err != nil {
			return 0, err
		}
		p.at += h.compressed
		switch h.kind {
		case file.PageTypeDataPage, file.PageTypeDataPageV2:
			p.values -= h.values
		case file.PageTypeDictionaryPage, file.PageTypeIndexPage:
		default:
			return 0, damagef("a page has the unknown type %d", h.kind)
		}
	}
	return max(p.at-p.end, 0), nil
}
