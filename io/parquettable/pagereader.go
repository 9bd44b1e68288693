// This file reads the pages of column chunks for arrow-go's decoders. It checks what a page
// claims before it allocates memory for it, and never decompresses a page beyond the size in its
// header.

package parquettable

import (
	"errors"
	"hash/crc32"
	"io"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/schema"
)

// Limits of one page, in bytes.
const (
	maxPageHeader = 1 << 20
	maxPage       = 256 << 20 // uncompressed
)

// pageReader reads the pages of one column chunk for arrow-go's decoders. arrow-go's own reader of
// pages neither limits what a decompressor writes nor checks checksums.
type pageReader struct {
	file       io.ReaderAt
	at, end    int64 // of the unread bytes in the file
	beyond     int64 // bytes behind end that may belong to the chunk
	Descriptor *schema.Column
	values     int64 // of the chunk that are not read yet
	decompress *decompressor

	page       file.Page
	dictionary []byte
	compressed []byte
	data       []byte
	plain      []byte // values of a page in the plain encoding
	err        error
}

var _ file.PageReader = (*pageReader)(nil)

// newPageReader returns a reader of the pages of a column. It reads nothing until a chunk is opened.
func newPageReader(in io.ReaderAt, descriptor *schema.Column) *pageReader {
	return &pageReader{file: in, Descriptor: descriptor, decompress: &decompressor{}}
}

// Open makes p read the column chunk with length bytes at start.
func (p *pageReader) Open(start, length, values int64, codec compress.Compression) error {
	p.release()
	p.begin(start, length, values)
	return p.decompress.use(codec)
}

func (p *pageReader) begin(start, length, values int64) {
	p.at, p.end, p.beyond, p.values, p.err = start, start+length, 0, values, nil
}

// OpenChunk makes p read the chunk of a leaf in a row group.
func (p *pageReader) OpenChunk(meta *metadata.FileMetaData, group, leaf int) error {
	chunk := meta.RowGroups[group].Columns[leaf].MetaData
	start := chunkStart(chunk.DictionaryPageOffset, chunk.DataPageOffset)
	return p.Open(start, chunk.TotalCompressedSize, chunk.NumValues, compress.Compression(chunk.Codec))
}

func (p *pageReader) Page() file.Page { return p.page }

func (p *pageReader) Err() error { return p.err }

// Next reads the next page. It reuses the memory of the page before, but not that of the dictionary.
func (p *pageReader) Next() bool {
	p.release()
	for p.err == nil && p.values > 0 {
		h, err := p.readHeader()
		if err == nil {
			err = p.checkMemory(h)
		}
		if err == nil {
			p.page, err = p.readPage(h)
		}
		if err != nil {
			p.err = err
			return false
		}
		if p.page != nil {
			return true
		}
	}
	return false
}

func (p *pageReader) release() {
	if p.page != nil {
		p.page.Release()
		p.page = nil
	}
}

// readHeader reads the header of the next page. The bytes of the page then start at p.at.
func (p *pageReader) readHeader() (h pageHeader, err error) {
	for window := int64(512); ; window *= 8 {
		most := min(p.end+p.beyond-p.at, maxPageHeader)
		window = min(window, most)
		p.compressed = grow(p.compressed, window)
		read, err := p.file.ReadAt(p.compressed, p.at)
		if errors.Is(err, io.EOF) && int64(read) >= p.end-p.at {
			p.compressed, most = p.compressed[:read], int64(read) // of the bytes behind the end some are not there
		} else if err != nil {
			return h, err
		}
		h, length, err := parsePageHeader(p.compressed)
		if errors.Is(err, io.ErrUnexpectedEOF) && window < most {
			continue
		}
		if err != nil {
			return h, damagef("the header of a page cannot be read: %v", err)
		}
		p.at += int64(length)
		if h.kind == file.PageTypeDictionaryPage {
			// parquet-mr up to 1.2.8 did not count this header in the length of the chunk (PARQUET-816).
			p.beyond = int64(length)
		}
		return h, p.check(h)
	}
}

// check refuses headers that cannot be true.
func (p *pageReader) check(h pageHeader) error {
	levels := h.definitionLength + h.repetitionLength
	left := p.end + p.beyond - p.at
	switch {
	case h.compressed < 0 || h.compressed > left:
		return damagef("a page claims %d bytes; its column chunk has %d left", h.compressed, left)
	case h.uncompressed < 0:
		return damagef("a page of %d bytes claims to hold %d", h.compressed, h.uncompressed)
	case h.values < 0 || h.kind != file.PageTypeDictionaryPage && h.values > p.values:
		return damagef("a page claims %d values; its column chunk has %d left", h.values, p.values)
	case h.definitionLength < 0 || h.repetitionLength < 0 || levels > h.compressed || levels > h.uncompressed:
		return damagef("a page of %d bytes claims %d bytes of levels", h.compressed, levels)
	}
	return nil
}

// checkMemory refuses headers that cannot be true or are above the limits, before memory is allocated for their pages.
func (p *pageReader) checkMemory(h pageHeader) error {
	switch {
	case h.uncompressed > maxPage || !p.decompress.possible(h.compressed, h.uncompressed):
		return damagef("a page of %d bytes claims to hold %d", h.compressed, h.uncompressed)
	case h.kind == file.PageTypeDictionaryPage && h.values > h.uncompressed/narrowest(p.Descriptor):
		return damagef("a dictionary of %d bytes claims %d values", h.uncompressed, h.values)
	case isDelta(h.encoding) && h.values > maxDeltaValues:
		return damagef("a page of %d bytes claims %d values", h.uncompressed, h.values)
	}
	return nil
}

// narrowest returns the fewest bytes of a value in a dictionary.
func narrowest(descriptor *schema.Column) int64 {
	switch descriptor.PhysicalType() {
	case parquet.Types.Int64, parquet.Types.Double:
		return 8
	case parquet.Types.Int96:
		return 12
	case parquet.Types.FixedLenByteArray:
		return max(int64(descriptor.TypeLength()), 1)
	case parquet.Types.Boolean:
		return 1
	}
	return 4 // the length of a byte string has four bytes, too
}

// readPage reads the page with the header h. It returns no page for an index page.
func (p *pageReader) readPage(h pageHeader) (file.Page, error) {
	p.compressed = grow(p.compressed, h.compressed)
	raw := p.compressed
	if _, err := p.file.ReadAt(raw, p.at); err != nil {
		return nil, err
	}
	p.at += h.compressed
	if h.hasChecksum && crc32.ChecksumIEEE(raw) != h.checksum {
		return nil, damagef("the checksum of a page is wrong")
	}
	switch h.kind {
	case file.PageTypeDictionaryPage:
		return p.dictionaryPage(h, raw)
	case file.PageTypeDataPage:
		return p.dataPage(h, raw)
	case file.PageTypeDataPageV2:
		return p.dataPageV2(h, raw)
	}
	return nil, nil
}

func (p *pageReader) dictionaryPage(h pageHeader, raw []byte) (file.Page, error) {
	var err error
	if p.dictionary, err = p.decompress.decode(p.dictionary, raw, h.uncompressed); err != nil {
		return nil, err
	}
	return file.NewDictionaryPage(memory.NewBufferBytes(p.dictionary), int32(h.values), h.encoding), nil
}

func (p *pageReader) dataPage(h pageHeader, raw []byte) (file.Page, error) {
	var err error
	if p.data, err = p.decompress.decode(p.data, raw, h.uncompressed); err != nil {
		return nil, err
	}
	p.values -= h.values
	values, err := skipLevels(h, p.Descriptor, p.data)
	if err != nil {
		return nil, err
	}
	data, err := p.readable(&h, int64(len(p.data)-len(values)))
	if err != nil {
		return nil, err
	}
	return file.NewDataPageV1(memory.NewBufferBytes(data), int32(h.values), h.encoding,
		h.definition, h.repetition, int32(h.uncompressed)), nil
}

func (p *pageReader) dataPageV2(h pageHeader, raw []byte) (file.Page, error) {
	levels := h.definitionLength + h.repetitionLength
	p.data = grow(p.data, h.uncompressed)
	copy(p.data, raw[:levels])
	after := p.data[levels:levels:h.uncompressed]
	if h.plain {
		if len(raw) != len(p.data) {
			return nil, damagef("a page of %d bytes claims to hold %d uncompressed", len(raw), len(p.data))
		}
		copy(p.data, raw)
	} else if _, err := p.decompress.decode(after, raw[levels:], h.uncompressed-levels); err != nil {
		return nil, err
	}
	p.values -= h.values
	data, err := p.readable(&h, levels)
	if err != nil {
		return nil, err
	}
	return file.NewDataPageV2(memory.NewBufferBytes(data),
		int32(h.values), int32(h.nulls), int32(h.rows), h.encoding,
		int32(h.definitionLength), int32(h.repetitionLength), int32(h.uncompressed), !h.plain), nil
}

// grow returns a slice of length bytes. It reuses the memory of data when that is large enough. A
// new slice has room for somewhat longer pages.
func grow(data []byte, length int64) []byte {
	if int64(cap(data)) < length {
		return make([]byte, length, length+length/8)
	}
	return data[:length]
}

// GetDictionaryPage returns nothing, because Next returns the dictionary before the data.
func (p *pageReader) GetDictionaryPage() (*file.DictionaryPage, error) { return nil, nil }

// SeekToPageWithRow is not supported: chunks are read from their start.
func (p *pageReader) SeekToPageWithRow(int64) error { return errors.ErrUnsupported }

// Reset does nothing: OpenChunk takes its place.
func (p *pageReader) Reset(parquet.BufferedReader, int64, compress.Compression, *file.CryptoContext) {
}

// SetMaxPageHeaderSize does nothing: the limit is fixed.
func (p *pageReader) SetMaxPageHeaderSize(int) {}

// Close releases the page and the decompressor. It always returns nil.
func (p *pageReader) Close() error {
	p.release()
	p.decompress.close()
	return nil
}
