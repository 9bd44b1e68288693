package sheet

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"
	"pgregory.net/rapid"

	"payonce/enrich"
	"payonce/io/table"
)

// sheetWidth is the number of columns of the sheets that are drawn.
const sheetWidth = 5

// drawBook returns the XML of a sheet and of shared texts as different programs write them. A header is in the
// first row.
func drawBook(t *rapid.T, header bool) (sheet, shared string) {
	p := rapid.SampledFrom([]string{"", "x:"}).Draw(t, "prefix")
	namespace := `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"`
	if p != "" {
		namespace = `xmlns:x="http://schemas.openxmlformats.org/spreadsheetml/2006/main"`
	}
	text := rapid.SampledFrom([]string{
		"a", " b ", "Zoë", "7", "&lt;&amp;&#34;&#x41;>", "x\ny", "_x0041_", "_x005F_x0041_", "<![CDATA[<c>]]>", "a<!-- c -->b", "",
		"line\r\nend", "\t", strings.Repeat("long ", 500),
	})
	item := func(label string) string {
		value := func() string { return text.Draw(t, label) }
		t1 := func() string { return "<" + p + "t>" + value() + "</" + p + "t>" }
		return rapid.SampledFrom([]func() string{
			t1, t1,
			func() string { return "<" + p + `t xml:space="preserve">` + value() + "</" + p + "t>" },
			func() string {
				return "<" + p + "r><" + p + "rPr><" + p + "b/></" + p + "rPr>" + t1() + "</" + p + "r><" + p + "r>" + t1() + "</" + p + "r>"
			},
			func() string { return t1() + "<" + p + `rPh sb="0" eb="1"><` + p + "t>zz</" + p + "t></" + p + "rPh>" },
			func() string { return "<" + p + "t/>" },
			func() string { return "" },
		}).Draw(t, "form of a text")()
	}
	texts := rapid.IntRange(1, 40).Draw(t, "shared texts")
	var sst, xml strings.Builder
	fmt.Fprintf(&sst, `<?xml version="1.0" encoding="UTF-8"?><%ssst %s count="9">`, p, namespace)
	for range texts {
		fmt.Fprintf(&sst, "<%ssi>%s</%ssi>", p, item("shared"), p)
	}
	fmt.Fprintf(&sst, "</%ssst>", p)

	cell := func(column, line int) string {
		attributes := ""
		if style := rapid.IntRange(0, 3).Draw(t, "style"); style > 0 {
			attributes = fmt.Sprintf(` s="%d"`, style-1)
		}
		number := rapid.SampledFrom([]string{"1", "46056.5", "1E5", "-0.25", "", " 3 ", "&#49;"}).Draw(t, "number")
		v := func(value string) string { return "<" + p + "v>" + value + "</" + p + "v>" }
		kind, content := "", ""
		switch rapid.IntRange(0, 9).Draw(t, "kind") {
		case 0, 1, 2:
			kind, content = "s", v(fmt.Sprint(rapid.IntRange(0, texts-1).Draw(t, "number of a text")))
		case 3:
			kind, content = "inlineStr", "<"+p+"is>"+item("inline")+"</"+p+"is>"
		case 4:
			kind, content = "str", "<"+p+"f>A1&amp;B1</"+p+"f>"+v(text.Draw(t, "value"))
		case 5:
			kind, content = "b", v("1")
		case 6:
			kind, content = "e", v("#N/A")
		case 7:
			content = "<" + p + `f t="shared" si="0"/>` + v(number)
		case 8:
			content = v(number) + "<" + p + "extLst/>"
		case 9:
			kind, content = "n", v(number)
		}
		if kind != "" {
			attributes += ` t="` + kind + `"`
		}
		name := ""
		if line > 0 {
			at, _ := excelize.CoordinatesToCellName(column, line)
			name = ` r="` + at + `"`
		}
		if content == "" && rapid.Bool().Draw(t, "short") {
			return "<" + p + "c" + name + attributes + "/>"
		}
		return "<" + p + "c" + name + attributes + ">" + content + "</" + p + "c>"
	}

	fmt.Fprintf(&xml, "<?xml version=\"1.0\"?>\n<%sworksheet %s><%sdimension ref=\"A1\"/><%scols><%scol min=\"1\" max=\"2\"/></%scols><%ssheetData>", p, namespace, p, p, p, p, p)
	line := 0
	if header {
		line++
		fmt.Fprintf(&xml, `<%srow r="1">`, p)
		for column := range sheetWidth {
			fmt.Fprintf(&xml, `<%sc r="%c1" t="str"><%sv>%c</%sv></%sc>`, p, 'A'+column, p, 'a'+column, p, p)
		}
		fmt.Fprintf(&xml, "</%srow>", p)
	}
	for range rapid.IntRange(0, 8).Draw(t, "rows") {
		line += rapid.SampledFrom([]int{1, 1, 1, 3}).Draw(t, "distance")
		named := rapid.Bool().Draw(t, "cells have names")
		fmt.Fprintf(&xml, `<%srow r="%d"%s>`, p, line, rapid.SampledFrom([]string{"", ` spans="1:5"`, ` hidden="1" ht="3" customHeight='1'`}).Draw(t, "row"))
		for column := 1; column <= sheetWidth; column++ {
			switch {
			case !named:
				xml.WriteString(cell(column, 0))
			case rapid.IntRange(0, 3).Draw(t, "is there") > 0:
				xml.WriteString(cell(column, line))
			}
			xml.WriteString(rapid.SampledFrom([]string{"", "", "\n  "}).Draw(t, "space"))
		}
		fmt.Fprintf(&xml, "</%srow>", p)
	}
	fmt.Fprintf(&xml, "</%ssheetData><%smergeCells count=\"1\"><%smergeCell ref=\"A1:B1\"/></%smergeCells></%sworksheet>\n", p, p, p, p, p)
	return xml.String(), sst.String()
}

// inBook returns a workbook with these parts.
func inBook(t testing.TB, base []byte, sheet, shared string) []byte {
	return replacePart(t, replacePart(t, base, sheetPart, sheet), "xl/sharedStrings.xml", shared)
}

// rowsOfLibrary reads the rows that have a value, by line, with the library.
func rowsOfLibrary(path string) (map[int][]string, error) {
	book, err := excelize.OpenFile(path, excelize.Options{RawCellValue: true})
	if err != nil {
		return nil, err
	}
	defer book.Close()
	rows, err := book.Rows("Sheet1")
	if err != nil {
		return nil, err
	}
	all := map[int][]string{}
	for line := 1; rows.Next(); line++ {
		cells, err := rows.Columns()
		if err != nil {
			return nil, err
		}
		for len(cells) > 0 && cells[len(cells)-1] == "" {
			cells = cells[:len(cells)-1]
		}
		if len(cells) > 0 {
			all[line] = cells
		}
	}
	return all, rows.Close()
}

// rowsHere reads the same with this package.
func rowsHere(path string) (map[int][]string, error) {
	book, err := openBook(path)
	if err != nil {
		return nil, err
	}
	defer book.Close()
	rows, err := book.openRows("Sheet1")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	all := map[int][]string{}
	for {
		err := rows.next()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		all[rows.line] = rows.cells.strings()
	}
}

// sameCells reads random workbooks with this package and with the library.
func sameCells(tb testing.TB, base []byte, dir string) func(t *rapid.T) {
	return func(rt *rapid.T) {
		sheet, shared := drawBook(rt, false)
		path := filepath.Join(dir, "list.xlsx")
		if err := writeFile(path, inBook(tb, base, sheet, shared)); err != nil {
			rt.Fatal(err)
		}
		want, wantErr := rowsOfLibrary(path)
		got, err := rowsHere(path)
		if diff := cmp.Diff(want, got); diff != "" || err != nil || wantErr != nil {
			rt.Fatalf("%v, with the library %v; cells (-library +this package):\n%s\n%s\n%s", err, wantErr, diff, sheet, shared)
		}
	}
}

func TestTheSheetReaderAgreesWithExcelize(t *testing.T) {
	rapid.Check(t, sameCells(t, withRows(t, []any{"x"}), t.TempDir()))
}

// FuzzCells compares the cells of random workbooks with those that the library reads.
func FuzzCells(f *testing.F) {
	base, dir := withRows(f, []any{"x"}), f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) { rapid.MakeFuzz(sameCells(t, base, dir))(t, data) })
}

// sameWorkbook writes random workbooks again, and reads both with the library.
func sameWorkbook(tb testing.TB, base []byte, dir string) func(t *rapid.T) {
	return func(rt *rapid.T) {
		sheet, shared := drawBook(rt, true)
		path, out := filepath.Join(dir, "list.xlsx"), filepath.Join(dir, "out.xlsx")
		if err := writeFile(path, inBook(tb, base, sheet, shared)); err != nil {
			rt.Fatal(err)
		}
		want, err := rowsOfLibrary(path)
		if err != nil {
			rt.Fatal(err)
		}
		list, err := Open(path, "Sheet1", 0)
		if err != nil {
			rt.Fatalf("%v\n%s", err, sheet)
		}
		defer list.Close()
		var written bytes.Buffer
		w, err := NewWriter(&written, list, nil, []table.Column{{Name: "status"}, {Name: "cost", Kind: enrich.MoneyCell}})
		if err != nil {
			rt.Fatal(err)
		}
		want[1] = append(want[1], "status", "cost")
		err = writeRows(list, w, func(row table.Row) ([]table.Fill, []string) {
			cells := want[int(row.Line())]
			for len(cells) < sheetWidth {
				cells = append(cells, "")
			}
			var fills []table.Fill
			for i := range cells {
				if rapid.IntRange(0, 3).Draw(rt, "fills") == 0 {
					cells[i] = rapid.SampledFrom([]string{"filled", " <b> & \"c\" ", "_x0041_", "1"}).Draw(rt, "fill")
					fills = append(fills, table.Fill{Column: i, Value: cells[i]})
				}
			}
			want[int(row.Line())] = append(cells, "ok", "0.15")
			return fills, []string{"ok", "0.15"}
		})
		if err != nil {
			rt.Fatalf("%v\n%s", err, sheet)
		}
		if err := writeFile(out, written.Bytes()); err != nil {
			rt.Fatal(err)
		}
		got, err := rowsOfLibrary(out)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			rt.Fatalf("%v, cells (-want +got):\n%s\n%s", err, diff, sheet)
		}
	}
}

func TestTheLibraryReadsWhatIsWrittenAgain(t *testing.T) {
	rapid.Check(t, sameWorkbook(t, withRows(t, []any{"x"}), t.TempDir()))
}

// FuzzRewrite compares random workbooks that are written again with the originals.
func FuzzRewrite(f *testing.F) {
	base, dir := withRows(f, []any{"x"}), f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) { rapid.MakeFuzz(sameWorkbook(t, base, dir))(t, data) })
}

// BenchmarkBesideLibrary reads the cells of a workbook with this package and with the library.
func BenchmarkBesideLibrary(b *testing.B) {
	rows := [][]any{{"name", "city", "phone", "note"}}
	for i := range 10_000 {
		rows = append(rows, []any{fmt.Sprint("Ann Lee ", i), "Bonn", 15551234567 + i, "Head of department"})
	}
	path := save(b, withRows(b, rows...))
	for name, read := range map[string]func(string) (map[int][]string, error){"this": rowsHere, "library": rowsOfLibrary} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if all, err := read(path); err != nil || len(all) != len(rows) {
					b.Fatal(len(all), err)
				}
			}
		})
	}
}
