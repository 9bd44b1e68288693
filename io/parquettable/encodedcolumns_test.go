package parquettable

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"

	"payonce/io/parquettable/parquettest"
	"payonce/io/table"
)

func TestWriterFollowsTheCompressionOfTheList(t *testing.T) {
	list := drawn{names: []string{"a", "b"}, groups: [][][]string{{{"one", "two"}}}}
	for _, codec := range parquettest.Codecs() {
		path := save(t, list.sample(t, []parquet.WriterProperty{parquet.WithCompression(codec), parquet.WithDictionaryDefault(false)}).write(t))
		out, err := rewrite(t, path, []int{0}, result()[:1], func(table.Row) ([]table.Fill, []string) { return nil, []string{"ok"} })
		if err != nil {
			t.Fatal(err)
		}
		want := []compress.Compression{codec, codec, codec}
		if codec == compress.Codecs.Uncompressed {
			want[2] = compress.Codecs.Zstd
		}
		for leaf, chunk := range footerOf(t, out).RowGroups[0].Columns {
			if got := compress.Compression(chunk.MetaData.Codec); got != want[leaf] {
				t.Errorf("%s: column %d is written with %s", codec, leaf, got)
			}
			if leaf < 2 && chunk.MetaData.DictionaryPageOffset != nil {
				t.Errorf("%s: column %d has a dictionary", codec, leaf)
			}
		}
	}
}

func TestStatisticsOfEncodedColumns(t *testing.T) {
	var rows [][]string
	for i := range 3 * maxBlockRows {
		rows = append(rows, []string{fmt.Sprintf("%06d", (i*7919)%100_000)})
	}
	list := drawn{names: []string{"a"}, groups: [][][]string{rows}}
	path := save(t, list.sample(t, nil).write(t))
	out, err := rewrite(t, path, []int{0}, result()[:2], func(row table.Row) ([]table.Fill, []string) {
		return nil, []string{string(row.Cell(0)), "0." + string(row.Cell(0))}
	})
	if err != nil {
		t.Fatal(err)
	}
	smallest, largest := slices.Min(slices.Concat(rows...)), slices.Max(slices.Concat(rows...))
	for leaf, chunk := range footerOf(t, out).RowGroups[0].Columns[:2] {
		stats := chunk.MetaData.Statistics
		if string(stats.MinValue) != smallest || string(stats.MaxValue) != largest {
			t.Errorf("column %d goes from %s to %s, in truth from %s to %s", leaf, stats.MinValue, stats.MaxValue, smallest, largest)
		}
	}
}

func TestDiscardWaitsForTheEncodingToEnd(t *testing.T) {
	list, err := Open(twoGroups(t), []int{0})
	if err != nil {
		t.Fatal(err)
	}
	defer list.Close()
	carried, err := NewWriter(io.Discard, list, []int{0}, result())
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := NewEncoder(io.Discard, list.Schema(), result())
	if err != nil {
		t.Fatal(err)
	}
	subset, err := NewSubset(io.Discard, list, result())
	if err != nil {
		t.Fatal(err)
	}
	ended := 0
	encode := func(int, rowBatch) (Chunk, error) { ended++; return Chunk{}, nil }
	carried.start(1, false, encode)
	carried.Discard()
	encoded.start(1, false, encode)
	encoded.Discard()
	subset.Discard()
	if ended != 2 {
		t.Errorf("%d of 2 have come to their end", ended)
	}
	for name, w := range map[string]table.Writer{"writer": carried, "encoder": encoded, "subset": subset} {
		if err := errors.Join(w.Write(nil), w.Close()); !errors.Is(err, errDiscarded) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestAClosedParquetWriterWritesNothingMore: closing or discarding a writer that is closed writes nothing more.
func TestAClosedParquetWriterWritesNothingMore(t *testing.T) {
	list, err := Open(twoGroups(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer list.Close()
	for name, create := range map[string]func(io.Writer) (table.Discarder, error){
		"encoder": func(out io.Writer) (table.Discarder, error) { return NewEncoder(out, list.Schema(), nil) },
		"subset":  func(out io.Writer) (table.Discarder, error) { return NewSubset(out, list, nil) },
	} {
		var out bytes.Buffer
		w, err := create(&out)
		if err = errors.Join(err, w.Close()); err != nil {
			t.Fatal(err)
		}
		size := out.Len()
		again := errors.Join(w.Write(nil), w.Close())
		w.Discard()
		if !errors.Is(again, errClosed) || out.Len() != size {
			t.Errorf("%s: %d bytes, then %d: %v", name, size, out.Len(), again)
		}
	}
}
