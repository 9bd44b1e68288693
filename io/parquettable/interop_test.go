package parquettable

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/google/go-cmp/cmp"
	"github.com/xitongsys/parquet-go/reader"
	"github.com/xitongsys/parquet-go/source"
	"pgregory.net/rapid"

	"payonce/io/csvtable"
	"payonce/io/parquettable/parquettest"
	"payonce/io/table"
)

// independent is a file as the second library reads it.
type independent struct{ *bytes.Reader }

func (f independent) Open(string) (source.ParquetFile, error) {
	_, err := f.Seek(0, io.SeekStart)
	return f, err
}

func (independent) Create(string) (source.ParquetFile, error) { return nil, errors.ErrUnsupported }
func (independent) Write([]byte) (int, error)                 { return 0, errors.ErrUnsupported }
func (independent) Close() error                              { return nil }

// secondOpinion returns the values of a leaf as the second library reads them; nil is
// a null.
func secondOpinion(t testing.TB, path string, leaf, rows int) []any {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r, err := reader.NewParquetColumnReader(independent{bytes.NewReader(data)}, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer r.ReadStop()
	values, _, _, err := r.ReadColumnByIndex(int64(leaf), int64(rows))
	if err != nil {
		t.Fatal(err)
	}
	return values
}

// record is a row as the library's own reader of records reads it.
type record = map[string]any

// asRecords returns the records that JSON objects stand for.
func asRecords(t testing.TB, objects ...string) (rows []record) {
	t.Helper()
	for _, object := range objects {
		var row record
		if err := json.Unmarshal([]byte(object), &row); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row)
	}
	return rows
}

// records reads a file with the library's own reader of records.
func records(t testing.TB, path string) (rows []record, types *arrow.Schema) {
	t.Helper()
	parquetFile, err := file.OpenParquetFile(path, false)
	if err != nil {
		t.Fatal(err)
	}
	defer parquetFile.Close()
	r, err := pqarrow.NewFileReader(parquetFile, pqarrow.ArrowReadProperties{BatchSize: 100}, memory.DefaultAllocator)
	if err != nil {
		t.Fatal(err)
	}
	if types, err = r.Schema(); err != nil {
		t.Fatal(err)
	}
	stream, err := r.GetRecordReader(context.Background(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Release()
	for stream.Next() {
		var out bytes.Buffer
		if err := array.RecordToJSON(stream.RecordBatch(), &out); err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(out.Bytes()) {
			rows = append(rows, asRecords(t, string(line))...)
		}
	}
	if err := stream.Err(); err != nil && !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	return rows, types
}

func TestASecondParquetLibraryReadsWriterOutput(t *testing.T) {
	rows := [][]string{{"a", "∅"}, {"∅", "b"}, {"", "Zoë"}, {"a", "∅"}}
	for _, codec := range parquettest.Codecs() {
		for _, version := range []parquet.DataPageVersion{parquet.DataPageV1, parquet.DataPageV2} {
			t.Run(fmt.Sprint(codec, version), func(t *testing.T) {
				list := drawn{names: []string{"first", "second"}, groups: [][][]string{rows, rows}}
				path := save(t, list.sample(t, []parquet.WriterProperty{parquet.WithCompression(codec), parquet.WithDataPageVersion(version)}).write(t))
				out, err := rewrite(t, path, []int{1}, result(), func(row table.Row) ([]table.Fill, []string) {
					if row.Number()%4 == 1 {
						return []table.Fill{{Column: 1, Value: "filled"}}, []string{"ok", "0.15", "2026-02-03T04:05:06.5Z", "email phone"}
					}
					return nil, []string{"", "", "", ""}
				})
				if err != nil {
					t.Fatal(err)
				}
				checkRecords(t, out)
				if codec == compress.Codecs.Lz4Raw || codec == compress.Codecs.Brotli || version == parquet.DataPageV2 && codec == compress.Codecs.Uncompressed {
					return // the second library does not read these
				}
				checkSecondOpinion(t, out)
			})
		}
	}
}

func checkRecords(t *testing.T, path string) {
	t.Helper()
	got, types := records(t, path)
	group := asRecords(t,
		`{"first":"a","second":"filled","status":"ok","charge":"0.15","at":"2026-02-03T04:05:06.5Z","missing":["email","phone"]}`,
		`{"first":null,"second":"b","status":null,"charge":null,"at":null,"missing":null}`,
		`{"first":"","second":"Zoë","status":null,"charge":null,"at":null,"missing":null}`,
		`{"first":"a","second":null,"status":null,"charge":null,"at":null,"missing":null}`)
	if diff := cmp.Diff(append(group, group...), got); diff != "" {
		t.Error(diff)
	}
	for i, want := range []string{"utf8", "utf8", "utf8", "decimal(18, 6)", "timestamp[us, tz=UTC]", "list<element: utf8>"} {
		if got := types.Field(i).Type.String(); got != want {
			t.Errorf("column %d is a %s", i, got)
		}
	}
}

func checkSecondOpinion(t *testing.T, path string) {
	t.Helper()
	null := any(nil)
	for leaf, want := range [][]any{
		{"a", null, "", "a"},
		{"filled", "b", "Zoë", null},
		{"ok", null, null, null},
		{int64(150_000), null, null, null},
		{int64(1_770_091_506_500_000), null, null, null},
		{"email", "phone", null, null, null},
	} {
		if diff := cmp.Diff(append(want, want...), secondOpinion(t, path, leaf, 8)); diff != "" {
			t.Errorf("column %d: %s", leaf, diff)
		}
	}
}

func TestASecondParquetLibraryReadsEncoderOutput(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		list := drawList(rt)
		for i := range list.names { // the second library mixes up columns of one name
			list.names[i] = fmt.Sprint("c", i)
		}
		rows := list.rows()
		in, err := Open(save(t, list.sample(t, nil).write(t)), nil)
		if err != nil {
			rt.Fatal(err)
		}
		defer in.Close()
		var out bytes.Buffer
		w, err := NewEncoder(&out, in.Schema(), result()[:1])
		if err != nil {
			rt.Fatal(err)
		}
		err = writeRows(in, w, func(row table.Row) ([]table.Fill, []string) {
			if row.Number() == 2 {
				return []table.Fill{{Column: 0, Value: "filled"}}, []string{""}
			}
			return nil, []string{"ok"}
		})
		if err != nil {
			rt.Fatal(err)
		}
		var want [][]string
		for i, cells := range rows {
			row := append([]string{}, cells...)
			for column := range row {
				if row[column] == "" {
					row[column] = "∅"
				}
			}
			row = append(row, "ok")
			if i == 1 {
				row[0], row[len(row)-1] = "filled", "∅"
			}
			want = append(want, row)
		}
		path := save(t, out.Bytes())
		got, err := cellsOf(path, nil)
		if diff := cmp.Diff(want, got, cmpEmpty()); diff != "" || err != nil {
			rt.Fatal(diff, err)
		}
		if read, _ := records(t, path); len(read) != len(rows) {
			rt.Fatalf("%d records of %d rows", len(read), len(rows))
		}
		for leaf := range list.names {
			for i, value := range secondOpinion(t, path, leaf, len(rows)) {
				cell := "∅"
				if value != nil {
					cell = value.(string)
				}
				if cell != want[i][leaf] {
					rt.Fatalf("row %d, column %d is %q to the second library", i, leaf, cell)
				}
			}
		}
	})
}

func TestEncoderMakesRowGroups(t *testing.T) {
	rows := make([][]string, groupRows+maxBlockRows)
	for i := range rows {
		rows[i] = []string{fmt.Sprint(i)}
	}
	list := drawn{names: []string{"a"}, groups: [][][]string{rows}}
	in, err := Open(save(t, list.sample(t, nil).write(t)), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	var out bytes.Buffer
	w, err := NewEncoder(&out, in.Schema(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := writeRows(in, w, func(table.Row) ([]table.Fill, []string) { return nil, []string{} }); err != nil {
		t.Fatal(err)
	}
	path := save(t, out.Bytes())
	meta := footerOf(t, path)
	if meta.NumRowGroups() != 2 || meta.RowGroups[0].NumRows != groupRows || meta.NumRows != int64(len(rows)) {
		t.Errorf("%d row groups, %d rows", meta.NumRowGroups(), meta.NumRows)
	}
	got, err := cellsOf(path, nil)
	if !slices.EqualFunc(rows, got, slices.Equal) || err != nil { // cmp.Diff alone takes seconds for many rows
		t.Error(cmp.Diff(rows, got), err)
	}
}

// TestBytesThatAreNoTextAreRefused has them in a cell and in a name of a list of another
// format; other readers refuse a column of texts that holds them.
func TestBytesThatAreNoTextAreRefused(t *testing.T) {
	names := table.Schema{Columns: []string{"id", "last name"}}
	w, err := NewEncoder(io.Discard, names, nil)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{"Müller": "", "M\xfcller": `line 2: column "last name" holds bytes that are not UTF-8; write the list as CSV`} {
		list, err := csvtable.NewReader(strings.NewReader("id,last name\n1,"+text+"\n"), "list.csv", csvtable.Options{Encoding: csvtable.UTF8})
		if err != nil {
			t.Fatal(err)
		}
		block, err := list.Next()
		if err != nil {
			t.Fatal(err)
		}
		part := w.Part(block)
		err = block.Each(func(row table.Row) error { return part.WriteRow(row, nil, nil) })
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: error %v; want %q", text, err, want)
		}
	}
	if _, err := NewEncoder(io.Discard, table.Schema{Columns: []string{"id", "a\xff"}}, nil); err == nil || !strings.Contains(err.Error(), "the name of column 2") {
		t.Errorf("a name that is not text: %v", err)
	}
}

// arrowFile writes records with the library, with the schema of Arrow beside that of
// Parquet.
func arrowFile(t *testing.T, fields []arrow.Field, rows string) string {
	t.Helper()
	types := arrow.NewSchema(fields, nil)
	record, _, err := array.RecordFromJSON(memory.DefaultAllocator, types, bytes.NewReader([]byte(rows)))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w, err := pqarrow.NewFileWriter(types, &out, nil, pqarrow.NewArrowWriterProperties(pqarrow.WithStoreSchema()))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Write(record), w.Close()); err != nil {
		t.Fatal(err)
	}
	return save(t, out.Bytes())
}

func TestSchemasOfOtherProgramsGetTheAppendedColumns(t *testing.T) {
	large := []arrow.Field{{Name: "a", Type: arrow.BinaryTypes.LargeString, Nullable: true}, {Name: "b", Type: &arrow.TimestampType{Unit: arrow.Millisecond}}}
	path := arrowFile(t, large, `[{"a":"x","b":"2026-02-03 04:05:06"}]`)
	out, err := rewrite(t, path, []int{0}, result(), func(table.Row) ([]table.Fill, []string) {
		return nil, []string{"ok", "0.15", "2026-02-03T04:05:06Z", "email"}
	})
	if err != nil {
		t.Fatal(err)
	}
	got, types := records(t, out)
	want := asRecords(t, `{"a":"x","b":"2026-02-03T04:05:06","status":"ok","charge":"0.15","at":"2026-02-03T04:05:06Z","missing":["email"]}`)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for i, want := range []string{"large_utf8", "timestamp[ms]", "utf8", "decimal(18, 6)", "timestamp[us, tz=UTC]", "list<element: utf8>"} {
		if got := types.Field(i).Type.String(); got != want {
			t.Errorf("column %d is a %s", i, got)
		}
	}
}

func TestColumnsOfTheListMayHaveOneName(t *testing.T) {
	list := drawn{names: []string{"a", "a"}, groups: [][][]string{{{"1", "2"}}}}
	out, err := rewrite(t, save(t, list.sample(t, nil).write(t)), []int{1}, []table.Column{{Name: "a"}}, func(table.Row) ([]table.Fill, []string) {
		return []table.Fill{{Column: 1, Value: "filled"}}, []string{"appended"}
	})
	if err != nil {
		t.Fatal(err)
	}
	got, err := cellsOf(out, nil)
	if diff := cmp.Diff([][]string{{"1", "filled", "appended"}}, got); diff != "" || err != nil {
		t.Error(diff, err)
	}
}
