package listfile_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"payonce/enrich"
	"payonce/io/listfile"
	"payonce/io/table"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const list = "name,email,note\nAnn,,\"a, b\"\nBob,bob@b.example,\nÇelik,,x\n"

func write(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func open(t *testing.T, options listfile.Options, names ...string) *listfile.List {
	t.Helper()
	l, err := listfile.New(options, names...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

// cells returns all cells of a list, the names of the columns first.
func cells(t *testing.T, l *listfile.List) [][]string {
	t.Helper()
	reader, err := l.Whole().Open(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	width := len(reader.Schema().Columns)
	rows := [][]string{reader.Schema().Columns}
	read := func(b table.Block) (found [][]string, err error) {
		err = b.Each(func(r table.Row) error {
			row := make([]string, width)
			for i := range row {
				row[i] = string(r.Cell(i))
			}
			found = append(found, row)
			return nil
		})
		return found, err
	}
	err = table.Ordered(context.Background(), reader, read, func(_ table.Block, found [][]string) error {
		rows = append(rows, found...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// cost is an appended amount.
var cost = enrich.Cell{Kind: enrich.MoneyCell, Known: true, Text: "0.15", Integer: 150_000}

// fill writes a list to a path with the empty emails filled and a column appended;
// with some, the rows with an email are left out.
func fill(t testing.TB, l *listfile.List, path string, some bool) {
	t.Helper()
	out, err := listfile.Create(l, listfile.Request{
		Path: path, Filled: []int{1}, Appended: []table.Column{{Name: "cost", Kind: enrich.MoneyCell}}, Some: some,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer out.Discard()
	reader, err := out.Rows.Open([]int{1})
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	work := func(b table.Block) (table.Part, error) {
		part := out.Writer.Part(b)
		return part, b.Each(func(r table.Row) error {
			switch empty := len(r.Cell(1)) == 0; {
			case empty:
				return part.WriteRow(r, []table.Fill{{Column: 1, Value: "found@x.example"}}, []enrich.Cell{cost})
			case some:
				return nil
			}
			return part.WriteRow(r, nil, []enrich.Cell{{}})
		})
	}
	err = table.Ordered(context.Background(), reader, work, func(_ table.Block, p table.Part) error { return out.Writer.Write(p) })
	if err != nil {
		t.Fatal(err)
	}
	if err := out.Commit(); err != nil {
		t.Fatal(err)
	}
}

// TestEveryFormatIsWrittenInEveryOtherFormat carries a list from each format into each other one.
func TestEveryFormatIsWrittenInEveryOtherFormat(t *testing.T) {
	want := [][]string{
		{"name", "email", "note", "cost"},
		{"Ann", "found@x.example", "a, b", "0.15"},
		{"Bob", "bob@b.example", "", ""},
		{"Çelik", "found@x.example", "x", "0.15"},
	}
	source := open(t, listfile.Options{}, write(t, "list.csv", list))
	dir := t.TempDir()
	endings := []string{".csv", ".tsv", ".csv.gz", ".csv.zst", ".parquet", ".xlsx", ".json", ".ndjson", ".jsonl.gz", ".json.zst"}
	for _, from := range endings {
		path := filepath.Join(dir, "from"+from)
		fill(t, source, path, false)
		first := open(t, listfile.Options{}, path)
		if diff := cmp.Diff(want, trimZeros(cells(t, first))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", from, diff)
		}
		for _, to := range endings {
			again := filepath.Join(dir, "again"+from[1:]+to)
			fill(t, first, again, false)
			rows := trimZeros(cells(t, open(t, listfile.Options{}, again)))
			for i := range rows {
				rows[i] = rows[i][:4] // the second cost column has another name in each
			}
			if diff := cmp.Diff(want, rows); diff != "" {
				t.Errorf("%s to %s (-want +got):\n%s", from, to, diff)
			}
			fill(t, first, again, true)
			if got := len(cells(t, open(t, listfile.Options{}, again))); got != 1 {
				t.Errorf("%s to %s: %d rows of those without an email, want the header alone", from, to, got)
			}
		}
	}
}

// A name that says tabs gets them; any other name of text keeps the list's delimiter.
func TestTSVOutputsAreWrittenWithTabs(t *testing.T) {
	commas := open(t, listfile.Options{}, write(t, "list.csv", list))
	tabs := open(t, listfile.Options{}, write(t, "list.tsv", "name\temail\tnote\nAnn\t\t\"a, b\"\n"))
	for _, test := range []struct {
		from       *listfile.List
		name, want string
	}{
		{commas, "out.tsv", "name\temail\tnote\tcost\nAnn\tfound@x.example\ta, b\t0.15\nBob\tbob@b.example\t\t\nÇelik\tfound@x.example\tx\t0.15\n"},
		{commas, "out.txt", "name,email,note,cost\nAnn,found@x.example,\"a, b\",0.15\nBob,bob@b.example,,\nÇelik,found@x.example,x,0.15\n"},
		{tabs, "out.TSV", "name\temail\tnote\tcost\nAnn\tfound@x.example\t\"a, b\"\t0.15\n"},
		{tabs, "out.csv", "name\temail\tnote\tcost\nAnn\tfound@x.example\t\"a, b\"\t0.15\n"},
	} {
		path := filepath.Join(t.TempDir(), test.name)
		fill(t, test.from, path, false)
		if got, err := os.ReadFile(path); string(got) != test.want || err != nil {
			t.Errorf("%s: %q, %v, want %q", test.name, got, err, test.want)
		}
	}
}

// trimZeros writes amounts with two decimals: a decimal column has six.
func trimZeros(rows [][]string) [][]string {
	for _, row := range rows {
		for i := range row {
			row[i] = strings.Replace(row[i], "0.150000", "0.15", 1)
		}
	}
	return rows
}

func TestSeveralFilesAndStandardInput(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{"a1.csv": "n,e\n1,\n", "a2.csv": "n,e\n2,\n3,\n", "b.csv": "n,e\n4,\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	several := open(t, listfile.Options{}, filepath.Join(dir, "a*.csv"), filepath.Join(dir, "b.csv"))
	want := [][]string{{"n", "e"}, {"1", ""}, {"2", ""}, {"3", ""}, {"4", ""}}
	if diff := cmp.Diff(want, cells(t, several)); diff != "" {
		t.Errorf("several files (-want +got):\n%s", diff)
	}
	spool := t.TempDir()
	piped, err := listfile.New(listfile.Options{Stdin: stdin("n,e\n1,\n"), TempDir: spool}, "-")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want[:2], cells(t, piped)); diff != "" {
		t.Errorf("standard input (-want +got):\n%s", diff)
	}
	var stdout bytes.Buffer
	out, err := listfile.Create(piped, listfile.Request{Path: "-", Stdout: &stdout})
	if err != nil {
		t.Fatal(err)
	}
	if err := out.Commit(); err != nil || stdout.String() != "n,e\n" {
		t.Errorf("standard output got %q, %v", stdout.String(), err)
	}
	out.Discard()
	if err := piped.Close(); err != nil {
		t.Error(err)
	}
	if left, _ := os.ReadDir(spool); len(left) != 0 {
		t.Errorf("%d files of standard input are left", len(left))
	}
}

func TestFilesThatCannotBeListsAreRefusedWithAReason(t *testing.T) {
	csv, parquet := write(t, "list.csv", list), write(t, "list.parquet", "PAR1")
	for title, test := range map[string]struct {
		names []string
		want  string
	}{
		"not there":                  {[]string{"nowhere.csv"}, "there is no file nowhere.csv"},
		"an old workbook":            {[]string{write(t, "list.xls", "x")}, "lists of the kind .xls are not supported; export the list as CSV"},
		"compressed Parquet":         {[]string{write(t, "list.parquet.gz", "x")}, ".parquet files are compressed inside; decompress it"},
		"files of two formats":       {[]string{csv, parquet}, "name several files only when all of them are text"},
		"several Parquet files":      {[]string{parquet, write(t, "b.parquet", "PAR1")}, "name several files only when all of them are text"},
		"Parquet by another name":    {[]string{write(t, "parquet.csv", "PAR1\x15\x00")}, "parquet.csv holds a Parquet file, and its name says that it is text; save it under a name that ends in .parquet"},
		"a workbook by another name": {[]string{write(t, "book.txt", "PK\x03\x04\x14\x00")}, "book.txt holds a workbook or an archive, and its name says that it is text"},
		"a workbook with macros":     {[]string{write(t, "list.xlsm", "PK\x03\x04\x14\x00")}, "lists of the kind .xlsm are not supported; export the list as CSV"},
		"another compression":        {[]string{write(t, "list.csv.xz", "\xfd7zXZ\x00")}, "files of the kind .xz are not supported; compress text to .gz or .zst"},
		"standard input and a file":  {[]string{csv, "-"}, "- is standard input, which cannot be combined with files; name only files"},
		"the same file named twice":  {[]string{csv, csv}, "is named twice"},
	} {
		if _, err := listfile.New(listfile.Options{}, test.names...); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", title, err, test.want)
		}
	}
}

func TestAnOptionOfAnotherFormatIsRefused(t *testing.T) {
	for _, test := range []struct {
		name    string
		options listfile.Options
		want    string
	}{
		{"list.csv", listfile.Options{Sheet: "people"}, "sheet"},
		{"list.jsonl", listfile.Options{Sheet: "people"}, "sheet"},
		{"list.jsonl", listfile.Options{HeaderRow: 2}, "header-row"},
		{"list.parquet", listfile.Options{Delimiter: "semicolon"}, "delimiter"},
		{"list.xlsx", listfile.Options{Delimiter: "semicolon"}, "delimiter"},
		{"list.csv", listfile.Options{Delimiter: "semicolon", HeaderRow: 2}, ""},
		{"list.xlsx", listfile.Options{Sheet: "people", HeaderRow: 2}, ""},
	} {
		_, err := listfile.New(test.options, write(t, test.name, "{}"))
		if wrong, is := errors.AsType[*listfile.OptionError](err); is != (test.want != "") || is && wrong.Option != test.want {
			t.Errorf("%s with %+v: %v, want an error about %q", test.name, test.options, err, test.want)
		}
	}
}

// A file that is cut short says so however little of it there is, and whoever finds out.
func TestACutCompressedFileOfAnySizeIsReportedAsCut(t *testing.T) {
	const want = "data is cut short; copy or download the file again"
	for _, ending := range []string{".gz", ".zst"} {
		path := filepath.Join(t.TempDir(), "list.csv"+ending)
		fill(t, open(t, listfile.Options{}, write(t, "list.csv", list+strings.Repeat("Eve,,y\n", 1000))), path, false)
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		cut := open(t, listfile.Options{}, write(t, "cut.csv"+ending, string(whole[:len(whole)/2])))
		if _, err := cut.Schema(); err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the header: %v", ending, err)
		}
		reader, err := cut.Open(nil)
		if err == nil {
			defer reader.Close()
		}
		for err == nil {
			_, err = reader.Next()
		}
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", ending, err)
		}
	}
}

func TestBinaryFormatsAreRefusedOnStandardInput(t *testing.T) {
	_, err := listfile.New(listfile.Options{Stdin: stdin("PAR1\x15\x00")}, listfile.Standard)
	if err == nil || !strings.Contains(err.Error(), "standard input holds a Parquet file") {
		t.Error(err)
	}
	list, err := listfile.New(listfile.Options{Stdin: stdin("PAR1,PK\n1,2\n")}, listfile.Standard)
	if err != nil {
		t.Fatal(err)
	}
	list.Close()
}

func TestAChangedListIsNoticed(t *testing.T) {
	for title, content := range map[string]string{"longer": list + "Eve,,\n", "as long": strings.Replace(list, "Bob", "Rob", 1)} {
		t.Run(title, func(t *testing.T) { testChanged(t, content) })
	}
}

func testChanged(t *testing.T, content string) {
	path := write(t, "list.csv", list)
	yesterday := time.Now().Add(-24 * time.Hour)
	if err := os.Chtimes(path, yesterday, yesterday); err != nil {
		t.Fatal(err)
	}
	l := open(t, listfile.Options{}, path)
	before, err := l.Sum()
	if err != nil || len(before) != 64 {
		t.Fatalf("sum %q, %v", before, err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	_, openErr := l.Open(nil)
	_, sumErr := l.Sum()
	if !errors.Is(openErr, listfile.ErrChanged) || !errors.Is(sumErr, listfile.ErrChanged) {
		t.Errorf("open: %v, sum: %v; want the change noticed by both", openErr, sumErr)
	}
}

// A pipe or a device can be read only once; a list is read several times.
func TestAPipeOrDeviceIsRefusedAsAList(t *testing.T) {
	for _, name := range []string{os.DevNull, "/dev/stdin"} {
		if info, err := os.Stat(name); err != nil || info.Mode().IsRegular() {
			continue // standard input is a file here
		}
		_, err := listfile.New(listfile.Options{}, name)
		if want := "cannot be read several times; give - for standard input"; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}

// A file has several names.
func TestOneFileUnderTwoNamesIsRefused(t *testing.T) {
	path := write(t, "list.csv", list)
	link := filepath.Join(t.TempDir(), "link.csv")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	t.Chdir(filepath.Dir(path))
	for _, other := range []string{link, "list.csv", "./list.csv", "l*.csv"} {
		if _, err := listfile.New(listfile.Options{}, path, other); err == nil || !strings.Contains(err.Error(), "is named twice") {
			t.Errorf("%s: %v, want it named twice", other, err)
		}
	}
}

func TestAboutNamesOnlyUnusualEncodings(t *testing.T) {
	for name, test := range map[string]struct{ content, want string }{
		"utf8.csv":  {list, ""},
		"utf16.csv": {"\xff\xfen\x00,\x00e\x00\n\x00", "UTF-16LE"},
		"latin.csv": {"n,e\nFran\xe7ois,\nJos\xe9,\n", "Windows-1252, as it seems"},
	} {
		about, guessed, err := open(t, listfile.Options{}, write(t, name, test.content)).About()
		if err != nil || about != test.want || guessed != (name == "latin.csv") {
			t.Errorf("%s: %q, guessed %t, %v; want %q", name, about, guessed, err, test.want)
		}
	}
}

// stdin returns a standard input of a text.
func stdin(text string) func() io.Reader {
	return func() io.Reader { return strings.NewReader(text) }
}
