package parquettable

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"payonce/io/parquettable/parquettest"
	"payonce/io/table"
)

// nested returns a sample with a list, a struct and a map between two plain columns.
func nested(t testing.TB) sample {
	t.Helper()
	list, err := schema.ListOfWithName("list", schema.NewByteArrayNode("element", parquet.Repetitions.Optional, -1), parquet.Repetitions.Optional, -1)
	if err != nil {
		t.Fatal(err)
	}
	pair := schema.MustGroup(schema.NewGroupNode("pair", parquet.Repetitions.Optional, schema.FieldList{
		schema.NewInt32Node("a", parquet.Repetitions.Optional, -1), schema.NewByteArrayNode("b", parquet.Repetitions.Required, -1),
	}, -1))
	named, err := schema.MapOf("m", schema.NewByteArrayNode("key", parquet.Repetitions.Required, -1), schema.NewInt64Node("value", parquet.Repetitions.Optional, -1), parquet.Repetitions.Optional, -1)
	if err != nil {
		t.Fatal(err)
	}
	return sample{
		fields: schema.FieldList{text(t, "first"), list, pair, named, text(t, "last")},
		groups: [][]leaf{{
			{values: texts("Zoë", "Ada"), definition: []int16{1, 0, 1}},
			{values: texts("x", "y", "z"), definition: []int16{3, 3, 0, 3}, repetition: []int16{0, 1, 0, 0}},
			{values: []int32{7}, definition: []int16{2, 0, 1}},
			{values: texts("s", "t"), definition: []int16{1, 0, 1}},
			{values: texts("k"), definition: []int16{2, 0, 1}, repetition: []int16{0, 0, 0}},
			{values: []int64{5}, definition: []int16{3, 0, 1}, repetition: []int16{0, 0, 0}},
			{values: texts("Müller", "L", ""), definition: []int16{1, 1, 1}},
		}},
	}
}

func TestNestedColumnsStandInTheSchemaAndCannotBeOpened(t *testing.T) {
	path := save(t, nested(t).write(t))
	r, err := Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if diff := cmp.Diff([]string{"first", "list", "pair", "m", "last"}, r.Schema().Columns); diff != "" {
		t.Error(diff)
	}
	if _, err := r.Next(); !isListError(err, "holds") {
		t.Errorf("reading all columns: %v", err)
	}
	for column, shape := range map[int]string{1: "column list holds lists", 2: "column pair holds structs", 3: "column m holds maps"} {
		if _, err := Open(path, []int{0, column}); !isListError(err, shape) {
			t.Errorf("opening column %d: %v", column, err)
		}
	}
	got, err := cellsOf(path, []int{4, 0})
	if diff := cmp.Diff([][]string{{"Müller", "Zoë"}, {"L", "∅"}, {"", "Ada"}}, got); diff != "" || err != nil {
		t.Error(diff, err)
	}
}

// isListError reports whether err is a *table.Error that says what.
func isListError(err error, what string) bool {
	var wrong *table.Error
	return errors.As(err, &wrong) && wrong.File != "" && strings.Contains(wrong.Reason, what)
}

func TestOpenRefusesColumnsThatAreNotThere(t *testing.T) {
	path := save(t, nested(t).write(t))
	for _, column := range []int{-1, 5} {
		if _, err := Open(path, []int{column}); !isListError(err, "there is no column") {
			t.Errorf("column %d: %v", column, err)
		}
	}
	if _, err := Open(filepath.Join(t.TempDir(), "missing"), nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}

func TestCellOfAColumnThatWasNotOpenedPanics(t *testing.T) {
	r, err := Open(save(t, nested(t).write(t)), []int{0})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	b, err := r.Next()
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	_ = b.Each(func(visited table.Row) error { visited.Cell(4); return nil })
}

func TestRowsWithoutColumnsAreCounted(t *testing.T) {
	r, err := Open(save(t, nested(t).write(t)), []int{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	b, err := r.Next()
	if err != nil || b.First() != 1 || b.Len() != 3 || r.meta.NumRows != 3 {
		t.Fatalf("%v: %v", b, err)
	}
	if _, err := r.Next(); !errors.Is(err, io.EOF) {
		t.Error(err)
	}
	if _, err := r.Next(); !errors.Is(err, io.EOF) {
		t.Error(err)
	}
}

func TestCloseBeforeTheEndEndsTheDecoding(t *testing.T) {
	var values []parquet.ByteArray
	levels := make([]int16, 20*maxBlockRows)
	for i := range levels {
		levels[i] = 1
		values = append(values, parquet.ByteArray("value"))
	}
	s := sample{fields: schema.FieldList{text(t, "c")}, groups: [][]leaf{{{values: values, definition: levels}}}}
	r, err := Open(save(t, s.write(t)), nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := r.Next()
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(r.Close(), r.Close()); err != nil {
		t.Fatal(err)
	}
	err = b.Each(func(visited table.Row) error {
		if got := string(visited.Cell(0)); got != "value" {
			return fmt.Errorf("row %d is %q after the reader was closed", visited.Number(), got)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestEachEndsWithTheErrorOfAVisit(t *testing.T) {
	r, err := Open(save(t, nested(t).write(t)), []int{0})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	b, err := r.Next()
	if err != nil {
		t.Fatal(err)
	}
	stop := errors.New("stop")
	visits := 0
	err = b.Each(func(table.Row) error { visits++; return stop })
	if !errors.Is(err, stop) || visits != 1 {
		t.Errorf("%d visits, %v", visits, err)
	}
}

// drawn is a random list of optional strings.
type drawn struct {
	names  []string
	groups [][][]string // cells of every row of every row group; "∅" is a null
}

func drawList(t *rapid.T) drawn {
	cell := rapid.OneOf(rapid.Just("∅"), rapid.Just(""), rapid.SampledFrom([]string{"a", "bb", "Zoë"}), rapid.StringN(0, 30, 60))
	list := drawn{names: rapid.SliceOfN(rapid.StringMatching(`[a-cé ]{0,3}`), 1, 4).Draw(t, "names")}
	for range rapid.IntRange(0, 3).Draw(t, "groups") {
		rows := rapid.SliceOfN(rapid.SliceOfN(cell, len(list.names), len(list.names)), 0, 40).Draw(t, "rows")
		list.groups = append(list.groups, rows)
	}
	return list
}

func (d drawn) rows() (rows [][]string) {
	for _, group := range d.groups {
		rows = append(rows, group...)
	}
	return rows
}

func (d drawn) sample(t testing.TB, options []parquet.WriterProperty) sample {
	s := sample{options: options}
	for _, name := range d.names {
		s.fields = append(s.fields, text(t, name))
	}
	for _, rows := range d.groups {
		group := make([]leaf, len(d.names))
		for i := range group {
			group[i] = leafOf(rows, i)
		}
		s.groups = append(s.groups, group)
	}
	return s
}

// leafOf returns a column of rows as a leaf.
func leafOf(rows [][]string, i int) leaf {
	values, levels := []parquet.ByteArray{}, []int16{}
	for _, cells := range rows {
		if cells[i] == "∅" {
			levels = append(levels, 0)
			continue
		}
		levels = append(levels, 1)
		values = append(values, parquet.ByteArray(cells[i]))
	}
	return leaf{values: values, definition: levels}
}

// drawOptions draws how a file is written.
func drawOptions(t *rapid.T) []parquet.WriterProperty {
	options := []parquet.WriterProperty{
		parquet.WithCompression(rapid.SampledFrom(parquettest.Codecs()).Draw(t, "codec")),
		parquet.WithDictionaryDefault(rapid.Bool().Draw(t, "dictionary")),
		parquet.WithDataPageSize(rapid.SampledFrom([]int64{1, 20, 1 << 20}).Draw(t, "page")),
		parquet.WithBatchSize(rapid.SampledFrom([]int64{1, 7, 1024}).Draw(t, "batch")),
		parquet.WithDataPageVersion(rapid.SampledFrom([]parquet.DataPageVersion{parquet.DataPageV1, parquet.DataPageV2}).Draw(t, "version")),
		parquet.WithPageIndexEnabled(rapid.Bool().Draw(t, "index")),
		parquet.WithBloomFilterEnabled(rapid.Bool().Draw(t, "bloom")),
	}
	encodings := []parquet.Encoding{parquet.Encodings.Plain, parquet.Encodings.DeltaByteArray, parquet.Encodings.DeltaLengthByteArray}
	return append(options, parquet.WithEncoding(rapid.SampledFrom(encodings).Draw(t, "encoding")))
}

func TestParquetCellsAreReadWithEveryWriterOption(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		list := drawList(rt)
		path := save(t, list.sample(t, drawOptions(rt)).write(t))
		got, err := cellsOf(path, nil)
		if err != nil {
			rt.Fatal(err)
		}
		if diff := cmp.Diff(list.rows(), got); diff != "" {
			rt.Fatal(diff)
		}
	})
}

func TestBlocksMayBeUsedAtTheSameTime(t *testing.T) {
	var rows [][]string
	for i := range 5*maxBlockRows + 3 {
		rows = append(rows, []string{fmt.Sprint(i + 1), fmt.Sprint("value ", i%10)})
	}
	list := drawn{names: []string{"id", "text"}, groups: [][][]string{rows[:maxBlockRows+1], rows[maxBlockRows+1:]}}
	r, err := Open(save(t, list.sample(t, []parquet.WriterProperty{parquet.WithCompression(compress.Codecs.Zstd)}).write(t)), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var users sync.WaitGroup
	var seen int64
	for {
		b, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if b.First() != seen+1 {
			t.Fatalf("a block starts at row %d after row %d", b.First(), seen)
		}
		seen += int64(b.Len())
		users.Go(func() {
			defer b.Release()
			err := b.Each(func(visited table.Row) error {
				want := rows[visited.Number()-1]
				if id, value := string(visited.Cell(0)), string(visited.Cell(1)); id != want[0] || value != want[1] || visited.Line() != visited.Number() {
					return fmt.Errorf("row %d is %s, %s", visited.Number(), id, value)
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	users.Wait()
	if seen != int64(len(rows)) {
		t.Errorf("%d rows of %d", seen, len(rows))
	}
}
