package sheet

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"payonce/enrich"
	"payonce/io/table"
)

// typedColumns have values of the kinds of answers.
func typedColumns() []table.Column {
	return []table.Column{
		{Name: "turnover", Kind: enrich.NumberCell},
		{Name: "employees", Kind: enrich.IntegerCell},
		{Name: "founded", Kind: enrich.DateCell},
		{Name: "expires", Kind: enrich.DateTimeCell},
		{Name: "asked", Kind: enrich.TimestampCell},
		{Name: "phones", Kind: enrich.TextsCell},
	}
}

// typedRows returns the texts of two rows of typedColumns, as enrich.CellFrom reads them.
func typedRows() [][]string {
	return [][]string{
		{"-1234567.25", "42", "1999-12-31", "2026-02-03T18:30:15", "2026-02-03T18:30:15Z", `["+44 1"]`},
		{"1e+300", "0", "1850-05-01", "1850-05-01T00:00:00", "", `["+44 1","+44 2"]`},
	}
}

// writeTyped writes the rows of a list with typedRows behind them.
func writeTyped(t *testing.T, list *Reader, w table.Writer) {
	t.Helper()
	for {
		block, err := list.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		part := w.Part(block)
		err = block.Each(func(row table.Row) error {
			var cells []enrich.Cell
			for i, column := range typedColumns() {
				cells = append(cells, enrich.CellFrom(column.Kind, typedRows()[row.Number()-1][i]))
			}
			return part.WriteRow(row, nil, cells)
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write(part); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestValuesHaveTheirTypesInWorkbooks writes a new workbook and one of a list again, with days counted from 1900 and from
// 1904, and reads the cells with another library.
func TestValuesHaveTheirTypesInWorkbooks(t *testing.T) {
	for title, base := range map[string]struct {
		from1904, isNew, noStyles bool
	}{
		"a new workbook": {isNew: true}, "a workbook written again": {}, "one with days from 1904": {from1904: true},
		"one without styles": {noStyles: true},
	} {
		t.Run(title, func(t *testing.T) {
			data := workbook(t, func(book *excelize.File) error {
				if err := book.SetWorkbookProps(&excelize.WorkbookPropsOptions{Date1904: &base.from1904}); err != nil {
					return err
				}
				for cell, value := range map[string]any{"A1": "name", "A2": "Acme", "A3": "Birch"} {
					if err := book.SetCellValue("Sheet1", cell, value); err != nil {
						return err
					}
				}
				return nil
			})
			if base.noStyles {
				data = replacePart(t, data, "xl/styles.xml", `<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"></styleSheet>`)
			}
			list, err := Open(save(t, data), "", 0)
			if err != nil {
				t.Fatal(err)
			}
			defer list.Close()
			var out bytes.Buffer
			var w table.Writer
			if base.isNew {
				w, err = NewEncoder(&out, list.Schema(), typedColumns())
			} else {
				w, err = NewWriter(&out, list, nil, typedColumns())
			}
			if err != nil {
				t.Fatal(err)
			}
			writeTyped(t, list, w)
			path := save(t, out.Bytes())
			checkTypes(t, path, !base.noStyles, base.from1904)
			got, err := cellsOf(path, "")
			if err != nil {
				t.Fatal(err)
			}
			for i, want := range typedRows() {
				want = append([]string{[]string{"Acme", "Birch"}[i]}, want...)
				want[6] = enrich.CellFrom(enrich.TextsCell, want[6]).String()
				if diff := cmp.Diff(want, got[i+1]); diff != "" {
					t.Errorf("row %d as it is read again (-want +got):\n%s", i+1, diff)
				}
			}
		})
	}
}

// checkTypes reads the types of the cells with the library.
func checkTypes(t *testing.T, path string, isStyled, from1904 bool) {
	t.Helper()
	book, err := excelize.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	day := "36525"
	if from1904 {
		day = "35063"
	}
	want := map[string]string{
		"B2": "number 0 -1234567.25", "C2": "number 0 42", "D2": "number 14 " + day, "E2": "number 22 ", "F2": "text 0 2026-02-03T18:30:15Z", "G2": "text 0 +44 1",
		"B3": "number 0 1e+300", "D3": "text 0 1850-05-01", "E3": "text 0 1850-05-01T00:00:00", "G3": `text 0 ["+44 1","+44 2"]`,
	}
	if !isStyled {
		want["D2"], want["E2"] = "text 0 1999-12-31", "text 0 2026-02-03T18:30:15"
	}
	for cell, want := range want {
		kind, err := book.GetCellType("Sheet1", cell)
		if err != nil {
			t.Fatal(err)
		}
		value, err := book.GetCellValue("Sheet1", cell, excelize.Options{RawCellValue: true})
		if err != nil {
			t.Fatal(err)
		}
		got, format := "number", 0
		if kind == excelize.CellTypeInlineString {
			got = "text"
		}
		if id, err := book.GetCellStyle("Sheet1", cell); err != nil {
			t.Fatal(err)
		} else if style, err := book.GetStyle(id); isStyled && err != nil {
			t.Fatal(err)
		} else if isStyled {
			format = style.NumFmt
		}
		got += " " + string(rune('0'+format/10)) + string(rune('0'+format%10)) + " " + value
		got = strings.Replace(got, " 00 ", " 0 ", 1)
		if !strings.HasPrefix(got, want) {
			t.Errorf("%s is %s, want %s", cell, got, want)
		}
	}
}
