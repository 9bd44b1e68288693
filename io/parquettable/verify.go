package parquettable

import (
	"fmt"
	"io"
)

// Verify reads the footer of a file of size bytes and the headers of all its pages. It returns an
// error when they contradict each other. It does not decode values.
func Verify(file io.ReaderAt, size int64) error {
	const name = "the new file"
	f, err := readFooter(file, name, size)
	if err != nil {
		return err
	}
	if err := checkLayout(f.Meta, name, f.Start); err != nil {
		return err
	}
	end := int64(len(magic)) // of the chunk before
	for g, group := range f.Meta.RowGroups {
		for leaf, chunk := range group.Columns {
			column := f.Meta.Schema.Column(leaf)
			if err := verifyChunk(file, f, g, leaf, end); err != nil {
				return fmt.Errorf("column %s of row group %d: %w", column.Path(), g, err)
			}
			data := chunk.MetaData
			end = chunkStart(data.DictionaryPageOffset, data.DataPageOffset) + data.TotalCompressedSize
		}
	}
	return nil
}

// verifyChunk checks the pages of a chunk. Chunks are written in order, so each starts at or behind
// the end of the one before.
func verifyChunk(file io.ReaderAt, f *Footer, g, leaf int, end int64) error {
	data := f.Meta.RowGroups[g].Columns[leaf].MetaData
	start := chunkStart(data.DictionaryPageOffset, data.DataPageOffset)
	if data.TotalCompressedSize > 0 && start < end {
		return damagef("its pages start at byte %d, within another column chunk", start)
	}
	beyond, err := newPageReader(file, f.Meta.Schema.Column(leaf)).Measure(f.Meta, g, leaf)
	if err == nil && beyond > 0 {
		err = damagef("its pages end %d bytes behind its end", beyond)
	}
	return err
}
