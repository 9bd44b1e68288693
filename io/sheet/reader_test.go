package sheet

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"payonce/io/table"
)

func TestCellsAreTheValuesOfTheWorkbook(t *testing.T) {
	path := save(t, workbook(t, func(book *excelize.File) error {
		style, err := book.NewStyle(&excelize.Style{NumFmt: 4}) // 1,234.00
		if err != nil {
			return err
		}
		return errors.Join(
			book.SetSheetRow("Sheet1", "A2", &[]any{"name", "phone", "since", "share", "yes", "sum"}),
			book.SetSheetRow("Sheet1", "A4", &[]any{"Zoë", 15551234567, time.Date(2026, 2, 3, 12, 0, 0, 0, time.UTC), 0.1, true}),
			book.SetCellStyle("Sheet1", "B4", "B4", style),
			book.SetCellFormula("Sheet1", "F4", "1+1"),
			book.SetSheetRow("Sheet1", "A7", &[]any{" 007 ", "", nil, "1E5"}),
			book.SetSheetRow("Sheet1", "A8", &[]any{"", nil}),
		)
	}))
	r, err := Open(path, "", 0)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	b, err := r.Next()
	if err != nil || r.Checked().sheet != "Sheet1" || b.First() != 1 || b.Len() != 2 {
		t.Fatal(b, err)
	}
	var lines []int64
	_ = b.Each(func(row table.Row) error { lines = append(lines, row.Line()); return nil })
	if diff := cmp.Diff([]int64{4, 7}, lines); diff != "" {
		t.Error(diff)
	}
	got, err := cellsOf(path, "")
	want := [][]string{
		{"name", "phone", "since", "share", "yes", "sum"},
		{"Zoë", "15551234567", "2026-02-03T12:00:00", "0.1", "1", ""},
		{" 007 ", "", "", "1E5", "", ""},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Error(diff, err)
	}
}

func TestSheetsAreFoundByName(t *testing.T) {
	two := workbook(t, func(book *excelize.File) error {
		_, err := book.NewSheet("People & more")
		return errors.Join(err, book.SetSheetRow("People & more", "A1", &[]any{"name"}), book.SetSheetRow("People & more", "A2", &[]any{"Zoë"}))
	})
	for _, sheet := range []string{"", "People & more", "people & More"} {
		got, err := cellsOf(save(t, two), sheet)
		if diff := cmp.Diff([][]string{{"name"}, {"Zoë"}}, got); diff != "" || err != nil {
			t.Errorf("%q: %s %v", sheet, diff, err)
		}
	}
	for sheet, want := range map[string]string{"Sheet1": "the sheet Sheet1 is empty", "Sheet3": "there is no sheet Sheet3; the sheets are Sheet1, People & more"} {
		if _, err := Open(save(t, two), sheet, 0); !isListError(err, want) {
			t.Errorf("%s: %v", sheet, err)
		}
	}
	both := workbook(t, func(book *excelize.File) error {
		_, err := book.NewSheet("Other")
		return errors.Join(err, book.SetCellStr("Sheet1", "A1", "a"), book.SetCellStr("Other", "B2", "b"))
	})
	if _, err := Open(save(t, both), "", 0); !isListError(err, "there are several sheets: Sheet1, Other; name one of them") {
		t.Error(err)
	}
	if _, err := Open(save(t, withRows(t)), "", 0); !isListError(err, "no sheet has a value") {
		t.Error(err)
	}
}

// openTwice opens a workbook, and then once more as one that was checked.
func openTwice(t *testing.T, path string) (first, again *Reader) {
	t.Helper()
	first, err := Open(path, "", 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = first.Close() })
	if again, err = OpenAgain(path, first.Checked()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = again.Close() })
	return first, again
}

func TestOpenAgainReadsTheSame(t *testing.T) {
	path := save(t, withRows(t, []any{"a", "b"}, []any{"1", "2"}))
	first, again := openTwice(t, path)
	b, err := again.Next()
	if diff := cmp.Diff(first.Schema(), again.Schema()); diff != "" || err != nil || b.Len() != 1 {
		t.Errorf("%s, %v", diff, err)
	}
	if _, err := OpenAgain(path, &Checked{sheet: "gone"}); err == nil {
		t.Error("a sheet that is not there was opened")
	}
}

// TestFormulasWithoutValues: what nobody calculated is not empty.
func TestFormulasWithoutValues(t *testing.T) {
	const formula = `<f>A2&amp;"@b.example"</f>`
	for cell, valued := range map[string]bool{
		`<c r="B3">` + formula + `</c>`:                  false,
		`<c r="B3">` + formula + `<v></v></c>`:           false,
		`<c r="B3"><f t="shared" si="0"/><v/></c>`:       false,
		`<c r="B3"><x><c/></x>` + formula + `<c/></c>`:   false,
		`<c r="B3" t="str">` + formula + `<v></v></c>`:   true, // the empty text
		`<c r="B3" t="str">` + formula + `</c>`:          false,
		`<c r="B3">` + formula + `<v>0</v></c>`:          true,
		`<c r="B3" t="e">` + formula + `<v>#N/A</v></c>`: true,
		`<c r="B3"/>`: true,
		`<c r="B3"><v>2</v></c><c r="D3"><f>A3</f></c>`:                          true, // beside the list
		`<c r="B3" t="inlineStr"><is><t>` + `=A2` + `</t></is></c>`:              true,
		`<c r="B3" t="inlineStr">` + formula + `<is><t>1@b.example</t></is></c>`: true,
		`<c r="B3" t="inlineStr">` + formula + `<is><r><t>1</t></r></is></c>`:    true,
		`<c r="B3" t="inlineStr">` + formula + `<is><t/></is></c>`:               true, // the empty text
		`<c r="B3" t="inlineStr">` + formula + `</c>`:                            false,
		`<x:c xmlns:x="y" r="B3" t="str"><x:f>A2</x:f><x:v>&#49;</x:v></x:c>`:    true,
		`<c r="B3" t="s"><f t="array" ref="B3:B4">A2:A3</f><v>0</v></c>`:         true,
	} {
		path := save(t, replacePart(t, withRows(t, []any{"x"}), sheetPart, `<worksheet><sheetData><row r="1"><c r="A1" t="str"><v>a</v></c><c r="B1" t="str"><v>b</v></c></row>`+
			`<row r="3"><c r="A3" t="str"><v>1</v></c>`+cell+`</row><row r="4"><c r="B4"><f>1</f><v>1</v></c></row></sheetData></worksheet>`))
		first, again := openTwice(t, path)
		for _, r := range []*Reader{first, again} {
			if err := r.CheckValues([]int{0}); err != nil {
				t.Errorf("%s: column a: %v", cell, err)
			}
			for _, err := range []error{r.CheckValues([]int{0, 1}), r.Legible()} {
				if valued && err != nil || !valued && !isListError(err, "list.xlsx:3: the formula of the cell B3 has no value") {
					t.Errorf("%s: %v", cell, err)
				}
			}
		}
	}
}

func TestRowsLongerThanTheHeader(t *testing.T) {
	path := save(t, withRows(t, []any{"a", "b"}, []any{"1", "2", "", nil}, []any{"1", "2", "", "4"}))
	got, err := cellsOf(path, "")
	if !isListError(err, "list.xlsx:3: the row has 4 cells; the header has 2") || len(got) != 1 {
		t.Error(got, err)
	}
}

const sheetPart = "xl/worksheets/sheet1.xml"

func TestInvalidWorkbooksAreRefused(t *testing.T) {
	valid := withRows(t, []any{"a"}, []any{"1"})
	rows := func(rows string) []byte {
		return replacePart(t, valid, sheetPart, `<worksheet><sheetData>`+rows+`</sheetData></worksheet>`)
	}
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"text":                     {[]byte("a,b\n1,2\n"), "cannot be read"},
		"empty":                    {nil, "cannot be read"},
		"cut":                      {valid[:len(valid)/2], "cannot be read"},
		"an old workbook":          {append([]byte{0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1}, make([]byte, 1000)...), "protected by a password"},
		"XML that ends":            {replacePart(t, valid, sheetPart, `<worksheet><sheetData><row r="1"><c t="str"><v>a</v></c></row><row r="2">`), "sheet1.xml: XML syntax error"},
		"a character of no XML":    {rows("<row><c t=\"str\"><v>a\x0b</v></c></row>"), "sheet1.xml: XML syntax error"},
		"rows in disorder":         {rows(`<row r="2"><c t="str"><v>a</v></c></row><row r="1"/>`), "row 1 is out of order: it follows row 2"},
		"a row of no number":       {rows(`<row r="x"/>`), `a row has the number "x"`},
		"more rows than there are": {rows(`<row r="1048577"><c t="str"><v>a</v></c></row>`), "row 1048577 is more than the 1048576 rows"},
		"cells in disorder":        {rows(`<row><c r="B1" t="str"><v>b</v></c><c r="A1" t="str"><v>a</v></c></row>`), "the cell A1 is out of order"},
		"a cell that comes twice":  {rows(`<row><c r="A1" t="str"><v>b</v></c><c r="A1" t="str"><v>a</v></c></row>`), "the cell A1 is out of order"},
		"a cell of a wrong name":   {rows(`<row><c r="1A" t="str"><v>b</v></c></row>`), "cannot be read"},
		"another encoding":         {replacePart(t, valid, sheetPart, `<?xml version="1.0" encoding="windows-1252"?><worksheet/>`), "encoding"},
		"no sheet part":            {replacePart(t, valid, relationsPart, `<Relationships/>`), "cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := cellsOf(save(t, c.data), "")
			if !isListError(err, c.want) {
				t.Error(err)
			}
		})
	}
	if _, err := Open(filepath.Join(t.TempDir(), "missing"), "", 0); err == nil {
		t.Error("a file that is not there was opened")
	}
}

// packed returns a workbook whose sheet is a part of size bytes that claims another
// size.
func packed(t *testing.T, size int, claimed uint64) []byte {
	t.Helper()
	var content, out bytes.Buffer
	deflate, err := flate.NewWriter(&content, flate.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := deflate.Write(make([]byte, size)); err != nil {
		t.Fatal(err)
	}
	if err := deflate.Close(); err != nil {
		t.Fatal(err)
	}
	w := zip.NewWriter(&out)
	part, err := w.CreateRaw(&zip.FileHeader{
		Name: sheetPart, Method: zip.Deflate, CompressedSize64: uint64(content.Len()), UncompressedSize64: claimed,
		CRC32: crc32.ChecksumIEEE(make([]byte, size)),
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := part.Write(content.Bytes()); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestWorkbooksThatUnpackToTooMuch(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long and tells nothing about data races")
	}
	if _, err := Open(save(t, packed(t, 10, maxUnzipped+1)), "", 0); !isListError(err, "unzip size exceeds the 1073741824 bytes limit") {
		t.Errorf("a part that is too large: %v", err)
	}
	honest, lying := save(t, packed(t, 100, 100)), save(t, packed(t, 64<<20, 100))
	allocated := func(path string) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Open(path, "", 0)
		runtime.ReadMemStats(&after)
		if !isListError(err, "cannot be read") {
			t.Errorf("a part of 100 bytes: %v", err)
		}
		return after.TotalAlloc - before.TotalAlloc
	}
	least := allocated(honest)
	if size := allocated(lying); size > least+1<<20 {
		t.Errorf("a part that claims to be small takes %d bytes, one that is small %d", size, least)
	}
}

func TestManyRowsComeInBlocks(t *testing.T) {
	rows := [][]any{{"id"}}
	for i := range 2*blockRows + 1 {
		rows = append(rows, []any{fmt.Sprint(i + 1)})
	}
	path := save(t, withRows(t, rows...))
	r, err := Open(path, "", 0)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var blocks []table.Block
	for {
		b, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		blocks = append(blocks, b)
	}
	if _, err := r.Next(); !errors.Is(err, io.EOF) {
		t.Error(err)
	}
	next := int64(1)
	for _, b := range blocks { // after all were read
		if b.First() != next {
			t.Errorf("a block starts at row %d, not %d", b.First(), next)
		}
		_ = b.Each(func(row table.Row) error {
			if string(row.Cell(0)) != fmt.Sprint(next) || row.Number() != next || row.Line() != next+1 {
				t.Errorf("row %d is number %d in line %d: %s", next, row.Number(), row.Line(), row.Cell(0))
			}
			next++
			return nil
		})
	}
	if len(blocks) != 3 || next != 2*blockRows+2 {
		t.Errorf("%d blocks, %d rows", len(blocks), next-1)
	}
}

// FuzzSheet changes the XML of a sheet. What can be read can be written, and comes
// back.
func FuzzSheet(f *testing.F) {
	valid := withRows(f, []any{"a", "b"}, []any{"1", 2, true}, []any{nil, "x"})
	sheets := []string{
		`<worksheet><dimension ref="A1:B2"/><sheetData><row r="1" spans="1:2"><c r="A1" t="inlineStr"><is><t>a</t></is></c></row><row r="3"/></sheetData></worksheet>`,
		`<x:worksheet xmlns:x="y"><x:sheetData><x:row><x:c t="s"><x:v>9</x:v></x:c></x:row></x:sheetData></x:worksheet>`,
	}
	f.Add(uint8(0), uint16(60), uint8(3), `r="5"`)
	f.Add(uint8(1), uint16(60), uint8(0), "<c/>")
	f.Add(uint8(1), uint16(56), uint8(0), "<c/>") // within a cell
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, seed uint8, at uint16, cut uint8, put string) {
		content := sheets[int(seed)%len(sheets)]
		start := int(at) % len(content)
		end := min(start+int(cut), len(content))
		content = content[:start] + put + content[end:]
		path := filepath.Join(dir, fmt.Sprintf("%d.xlsx", os.Getpid()))
		if err := os.WriteFile(path, replacePart(t, valid, sheetPart, content), 0o600); err != nil {
			t.Fatal(err)
		}
		before, err := cellsOf(path, "Sheet1")
		if err != nil {
			if _, ok := errors.AsType[*table.Error](err); !ok {
				t.Fatalf("not a *table.Error: %v", err)
			}
			return
		}
		list, err := Open(path, "Sheet1", 0)
		if err != nil {
			t.Fatal(err)
		}
		defer list.Close()
		var out bytes.Buffer
		w, err := NewWriter(&out, list, nil, []table.Column{{Name: "new"}})
		if err != nil {
			return
		}
		if err := writeRows(list, w, func(table.Row) ([]table.Fill, []string) { return nil, []string{"value"} }); err != nil {
			return
		}
		after, err := cellsOf(save(t, out.Bytes()), "Sheet1")
		if err != nil {
			t.Fatal(err)
		}
		for i := range before {
			value := "value"
			if i == 0 {
				value = "new"
			}
			before[i] = append(before[i], value)
		}
		if diff := cmp.Diff(before, after); diff != "" {
			t.Fatal(diff)
		}
	})
}

// Some blocks wait for those before them, so that the memory of a list is that of some blocks.
func TestBlocksOfLongCellsAreSmall(t *testing.T) {
	long := strings.Repeat("x", 30_000)
	rows := [][]any{{"a", "b"}}
	for range 200 {
		rows = append(rows, []any{long, long})
	}
	r, err := Open(save(t, withRows(t, rows...)), "", 0)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	read, blocks := 0, 0
	for {
		b, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if size := len(b.(*block).text); size > blockBytes+2*len(long) {
			t.Errorf("a block has %d bytes", size)
		}
		if b.First() != int64(read)+1 {
			t.Errorf("row %d follows row %d", b.First(), read)
		}
		read += b.Len()
		blocks++
	}
	if read != 200 || blocks < 10 {
		t.Errorf("%d rows in %d blocks", read, blocks)
	}
}
