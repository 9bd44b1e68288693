package csvtable_test

import (
	"bytes"
	"encoding/csv"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"payonce/io/csvtable"
	"payonce/io/table"
)

// rawCell is a cell as it stands in a list and as it is meant.
type rawCell struct{ raw, value string }

func (c rawCell) quoted() bool { return strings.HasPrefix(c.raw, `"`) }

// rawRecord is a record with all that belongs to it.
type rawRecord struct {
	cells  []rawCell
	ending string // line ending and blank lines
}

// rawList is a list as it stands; the first record is the header.
type rawList struct {
	delimiter string
	lead      string
	records   []rawRecord
}

func (l rawList) String() string {
	var text strings.Builder
	text.WriteString(l.lead)
	for _, rec := range l.records {
		for i, cell := range rec.cells {
			if i > 0 {
				text.WriteString(l.delimiter)
			}
			text.WriteString(cell.raw)
		}
		text.WriteString(rec.ending)
	}
	return text.String()
}

func (l rawList) values() [][]string {
	var rows [][]string
	for _, rec := range l.records {
		var row []string
		for _, cell := range rec.cells {
			row = append(row, cell.value)
		}
		rows = append(rows, row)
	}
	return rows
}

func quote(value string) rawCell {
	return rawCell{`"` + strings.ReplaceAll(value, `"`, `""`) + `"`, value}
}

var (
	anyText   = rapid.StringOfN(rapid.RuneFrom([]rune("ab0 ,;\t|\"\r\n'=@é山\ufeff")), 0, 12, -1)
	anyEnding = rapid.SampledFrom([]string{"\n", "\r\n"})
	anyBlanks = rapid.SampledFrom([]string{"", "", "", "\n", "\r\n", "\n\r\n\n"})
	anyName   = rapid.StringMatching(`[a-z]{1,8}( [a-z]{1,4})?`)
)

// drawCell draws a cell of a row; plain ones are of text that needs no quotes.
func drawCell(t *rapid.T, delimiter string, alone bool) rawCell {
	value := anyText.Draw(t, "value")
	if rapid.Bool().Draw(t, "quoted") {
		return quote(value)
	}
	value = strings.NewReplacer("\n", "", delimiter, "").Replace(value)
	if alone { // other delimiters could make the list one of several columns
		value = strings.NewReplacer(";", "", "\t", "", "|", "").Replace(value)
	}
	value = strings.TrimRight(strings.TrimLeft(value, "\""), "\r")
	if alone && strings.TrimLeft(value, "\r") == "" { // the line would be blank
		return quote(value)
	}
	return rawCell{value, value}
}

func drawName(t *rapid.T, delimiter string) rawCell {
	name := anyName.Draw(t, "name")
	if rapid.Bool().Draw(t, "quoted name") {
		return quote(name + rapid.SampledFrom([]string{"", "\r\n", `"x"`, delimiter}).Draw(t, "name ending"))
	}
	return rawCell{name, name}
}

func drawList(t *rapid.T) rawList {
	list := rawList{
		delimiter: rapid.SampledFrom([]string{",", ";", "\t", "|"}).Draw(t, "delimiter"),
		lead: rapid.SampledFrom([]string{"", "\ufeff"}).Draw(t, "mark") +
			anyBlanks.Draw(t, "blank lines before the header"),
	}
	columns := rapid.IntRange(1, 5).Draw(t, "columns")
	if columns == 1 {
		list.delimiter = "," // which is taken for a list without any
	}
	for row := range rapid.IntRange(1, 8).Draw(t, "records") {
		rec := rawRecord{ending: anyEnding.Draw(t, "ending") + anyBlanks.Draw(t, "blank lines")}
		for range columns {
			if row == 0 {
				rec.cells = append(rec.cells, drawName(t, list.delimiter))
			} else {
				rec.cells = append(rec.cells, drawCell(t, list.delimiter, columns == 1))
			}
		}
		list.records = append(list.records, rec)
	}
	if rapid.Bool().Draw(t, "no last line ending") {
		list.records[len(list.records)-1].ending = ""
	}
	return list
}

func TestTheReaderAgreesWithEncodingCSV(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := drawList(t)
		r, err := csvtable.NewReader(strings.NewReader(list.String()), "list.csv", csvtable.Options{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := readAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(list.values(), got); diff != "" {
			t.Fatalf("cells (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(oracle(list.String(), list.delimiter[0], got), withoutCRLF(got)); diff != "" {
			t.Fatalf("cells (-encoding/csv +got):\n%s", diff)
		}
	})
}

// oracle reads a list with encoding/csv, which makes CRLF within quotes LF. Where it
// reads no such list it returns the cells given.
func oracle(list string, delimiter byte, otherwise [][]string) [][]string {
	r := csv.NewReader(strings.NewReader(strings.TrimPrefix(list, "\ufeff")))
	r.Comma = rune(delimiter)
	rows, err := r.ReadAll()
	if err != nil {
		return withoutCRLF(otherwise)
	}
	return rows
}

func withoutCRLF(rows [][]string) [][]string {
	var without [][]string
	for _, row := range rows {
		var cells []string
		for _, cell := range row {
			cells = append(cells, strings.ReplaceAll(cell, "\r\n", "\n"))
		}
		without = append(without, cells)
	}
	return without
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := drawList(t).String()
		got, err := rewrite(list, nil, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(list, got); diff != "" {
			t.Fatalf("list (-want +got):\n%s", diff)
		}
	})
}

// TestFillAndAppend changes the model of a list and the list itself in the same way.
func TestFillAndAppend(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := drawList(t)
		r, err := csvtable.NewReader(strings.NewReader(list.String()), "list.csv", csvtable.Options{})
		if err != nil {
			t.Fatal(err)
		}
		width := len(r.Schema().Columns)
		names := rapid.SliceOfN(anyName, 0, 3).Draw(t, "appended names")
		alone := width+len(names) == 1
		list.records[0].append(names, list.delimiter, alone)
		var out bytes.Buffer
		w := csvtable.NewWriter(&out, r, columns(names...))
		err = eachBlock(r, func(block table.Block) error {
			part := w.Part(block)
			err := block.Each(func(row table.Row) error {
				rec := &list.records[row.Number()]
				fills := drawFills(t, width)
				appended := rapid.SliceOfN(anyText, len(names), len(names)).Draw(t, "appended")
				rec.fill(fills, list.delimiter, alone)
				rec.append(appended, list.delimiter, alone)
				return part.WriteRow(row, fills, texts(appended...))
			})
			return errors.Join(err, w.Write(part))
		})
		if err := errors.Join(err, w.Close(), r.Close()); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(list.String(), out.String()); diff != "" {
			t.Fatalf("list (-want +got):\n%s", diff)
		}
		again, err := csvtable.NewReader(&out, "out.csv", csvtable.Options{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := readAll(again)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(list.values(), got); diff != "" && !alone {
			t.Fatalf("read back (-want +got):\n%s", diff)
		}
	})
}

// TestAWriterCanLeaveOutRows leaves out rows, as a list of rejects does.
func TestAWriterCanLeaveOutRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := drawList(t)
		r := inChunks(t, list.String(), rapid.IntRange(1, 200).Draw(t, "chunk size"))
		names := rapid.SliceOfN(anyName, 0, 2).Draw(t, "appended names")
		alone := len(list.records[0].cells)+len(names) == 1
		list.records[0].append(names, list.delimiter, alone)
		kept := list.records[:1:1]
		var out bytes.Buffer
		w := csvtable.NewWriter(&out, r, columns(names...))
		err := eachBlock(r, func(block table.Block) error {
			part := w.Part(block)
			err := block.Each(func(row table.Row) error {
				if rapid.Bool().Draw(t, "left out") {
					return nil
				}
				rec := list.records[row.Number()]
				rec.append(names, list.delimiter, alone)
				kept = append(kept, rec)
				return part.WriteRow(row, nil, texts(names...))
			})
			return errors.Join(err, w.Write(part))
		})
		if err := errors.Join(err, w.Close(), r.Close()); err != nil {
			t.Fatal(err)
		}
		list.records = kept
		if diff := cmp.Diff(list.String(), out.String()); diff != "" {
			t.Fatalf("list (-want +got):\n%s", diff)
		}
	})
}

func drawFills(t *rapid.T, columns int) []table.Fill {
	var fills []table.Fill
	for column := range columns {
		if rapid.Bool().Draw(t, "filled") {
			fills = append(fills, table.Fill{Column: column, Value: anyText.Draw(t, "fill")})
		}
	}
	return fills
}

func (rec *rawRecord) fill(fills []table.Fill, delimiter string, alone bool) {
	for _, fill := range fills {
		cell := encode(fill.Value, delimiter, alone)
		if rec.cells[fill.Column].quoted() {
			cell = quote(fill.Value)
		}
		rec.cells[fill.Column] = cell
	}
}

func (rec *rawRecord) append(values []string, delimiter string, alone bool) {
	for _, value := range values {
		rec.cells = append(rec.cells, encode(value, delimiter, alone))
	}
}

// encode is the rule by which new text is quoted.
func encode(value, delimiter string, alone bool) rawCell {
	if strings.ContainsAny(value, "\r\n\""+delimiter) || strings.Trim(value, " \t") != value || alone && value == "" {
		return quote(value)
	}
	return rawCell{value, value}
}

// TestEncodeAndReadBack writes rows of another format and reads them again.
func TestEncodeAndReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		columns := rapid.IntRange(2, 5).Draw(t, "columns")
		want := [][]string{rapid.SliceOfN(anyName, columns, columns).Draw(t, "names")}
		dialect := csvtable.Dialect{
			Delimiter:  rapid.SampledFrom([]byte(",;\t|")).Draw(t, "delimiter"),
			LineEnding: anyEnding.Draw(t, "ending"),
		}
		var out bytes.Buffer
		w := csvtable.NewEncoder(&out, dialect, table.Schema{Columns: want[0]}, nil)
		part := w.Part(nil)
		for range rapid.IntRange(0, 5).Draw(t, "rows") {
			row := rapid.SliceOfN(anyText, columns, columns).Draw(t, "row")
			if err := part.WriteRow(memoryRow(row), nil, nil); err != nil {
				t.Fatal(err)
			}
			want = append(want, row)
		}
		if err := errors.Join(w.Write(part), w.Close()); err != nil {
			t.Fatal(err)
		}
		r, err := csvtable.NewReader(&out, "out.csv", csvtable.Options{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := readAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("read back (-want +got):\n%s", diff)
		}
	})
}
