package csvtable_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"payonce/enrich"
	"payonce/io/csvtable"
	"payonce/io/table"
)

// rewrite copies a list with the same fills and appended cells for every row.
func rewrite(list string, names []table.Column, fills []table.Fill, appended []string) (string, error) {
	r, err := csvtable.NewReader(strings.NewReader(list), "list.csv", csvtable.Options{})
	if err != nil {
		return "", err
	}
	defer func() { _ = r.Close() }()
	var out bytes.Buffer
	w := csvtable.NewWriter(&out, r, names)
	if err := copyRows(w, r, fills, appended); err != nil {
		return "", err
	}
	err = errors.Join(w.Close(), flushed(&out, w))
	return out.String(), err
}

// written returns what a writer makes of a list with the same cells appended to every row.
// It closes the list.
func written(t rapid.TB, r *csvtable.Reader, names []table.Column, appended []string) string {
	t.Helper()
	var out bytes.Buffer
	w := csvtable.NewWriter(&out, r, names)
	if err := errors.Join(copyRows(w, r, nil, appended), w.Close(), r.Close()); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// copyRows writes the rows of a list with the same fills and appended cells.
func copyRows(w table.Writer, r table.Reader, fills []table.Fill, appended []string) error {
	return eachBlock(r, func(block table.Block) error {
		part := w.Part(block)
		if err := block.Each(func(row table.Row) error { return part.WriteRow(row, fills, texts(appended...)) }); err != nil {
			return err
		}
		return w.Write(part)
	})
}

// texts returns appended values.
func texts(values ...string) []enrich.Cell {
	var cells []enrich.Cell
	for _, value := range values {
		cells = append(cells, enrich.TextOf(value))
	}
	return cells
}

// columns returns appended columns with these names.
func columns(names ...string) []table.Column {
	var columns []table.Column
	for _, name := range names {
		columns = append(columns, table.Column{Name: name})
	}
	return columns
}

// flushed reports an error when a second Close writes anything again.
func flushed(out *bytes.Buffer, w *csvtable.Writer) error {
	size := out.Len()
	if err := w.Close(); err != nil {
		return err
	}
	if out.Len() != size {
		return fmt.Errorf("a second Close wrote %d bytes", out.Len()-size)
	}
	return nil
}

func TestRewrite(t *testing.T) {
	fill := func(column int, value string) []table.Fill { return []table.Fill{{Column: column, Value: value}} }
	for _, test := range []struct {
		name, list string
		names      []string
		fills      []table.Fill
		appended   []string
		want       string
	}{
		{name: "append", list: "a,b\n1,2\n", names: []string{"c", "d"}, appended: []string{"x", "y"}, want: "a,b,c,d\n1,2,x,y\n"},
		{name: "append nothing to a cell", list: "a,b\n1,2\n", names: []string{"c"}, appended: []string{""}, want: "a,b,c\n1,2,\n"},
		{name: "append CRLF", list: "a,b\r\n1,2\r\n", names: []string{"c"}, appended: []string{"x"}, want: "a,b,c\r\n1,2,x\r\n"},
		{name: "append, no last line ending", list: "a,b\n1,2", names: []string{"c"}, appended: []string{"x"}, want: "a,b,c\n1,2,x"},
		{name: "append, CRLF cut short", list: "a,b\r\n1,2\r", names: []string{"c"}, appended: []string{"x"}, want: "a,b,c\r\n1,2,x\r"},
		{name: "append, header only", list: "a,b", names: []string{"c"}, want: "a,b,c"},
		{name: "append, mixed line endings", list: "a;b\r\n1;2\n", names: []string{"c"}, appended: []string{"x"}, want: "a;b;c\r\n1;2;x\n"},
		{name: "append after blank lines", list: "\ufeff\n\na,b\n\n1,2\n\n\n", names: []string{"c"}, appended: []string{"x"}, want: "\ufeff\n\na,b,c\n\n1,2,x\n\n\n"},
		{name: "append to one column", list: "a\n1\n\"\"", names: []string{"c"}, appended: []string{"x"}, want: "a,c\n1,x\n\"\",x"},
		{name: "append to one column with commas", list: "a\nx, y\n", names: []string{"c"}, appended: []string{"1"}, want: "a;c\nx, y;1\n"},
		{name: "append what needs quotes", list: "a,b\n1,2\n", names: []string{"c,d"}, appended: []string{"x\r\ny"}, want: "a,b,\"c,d\"\n1,2,\"x\r\ny\"\n"},
		{name: "append quotes", list: "a,b\n1,2\n", names: []string{"c"}, appended: []string{`say "hi"`}, want: "a,b,c\n1,2,\"say \"\"hi\"\"\"\n"},
		{name: "append spaces", list: "a,b\n1,2\n", names: []string{"c", "d"}, appended: []string{" x", "y\t"}, want: "a,b,c,d\n1,2,\" x\",\"y\t\"\n"},
		{name: "append a comma to a tab list", list: "a\tb\n1\t2\n", names: []string{"c"}, appended: []string{"x,y"}, want: "a\tb\tc\n1\t2\tx,y\n"},
		{name: "append a formula", list: "a,b\n1,2\n", names: []string{"c"}, appended: []string{"=1+1"}, want: "a,b,c\n1,2,=1+1\n"},
		{name: "fill the first", list: "a,b\n,2\n", fills: fill(0, "x"), want: "a,b\nx,2\n"},
		{name: "fill the last", list: "a,b\r\n1,\r\n", fills: fill(1, "x"), want: "a,b\r\n1,x\r\n"},
		{name: "fill the last, no line ending", list: "a,b\n1,", fills: fill(1, "x"), want: "a,b\n1,x"},
		{name: "fill two", list: "a,b,c\n,\"2\",\n", fills: []table.Fill{{Column: 0, Value: "x"}, {Column: 2, Value: "z"}}, want: "a,b,c\nx,\"2\",z\n"},
		{name: "fill what needs quotes", list: "a,b\n1,\n", fills: fill(1, "x,\"y\""), want: "a,b\n1,\"x,\"\"y\"\"\"\n"},
		{name: "fill a quoted cell", list: "a,b\n1,\"\"\n", fills: fill(1, "x"), want: "a,b\n1,\"x\"\n"},
		{name: "fill and append", list: "a,b\n1,\"2\n\"\n", names: []string{"c"}, fills: fill(0, "x"), appended: []string{"y"}, want: "a,b,c\nx,\"2\n\",y\n"},
		{name: "clear the only cell", list: "a\nx\ny", fills: fill(0, ""), want: "a\n\"\"\n\"\""},
		{name: "keep quotes in a plain cell", list: "a,b\nx\"y,\n", fills: fill(1, "z"), want: "a,b\nx\"y,z\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := rewrite(test.list, columns(test.names...), test.fills, test.appended)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("list (-want +got):\n%s", diff)
			}
		})
	}
}

// memoryRow is a row of another format.
type memoryRow []string

func (r memoryRow) Number() int64     { return 1 }
func (r memoryRow) Line() int64       { return 1 }
func (r memoryRow) Cell(i int) []byte { return []byte(r[i]) }

func TestEncoder(t *testing.T) {
	var out bytes.Buffer
	schema := table.Schema{Columns: []string{"a", "b b", "c;d"}}
	w := csvtable.NewEncoder(&out, csvtable.Dialect{Delimiter: ';', LineEnding: "\r\n"}, schema, columns("new"))
	part := w.Part(nil)
	for _, row := range []memoryRow{{"1", "x;y", ""}, {"", "", ""}} {
		if err := part.WriteRow(row, []table.Fill{{Column: 2, Value: "z"}}, texts("n,m")); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Write(part), w.Close()); err != nil {
		t.Fatal(err)
	}
	want := "a;b b;\"c;d\";new\r\n1;\"x;y\";z;n,m\r\n;;z;n,m\r\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("list (-want +got):\n%s", diff)
	}
}

func TestEncoderOfOneColumn(t *testing.T) {
	var out bytes.Buffer
	w := csvtable.NewEncoder(&out, csvtable.Dialect{}, table.Schema{Columns: []string{"a"}}, nil)
	part := w.Part(nil)
	for _, row := range []memoryRow{{"x"}, {""}} {
		if err := part.WriteRow(row, nil, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Write(part), w.Close()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("a\nx\n\"\"\n", out.String()); diff != "" {
		t.Errorf("list (-want +got):\n%s", diff)
	}
}

// A list can take rows of another one: of another delimiter, of another format, and
// after a last line that had no line ending.
func TestRowsOfOtherLists(t *testing.T) {
	list, other := newReader(t, "a,b\r\n1,2"), newReader(t, "a;b\nx,y;\"z\"\n")
	var out bytes.Buffer
	w := csvtable.NewWriter(&out, list, nil)
	for _, r := range []*csvtable.Reader{list, other} {
		if err := copyRows(w, r, nil, nil); err != nil {
			t.Fatal(err)
		}
	}
	part := w.Part(nil)
	if err := part.WriteRow(memoryRow{"3", "4"}, nil, nil); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Write(part), w.Close()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("a,b\r\n1,2\r\n\"x,y\",z\r\n3,4\r\n", out.String()); diff != "" {
		t.Errorf("list (-want +got):\n%s", diff)
	}
}

// So can a single part, in any order.
func TestRowsOfOtherListsInOnePart(t *testing.T) {
	var blocks []table.Block
	for _, list := range []string{"a,b\n1,2", "a,b\n5,6\n\n7,\"8\"", "a;b\nx,y;\"z\""} {
		block, err := newReader(t, list).Next()
		if err != nil {
			t.Fatal(err)
		}
		blocks = append(blocks, block)
	}
	var out bytes.Buffer
	w := csvtable.NewWriter(&out, newReader(t, "a,b\r\n"), nil)
	part := w.Part(blocks[1])
	write := func(row table.Row) error { return part.WriteRow(row, nil, nil) }
	for _, i := range []int{0, 1, 0, 2, 0, 0} {
		if err := blocks[i].Each(write); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(write(memoryRow{"3", "4"}), w.Write(part), w.Close()); err != nil {
		t.Fatal(err)
	}
	want := "a,b\r\n1,2\r\n5,6\n\n7,\"8\"\r\n1,2\r\n\"x,y\",z\r\n1,2\r\n1,2\r\n3,4\r\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("list (-want +got):\n%s", diff)
	}
}

func TestWriteRowRefuses(t *testing.T) {
	for _, test := range []struct {
		name     string
		row      string
		fills    []table.Fill
		appended []string
		want     string
	}{
		{"too few appended", "a,b\n1,2\n", nil, nil, "0 appended values"},
		{"too many appended", "a,b\n1,2\n", nil, []string{"x", "y"}, "2 appended values"},
		{"column out of range", "a,b\n1,2\n", []table.Fill{{Column: 2}}, []string{"x"}, "fill of column 2"},
		{"negative column", "a,b\n1,2\n", []table.Fill{{Column: -1}}, []string{"x"}, "fill of column -1"},
		{"fills descend", "a,b\n1,2\n", []table.Fill{{Column: 1}, {Column: 0}}, []string{"x"}, "fill of column 0 after column 1"},
		{"filled twice", "a,b\n1,2\n", []table.Fill{{Column: 1}, {Column: 1}}, []string{"x"}, "fill of column 1 after column 1"},
		{"row of a wider list", "a,b,c\n1,2,3\n", nil, []string{"x"}, "row 1 has 3 cells, the list has 2 columns"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out bytes.Buffer
			w := csvtable.NewWriter(&out, newReader(t, "a,b\n"), columns("c"))
			part := w.Part(nil)
			err := eachRow(newReader(t, test.row), func(row table.Row) error {
				return part.WriteRow(row, test.fills, texts(test.appended...))
			})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("WriteRow = %v, want %q in it", err, test.want)
			}
			if err := errors.Join(w.Write(part), w.Close()); err != nil || out.String() != "a,b,c\n" {
				t.Errorf("after a refused row: %q, %v, want the header alone", out.String(), err)
			}
		})
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

func TestWriteErrorIsSticky(t *testing.T) {
	r := newReader(t, "a\nx\ny\n")
	w := csvtable.NewWriter(fullDisk{}, r, nil)
	for range 2 {
		if err := w.Write(w.Part(nil)); !errors.Is(err, io.ErrShortWrite) {
			t.Errorf("Write = %v, want the disk's error", err)
		}
	}
	if err := w.Close(); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("Close = %v, want the disk's error", err)
	}
}
