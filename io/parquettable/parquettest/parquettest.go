// Package parquettest has what the tests of several packages of Parquet files need.
package parquettest

import (
	"bytes"
	"runtime"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/schema"
)

// Codecs are the compressions that arrow-go writes.
func Codecs() []compress.Compression {
	return []compress.Compression{
		compress.Codecs.Uncompressed, compress.Codecs.Snappy, compress.Codecs.Gzip,
		compress.Codecs.Brotli, compress.Codecs.Zstd, compress.Codecs.Lz4Raw,
	}
}

// Allocated returns how many bytes a function takes from the heap.
func Allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// LeastAllocated returns the least of what five calls of a function take. The runtime counts what the
// whole process takes, so a comparison of a few kilobytes would otherwise depend on what else runs.
func LeastAllocated(f func()) uint64 {
	least := Allocated(f)
	for range 4 {
		least = min(least, Allocated(f))
	}
	return least
}

// Text returns a column of optional strings.
func Text(t testing.TB, name string) schema.Node {
	t.Helper()
	node, err := schema.NewPrimitiveNodeLogical(
		name, parquet.Repetitions.Optional, schema.StringLogicalType{}, parquet.Types.ByteArray, -1, -1)
	if err != nil {
		t.Fatal(err)
	}
	return node
}

// Descriptor returns the descriptor of a column's first leaf.
func Descriptor(t testing.TB, column schema.Node) *schema.Column {
	t.Helper()
	root, err := schema.NewGroupNode("schema", parquet.Repetitions.Required, schema.FieldList{column}, -1)
	if err != nil {
		t.Fatal(err)
	}
	return schema.NewSchema(root).Column(0)
}

// ArrowSchema returns a schema of Arrow as it is kept in files.
func ArrowSchema(t testing.TB, fields ...arrow.Field) []byte {
	t.Helper()
	metadata := arrow.NewMetadata([]string{"key"}, []string{"value"})
	var out bytes.Buffer
	if err := ipc.NewWriter(&out, ipc.WithSchema(arrow.NewSchema(fields, &metadata))).Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
