package parquettable

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"payonce/io/parquettable/parquettest"
)

// bareChunk returns a column chunk of one data page of either version that has levels and
// nothing behind them.
func bareChunk(version int, encoding parquet.Encoding, present []uint8) []byte {
	cells, rle := int64(len(present)), int64(parquet.Encodings.RLE)
	levels := []byte{2, 0, 0, 0, 1<<1 | 1, present[0] | present[1]<<1 | present[2]<<2} // eight bits, packed
	if version == 1 {
		size := int64(len(levels))
		chunk := appendPageHeader(nil, []int64{int64(file.PageTypeDataPage), size, size}, 5, []int64{cells, int64(encoding), rle, rle})
		return append(chunk, levels...)
	}
	levels = levels[4:] // their length stands in the header
	size := int64(len(levels))
	chunk := appendPageHeader(nil, []int64{int64(file.PageTypeDataPageV2), size, size}, 8, []int64{cells, cells, cells, int64(encoding), size, 0})
	return append(chunk, levels...)
}

// appendPageHeader appends the header of a page in Thrift's compact protocol: its first
// fields, and as another field with an ID those of its kind.
func appendPageHeader(data []byte, fields []int64, id byte, ofKind []int64) []byte {
	const (
		nextInteger = 1<<4 | 5 // the field behind the one before, of 32 bits
		structure   = 12
		end         = 0
	)
	for _, field := range fields {
		data = binary.AppendVarint(append(data, nextInteger), field)
	}
	data = append(data, (id-byte(len(fields)))<<4|structure)
	for _, field := range ofKind {
		data = binary.AppendVarint(append(data, nextInteger), field)
	}
	return append(data, end, end)
}

// TestPagesOfOnlyNullsAreReadWithoutValues has pages as some writers leave them: without even the
// header of an encoding. One that claims a value is damage.
func TestPagesOfOnlyNullsAreReadWithoutValues(t *testing.T) {
	number := schema.NewInt64Node("c", parquet.Repetitions.Optional, -1)
	for encoding, node := range map[parquet.Encoding]schema.Node{
		parquet.Encodings.Plain: parquettest.Text(t, "c"), parquet.Encodings.DeltaByteArray: parquettest.Text(t, "c"), parquet.Encodings.DeltaLengthByteArray: parquettest.Text(t, "c"),
		parquet.Encodings.DeltaBinaryPacked: number, parquet.Encodings.ByteStreamSplit: number,
	} {
		for _, version := range []int{1, 2} {
			for _, codec := range parquettest.Codecs() {
				if version == 1 && codec != compress.Codecs.Uncompressed {
					continue // its levels would be compressed too
				}
				for values, present := range [][]uint8{{0, 0, 0}, {0, 1, 0}} {
					v, err := decodeBare(t, node, codec, bareChunk(version, encoding, present))
					if values == 0 && (err != nil || !slices.Equal(v.Nulls, []bool{true, true, true})) || values == 1 && !errors.Is(err, ErrDamaged) {
						t.Errorf("%s in a page of version %d with %d values: nulls %v, %v", encoding, version, values, v.Nulls, err)
					}
				}
			}
		}
	}
}

// decodeBare decodes a chunk of three rows.
func decodeBare(t *testing.T, node schema.Node, codec compress.Compression, chunk []byte) (*Vector, error) {
	t.Helper()
	p := newPageReader(bytes.NewReader(chunk), parquettest.Descriptor(t, node))
	defer p.Close()
	v := &Vector{}
	if err := p.Open(0, int64(len(chunk)), 3, codec); err != nil {
		return v, err
	}
	rows, err := newRowDecoder(p)
	if err != nil {
		return v, err
	}
	return v, (&cellDecoder{rows}).Decode(v, 3)
}
