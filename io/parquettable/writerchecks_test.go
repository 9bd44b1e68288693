package parquettable

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"payonce/enrich"
	"payonce/io/table"
)

// twoGroups is a list of five rows and two columns in three row groups, one empty.
func twoGroups(t testing.TB) string {
	list := drawn{names: []string{"a", "b"}, groups: [][][]string{
		{{"1", "x"}, {"2", "∅"}, {"3", "y"}}, {}, {{"4", "z"}, {"5", ""}},
	}}
	return save(t, list.sample(t, nil).write(t))
}

func TestColumnsThatCannotBeFilled(t *testing.T) {
	s := nested(t)
	none := schema.NoLogicalType{}
	s.fields = append(s.fields,
		logical(t, "int", none, parquet.Types.Int64, -1), logical(t, "fixed", none, parquet.Types.FixedLenByteArray, 3),
		logical(t, "json", schema.JSONLogicalType{}, parquet.Types.ByteArray, -1), logical(t, "decimal", schema.NewDecimalLogicalType(4, 2), parquet.Types.ByteArray, -1),
	)
	s.groups = nil
	list, err := Open(save(t, s.write(t)), []int{})
	if err != nil {
		t.Fatal(err)
	}
	defer list.Close()
	for column, want := range map[int]string{
		1: "column list holds lists", 2: "column pair holds structs", 3: "column m holds maps", 5: "column int holds values of type INT64",
		6: "column fixed holds values of type FIXED_LEN_BYTE_ARRAY", 7: "column json holds values of type JSON", 8: "column decimal holds values of type Decimal",
	} {
		_, err := NewWriter(io.Discard, list, []int{column}, nil)
		if !isListError(err, want) || !strings.Contains(err.Error(), "map a column of texts in its place") {
			t.Errorf("column %d: %v", column, err)
		}
	}
	if _, err := NewWriter(io.Discard, list, []int{9}, nil); err == nil {
		t.Error("a column that is not there can be filled")
	}
	if _, err := NewWriter(io.Discard, list, nil, []table.Column{{Name: "a", Kind: 99}}); err == nil {
		t.Error("a column of an unknown kind can be appended")
	}
}

func TestWriterRefusesWhatWouldNotBeTheList(t *testing.T) {
	path := twoGroups(t)
	other := twoGroups(t)
	for name, c := range map[string]struct {
		rows string // the path of the list that rows come from
		use  func(w *Writer, blocks []table.Block, rows []table.Row) error
		want string
	}{
		"a row left out": {path, func(w *Writer, blocks []table.Block, rows []table.Row) error {
			return w.Part(blocks[0]).WriteRow(rows[1], nil, []enrich.Cell{{}})
		}, "write all rows in order"},
		"a part left out": {path, func(w *Writer, blocks []table.Block, rows []table.Row) error {
			p := w.Part(blocks[1])
			return errors.Join(p.WriteRow(rows[3], nil, []enrich.Cell{{}}), p.WriteRow(rows[4], nil, []enrich.Cell{{}}), w.Write(p))
		}, "follow row 0"},
		"an empty part": {path, func(w *Writer, blocks []table.Block, _ []table.Row) error {
			return w.Write(w.Part(blocks[0]))
		}, "0 rows from row 1"},
		"a row of another block": {path, func(w *Writer, blocks []table.Block, rows []table.Row) error {
			return w.Part(blocks[1]).WriteRow(rows[0], nil, []enrich.Cell{{}})
		}, "is not in this block"},
		"a row of another list": {other, func(w *Writer, blocks []table.Block, rows []table.Row) error {
			return w.Part(blocks[0]).WriteRow(rows[0], nil, []enrich.Cell{{}})
		}, "is not in this block"},
		"a fill of another column": {path, func(w *Writer, blocks []table.Block, rows []table.Row) error {
			return w.Part(blocks[0]).WriteRow(rows[0], []table.Fill{{Column: 0}}, []enrich.Cell{{}})
		}, "was not told to fill"},
		"fills in disorder": {path, func(w *Writer, blocks []table.Block, rows []table.Row) error {
			return w.Part(blocks[0]).WriteRow(rows[0], []table.Fill{{Column: 1}, {Column: 1}}, []enrich.Cell{{}})
		}, "fills ascend"},
		"a fill outside": {path, func(w *Writer, blocks []table.Block, rows []table.Row) error {
			return w.Part(blocks[0]).WriteRow(rows[0], []table.Fill{{Column: 2}}, []enrich.Cell{{}})
		}, "fills ascend"},
		"too few values": {path, func(w *Writer, blocks []table.Block, rows []table.Row) error {
			return w.Part(blocks[0]).WriteRow(rows[0], nil, nil)
		}, "row 1 has 0 appended values"},
		"no amount": {path, func(w *Writer, blocks []table.Block, rows []table.Row) error {
			return w.Part(blocks[0]).WriteRow(rows[0], nil, []enrich.Cell{enrich.TextOf("a lot")})
		}, "row 1 has text for the column charge; the column is an amount"},
		"rows missing at the end": {path, func(w *Writer, _ []table.Block, _ []table.Row) error {
			return w.Close()
		}, "0 of 5 rows"},
	} {
		t.Run(name, func(t *testing.T) {
			list, err := Open(path, []int{1})
			if err != nil {
				t.Fatal(err)
			}
			defer list.Close()
			w, err := NewWriter(io.Discard, list, []int{1}, result()[1:2])
			if err != nil {
				t.Fatal(err)
			}
			blocks, rows := readAll(t, c.rows, []int{1})
			if err := c.use(w, blocks, rows); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v", err)
			}
		})
	}
}

// failing is a file that takes some bytes and then no more.
type failing struct{ left int }

var errFull = errors.New("no space left")

func (f *failing) Write(data []byte) (int, error) {
	if f.left -= len(data); f.left < 0 {
		return 0, errFull
	}
	return len(data), nil
}

func TestErrorsOfTheFileBelowAreReturned(t *testing.T) {
	path := twoGroups(t)
	values := func(table.Row) ([]table.Fill, []string) { return nil, []string{"a", "", "", ""} }
	for name, open := range map[string]func(out io.Writer, list *Reader) (table.Writer, error){
		"writer": func(out io.Writer, list *Reader) (table.Writer, error) {
			return NewWriter(out, list, []int{0}, result())
		},
		"encoder": func(out io.Writer, list *Reader) (table.Writer, error) {
			return NewEncoder(out, list.Schema(), result())
		},
		"subset": func(out io.Writer, list *Reader) (table.Writer, error) { return NewSubset(out, list, result()) },
	} {
		for left := 0; ; left += 50 {
			list, err := Open(path, nil)
			if err != nil {
				t.Fatal(err)
			}
			w, err := open(&failing{left}, list)
			if err == nil {
				err = writeRows(list, w, values)
			}
			if err := list.Close(); err != nil {
				t.Fatal(err)
			}
			if err == nil {
				break
			}
			if !errors.Is(err, errFull) {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
}
