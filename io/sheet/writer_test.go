package sheet

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"
	"pgregory.net/rapid"

	"payonce/enrich"
	"payonce/io/table"
)

// rewrite writes a list again.
func rewrite(t testing.TB, path string, appended []table.Column, change func(row table.Row) ([]table.Fill, []string)) (string, error) {
	t.Helper()
	list, err := Open(path, "", 0)
	if err != nil {
		t.Fatal(err)
	}
	defer list.Close()
	var out bytes.Buffer
	w, err := NewWriter(&out, list, nil, appended)
	if err != nil {
		return "", err
	}
	err = writeRows(list, w, change)
	return save(t, out.Bytes()), err
}

// drawRows draws a header and rows of its width.
func drawRows(t *rapid.T) (header []string, rows [][]string) {
	width := rapid.IntRange(1, 4).Draw(t, "width")
	cell := rapid.OneOf(rapid.Just(""), rapid.SampledFrom([]string{"a", " b ", "Zoë", "7", "<&>\"'", "x\ny"}))
	for i := range width {
		header = append(header, string(rune('a'+i)))
	}
	rows = rapid.SliceOfN(rapid.SliceOfN(cell, width, width), 0, 8).Draw(t, "rows")
	return header, rows
}

func asAny(cells []string) (values []any) {
	for _, cell := range cells {
		if cell == "" {
			values = append(values, nil)
			continue
		}
		values = append(values, cell)
	}
	return values
}

func blank(cells []string) bool { return strings.Join(cells, "") == "" }

func TestTheSheetWriterChangesOnlyTheGivenCells(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		header, rows := drawRows(rt)
		all := [][]any{asAny(header)}
		for _, cells := range rows {
			all = append(all, asAny(cells))
		}
		path := save(t, withRows(t, all...))
		want := [][]string{append(append([]string{}, header...), "status", "charge")}
		at := 0
		out, err := rewrite(t, path, []table.Column{{Name: "status"}, {Name: "charge", Kind: enrich.MoneyCell}}, func(row table.Row) (fills []table.Fill, appended []string) {
			for blank(rows[at]) {
				at++
			}
			cells := append([]string{}, rows[at]...)
			at++
			for i := range cells {
				if cells[i] == "" && rapid.Bool().Draw(rt, "fills") {
					cells[i] = rapid.SampledFrom([]string{"filled", " <b> & \"c\" "}).Draw(rt, "fill")
					fills = append(fills, table.Fill{Column: i, Value: cells[i]})
				}
			}
			appended = []string{rapid.SampledFrom([]string{"", "matched"}).Draw(rt, "status"), "0.15"}
			want = append(want, append(cells, appended...))
			return fills, appended
		})
		if err != nil {
			rt.Fatal(err)
		}
		got, err := cellsOf(out, "")
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			rt.Fatal(diff, err)
		}
		before, after := parts(t, path), parts(t, out)
		delete(before, sheetPart)
		delete(after, sheetPart)
		if diff := cmp.Diff(before, after); diff != "" {
			rt.Fatal(diff)
		}
	})
}

func TestWriterKeepsFormatsAndTheOtherSheets(t *testing.T) {
	path := save(t, workbook(t, func(book *excelize.File) error {
		bold, err := book.NewStyle(&excelize.Style{Font: &excelize.Font{Bold: true}})
		if err != nil {
			return err
		}
		_, err = book.NewSheet("Other")
		return errors.Join(err,
			book.SetSheetRow("Sheet1", "A1", &[]any{"name", "phone", "twice"}),
			book.SetSheetRow("Sheet1", "A2", &[]any{"Zoë", nil, nil}),
			book.SetSheetRow("Sheet1", "A3", &[]any{"Ada", 15551234567, nil}),
			book.SetCellStyle("Sheet1", "B2", "B3", bold),
			book.SetCellFormula("Sheet1", "C2", "1+1"),
			book.SetColWidth("Sheet1", "A", "A", 40),
		)
	}))
	out, err := rewrite(t, path, []table.Column{{Name: "charge", Kind: enrich.MoneyCell}}, func(row table.Row) ([]table.Fill, []string) {
		if row.Number() == 1 {
			return []table.Fill{{Column: 1, Value: "+1 311 555 0136"}, {Column: 2, Value: "filled"}}, []string{"0.15"}
		}
		return nil, []string{""}
	})
	if err != nil {
		t.Fatal(err)
	}
	book, err := excelize.OpenFile(out)
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	style, err := book.GetCellStyle("Sheet1", "B2")
	if err != nil || style == 0 {
		t.Errorf("the filled cell has the style %d, %v", style, err)
	}
	kind, err := book.GetCellType("Sheet1", "D2")
	if value, _ := book.GetCellValue("Sheet1", "D2"); value != "0.15" || kind != excelize.CellTypeUnset || err != nil {
		t.Errorf("the amount is %s of type %d, %v", value, kind, err)
	}
	if formula, err := book.GetCellFormula("Sheet1", "C2"); formula != "" || err != nil {
		t.Errorf("the filled cell has the formula %s, %v", formula, err)
	}
	if width, err := book.GetColWidth("Sheet1", "A"); width != 40 || err != nil {
		t.Errorf("column A is %v wide, %v", width, err)
	}
	if sheets := book.GetSheetList(); len(sheets) != 2 {
		t.Errorf("sheets %v", sheets)
	}
}

// TestWorkbooksOfOtherProgramsAreRewritten has sheets as other programs write them: without the names
// of rows and cells, with a prefix, with rows in one element.
func TestWorkbooksOfOtherProgramsAreRewritten(t *testing.T) {
	base := withRows(t, []any{"x"})
	const cell = ` t="inlineStr"><is><t>`
	for name, c := range map[string]struct{ before, after string }{
		"without names": {
			`<worksheet><sheetData><row><c t="str"><v>a</v></c><c t="str"><v>b</v></c></row><row><c/><c t="str"><v>2</v></c></row></sheetData></worksheet>`,
			`<worksheet><sheetData><row><c t="str"><v>a</v></c><c t="str"><v>b</v></c><c r="C1"` + cell + `new</t></is></c></row>` +
				`<row><c r="A2"` + cell + `f</t></is></c><c t="str"><v>2</v></c><c r="C2"` + cell + `v</t></is></c></row></sheetData></worksheet>`,
		},
		"with a prefix": {
			`<x:worksheet xmlns:x="u"><x:dimension ref="A1:B2"/><x:sheetData><x:row r="1" spans="1:2"><x:c r="A1" t="str"><x:v>a</x:v></x:c><x:c r="B1" t="str"><x:v>b</x:v></x:c></x:row>` +
				`<x:row r="2" spans='1:2' ht="3"><x:c r="B2" t="str"><x:v>2</x:v></x:c></x:row></x:sheetData></x:worksheet>`,
			`<x:worksheet xmlns:x="u"><x:sheetData><x:row r="1"><x:c r="A1" t="str"><x:v>a</x:v></x:c><x:c r="B1" t="str"><x:v>b</x:v></x:c>` +
				`<x:c r="C1" t="inlineStr"><x:is><x:t>new</x:t></x:is></x:c></x:row>` +
				`<x:row r="2" ht="3"><x:c r="A2" t="inlineStr"><x:is><x:t>f</x:t></x:is></x:c><x:c r="B2" t="str"><x:v>2</x:v></x:c>` +
				`<x:c r="C2" t="inlineStr"><x:is><x:t>v</x:t></x:is></x:c></x:row></x:sheetData></x:worksheet>`,
		},
		"with more behind": {
			"<?xml version=\"1.0\"?>\n<worksheet><!-- c --><sheetData><row r=\"3\"><c r=\"A3\" t=\"str\"><v>a</v></c><c r=\"B3\" t=\"str\"><v>b</v></c></row><row r=\"5\"/>" +
				"<row r=\"9\"><c r=\"A9\" s=\"1\"/><c r=\"B9\"><v>2</v></c><extLst/></row></sheetData><mergeCells/></worksheet>\n",
			"<?xml version=\"1.0\"?>\n<worksheet><!-- c --><sheetData><row r=\"3\"><c r=\"A3\" t=\"str\"><v>a</v></c><c r=\"B3\" t=\"str\"><v>b</v></c><c r=\"C3\"" + cell + "new</t></is></c></row><row r=\"5\"/>" +
				"<row r=\"9\"><c r=\"A9\" s=\"1\"" + cell + "f</t></is></c><c r=\"B9\"><v>2</v></c><extLst/><c r=\"C9\"" + cell + "v</t></is></c></row></sheetData><mergeCells/></worksheet>\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := rewrite(t, save(t, replacePart(t, base, sheetPart, c.before)), []table.Column{{Name: "new"}}, func(table.Row) ([]table.Fill, []string) {
				return []table.Fill{{Column: 0, Value: "f"}}, []string{"v"}
			})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.after, parts(t, out)[sheetPart]); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAFilledCellLosesItsFormula(t *testing.T) {
	base := withRows(t, []any{"x"})
	base = replacePart(t, base, calculationPart, `<calcChain xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><c r="B2" i="1"/></calcChain>`)
	base = replacePart(t, base, typesPart, strings.Replace(parts(t, save(t, base))[typesPart], "</Types>", `<Override PartName="/xl/calcChain.xml" ContentType="c"></Override></Types>`, 1))
	sheet := func(formula string) string {
		return save(t, replacePart(t, base, sheetPart, `<worksheet><sheetData><row r="1"><c r="A1" t="str"><v>a</v></c><c r="B1" t="str"><v>b</v></c></row>`+
			`<row r="2"><c r="A2" t="str"><v>1</v></c><c r="B2" t="str">`+formula+`<v></v></c></row></sheetData></worksheet>`))
	}
	fill := func(table.Row) ([]table.Fill, []string) { return []table.Fill{{Column: 1, Value: "filled"}}, nil }
	out, err := rewrite(t, sheet(`<f>A2&amp;""</f>`), nil, fill)
	if err != nil {
		t.Fatal(err)
	}
	after := parts(t, out)
	if _, found := after[calculationPart]; found || strings.Contains(after[typesPart], "calcChain") || !strings.Contains(after[typesPart], "worksheet") {
		t.Errorf("the list of formulas is still there: %s", after[typesPart])
	}
	if strings.Contains(after[sheetPart], "<f>") {
		t.Errorf("the filled cell keeps its formula: %s", after[sheetPart])
	}
	for _, own := range []string{"B2", "B2:B2"} {
		if out, err = rewrite(t, sheet(`<f t="array" ref="`+own+`">A2</f>`), nil, fill); err != nil || strings.Contains(parts(t, out)[sheetPart], "<f") {
			t.Errorf("a formula that fills its own cell %s alone is not replaced: %v", own, err)
		}
	}
	shared := sheet(`<f t="shared" ref="B2:B9" si="0">A2</f>`)
	if _, err := rewrite(t, shared, nil, fill); !isListError(err, "the formula of a cell to fill is shared") || !strings.Contains(err.Error(), "list.xlsx:2: the formula") {
		t.Error(err)
	}
	testFillable(t, shared, []int{0}, nil, "")
	testFillable(t, shared, []int{1}, nil, "list.xlsx:2: the formula of the cell B2 is shared with other cells")
	for _, cell := range []string{`<c r="D2" t="str"><f t="array" ref="D2:D3">A2</f><v/></c>`, `<c r="D2"><f t="shared" ref="D2:D3" si="0">A2</f></c>`} {
		beside := sheet(`</c>` + cell + `<c>`)
		testFillable(t, beside, nil, []table.Column{{Name: "new"}, {Name: "more"}}, "list.xlsx:2: the formula of the cell D2 is shared with other cells")
		testFillable(t, beside, []int{1}, []table.Column{{Name: "new"}}, "")
	}
}

// testFillable asks before anything is written whether columns can be filled and appended.
func testFillable(t *testing.T, path string, filled []int, appended []table.Column, want string) {
	t.Helper()
	list, err := Open(path, "", 0)
	if err != nil {
		t.Fatal(err)
	}
	defer list.Close()
	w, err := NewWriter(io.Discard, list, filled, appended)
	if err == nil {
		w.Discard()
	}
	if want == "" && err != nil || want != "" && !isListError(err, want) {
		t.Error(err)
	}
}

func TestWriterRefusesWhatWouldNotBeTheList(t *testing.T) {
	path := save(t, withRows(t, []any{"a"}, []any{"1"}, []any{"2"}))
	other := save(t, withRows(t, []any{"a"}, []any{"1"}, []any{"2"}))
	for name, c := range map[string]struct {
		rows string // the path of the list that rows come from
		use  func(p table.Part, row *row) error
		want string
	}{
		"a row left out": {path, func(p table.Part, r *row) error {
			r.index = 1
			return p.WriteRow(r, nil, []enrich.Cell{enrich.TextOf("")})
		}, "write all rows in order"},
		"another list": {other, func(p table.Part, r *row) error { return p.WriteRow(r, nil, []enrich.Cell{enrich.TextOf("")}) }, "is not in this block"},
		"a fill outside": {path, func(p table.Part, r *row) error {
			return p.WriteRow(r, []table.Fill{{Column: 1}}, []enrich.Cell{enrich.TextOf("")})
		}, "fills ascend"},
		"too few values": {path, func(p table.Part, r *row) error { return p.WriteRow(r, nil, nil) }, "0 appended values"},
		"a text too long": {path, func(p table.Part, r *row) error {
			return p.WriteRow(r, nil, []enrich.Cell{enrich.TextOf(strings.Repeat("ä", 32768))})
		}, "the text has 32768 characters"},
		"rows missing": {path, func(p table.Part, r *row) error { return p.(*part).writer.Write(p) }, "0 rows from row 1"},
	} {
		t.Run(name, func(t *testing.T) {
			list, err := Open(path, "", 0)
			if err != nil {
				t.Fatal(err)
			}
			defer list.Close()
			w, err := NewWriter(io.Discard, list, nil, []table.Column{{Name: "new"}})
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			from, err := Open(c.rows, "", 0)
			if err != nil {
				t.Fatal(err)
			}
			defer from.Close()
			b, err := from.Next()
			if err != nil {
				t.Fatal(err)
			}
			if err := c.use(w.Part(b), &row{block: b.(*block)}); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Error(err)
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
	path := save(t, withRows(t, []any{"a"}, []any{"1"}))
	for name, open := range map[string]func(out io.Writer, list *Reader) (table.Writer, error){
		"writer":  func(out io.Writer, list *Reader) (table.Writer, error) { return NewWriter(out, list, nil, nil) },
		"encoder": func(out io.Writer, list *Reader) (table.Writer, error) { return NewEncoder(out, list.Schema(), nil) },
	} {
		for left := 0; ; left += 500 {
			list, err := Open(path, "", 0)
			if err != nil {
				t.Fatal(err)
			}
			w, err := open(&failing{left}, list)
			if err == nil {
				err = writeRows(list, w, func(table.Row) ([]table.Fill, []string) { return nil, nil })
			}
			if err := list.Close(); err != nil {
				t.Fatal(err)
			}
			if err == nil {
				break
			}
			if !errors.Is(err, errFull) {
				t.Fatalf("%s, %d bytes: %v", name, left, err)
			}
		}
	}
}

func TestEncodedWorkbooksHoldEveryCell(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		header, rows := drawRows(rt)
		all := [][]any{asAny(header)}
		want := [][]string{append(append([]string{}, header...), "status", "charge")}
		for _, cells := range rows {
			all = append(all, asAny(cells))
			if !blank(cells) {
				want = append(want, append(append([]string{}, cells...), "ok", "0.15"))
			}
		}
		if len(want) > 1 {
			want[1][0] = "filled"
		}
		list, err := Open(save(t, withRows(t, all...)), "", 0)
		if err != nil {
			rt.Fatal(err)
		}
		defer list.Close()
		var out bytes.Buffer
		w, err := NewEncoder(&out, list.Schema(), []table.Column{{Name: "status"}, {Name: "charge", Kind: enrich.MoneyCell}})
		if err != nil {
			rt.Fatal(err)
		}
		err = writeRows(list, w, func(row table.Row) ([]table.Fill, []string) {
			if row.Number() == 1 {
				return []table.Fill{{Column: 0, Value: "filled"}}, []string{"ok", "0.15"}
			}
			return nil, []string{"ok", "0.15"}
		})
		if err != nil {
			rt.Fatal(err)
		}
		got, err := cellsOf(save(t, out.Bytes()), "")
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			rt.Fatal(diff, err)
		}
	})
}

func TestEncoderRefusesWhatASheetCannotHold(t *testing.T) {
	list, err := Open(save(t, withRows(t, []any{"a"}, []any{"1"})), "", 0)
	if err != nil {
		t.Fatal(err)
	}
	defer list.Close()
	if _, err := NewEncoder(io.Discard, table.Schema{Columns: make([]string, excelize.MaxColumns+1)}, nil); err == nil {
		t.Error("a list with more columns than a sheet was taken")
	}
	if _, err := NewEncoder(io.Discard, table.Schema{Columns: []string{"a", "b\x01"}}, nil); err == nil || !strings.Contains(err.Error(), "control character U+0001") {
		t.Errorf("a name with a control character: %v", err)
	}
	w, err := NewEncoder(io.Discard, list.Schema(), []table.Column{{Name: "new"}})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	b, err := list.Next()
	if err != nil {
		t.Fatal(err)
	}
	p, r := w.Part(b), &row{block: b.(*block)}
	for want, err := range map[string]error{
		"the text has 32768 characters": p.WriteRow(r, nil, []enrich.Cell{enrich.TextOf(strings.Repeat("a", 32768))}),
		"bytes that are not UTF-8":      p.WriteRow(r, nil, []enrich.Cell{enrich.TextOf("M\xfcller")}),
		"control character U+000B":      p.WriteRow(r, nil, []enrich.Cell{enrich.TextOf("a\x0bb")}),
		"0 appended values":             p.WriteRow(r, nil, nil),
		"fills ascend":                  p.WriteRow(r, []table.Fill{{Column: 1}}, []enrich.Cell{enrich.TextOf("")}),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	w.line = MaxRows
	if err := p.WriteRow(r, nil, []enrich.Cell{enrich.TextOf("")}); err != nil {
		t.Fatal(err)
	}
	if err := w.Write(p); err == nil || !strings.Contains(err.Error(), "more than the 1048576 rows of a sheet") {
		t.Error(err)
	}
}

// Characters that XML cannot hold, and texts that look like the marks for them, come back
// as they were.
func TestCharactersThatXMLCannotHoldAreKept(t *testing.T) {
	for _, value := range []string{"a\x01b\x0b", "\x1f", "_x0041_", "_x0041_x0042_", "__x0041_", "_x004_", "_X0041_", "\ufffe", "a\rb\r\n\t", "_x005F_"} {
		path := save(t, withRows(t, []any{"a", "b"}, []any{"1"}))
		out, err := rewrite(t, path, []table.Column{{Name: "new"}}, func(table.Row) ([]table.Fill, []string) {
			return []table.Fill{{Column: 1, Value: value}}, []string{value}
		})
		if err != nil {
			t.Fatal(err)
		}
		got, err := cellsOf(out, "")
		if diff := cmp.Diff([][]string{{"a", "b", "new"}, {"1", value, value}}, got); diff != "" || err != nil {
			t.Errorf("%q: %s %v", value, diff, err)
		}
	}
}
