package listfile_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"payonce/enrich"
	"payonce/io/csvtable"
	"payonce/io/listfile"
	"payonce/io/table"
)

// A list that changes while it is written is noticed before its output is put in place.
func TestNoOutputOfAListThatChangedMeanwhile(t *testing.T) {
	for title, change := range map[string]func(path string) error{
		"grown":    func(path string) error { return os.WriteFile(path, []byte(list+"Eve,,\n"), 0o600) },
		"replaced": func(path string) error { return os.Rename(write(t, "other.csv", "name,email,note\n"), path) },
		"removed":  os.Remove,
	} {
		path, output := write(t, "list.csv", list), filepath.Join(t.TempDir(), "out.csv")
		out, err := listfile.Create(open(t, listfile.Options{}, path), listfile.Request{Path: output})
		if err != nil {
			t.Fatal(err)
		}
		if err := change(path); err != nil {
			t.Fatal(err)
		}
		if err := out.Commit(); !errors.Is(err, listfile.ErrChanged) {
			t.Errorf("%s: %v, want %v", title, err, listfile.ErrChanged)
		}
		out.Discard()
		if left, _ := os.ReadDir(filepath.Dir(output)); len(left) > 0 {
			t.Errorf("%s: %v is left", title, left)
		}
	}
}

// What cannot be carried into another format is told when the output begins.
func TestNestedColumnsAreRefusedBeforeAnythingIsWritten(t *testing.T) {
	numbers, err := schema.ListOfWithName("words", schema.NewInt32Node("element", parquet.Repetitions.Required, -1), parquet.Repetitions.Optional, -1)
	if err != nil {
		t.Fatal(err)
	}
	fields := schema.FieldList{numbers}
	for _, name := range []string{"name", "email", "note"} {
		fields = append(fields, schema.NewByteArrayNode(name, parquet.Repetitions.Optional, -1))
	}
	var nested bytes.Buffer
	root := schema.MustGroup(schema.NewGroupNode("root", parquet.Repetitions.Repeated, fields, -1))
	if err := file.NewParquetWriter(&nested, root).Close(); err != nil {
		t.Fatal(err)
	}
	path := write(t, "nested.parquet", nested.String())
	_, err = listfile.Create(open(t, listfile.Options{}, path), listfile.Request{Path: filepath.Join(t.TempDir(), "out.csv")})
	var wrong *table.Error
	if !errors.As(err, &wrong) || !strings.Contains(err.Error(), "column words holds lists, which cannot be read as text; write it as Parquet") {
		t.Errorf("%v, want the column that has no text", err)
	}
	filled := listfile.Request{Path: filepath.Join(t.TempDir(), "out.parquet"), Filled: []int{0}}
	if _, err = listfile.Create(open(t, listfile.Options{}, path), filled); !errors.As(err, &wrong) {
		t.Errorf("%v, want the column that cannot be filled", err)
	}
	if left, _ := os.ReadDir(filepath.Dir(filled.Path)); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
}

// TestListsOfTextsGoIntoOtherFormats writes lists as Parquet, and that as text.
func TestListsOfTextsGoIntoOtherFormats(t *testing.T) {
	dir := t.TempDir()
	from, lists := open(t, listfile.Options{}, write(t, "list.csv", list)), []string{`["a","b"]`, `["+44 1"]`, `[]`, ""}
	appended := []table.Column{{Name: "words", Kind: enrich.TextsCell}}
	for _, name := range []string{"words.parquet", "out.csv"} {
		out, err := listfile.Create(from, listfile.Request{Path: filepath.Join(dir, name), Appended: appended})
		if err != nil {
			t.Fatal(err)
		}
		reader, err := out.Rows.Open(nil)
		if err != nil {
			t.Fatal(err)
		}
		err = table.Ordered(t.Context(), reader, func(b table.Block) (table.Part, error) {
			part := out.Writer.Part(b)
			return part, b.Each(func(row table.Row) error {
				var cells []enrich.Cell
				if len(appended) > 0 {
					cells = append(cells, enrich.CellFrom(enrich.TextsCell, lists[int(row.Number()-1)%len(lists)]))
				}
				return part.WriteRow(row, nil, cells)
			})
		}, func(_ table.Block, part table.Part) error { return out.Writer.Write(part) })
		if err = errors.Join(err, reader.Close()); err == nil {
			err = out.Commit()
		}
		if err != nil {
			t.Fatal(err)
		}
		out.Discard()
		from, appended = open(t, listfile.Options{}, filepath.Join(dir, "words.parquet")), nil
	}
	got, err := os.ReadFile(filepath.Join(dir, "out.csv"))
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(strings.TrimSpace(string(got)), "\n")[1:] {
		want := []string{`,"[""a"",""b""]"`, ",+44 1", ",[]", ","}[i%len(lists)]
		if !strings.HasSuffix(line, want) {
			t.Errorf("row %d is %s, want %s at its end", i+1, line, want)
		}
	}
}

// What has another format inside, or another compression, is not written as text.
func TestOutputNamesOfUnsupportedFormatsAreRefused(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"out.xls", "out.xlsm", "out.ods", "out.avro", "out.zip", "out.csv.bz2", "out.csv.XZ", "out.parquet.gz", "out.pq"} {
		_, err := listfile.Create(open(t, listfile.Options{}, write(t, "list.csv", list)), listfile.Request{Path: filepath.Join(dir, name)})
		if err == nil || !strings.Contains(err.Error(), "not supported") && !strings.Contains(err.Error(), "decompress it") && !strings.Contains(err.Error(), "must end in .parquet") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
}

// A formula that no program calculated is refused where its column is needed, and where
// it would be lost.
func TestFormulasWithoutValues(t *testing.T) {
	path := filepath.Join(t.TempDir(), "list.xlsx")
	book := excelize.NewFile()
	defer book.Close()
	err := errors.Join(
		book.SetSheetRow("Sheet1", "A1", &[]any{"name", "email", "note"}),
		book.SetSheetRow("Sheet1", "A2", &[]any{"Ann", "ann@b.example"}),
		book.SetSheetRow("Sheet1", "A3", &[]any{"Bob"}),
		book.SetCellFormula("Sheet1", "C3", `A3&"!"`),
		book.SaveAs(path),
	)
	if err != nil {
		t.Fatal(err)
	}
	l := open(t, listfile.Options{}, path)
	for range 2 { // the sheet is checked the first time alone
		_, err = l.Open([]int{0, 2})
		if err == nil || !strings.Contains(err.Error(), "list.xlsx:3: the formula of the cell C3 has no value") {
			t.Error(err)
		}
	}
	fill(t, l, filepath.Join(t.TempDir(), "out.xlsx"), false)
	_, err = listfile.Create(l, listfile.Request{Path: filepath.Join(t.TempDir(), "out.csv")})
	if err == nil || !strings.Contains(err.Error(), "the formula of the cell C3 has no value") {
		t.Error(err)
	}
}

// An output that is given up leaves nothing of the list behind. A workbook grows in the output, not in
// another file.
func TestADiscardedOutputLeavesNoFile(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	long := strings.Repeat("x", 30_000)
	source := open(t, listfile.Options{}, write(t, "list.csv", "name,email,note\n"+strings.Repeat("Ann,,"+long+"\n", 1000)))
	dir := t.TempDir()
	out, err := listfile.Create(source, listfile.Request{Path: filepath.Join(dir, "out.xlsx")})
	if err != nil {
		t.Fatal(err)
	}
	reader, err := out.Rows.Open(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	err = table.Ordered(context.Background(), reader, func(b table.Block) (table.Part, error) {
		part := out.Writer.Part(b)
		return part, b.Each(func(r table.Row) error { return part.WriteRow(r, nil, nil) })
	}, func(_ table.Block, p table.Part) error { return out.Writer.Write(p) })
	if err != nil {
		t.Fatal(err)
	}
	if begun, _ := os.ReadDir(temp); len(begun) > 0 {
		t.Errorf("%d temporary files have cells of the list", len(begun))
	}
	out.Discard()
	for _, dir := range []string{temp, dir} {
		if left, _ := os.ReadDir(dir); len(left) > 0 {
			t.Errorf("%d files are left", len(left))
		}
	}
}

func TestMoreRowsThanASheetHoldsAreRefused(t *testing.T) {
	const most = 1<<20 - 1 // besides the header
	if err := errors.Join(listfile.CheckRows("out.xlsx", most), listfile.CheckRows("out.csv", most+1), listfile.CheckRows("-", most+1)); err != nil {
		t.Error(err)
	}
	if err := listfile.CheckRows("out.xlsx", most+1); err == nil || !strings.Contains(err.Error(), "write it as CSV or Parquet") {
		t.Errorf("%v, want the rows refused", err)
	}
}

// TestANewListInEveryFormat writes rows that are no list's, and reads them back.
func TestANewListInEveryFormat(t *testing.T) {
	rows := func() table.Reader {
		reader, err := csvtable.NewReader(strings.NewReader(list), "rows", csvtable.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return reader
	}
	create := func(request listfile.Request) {
		reader := rows()
		out, err := listfile.CreateNew(reader.Schema(), request)
		if err != nil {
			t.Fatal(err)
		}
		defer out.Discard()
		err = table.Ordered(t.Context(), reader, func(b table.Block) (table.Part, error) {
			part := out.Writer.Part(b)
			return part, b.Each(func(r table.Row) error { return part.WriteRow(r, nil, []enrich.Cell{enrich.TextOf("0.15")}) })
		}, func(_ table.Block, p table.Part) error { return out.Writer.Write(p) })
		if err := errors.Join(err, out.Commit()); err != nil {
			t.Fatal(err)
		}
	}
	appended := []table.Column{{Name: "cost"}}
	want := [][]string{
		{"name", "email", "note", "cost"},
		{"Ann", "", "a, b", "0.15"},
		{"Bob", "bob@b.example", "", "0.15"},
		{"Çelik", "", "x", "0.15"},
	}
	for _, name := range []string{"new.csv", "new.tsv", "new.csv.gz", "new.csv.zst", "new.parquet", "new.xlsx"} {
		path := filepath.Join(t.TempDir(), name)
		create(listfile.Request{Path: path, Appended: appended})
		if diff := cmp.Diff(want, cells(t, open(t, listfile.Options{}, path))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	var stdout bytes.Buffer
	create(listfile.Request{Path: listfile.Standard, Stdout: &stdout, Appended: appended})
	if wantText := "name,email,note,cost\nAnn,,\"a, b\",0.15\nBob,bob@b.example,,0.15\nÇelik,,x,0.15\n"; stdout.String() != wantText {
		t.Errorf("standard output got %q, want %q", stdout.String(), wantText)
	}
}

func TestANewListOfAnUnknownFormatIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new.avro")
	if _, err := listfile.CreateNew(table.Schema{}, listfile.Request{Path: path}); err == nil {
		t.Error("a list of an unknown format was begun")
	}
	if files, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*")); len(files) > 0 {
		t.Errorf("left over: %v", files)
	}
}

// The start of the file is lost while it is written, as on a broken disk.
func TestAnOutputIsReadBackBeforeItIsPutInPlace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.parquet")
	out, err := listfile.Create(open(t, listfile.Options{}, write(t, "list.csv", "name,email,note\n")), listfile.Request{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	pending, err := os.OpenFile(out.File().Pending(), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := pending.WriteAt(make([]byte, 4), 0); err != nil {
		t.Fatal(err)
	}
	if err := pending.Close(); err != nil {
		t.Fatal(err)
	}
	if err := out.Commit(); err == nil || !strings.Contains(err.Error(), "read back and is wrong") {
		t.Errorf("the output was put in place: %v", err)
	}
	out.Discard()
	if left, _ := os.ReadDir(filepath.Dir(path)); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
}
