package parquettable

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/google/go-cmp/cmp"
)

// deltaFixed returns a file with a column of values of fixed length that are kept as
// differences. The library does not write such, so it is one of texts with the schema of
// another file.
func deltaFixed(t testing.TB, version parquet.DataPageVersion, rows int) (data []byte, cells [][]string) {
	t.Helper()
	column := func(values any, node schema.Node) sample {
		definition := make([]int16, rows)
		for i := range definition {
			definition[i] = int16(min(i%7, 1))
		}
		return sample{
			fields: schema.FieldList{node}, groups: [][]leaf{{{values: values, definition: definition}}},
			options: []parquet.WriterProperty{
				parquet.WithDictionaryDefault(false), parquet.WithEncoding(parquet.Encodings.DeltaByteArray), parquet.WithStats(false),
				parquet.WithDataPageVersion(version), parquet.WithDataPageSize(400), parquet.WithBatchSize(100),
			},
		}
	}
	var asTexts []parquet.ByteArray
	for i := range rows {
		value := fmt.Sprintf("%04d", i/3)
		if i%7 == 0 {
			value = "∅"
		} else {
			asTexts = append(asTexts, parquet.ByteArray(value))
		}
		cells = append(cells, []string{value})
	}
	data = column(asTexts, text(t, "t")).write(t)
	fixed := column(make([]parquet.FixedLenByteArray, 0), logical(t, "f", schema.NoLogicalType{}, parquet.Types.FixedLenByteArray, 4))
	fixed.groups[0][0].definition = make([]int16, rows)
	fixed.options = nil
	return withSchema(t, data, fixed.write(t)), cells
}

// withSchema returns a file whose only column is of the type of another file's.
func withSchema(t testing.TB, data, other []byte) []byte {
	t.Helper()
	parse := func(data []byte) (*metadata.FileMetaData, int) {
		start := len(data) - tailSize - int(binary.LittleEndian.Uint32(data[len(data)-tailSize:]))
		meta, err := metadata.NewFileMetaData(data[start:len(data)-tailSize], nil)
		if err != nil {
			t.Fatal(err)
		}
		return meta, start
	}
	meta, start := parse(data)
	from, _ := parse(other)
	meta.FileMetaData.Schema[1] = from.FileMetaData.Schema[1]
	chunk, typed := meta.RowGroups[0].Columns[0].MetaData, from.RowGroups[0].Columns[0].MetaData
	chunk.Type, chunk.PathInSchema = typed.Type, typed.PathInSchema
	var out bytes.Buffer
	length, err := meta.WriteTo(&out, nil)
	if err != nil {
		t.Fatal(err)
	}
	all := append(bytes.Clone(data[:start]), out.Bytes()...)
	return append(binary.LittleEndian.AppendUint32(all, uint32(length)), magic...)
}

func TestValuesOfFixedLengthMayBeDifferences(t *testing.T) {
	for _, version := range []parquet.DataPageVersion{parquet.DataPageV1, parquet.DataPageV2} {
		data, want := deltaFixed(t, version, 1000)
		path := save(t, data)
		got, err := cellsOf(path, nil)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("version %d: %v\n%s", version, err, diff)
		}
		some, err := subset(t, path, func(row int64) bool { return row%2 == 0 })
		if err != nil {
			t.Fatal(err)
		}
		got, err = cellsOf(some, []int{0})
		if err != nil || len(got) != 500 || got[499][0] != want[999][0] {
			t.Errorf("version %d: %d rows of a subset, %v", version, len(got), err)
		}
	}
}
