package csvtable_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"payonce/io/csvtable"
	"payonce/io/table"
)

func newReader(t testing.TB, list string) *csvtable.Reader {
	t.Helper()
	return open(t, strings.NewReader(list))
}

// open reads the header of a list and lets the test end what reads ahead.
func open(t testing.TB, in io.Reader) *csvtable.Reader {
	t.Helper()
	r, err := csvtable.NewReader(in, "list.csv", csvtable.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r
}

// values returns a copy of the row's cells.
func values(row table.Row, columns int) []string {
	var cells []string
	for i := range columns {
		cells = append(cells, string(row.Cell(i)))
	}
	return cells
}

// eachBlock hands every block to visit, up to the end of the list or the first error.
func eachBlock(r table.Reader, visit func(table.Block) error) error {
	for {
		block, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := visit(block); err != nil {
			return err
		}
		block.Release()
	}
}

// eachRow hands every row to visit, and checks that blocks tell what is in them.
func eachRow(r table.Reader, visit func(table.Row) error) error {
	last := int64(0)
	return eachBlock(r, func(block table.Block) error {
		if first := block.First(); first != last+1 || block.Len() < 1 {
			return fmt.Errorf("a block of %d rows begins at %d after row %d", block.Len(), first, last)
		}
		end := last + int64(block.Len())
		err := block.Each(func(row table.Row) error {
			last++
			if row.Number() != last {
				return fmt.Errorf("row %d after row %d", row.Number(), last-1)
			}
			return visit(row)
		})
		if err == nil && last != end {
			return fmt.Errorf("the block ends with row %d, not %d", last, end)
		}
		return err
	})
}

// readAll returns the columns and the rows of a list up to its end or its error, and
// closes it.
func readAll(r table.Reader) (rows [][]string, err error) {
	defer func() { _ = r.Close() }()
	rows = [][]string{r.Schema().Columns}
	err = eachRow(r, func(row table.Row) error {
		rows = append(rows, values(row, len(rows[0])))
		return nil
	})
	return rows, err
}

func TestCells(t *testing.T) {
	for _, test := range []struct {
		name, list string
		want       [][]string
	}{
		{"plain", "a,b\n1,2\n3,4\n", [][]string{{"a", "b"}, {"1", "2"}, {"3", "4"}}},
		{"header only", "a,b\n", [][]string{{"a", "b"}}},
		{"header only, no line ending", "a,b", [][]string{{"a", "b"}}},
		{"no last line ending", "a,b\n1,2", [][]string{{"a", "b"}, {"1", "2"}}},
		{"CRLF", "a,b\r\n1,2\r\n", [][]string{{"a", "b"}, {"1", "2"}}},
		{"CRLF cut short", "a,b\r\n1,2\r", [][]string{{"a", "b"}, {"1", "2"}}},
		{"quoted CRLF cut short", "a,b\r\n1,\"2\"\r", [][]string{{"a", "b"}, {"1", "2"}}},
		{"mixed line endings", "a,b\r\n1,2\n3,4\r\n", [][]string{{"a", "b"}, {"1", "2"}, {"3", "4"}}},
		{"CR in a cell", "a,b\n1\r2,3\r\r\n", [][]string{{"a", "b"}, {"1\r2", "3\r"}}},
		{"empty cells", "a,b,c\n,,\n1,,\n", [][]string{{"a", "b", "c"}, {"", "", ""}, {"1", "", ""}}},
		{"quoted", "a,b\n\"1\",\"2\"\n", [][]string{{"a", "b"}, {"1", "2"}}},
		{"quoted, nothing in it", "a,b\n\"\",\"\"\n", [][]string{{"a", "b"}, {"", ""}}},
		{"quoted delimiter", "a,b\n\"1,5\",2\n", [][]string{{"a", "b"}, {"1,5", "2"}}},
		{"quoted line endings", "a,b\n\"1\r\n2\n\n3\",4\n", [][]string{{"a", "b"}, {"1\r\n2\n\n3", "4"}}},
		{"quoted line ending last", "a,b\n1,\"2\r\n\"\r\n3,4\n", [][]string{{"a", "b"}, {"1", "2\r\n"}, {"3", "4"}}},
		{"doubled quotes", "a,b\n\"\"\"\",\"x \"\"y\"\" z\"\n", [][]string{{"a", "b"}, {`"`, `x "y" z`}}},
		{"quote within a plain cell", "a,b\n5\" disk,x\"\"y\n", [][]string{{"a", "b"}, {`5" disk`, `x""y`}}},
		{"quoted at the end of the file", "a,b\n1,\"2\"", [][]string{{"a", "b"}, {"1", "2"}}},
		{"quoted header", "\"a \"\"x\"\"\",\"b\nc\"\n1,2\n", [][]string{{`a "x"`, "b\nc"}, {"1", "2"}}},
		{"duplicate names", "a,a,a\n1,2,3\n", [][]string{{"a", "a", "a"}, {"1", "2", "3"}}},
		{"unnamed column", "a,,c\n1,2,3\n", [][]string{{"a", "", "c"}, {"1", "2", "3"}}},
		{"byte order mark", "\ufeffa,b\n1,2\n", [][]string{{"a", "b"}, {"1", "2"}}},
		{"byte order mark before a quote", "\ufeff\"a,1\",b\n1,2\n", [][]string{{"a,1", "b"}, {"1", "2"}}},
		{"byte order mark in a row", "a,b\n\ufeff1,2\n", [][]string{{"a", "b"}, {"\ufeff1", "2"}}},
		{"blank lines", "\n\r\na,b\n\n\n1,2\r\n\r\n3,4\n\n\n", [][]string{{"a", "b"}, {"1", "2"}, {"3", "4"}}},
		{"blank line and a CR at the end", "a,b\n1,2\n\r", [][]string{{"a", "b"}, {"1", "2"}}},
		{"no encoding", "name,town\nJos\xe9,\x81\xff\xfe\n", [][]string{{"name", "town"}, {"Jos\xe9", "\x81\xff\xfe"}}},
		{"one column", "name\nAda\n\nAlan", [][]string{{"name"}, {"Ada"}, {"Alan"}}},
		{"one column, empty cell", "name\n\"\"\nAlan\n", [][]string{{"name"}, {""}, {"Alan"}}},
		{"one column with commas", "company\nAcme, Inc.\nEmber\n", [][]string{{"company"}, {"Acme, Inc."}, {"Ember"}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			for name, in := range map[string]io.Reader{
				"at once":      strings.NewReader(test.list),
				"byte by byte": iotest.OneByteReader(strings.NewReader(test.list)),
				"early EOF":    iotest.DataErrReader(strings.NewReader(test.list)),
			} {
				r, err := csvtable.NewReader(in, "list.csv", csvtable.Options{})
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				got, err := readAll(r)
				if err != nil {
					t.Errorf("%s: %v", name, err)
				}
				if diff := cmp.Diff(test.want, got); diff != "" {
					t.Errorf("%s (-want +got):\n%s", name, diff)
				}
			}
		})
	}
}

func TestDialect(t *testing.T) {
	for _, test := range []struct {
		name, list string
		want       csvtable.Dialect
		columns    int
	}{
		{"comma", "a,b\n1,2\n", csvtable.Dialect{Delimiter: ',', LineEnding: "\n", Encoding: csvtable.UTF8}, 2},
		{"semicolon", "a;b\r\n1,5;2\r\n", csvtable.Dialect{Delimiter: ';', LineEnding: "\r\n", Encoding: csvtable.UTF8}, 2},
		{"tab", "a\tb\n1;x\t2,5\n", csvtable.Dialect{Delimiter: '\t', LineEnding: "\n", Encoding: csvtable.UTF8}, 2},
		{"bar", "a|b\n1|2\n", csvtable.Dialect{Delimiter: '|', LineEnding: "\n", Encoding: csvtable.UTF8}, 2},
		{"no line ending", "a;b", csvtable.Dialect{Delimiter: ';', LineEnding: "\n", Encoding: csvtable.UTF8}, 2},
		{"one column", "name\nAda\n", csvtable.Dialect{Delimiter: ',', LineEnding: "\n", Encoding: csvtable.UTF8}, 1},
		{"quoted commas", "\"a,b,c\";d\n\"1,2,3\";4\n", csvtable.Dialect{Delimiter: ';', LineEnding: "\n", Encoding: csvtable.UTF8}, 2},
		{"all quoted", "\"a\";\"b\"\n\"1\";\"2\"\n", csvtable.Dialect{Delimiter: ';', LineEnding: "\n", Encoding: csvtable.UTF8}, 2},
		{"rows outvote the header", "a;b (x,y,z)\n1;2\n3;4\n", csvtable.Dialect{Delimiter: ';', LineEnding: "\n", Encoding: csvtable.UTF8}, 2},
		{"decimal commas everywhere", "a;b\n1,5;2,5\n3,5;4,5\n", csvtable.Dialect{Delimiter: ';', LineEnding: "\n", Encoding: csvtable.UTF8}, 2},
		{"more columns of two that fit", "a,b,c|d\n1,2,3|4\n", csvtable.Dialect{Delimiter: ',', LineEnding: "\n", Encoding: csvtable.UTF8}, 3},
		{"a ragged row does not make it one column", "a,b\n1,2\n3\n", csvtable.Dialect{Delimiter: ',', LineEnding: "\n", Encoding: csvtable.UTF8}, 2},
		{"a wrong quote does not either", "a;b\n1;2\n\"3\"x;4\n", csvtable.Dialect{Delimiter: ';', LineEnding: "\n", Encoding: csvtable.UTF8}, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := newReader(t, test.list)
			if diff := cmp.Diff(test.want, r.Dialect()); diff != "" {
				t.Errorf("dialect (-want +got):\n%s", diff)
			}
			if got := len(r.Schema().Columns); got != test.columns {
				t.Errorf("%d columns, want %d", got, test.columns)
			}
		})
	}
}

func TestNumberAndLine(t *testing.T) {
	type place struct{ Number, Line int64 }
	r := newReader(t, "\na,\"b\n\"\n\n1,2\n3,\"4\r\n5\n\"\r\n\r\n6,7")
	var got []place
	err := eachRow(r, func(row table.Row) error {
		got = append(got, place{row.Number(), row.Line()})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]place{{1, 5}, {2, 6}, {3, 10}}, got); diff != "" {
		t.Errorf("places (-want +got):\n%s", diff)
	}
}

// The cells of a row must not disturb each other, whichever was asked for first.
func TestCellsStayValidWithinTheRow(t *testing.T) {
	r := newReader(t, "a,b,c\n\"1\"\"\",\"2\"\"\",3\n")
	err := eachRow(r, func(row table.Row) error {
		last, first, second := row.Cell(2), row.Cell(0), row.Cell(1)
		_ = append(first, "overrun"...)
		_ = append(last, "overrun"...)
		got := []string{string(first), string(second), string(last), string(row.Cell(0))}
		if diff := cmp.Diff([]string{`1"`, `2"`, "3", `1"`}, got); diff != "" {
			t.Errorf("cells (-want +got):\n%s", diff)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// The records are shifted byte by byte against the buffer, so that a record, a quote
// and a CRLF is cut at every place.
func TestRecordsAcrossBufferEdgesAreReadCorrectly(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long and tells nothing about data races")
	}
	const rows = 30_000
	row := "x,\"a \"\"b\"\"\r\nc\"\r\n\r\n"
	for shift := range len(row) {
		r := newReader(t, "k,v"+strings.Repeat("\n", shift+1)+strings.Repeat(row, rows))
		number := 0
		err := eachRow(r, func(row table.Row) error {
			if key, value := string(row.Cell(0)), string(row.Cell(1)); key != "x" || value != "a \"b\"\r\nc" {
				return fmt.Errorf("row %d is %q, %q", number, key, value)
			}
			if want := int64(3*number + shift + 2); row.Line() != want {
				return fmt.Errorf("row %d on line %d, want %d", number, row.Line(), want)
			}
			number++
			return nil
		})
		if err != nil || number != rows {
			t.Fatalf("shift %d: %d rows, %v", shift, number, err)
		}
	}
}

func TestLongCell(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long and tells nothing about data races")
	}
	long := strings.Repeat("0123456789\n", 1_000_000)
	got, err := readAll(newReader(t, "a,b\n1,\""+long+"\"\n2,3\n"))
	if err != nil {
		t.Fatal(err)
	}
	if !cmp.Equal([][]string{{"a", "b"}, {"1", long}, {"2", "3"}}, got) {
		t.Error("the long cell differs")
	}
}

func TestAReadErrorIsReturnedAndNotTakenForTheEnd(t *testing.T) {
	for _, failure := range []error{io.ErrUnexpectedEOF, os.ErrDeadlineExceeded} {
		in := io.MultiReader(strings.NewReader("a,b\n1,2\n3,4"), iotest.ErrReader(failure))
		r, err := csvtable.NewReader(in, "list.csv", csvtable.Options{})
		if err != nil {
			t.Fatal(err)
		}
		rows, err := readAll(r)
		if !errors.Is(err, failure) || !strings.Contains(err.Error(), "list.csv") {
			t.Errorf("err = %v, want %v with the file", err, failure)
		}
		if diff := cmp.Diff([][]string{{"a", "b"}, {"1", "2"}}, rows); diff != "" {
			t.Errorf("rows before the error (-want +got):\n%s", diff)
		}
		if _, again := r.Next(); !errors.Is(again, failure) {
			t.Errorf("Next after the error = %v, want it again", again)
		}
	}
	if _, err := csvtable.NewReader(iotest.ErrReader(io.ErrUnexpectedEOF), "list.csv", csvtable.Options{}); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("NewReader = %v, want the reader's error", err)
	}
}
