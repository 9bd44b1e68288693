package parquettable

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/google/go-cmp/cmp"

	"payonce/io/table"
)

// withFooter returns a file whose footer has other fields.
func withFooter(t testing.TB, data []byte, change func(fields []thriftField) []thriftField) []byte {
	t.Helper()
	end := len(data) - tailSize
	start := end - int(binary.LittleEndian.Uint32(data[end:]))
	fields, err := thriftFields(bytes.Clone(data[start:end]))
	if err != nil {
		t.Fatal(err)
	}
	changed := appendThriftStruct(nil, change(fields))
	out := append(bytes.Clone(data[:start]), changed...)
	return append(binary.LittleEndian.AppendUint32(out, uint32(len(changed))), magic...)
}

// fieldOf returns a field of a footer or of another struct.
func fieldOf(t testing.TB, fields []thriftField, id int16) *thriftField {
	t.Helper()
	at := slices.IndexFunc(fields, func(f thriftField) bool { return f.ID == id })
	if at < 0 {
		t.Fatalf("there is no field %d", id)
	}
	return &fields[at]
}

// rawFooter returns the fields of the footer of a file.
func rawFooter(t testing.TB, path string) (fields []thriftField) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	withFooter(t, data, func(found []thriftField) []thriftField {
		fields = found
		return found
	})
	return fields
}

func listElementsOf(t testing.TB, list []byte) [][]byte {
	t.Helper()
	_, elements, err := thriftElements(list)
	if err != nil {
		t.Fatal(err)
	}
	return elements
}

// withoutDictionaryHeaders changes the lengths of all chunks with a dictionary to those that
// parquet-mr wrote up to 1.2.8: the header of the dictionary page is left out (PARQUET-816).
func withoutDictionaryHeaders(t testing.TB, data []byte) []byte {
	t.Helper()
	f, err := readFooter(bytes.NewReader(data), "list.parquet", int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	shortened := 0
	for _, group := range f.Meta.RowGroups {
		for _, chunk := range group.Columns {
			if chunk.MetaData.DictionaryPageOffset == nil {
				continue
			}
			header := newThriftReader(data[*chunk.MetaData.DictionaryPageOffset:])
			header.Skip(thriftStruct)
			chunk.MetaData.TotalCompressedSize -= int64(header.Offset())
			chunk.MetaData.TotalUncompressedSize -= int64(header.Offset())
			shortened++
		}
	}
	if shortened == 0 {
		t.Fatal("no chunk has a dictionary")
	}
	encoded, err := f.Verbatim.Encode(f.Meta)
	if err != nil {
		t.Fatal(err)
	}
	out := append(bytes.Clone(data[:f.Start]), encoded...)
	return append(binary.LittleEndian.AppendUint32(out, uint32(len(encoded))), magic...)
}

func keep(n int) change {
	return func(table.Row) ([]table.Fill, []string) { return nil, make([]string, n) }
}

// repeating is a list whose columns get dictionaries.
func repeating() drawn {
	list := drawn{names: []string{"a", "b"}}
	for range 2 {
		var rows [][]string
		for i := range 25 {
			rows = append(rows, []string{fmt.Sprint("value ", i%7), fmt.Sprint("other ", i%5)})
		}
		list.groups = append(list.groups, rows)
	}
	return list
}

func TestChunksOfOldWritersAreCopiedWhole(t *testing.T) {
	list := repeating()
	for _, version := range []parquet.DataPageVersion{parquet.DataPageV1, parquet.DataPageV2} {
		options := []parquet.WriterProperty{
			parquet.WithCreatedBy("parquet-mr version 1.2.8"), parquet.WithDataPageVersion(version),
		}
		path := save(t, withoutDictionaryHeaders(t, list.sample(t, options).write(t)))
		if got, err := cellsOf(path, nil); err != nil || !cmp.Equal(list.rows(), got) {
			t.Errorf("the list reads as %v, %v", got, err)
		}
		out, err := rewrite(t, path, []int{0}, result(), keep(4))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := cellsOf(out, []int{0, 1}); err != nil || !cmp.Equal(list.rows(), got) {
			t.Errorf("the output reads as %v, %v", got, err)
		}
		data, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		if err := Verify(bytes.NewReader(data), int64(len(data))); err != nil {
			t.Errorf("the output: %v", err)
		}
	}
}

func TestAChunkThatContradictsItsPagesIsNotCopied(t *testing.T) {
	list := drawn{names: []string{"a", "b"}, groups: [][][]string{{{"1", "x"}, {"2", "y"}, {"3", "z"}}}}
	whole := list.sample(t, []parquet.WriterProperty{parquet.WithDictionaryDefault(false)}).write(t)
	f, err := readFooter(bytes.NewReader(whole), "list.parquet", int64(len(whole)))
	if err != nil {
		t.Fatal(err)
	}
	f.Meta.RowGroups[0].Columns[1].MetaData.TotalCompressedSize -= 4
	encoded, err := f.Verbatim.Encode(f.Meta)
	if err != nil {
		t.Fatal(err)
	}
	data := append(bytes.Clone(whole[:f.Start]), encoded...)
	path := save(t, append(binary.LittleEndian.AppendUint32(data, uint32(len(encoded))), magic...))
	if _, err := rewrite(t, path, []int{0}, nil, keep(0)); !isListError(err, "column b of row group 0") {
		t.Errorf("the chunk is taken: %v", err)
	}
}

// futureType is a logical type that no program knows yet.
func futureType() thriftField {
	members := []thriftField{{ID: 99, Kind: thriftStruct, Value: []byte{0}}}
	return thriftField{ID: 10, Kind: thriftStruct, Value: appendThriftStruct(nil, members)}
}

func TestUnknownMembersOfAFooterAreKept(t *testing.T) {
	list := drawn{names: []string{"a", "b"}, groups: [][][]string{{{"1", "x"}, {"2", "y"}, {"3", "z"}}}}
	unknown := thriftField{ID: 77, Kind: thriftBinary, Value: []byte{3, 'n', 'e', 'w'}}
	order := appendThriftStruct(nil, []thriftField{{ID: 42, Kind: thriftStruct, Value: []byte{0}}})
	var element []byte
	data := withFooter(t, list.sample(t, nil).write(t), func(fields []thriftField) []thriftField {
		elements := fieldOf(t, fields, 2)
		all := listElementsOf(t, elements.Value)
		column, err := thriftFields(all[2])
		if err != nil {
			t.Fatal(err)
		}
		column = slices.DeleteFunc(column, func(f thriftField) bool { return f.ID == 6 || f.ID == 10 })
		element = appendThriftStruct(nil, append(column, futureType(), thriftField{ID: 30, Kind: thriftTrue}))
		all[2] = element
		elements.Value = appendThriftList(nil, thriftStruct, all)
		orders := fieldOf(t, fields, 7)
		orders.Value = appendThriftList(nil, thriftStruct, [][]byte{order, order})
		return append(fields, unknown)
	})
	path := save(t, data)
	if got, err := cellsOf(path, []int{0}); err != nil || len(got) != 3 {
		t.Errorf("the first column reads as %v, %v", got, err)
	}
	if _, err := cellsOf(path, []int{1}); !isListError(err, "column b holds values of a logical type") {
		t.Errorf("the column of the unknown type: %v", err)
	}
	rewritten, err := rewrite(t, path, []int{0}, result(), func(row table.Row) ([]table.Fill, []string) {
		return []table.Fill{{Column: 0, Value: "filled"}}, make([]string, 4)
	})
	if err != nil {
		t.Fatal(err)
	}
	some, err := subset(t, path, func(row int64) bool { return row != 2 })
	if err != nil {
		t.Fatal(err)
	}
	for name, out := range map[string]string{"all rows": rewritten, "some rows": some} {
		fields := rawFooter(t, out)
		if got := listElementsOf(t, fieldOf(t, fields, 2).Value)[2]; !bytes.Equal(got, element) {
			t.Errorf("%s: the column is described as %x, was %x", name, got, element)
		}
		if got := listElementsOf(t, fieldOf(t, fields, 7).Value); !bytes.Equal(got[0], order) || !bytes.Equal(got[1], order) || len(got) < 3 {
			t.Errorf("%s: the columns are ordered by %x", name, got)
		}
		if diff := cmp.Diff(unknown, *fieldOf(t, fields, 77)); diff != "" {
			t.Errorf("%s: the unknown member differs: %s", name, diff)
		}
		if footerOf(t, out).RowGroups[0].Columns[0].MetaData.Statistics != nil {
			t.Errorf("%s: a column of an unknown order has statistics", name)
		}
	}
	if got := string(chunkBytes(t, rewritten, 0, 1)); got != string(chunkBytes(t, path, 0, 1)) {
		t.Error("the column of the unknown type is not copied unchanged")
	}
}

// parquet-rs 0.3 wrote 0 for the number of rows. Its repeated fields have no LIST annotation.
func TestAFileOfParquetRSWithoutItsNumberOfRowsIsRead(t *testing.T) {
	phone := schema.MustGroup(schema.NewGroupNode("phone", parquet.Repetitions.Repeated, schema.FieldList{
		schema.NewInt64Node("number", parquet.Repetitions.Required, -1), text(t, "kind"),
	}, -1))
	s := sample{
		fields: schema.FieldList{
			text(t, "name"),
			schema.MustGroup(schema.NewGroupNode("phones", parquet.Repetitions.Optional, schema.FieldList{phone}, -1)),
			schema.NewInt32Node("numbers", parquet.Repetitions.Repeated, -1),
		},
		groups: [][]leaf{{
			{values: texts("a", "b", "c"), definition: []int16{1, 1, 1}},
			{values: []int64{1, 2, 3}, definition: []int16{2, 2, 0, 2}, repetition: []int16{0, 1, 0, 0}},
			{values: texts("home"), definition: []int16{3, 2, 0, 2}, repetition: []int16{0, 1, 0, 0}},
			{values: []int32{1, 2, 3}, definition: []int16{1, 1, 0, 1}, repetition: []int16{0, 1, 0, 0}},
		}},
		options: []parquet.WriterProperty{parquet.WithCreatedBy("parquet-rs version 0.3.0 (build b45ce7cba2)")},
	}
	noRows := func(fields []thriftField) []thriftField {
		fieldOf(t, fields, 3).Value = []byte{0}
		return fields
	}
	path := save(t, withFooter(t, s.write(t), noRows))
	out, err := rewrite(t, path, []int{0}, result(), keep(4))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := cellsOf(out, []int{0}); err != nil || !cmp.Equal([][]string{{"a"}, {"b"}, {"c"}}, got) {
		t.Errorf("the output reads as %v, %v", got, err)
	}
	if rows := footerOf(t, out).NumRows; rows != 3 || !bytes.Equal(fieldOf(t, rawFooter(t, out), 3).Value, []byte{6}) {
		t.Errorf("the output claims %d rows", rows)
	}
	s.options = nil // of another writer it is damage
	if _, err := Open(save(t, withFooter(t, s.write(t), noRows)), nil); !isListError(err, "the footer says 0") {
		t.Errorf("a file of another writer: %v", err)
	}
}

func TestVerifyFindsWhatContradictsItself(t *testing.T) {
	list := repeating()
	data := list.sample(t, nil).write(t)
	if err := Verify(bytes.NewReader(data), int64(len(data))); err != nil {
		t.Error(err)
	}
	short := withoutDictionaryHeaders(t, data)
	if err := Verify(bytes.NewReader(short), int64(len(short))); err == nil || !strings.Contains(err.Error(), "behind its end") {
		t.Errorf("chunks that are too short: %v", err)
	}
	for _, wrong := range []struct {
		at   int
		want string
	}{{len(magic), "column a of row group 0"}, {len(data) - 1, "its end is missing"}} {
		changed := bytes.Clone(data)
		changed[wrong.at] ^= 0xff
		if err := Verify(bytes.NewReader(changed), int64(len(changed))); err == nil || !strings.Contains(err.Error(), wrong.want) {
			t.Errorf("byte %d changed: %v, want %q", wrong.at, err, wrong.want)
		}
	}
	f, err := readFooter(bytes.NewReader(data), "list.parquet", int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	columns := f.Meta.RowGroups[0].Columns
	columns[0].MetaData = columns[1].MetaData // both chunks have the same place
	encoded, err := f.Verbatim.Encode(f.Meta)
	if err != nil {
		t.Fatal(err)
	}
	twice := append(bytes.Clone(data[:f.Start]), encoded...)
	twice = append(binary.LittleEndian.AppendUint32(twice, uint32(len(encoded))), magic...)
	if err := Verify(bytes.NewReader(twice), int64(len(twice))); err == nil || !strings.Contains(err.Error(), "within another") {
		t.Errorf("two chunks in one place: %v", err)
	}
}
