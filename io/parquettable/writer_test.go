package parquettable

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math/big"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"payonce/enrich"
	"payonce/io/table"
)

// change says what a row gets.
type change func(row table.Row) (fills []table.Fill, appended []string)

// writeRows writes rows of a list with w; those for which change returns no appended
// values are left out.
func writeRows(list table.Reader, w table.Writer, make change) error {
	for {
		b, err := list.Next()
		if errors.Is(err, io.EOF) {
			return w.Close()
		}
		if err != nil {
			return err
		}
		p := w.Part(b)
		err = b.Each(func(row table.Row) error {
			fills, values := make(row)
			if values == nil {
				return nil
			}
			return p.WriteRow(row, fills, cellsOfRow(p, values))
		})
		if err != nil {
			return err
		}
		if err := w.Write(p); err != nil {
			return err
		}
		b.Release()
	}
}

// cellsOfRow returns texts as values of the columns that are appended to a part.
func cellsOfRow(p table.Part, texts []string) (cells []enrich.Cell) {
	var columns []table.Column
	switch p := p.(type) {
	case *copiedPart:
		columns = p.appended
	case *encodedPart:
		columns = p.appended
	case *subsetPart:
		columns = p.appended
	}
	for i, text := range texts {
		cells = append(cells, cellOf(columns[i].Kind, text))
	}
	return cells
}

// cellOf returns a text as a value of a kind. The texts of a list are words, or a JSON array.
func cellOf(kind enrich.CellKind, text string) enrich.Cell {
	cell := enrich.Cell{Kind: kind, Known: text != ""}
	var err error
	switch {
	case !cell.Known:
	case kind == enrich.MoneyCell:
		amount, isAmount := new(big.Rat).SetString(text)
		if micros := amount.Mul(amount, big.NewRat(1_000_000, 1)); !isAmount || !micros.IsInt() {
			panic(text + " is not an amount")
		}
		cell.Text, cell.Integer = text, amount.Num().Int64()
	case kind == enrich.TimestampCell:
		cell.Time, err = time.Parse(time.RFC3339, text)
	case kind == enrich.DateCell:
		cell.Time, err = time.Parse(time.DateOnly, text)
	case kind == enrich.IntegerCell:
		cell.Integer, err = strconv.ParseInt(text, 10, 64)
	case kind == enrich.NumberCell:
		cell.Number, err = strconv.ParseFloat(text, 64)
	case kind == enrich.FlagCell:
		cell.Flag, err = strconv.ParseBool(text)
	case kind == enrich.TextsCell && text[0] == '[':
		err = json.Unmarshal([]byte(text), &cell.Texts)
	case kind == enrich.TextsCell:
		cell.Texts = strings.Fields(text)
	default:
		cell.Text = text
	}
	if err != nil {
		panic(err)
	}
	return cell
}

// rewrite writes a list again with columns filled and appended. It reads those that are
// filled.
func rewrite(t testing.TB, path string, filled []int, appended []table.Column, make change) (string, error) {
	t.Helper()
	return rewriteReading(t, path, append([]int{}, filled...), filled, appended, make)
}

// rewriteReading is rewrite with the list opened for these columns.
func rewriteReading(t testing.TB, path string, columns, filled []int, appended []table.Column, make change) (string, error) {
	t.Helper()
	list, err := Open(path, columns)
	if err != nil {
		t.Fatal(err)
	}
	defer list.Close()
	var out bytes.Buffer
	w, err := NewWriter(&out, list, filled, appended)
	if err != nil {
		return "", err
	}
	if err := writeRows(list, w, make); err != nil {
		w.Discard()
		return "", err
	}
	return save(t, out.Bytes()), nil
}

// result is what the program appends, one column of every kind.
func result() []table.Column {
	return []table.Column{
		{Name: "status", Kind: enrich.TextCell},
		{Name: "charge", Kind: enrich.MoneyCell},
		{Name: "at", Kind: enrich.TimestampCell},
		{Name: "missing", Kind: enrich.TextsCell},
	}
}

// footerOf returns the footer of a file.
func footerOf(t testing.TB, path string) *metadata.FileMetaData {
	t.Helper()
	r, err := Open(path, []int{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	return r.meta
}

// chunkBytes returns the bytes of a column chunk.
func chunkBytes(t testing.TB, path string, g, leaf int) []byte {
	t.Helper()
	all, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	chunk := footerOf(t, path).RowGroups[g].Columns[leaf].MetaData
	start := chunkStart(chunk.DictionaryPageOffset, chunk.DataPageOffset)
	return all[start : start+chunk.TotalCompressedSize]
}

func TestWriterFillsAppendsAndCarriesOver(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		list := drawList(rt)
		path := save(t, list.sample(t, drawOptions(rt)).write(t))
		rows := list.rows()
		filled := rapid.SliceOfDistinct(rapid.IntRange(0, len(list.names)-1), rapid.ID).Draw(rt, "filled")
		slices.Sort(filled)
		value := rapid.SampledFrom([]string{"", "x", "a filled value"})
		want := make([][]string, len(rows))
		out, err := rewrite(t, path, filled, result(), func(row table.Row) (fills []table.Fill, appended []string) {
			cells := slices.Clone(rows[row.Number()-1])
			for _, column := range filled {
				if cells[column] == "∅" && rapid.Bool().Draw(rt, "fills") {
					fill := value.Draw(rt, "fill")
					fills = append(fills, table.Fill{Column: column, Value: fill})
					if fill != "" {
						cells[column] = fill
					}
				}
			}
			want[row.Number()-1] = append(cells, "ok", "-0.150001", "2026-02-03T04:05:06.5Z")
			return fills, []string{"ok", "-0.150001", "2026-02-03T05:05:06.5+01:00", "a b"}
		})
		if err != nil {
			rt.Fatal(err)
		}
		var columns []int
		for i := range len(list.names) + 3 {
			columns = append(columns, i)
		}
		got, err := cellsOf(out, columns)
		if err != nil {
			rt.Fatal(err)
		}
		if diff := cmp.Diff(want, got, cmpEmpty()); diff != "" {
			rt.Fatal(diff)
		}
		was, is := footerOf(t, path), footerOf(t, out)
		for g, group := range was.RowGroups {
			if is.RowGroups[g].NumRows != group.NumRows {
				rt.Fatalf("row group %d has %d rows, had %d", g, is.RowGroups[g].NumRows, group.NumRows)
			}
			for leaf := range group.Columns {
				if !slices.Contains(filled, leaf) && !bytes.Equal(chunkBytes(t, path, g, leaf), chunkBytes(t, out, g, leaf)) {
					rt.Fatalf("column %d of row group %d is not as it was", leaf, g)
				}
			}
			checkNulls(rt, is, g, want[:group.NumRows])
			want = want[group.NumRows:]
		}
	})
}

// checkNulls compares how many nulls the columns of a row group have to its statistics
// with how many they have.
func checkNulls(t *rapid.T, meta *metadata.FileMetaData, g int, rows [][]string) {
	if len(rows) == 0 {
		return
	}
	for leaf := range rows[0] {
		nulls := int64(0)
		for _, cells := range rows {
			if cells[leaf] == "∅" {
				nulls++
			}
		}
		if got := *meta.RowGroups[g].Columns[leaf].MetaData.Statistics.NullCount; got != nulls {
			t.Fatalf("column %d of row group %d has %d nulls to its statistics, in truth %d", leaf, g, got, nulls)
		}
	}
}

// cmpEmpty takes no rows and a nil list of rows for the same.
func cmpEmpty() cmp.Option {
	return cmp.FilterValues(func(a, b [][]string) bool { return len(a) == 0 && len(b) == 0 }, cmp.Ignore())
}

func TestWriterKeepsNestedColumnsAndTheFooter(t *testing.T) {
	s := nested(t)
	s.metadata = metadata.NewKeyValueMetadata()
	if err := s.metadata.Append("key", "value"); err != nil {
		t.Fatal(err)
	}
	s.options = []parquet.WriterProperty{parquet.WithCreatedBy("another program"), parquet.WithSortingColumns([]parquet.SortingColumn{{ColumnIdx: 6}, {ColumnIdx: 0}, {ColumnIdx: 1}})}
	s.groups = append(s.groups, s.groups[0])
	path := save(t, s.write(t))
	out, err := rewrite(t, path, []int{0}, result()[:1], func(row table.Row) ([]table.Fill, []string) {
		if row.Number() == 2 {
			return []table.Fill{{Column: 0, Value: "filled"}}, []string{""}
		}
		return nil, []string{"ok"}
	})
	if err != nil {
		t.Fatal(err)
	}
	got, err := cellsOf(out, []int{0, 5})
	if diff := cmp.Diff([][]string{{"Zoë", "ok"}, {"filled", "∅"}, {"Ada", "ok"}, {"Zoë", "ok"}, {"∅", "ok"}, {"Ada", "ok"}}, got); diff != "" || err != nil {
		t.Error(diff, err)
	}
	was, is := footerOf(t, path), footerOf(t, out)
	for g := range was.RowGroups {
		for leaf := 1; leaf < was.NumColumns(); leaf++ {
			if !bytes.Equal(chunkBytes(t, path, g, leaf), chunkBytes(t, out, g, leaf)) {
				t.Errorf("column %d of row group %d is not as it was", leaf, g)
			}
			if !cmp.Equal(was.RowGroups[g].Columns[leaf].MetaData.Statistics, is.RowGroups[g].Columns[leaf].MetaData.Statistics) {
				t.Errorf("the statistics of column %d of row group %d are not as they were", leaf, g)
			}
		}
	}
	if sorted := is.RowGroups[0].SortingColumns; len(sorted) != 1 || sorted[0].ColumnIdx != 6 {
		t.Errorf("the row group with a filled cell is sorted by %v", sorted)
	}
	if sorted := is.RowGroups[1].SortingColumns; len(sorted) != 3 || !bytes.Equal(chunkBytes(t, path, 1, 0), chunkBytes(t, out, 1, 0)) {
		t.Errorf("the row group without a filled cell is sorted by %v, and not as it was", sorted)
	}
	if got := is.KeyValueMetadata().FindValue("key"); got == nil || *got != "value" || is.GetCreatedBy() != "another program" {
		t.Errorf("metadata %v of %s", is.KeyValueMetadata(), is.GetCreatedBy())
	}
	for i := range was.Schema.Root().NumFields() {
		if !was.Schema.Root().Field(i).Equals(is.Schema.Root().Field(i)) {
			t.Errorf("field %d is %v, was %v", i, is.Schema.Root().Field(i), was.Schema.Root().Field(i))
		}
	}
}

// readAll returns the blocks of a list and a copy of every row.
func readAll(t *testing.T, path string, columns []int) (blocks []table.Block, rows []table.Row) {
	t.Helper()
	r, err := Open(path, columns)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	for {
		b, err := r.Next()
		if errors.Is(err, io.EOF) {
			return blocks, rows
		}
		if err != nil {
			t.Fatal(err)
		}
		blocks = append(blocks, b)
		_ = b.Each(func(visited table.Row) error {
			kept := *visited.(*row)
			rows = append(rows, &kept)
			return nil
		})
	}
}

// TestRowsNeedNotHaveTheColumnsThatAreFilled opens the list for no column at all, or for
// another one.
func TestRowsNeedNotHaveTheColumnsThatAreFilled(t *testing.T) {
	path := twoGroups(t)
	for _, columns := range [][]int{{}, {0}, nil} {
		out, err := rewriteReading(t, path, columns, []int{1}, nil, func(row table.Row) ([]table.Fill, []string) {
			if row.Number()%2 == 0 {
				return []table.Fill{{Column: 1, Value: "filled"}}, []string{}
			}
			return nil, []string{}
		})
		if err != nil {
			t.Fatal(err)
		}
		got, err := cellsOf(out, nil)
		want := [][]string{{"1", "x"}, {"2", "filled"}, {"3", "y"}, {"4", "filled"}, {"5", ""}}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Error(columns, diff, err)
		}
	}
}
