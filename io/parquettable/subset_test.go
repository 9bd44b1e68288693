package parquettable

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"payonce/enrich"
	"payonce/io/parquettable/parquettest"
	"payonce/io/table"
)

// subset writes some rows of a list.
func subset(t testing.TB, path string, wanted func(row int64) bool) (string, error) {
	t.Helper()
	list, err := Open(path, []int{0})
	if err != nil {
		t.Fatal(err)
	}
	defer list.Close()
	var out bytes.Buffer
	w, err := NewSubset(&out, list, []table.Column{{Name: "why"}})
	if err != nil {
		return "", err
	}
	err = writeRows(list, w, func(row table.Row) ([]table.Fill, []string) {
		if !wanted(row.Number()) {
			return nil, nil
		}
		return nil, []string{"reason"}
	})
	return save(t, out.Bytes()), err
}

// everyType is a list with a column of every physical type, and nested ones. Each row
// group has three rows times its number in groups.
func everyType(t testing.TB, groups []int) sample {
	s := nested(t)
	none := schema.NoLogicalType{}
	s.fields = append(s.fields,
		logical(t, "int32", none, parquet.Types.Int32, -1), logical(t, "int64", schema.NewTimestampLogicalType(true, schema.TimeUnitNanos), parquet.Types.Int64, -1),
		logical(t, "float", none, parquet.Types.Float, -1), logical(t, "double", none, parquet.Types.Double, -1),
		logical(t, "bool", none, parquet.Types.Boolean, -1), logical(t, "fixed", none, parquet.Types.FixedLenByteArray, 2),
		schema.NewInt96Node("int96", parquet.Repetitions.Optional, -1), schema.NewInt32Node("required", parquet.Repetitions.Required, -1),
		schema.NewInt32Node("repeated", parquet.Repetitions.Repeated, -1),
	)
	one := []int16{1, 0, 1}
	plain := append(s.groups[0],
		leaf{values: []int32{1, 2}, definition: one}, leaf{values: []int64{1, 2}, definition: one},
		leaf{values: []float32{1, 2}, definition: one}, leaf{values: []float64{1, 2}, definition: one},
		leaf{values: []bool{true, false}, definition: one}, leaf{values: fixed("ab", "cd"), definition: one},
		leaf{values: []parquet.Int96{int96(time.Unix(1, 2)), int96(time.Unix(3, 4))}, definition: one}, leaf{values: []int32{7, 8, 9}},
		leaf{values: []int32{1, 2, 3}, definition: []int16{1, 1, 0, 1}, repetition: []int16{0, 1, 0, 0}},
	)
	s.groups = nil
	for _, times := range groups {
		group := make([]leaf, len(plain))
		for i, l := range plain {
			group[i] = l.times(times)
		}
		s.groups = append(s.groups, group)
	}
	return s
}

// times returns a leaf that holds its rows several times.
func (l leaf) times(n int) leaf {
	repeat := func(levels []int16) (all []int16) {
		for range n {
			all = append(all, levels...)
		}
		return all
	}
	many := leaf{definition: repeat(l.definition), repetition: repeat(l.repetition)}
	switch values := l.values.(type) {
	case []parquet.ByteArray:
		many.values = repeated(values, n)
	case []parquet.FixedLenByteArray:
		many.values = repeated(values, n)
	case []int32:
		many.values = repeated(values, n)
	case []int64:
		many.values = repeated(values, n)
	case []float32:
		many.values = repeated(values, n)
	case []float64:
		many.values = repeated(values, n)
	case []bool:
		many.values = repeated(values, n)
	case []parquet.Int96:
		many.values = repeated(values, n)
	}
	return many
}

func repeated[T any](values []T, n int) (all []T) {
	for range n {
		all = append(all, values...)
	}
	return all
}

func TestSubsetKeepsRowsAsTheyAre(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := everyType(t, rapid.SliceOfN(rapid.IntRange(1, 4), 0, 2).Draw(rt, "groups"))
		s.options = append(drawOptions(rt), parquet.WithEncoding(parquet.Encodings.Plain),
			parquet.WithCompression(rapid.SampledFrom(parquettest.Codecs()[:3]).Draw(rt, "another codec"))) // the library cannot read empty dictionaries of Brotli
		checkSubset(t, s, rapid.Int64Range(1, 5).Draw(rt, "every"))
	})
}

func TestSubsetOfMoreThanOneBatch(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long and tells nothing about data races")
	}
	checkSubset(t, everyType(t, []int{4096/3 + 1, 4096}), 3)
}

// checkSubset writes some rows of a list and compares them with those of the list.
func checkSubset(t *testing.T, s sample, every int64) {
	t.Helper()
	path := save(t, s.write(t))
	all, types := records(t, path)
	wanted := func(row int64) bool { return row%every == 0 }
	out, err := subset(t, path, wanted)
	if err != nil {
		t.Fatal(err)
	}
	var want []record
	for i, row := range all {
		if wanted(int64(i + 1)) {
			row["why"] = "reason"
			want = append(want, row)
		}
	}
	got, gotTypes := records(t, out)
	if !reflect.DeepEqual(want, got) { // cmp.Diff alone takes seconds for many rows
		t.Fatal(cmp.Diff(want, got))
	}
	if !types.Equal(arrow.NewSchema(gotTypes.Fields()[:types.NumFields()], nil)) {
		t.Fatalf("types are %s, were %s", gotTypes, types)
	}
}

func TestSubsetRefusesWhatItCannotWrite(t *testing.T) {
	path := twoGroups(t)
	list, err := Open(path, []int{})
	if err != nil {
		t.Fatal(err)
	}
	defer list.Close()
	w, err := NewSubset(io.Discard, list, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	blocks, rows := readAll(t, path, []int{0})
	p := w.Part(blocks[0])
	if err := p.WriteRow(rows[1], nil, nil); err != nil {
		t.Fatal(err)
	}
	for want, err := range map[string]error{
		"after a later row":           p.WriteRow(rows[0], nil, nil),
		"has fills":                   p.WriteRow(rows[2], []table.Fill{{Column: 0}}, nil),
		"is not in this block":        p.WriteRow(rows[3], nil, nil),
		"row 3 has 1 appended values": p.WriteRow(rows[2], nil, []enrich.Cell{{}}),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

func TestSubsetOfADamagedList(t *testing.T) {
	list := drawn{names: []string{"a", "b"}, groups: [][][]string{{{"1", "x"}, {"2", "y"}}}}
	data := list.sample(t, []parquet.WriterProperty{parquet.WithDictionaryDefault(false)}).write(t)
	path := save(t, data)
	chunk := footerOf(t, path).RowGroups[0].Columns[1].MetaData
	data[chunk.DataPageOffset] ^= 0xff
	_, err := subset(t, save(t, data), func(int64) bool { return true })
	var wrong *table.Error
	if !errors.As(err, &wrong) || !strings.Contains(wrong.Reason, "column b of row group 0") {
		t.Error(err)
	}
}
