package parquettable

import (
	"bytes"
	"io"

	"github.com/apache/arrow-go/v18/parquet/metadata"
)

// CopyIndexes copies the Bloom filters and page indexes of the copied chunks. They only help to
// skip data, so one that cannot be read is left out. Encoded columns have none.
func (o *outputFile) CopyIndexes(from io.ReaderAt, was *metadata.FileMetaData, end int64) error {
	left := end // indexes do not overlap, so together they are at most as large as the file
	read := func(offset *int64, length *int32) []byte {
		if offset == nil || length == nil || *length <= 0 || int64(*length) > left || *offset > end-int64(*length) {
			return nil
		}
		left -= int64(*length)
		data := make([]byte, *length)
		if _, err := from.ReadAt(data, *offset); err != nil {
			return nil
		}
		return data
	}
	for g, group := range o.meta.RowGroups {
		for leaf, before := range was.RowGroups[g].Columns {
			chunk := group.Columns[leaf]
			filter := read(chunk.MetaData.BloomFilterOffset, chunk.MetaData.BloomFilterLength)
			values := read(chunk.ColumnIndexOffset, chunk.ColumnIndexLength)
			pages := read(chunk.OffsetIndexOffset, chunk.OffsetIndexLength)
			if pages != nil {
				pages = movePages(pages, chunk.MetaData.DataPageOffset-before.MetaData.DataPageOffset)
			}
			if pages == nil { // the column index is useless without the offset index
				values = nil
			}
			var err error
			if chunk.MetaData.BloomFilterOffset, chunk.MetaData.BloomFilterLength, err = o.index(filter); err != nil {
				return err
			}
			if chunk.ColumnIndexOffset, chunk.ColumnIndexLength, err = o.index(values); err != nil {
				return err
			}
			if chunk.OffsetIndexOffset, chunk.OffsetIndexLength, err = o.index(pages); err != nil {
				return err
			}
		}
	}
	return nil
}

// index writes an index and returns its place. It returns nil for no index.
func (o *outputFile) index(data []byte) (offset *int64, length *int32, err error) {
	if data == nil {
		return nil, nil, nil
	}
	start, size := o.at, int32(len(data))
	_, err = o.Write(data)
	return &start, &size, err
}

// movePages returns the page index of moved pages, and nil when the index cannot be read.
func movePages(data []byte, by int64) (moved []byte) {
	defer func() {
		if recover() != nil { // the library panics when it cannot read the index
			moved = nil
		}
	}()
	shape := newThriftReader(data) // the library allocates what a list claims to hold
	if shape.Skip(thriftStruct); shape.Err() != nil {
		return nil
	}
	var builder metadata.OffsetIndexBuilder
	for _, page := range metadata.NewOffsetIndex(data, nil, nil).GetPageLocations() {
		page.Offset += by
		if err := builder.AddPageLoc(*page); err != nil {
			return nil
		}
	}
	if err := builder.Finish(0); err != nil {
		return nil
	}
	var out bytes.Buffer
	if _, err := builder.WriteTo(&out, nil); err != nil || out.Len() == 0 {
		return nil
	}
	return out.Bytes()
}
