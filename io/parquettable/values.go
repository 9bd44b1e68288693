package parquettable

import (
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/file"
)

// pageValues returns arrow-go's decoder of the chunk that p is open for.
func pageValues(p *pageReader) file.ColumnChunkReader {
	//lint:ignore SA1019 it is the only decoder for pages that are read and checked here
	return file.NewColumnReader(p.Descriptor, p, memory.DefaultAllocator, nil)
}

// readBatch reads values and levels of one page. It returns the number of rows, and the number of
// values found. Byte strings are valid until the next call.
type readBatch[T any] func(
	size int64, values []T, definition, repetition []int16,
) (rows int64, found int, err error)
