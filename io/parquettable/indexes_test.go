package parquettable

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"

	"payonce/io/parquettable/parquettest"
	"payonce/io/table"
)

// indexed is a list of two columns and two row groups with all indexes that there are.
func indexed(t *testing.T) string {
	t.Helper()
	var rows [][]string
	for i := range 500 {
		rows = append(rows, []string{fmt.Sprint("filled ", i), fmt.Sprint("value ", i)})
	}
	list := drawn{names: []string{"a", "b"}, groups: [][][]string{rows, rows}}
	return save(t, list.sample(t, []parquet.WriterProperty{
		parquet.WithPageIndexEnabled(true), parquet.WithBloomFilterEnabled(true), parquet.WithDataPageSize(100),
		parquet.WithBatchSize(10), parquet.WithDictionaryDefault(false),
	}).write(t))
}

// columnIndex returns the bytes of what a file says of the values in the pages of a chunk.
func columnIndex(t *testing.T, path string, g, leaf int) []byte {
	t.Helper()
	all, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	chunk := footerOf(t, path).RowGroups[g].Columns[leaf]
	return all[*chunk.ColumnIndexOffset:][:*chunk.ColumnIndexLength]
}

func TestIndexesAreCarriedOver(t *testing.T) {
	path := indexed(t)
	out, err := rewrite(t, path, []int{0}, result()[:1], func(row table.Row) ([]table.Fill, []string) {
		if row.Number()%500 == 7 { // one in each row group
			return []table.Fill{{Column: 0, Value: "filled"}}, []string{"a somewhat long status"}
		}
		return nil, []string{"a somewhat long status"}
	})
	if err != nil {
		t.Fatal(err)
	}
	r, err := file.OpenParquetFile(out, false)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for g := range 2 {
		column, err := r.RowGroup(g).Column(1)
		if err != nil {
			t.Fatal(err)
		}
		if err := column.SeekToRow(321); err != nil { // by the index
			t.Fatal(err)
		}
		values := make([]parquet.ByteArray, 1)
		if _, _, err := column.(*file.ByteArrayColumnChunkReader).ReadBatch(1, values, make([]int16, 1), nil); err != nil || string(values[0]) != "value 321" {
			t.Errorf("row group %d: %s, %v", g, values[0], err)
		}
		filters, err := r.GetBloomFilterReader().RowGroup(g)
		if err != nil {
			t.Fatal(err)
		}
		filter, err := filters.GetColumnBloomFilter(1)
		if err != nil || filter == nil {
			t.Fatalf("no filter: %v", err)
		}
		typed := metadata.TypedBloomFilter[parquet.ByteArray]{BloomFilter: filter}
		if !typed.Check(parquet.ByteArray("value 321")) || typed.Check(parquet.ByteArray("nothing like it")) {
			t.Errorf("the filter of row group %d is wrong", g)
		}
		if was, is := columnIndex(t, path, g, 1), columnIndex(t, out, g, 1); len(is) == 0 || !bytes.Equal(was, is) {
			t.Errorf("the index of the values of row group %d is %x, was %x", g, is, was)
		}
		if chunk := r.MetaData().RowGroups[g].Columns[0]; chunk.OffsetIndexOffset != nil || chunk.ColumnIndexOffset != nil || chunk.MetaData.BloomFilterOffset != nil {
			t.Errorf("the filled column of row group %d has indexes of what it was", g)
		}
	}
}

// indexPlace is where a footer says that an index lies.
type indexPlace struct {
	offset **int64
	length **int32
}

// The indexes of a chunk.
const (
	filterIndex = iota
	valuesIndex
	pagesIndex
)

// indexPlaces returns where the indexes of a column in the first row group lie.
func indexPlaces(meta *metadata.FileMetaData, leaf int) []indexPlace {
	chunk := meta.RowGroups[0].Columns[leaf]
	return []indexPlace{
		{&chunk.MetaData.BloomFilterOffset, &chunk.MetaData.BloomFilterLength},
		{&chunk.ColumnIndexOffset, &chunk.ColumnIndexLength},
		{&chunk.OffsetIndexOffset, &chunk.OffsetIndexLength},
	}
}

// carried returns which indexes of the two columns are carried over, for a footer that was
// changed.
func carried(t *testing.T, list *Reader, change func(meta *metadata.FileMetaData)) (found [2][3]bool) {
	t.Helper()
	f, err := list.footerCopy()
	if err != nil {
		t.Fatal(err)
	}
	meta := f.Meta
	change(meta)
	out, err := newOutput(io.Discard, f)
	if err == nil {
		err = out.CopyIndexes(list.file, list.meta, list.end)
	}
	if err != nil {
		t.Fatal(err)
	}
	for leaf := range found {
		for kind, place := range indexPlaces(meta, leaf) {
			found[leaf][kind] = *place.offset != nil && *place.length != nil
		}
	}
	return found
}

// TestIndexesThatCannotBeReadAreLeftOut has the footer lie about those of the first
// column.
func TestIndexesThatCannotBeReadAreLeftOut(t *testing.T) {
	list, err := Open(indexed(t), []int{})
	if err != nil {
		t.Fatal(err)
	}
	defer list.Close()
	whole := parquettest.Allocated(func() { carried(t, list, func(*metadata.FileMetaData) {}) })
	for name, lie := range map[string]func(offset *int64, length *int32){
		"before the file":       func(offset *int64, _ *int32) { *offset = -1 },
		"of no length":          func(_ *int64, length *int32) { *length = 0 },
		"of less than nothing":  func(_ *int64, length *int32) { *length = -1 },
		"longer than the file":  func(offset *int64, length *int32) { *offset, *length = 4, math.MaxInt32 },
		"into the footer":       func(offset *int64, length *int32) { *offset = list.end - int64(*length) + 1 },
		"far behind the footer": func(offset *int64, _ *int32) { *offset = math.MaxInt64 },
	} {
		for kind := range 3 {
			var found [2][3]bool
			size := parquettest.Allocated(func() {
				found = carried(t, list, func(meta *metadata.FileMetaData) {
					place := indexPlaces(meta, 0)[kind]
					lie(*place.offset, *place.length)
				})
			})
			want := [2][3]bool{{true, true, true}, {true, true, true}}
			want[0][kind] = false
			if kind == pagesIndex { // without which that of the values is of no use
				want[0][valuesIndex] = false
			}
			if found != want || size > whole+moreForDamaged {
				t.Errorf("index %d %s: %v are carried over, want %v; %d bytes are taken, %d without a lie", kind, name, found, want, size, whole)
			}
		}
	}
}

// TestIndexesTogetherAreNotLargerThanTheFile has every filter claim to be all of the file.
func TestIndexesTogetherAreNotLargerThanTheFile(t *testing.T) {
	list, err := Open(indexed(t), []int{})
	if err != nil {
		t.Fatal(err)
	}
	defer list.Close()
	found := carried(t, list, func(meta *metadata.FileMetaData) {
		for leaf := range 2 {
			place := indexPlaces(meta, leaf)[filterIndex]
			**place.offset, **place.length = 0, int32(list.end)
		}
	})
	if want := ([2][3]bool{{true, false, false}, {false, false, false}}); found != want {
		t.Errorf("%v are carried over, want %v", found, want)
	}
}
