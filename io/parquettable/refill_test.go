package parquettable

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/schema"
	"pgregory.net/rapid"

	"payonce/io/table"
)

// requiredList is a list of one column without nulls.
func requiredList(t testing.TB, name string, groups [][]string) sample {
	t.Helper()
	node, err := schema.NewPrimitiveNodeLogical(name, parquet.Repetitions.Required, schema.StringLogicalType{}, parquet.Types.ByteArray, -1, -1)
	if err != nil {
		t.Fatal(err)
	}
	s := sample{fields: schema.FieldList{node}}
	for _, values := range groups {
		s.groups = append(s.groups, []leaf{{values: texts(values...)}})
	}
	return s
}

func TestFillsOfAColumnWithoutNulls(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		cell := rapid.SampledFrom([]string{"", "a", "bb", "Zoë"})
		groups := rapid.SliceOfN(rapid.SliceOfN(cell, 0, 20), 1, 3).Draw(rt, "groups")
		s := requiredList(t, "c", groups)
		s.options = drawOptions(rt)
		want := slices.Concat(groups...)
		path, err := rewrite(t, save(t, s.write(t)), []int{0}, result()[:1], func(row table.Row) ([]table.Fill, []string) {
			if !rapid.Bool().Draw(rt, "fills") {
				return nil, []string{"ok"}
			}
			value := cell.Draw(rt, "fill")
			want[row.Number()-1] = value
			return []table.Fill{{Column: 0, Value: value}}, []string{""}
		})
		if err != nil {
			rt.Fatal(err)
		}
		got, err := cellsOf(path, []int{0})
		var values []string
		for _, cells := range got {
			values = append(values, cells[0])
		}
		if !slices.Equal(values, want) || err != nil {
			rt.Fatalf("%q, want %q; %v", values, want, err)
		}
		if node := footerOf(t, path).Schema.Root().Field(0); node.RepetitionType() != parquet.Repetitions.Required {
			rt.Fatalf("the column is %s", node.RepetitionType())
		}
	})
}

// TestALateFillOfALongRowGroup fills cells of a row group of several batches behind the
// first of them, so that the rows before have to be read after all.
func TestALateFillOfALongRowGroup(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long and tells nothing about data races")
	}
	const rows = 2*groupRows + 5000
	cells := make([][]string, rows)
	for i := range cells {
		cells[i] = []string{fmt.Sprint("a", i%7919), fmt.Sprint("b", i)}
		if i%3 == 0 {
			cells[i][0] = "∅"
		}
	}
	list := drawn{names: []string{"a", "b"}, groups: [][][]string{cells, cells[:10]}}
	path := save(t, list.sample(t, nil).write(t))
	late := []int64{groupRows + maxBlockRows + 1, rows - 1, rows}
	out, err := rewrite(t, path, []int{0, 1}, result()[:1], func(row table.Row) ([]table.Fill, []string) {
		if slices.Contains(late, row.Number()) {
			return []table.Fill{{Column: 0, Value: "filled"}}, []string{"late"}
		}
		return nil, []string{""}
	})
	if err != nil {
		t.Fatal(err)
	}
	got, err := cellsOf(out, nil)
	want := make([][]string, 0, rows+10)
	for i, row := range list.rows() {
		row = append(slices.Clone(row), "∅")
		if slices.Contains(late, int64(i+1)) {
			row[0], row[2] = "filled", "late"
		}
		want = append(want, row)
	}
	if !slices.EqualFunc(got, want, slices.Equal) || err != nil {
		t.Errorf("%d rows are not as they should be, %v", len(got), err)
	}
	for leaf, carried := range map[[2]int]bool{{0, 0}: false, {0, 1}: true, {1, 0}: true, {1, 1}: true} {
		if same := bytes.Equal(chunkBytes(t, path, leaf[0], leaf[1]), chunkBytes(t, out, leaf[0], leaf[1])); same != carried {
			t.Errorf("column %d of row group %d is carried over: %t", leaf[1], leaf[0], same)
		}
	}
}

// Damage in the header of a page is found before the chunk is copied, damage in its values when the
// column is read to be filled.
func TestDamageOfAColumnThatMayBeFilled(t *testing.T) {
	list := drawn{names: []string{"a", "b"}, groups: [][][]string{{{"1", "x"}, {"2", "y"}}}}
	whole := list.sample(t, []parquet.WriterProperty{parquet.WithDictionaryDefault(false)}).write(t)
	chunk := footerOf(t, save(t, whole)).RowGroups[0].Columns[1].MetaData
	header, lastLength := chunk.DataPageOffset, chunk.DataPageOffset+chunk.TotalCompressedSize-5
	for _, c := range []struct {
		at            int64
		fill, damaged bool
	}{{header, false, true}, {header, true, true}, {lastLength, false, false}, {lastLength, true, true}} {
		data := bytes.Clone(whole)
		data[c.at] ^= 0xff
		_, err := rewriteReading(t, save(t, data), []int{}, []int{1}, nil, func(row table.Row) ([]table.Fill, []string) {
			if c.fill && row.Number() == 2 {
				return []table.Fill{{Column: 1, Value: "filled"}}, []string{}
			}
			return nil, []string{}
		})
		var wrong *table.Error
		if c.damaged != errors.As(err, &wrong) || c.damaged && !strings.Contains(wrong.Reason, "column b of row group 0") {
			t.Errorf("byte %d, filled %t: %v", c.at, c.fill, err)
		}
	}
}

// TestAWriterMayBeLeftWhileItEncodes closes the list at once, as after an error.
func TestAWriterMayBeLeftWhileItEncodes(t *testing.T) {
	cells := make([][]string, groupRows)
	for i := range cells {
		cells[i] = []string{fmt.Sprint(i)}
	}
	path := save(t, drawn{names: []string{"a"}, groups: [][][]string{cells, cells[:10]}}.sample(t, nil).write(t))
	list, err := Open(path, []int{})
	if err != nil {
		t.Fatal(err)
	}
	w, err := NewWriter(io.Discard, list, []int{0}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for written := 0; written < groupRows; {
		b, err := list.Next()
		if err != nil {
			t.Fatal(err)
		}
		p := w.Part(b)
		err = b.Each(func(row table.Row) error {
			return p.WriteRow(row, []table.Fill{{Column: 0, Value: "filled"}}, nil)
		})
		if err := errors.Join(err, w.Write(p)); err != nil {
			t.Fatal(err)
		}
		written += b.Len()
	}
	if err := list.Close(); err != nil {
		t.Error(err)
	}
	if err := w.Close(); err == nil {
		t.Error("a list of which rows are missing was written")
	}
}

// TestParquetOutputDoesNotDependOnTheColumnsRead writes a list of long cells, of which the
// blocks have fewer rows when they are read.
func TestParquetOutputDoesNotDependOnTheColumnsRead(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long and tells nothing about data races")
	}
	cells := make([][]string, batchRows+5000)
	for i := range cells {
		cells[i] = []string{strings.Repeat(fmt.Sprint(i), 150), ""}
	}
	path := save(t, drawn{names: []string{"a", "b"}, groups: [][][]string{cells}}.sample(t, nil).write(t))
	write := func(columns []int) (text []byte, rows int) {
		list, err := Open(path, columns)
		if err != nil {
			t.Fatal(err)
		}
		defer list.Close()
		var out bytes.Buffer
		w, err := NewWriter(&out, list, []int{1}, []table.Column{{Name: "who"}})
		if err != nil {
			t.Fatal(err)
		}
		err = writeRows(list, w, func(row table.Row) ([]table.Fill, []string) {
			return []table.Fill{{Column: 1, Value: "filled"}}, []string{fmt.Sprint(row.Number())}
		})
		if err != nil {
			t.Fatal(err)
		}
		return out.Bytes(), int(list.blockRows(0))
	}
	all, rowsOfAll := write(nil)
	none, rowsOfNone := write([]int{})
	if rowsOfAll == rowsOfNone || !bytes.Equal(all, none) {
		t.Errorf("%d bytes from blocks of %d rows, %d bytes from blocks of %d rows; want the same bytes", len(all), rowsOfAll, len(none), rowsOfNone)
	}
}
