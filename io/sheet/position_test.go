package sheet

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"payonce/io/table"
)

// namesAndFirst opens a workbook and returns its header, its line and the first cells of its rows.
func namesAndFirst(t *testing.T, data []byte, header int64) (names []string, line int64, first []string, err error) {
	t.Helper()
	list, err := Open(save(t, data), "", header)
	if err != nil {
		return nil, 0, nil, err
	}
	defer list.Close()
	again, err := OpenAgain(list.name, list.Checked())
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if !slices.Equal(again.columns, list.columns) || again.HeaderRow() != list.HeaderRow() {
		t.Errorf("opened again the header is %q in row %d, and it was %q in row %d", again.columns, again.header, list.columns, list.header)
	}
	for {
		block, err := again.Next()
		if err != nil {
			return list.columns, list.HeaderRow(), first, nil
		}
		if err := block.Each(func(row table.Row) error {
			first = append(first, string(row.Cell(0)))
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestTheHeaderIsFoundBelowTitles(t *testing.T) {
	header := []any{"Name", "Firma", "Ort"}
	for title, test := range map[string]struct {
		rows [][]any
		line int64
	}{
		"no title":            {[][]any{header, {"Lee", "Acme", "Bonn"}}, 1},
		"a title":             {[][]any{{"Customers 2024"}, {}, header, {"Lee", "Acme", "Bonn"}}, 3},
		"a title and a date":  {[][]any{{"Customers"}, {"As of", "01.01.2024"}, header, {"Lee", "Acme", "Bonn"}}, 3},
		"an author":           {[][]any{{"Customers"}, {"Author", "Max"}, {}, header, {"Lee", "Acme", "Bonn"}}, 4},
		"a blank line before": {[][]any{{}, {}, header, {"Lee", "Acme", "Bonn"}}, 3},
	} {
		t.Run(title, func(t *testing.T) {
			data := withRows(t, test.rows...)
			for _, given := range []int64{0, test.line} {
				names, line, first, err := namesAndFirst(t, data, given)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff([]string{"Name", "Firma", "Ort"}, names); diff != "" || line != test.line || !slices.Equal(first, []string{"Lee"}) {
					t.Errorf("row %d, want %d; rows %q; header (-want +got):\n%s", line, test.line, first, diff)
				}
			}
		})
	}
	_, _, _, err := namesAndFirst(t, withRows(t, []any{"a"}, []any{}, header), 2)
	if err == nil || !strings.Contains(err.Error(), "row 2 for the header is blank") {
		t.Errorf("error %v, want one that row 2 is blank", err)
	}
}

// withTable returns a workbook with a title and a table of two rows, with totals or without.
func withTable(t *testing.T, totals bool, below ...[]any) []byte {
	rows := append([][]any{{"Report"}, {"Name", "Firma", "Umsatz"}, {"Lee", "Acme", 3}, {"Ray", "Beta", 4}}, below...)
	data := workbook(t, func(book *excelize.File) error {
		for i, row := range rows {
			cell, err := excelize.CoordinatesToCellName(1, i+1)
			if err != nil {
				return err
			}
			if err := book.SetSheetRow("Sheet1", cell, &row); err != nil {
				return err
			}
		}
		last := "C4"
		if totals {
			last = "C5"
		}
		return book.AddTable("Sheet1", &excelize.Table{Range: "A2:" + last, Name: "Kunden"})
	})
	if !totals {
		return data
	}
	const name = "xl/tables/table1.xml"
	old := parts(t, save(t, data))[name]
	changed := strings.Replace(old, ` ref="A2:C5"`, ` ref="A2:C5" totalsRowCount="1"`, 1)
	if changed == old {
		t.Fatalf("no table in %s", old)
	}
	return replacePart(t, data, name, changed)
}

func TestTotalsBelowATableAreNotRows(t *testing.T) {
	for title, test := range map[string]struct {
		data []byte
		want []string
	}{
		"nothing below":           {withTable(t, false), []string{"Lee", "Ray"}},
		"totals of the table":     {withTable(t, true, []any{"Ergebnis", "", 7}), []string{"Lee", "Ray"}},
		"totals and a note":       {withTable(t, true, []any{"Ergebnis", "", 7}, []any{}, []any{"Note", "by", "Max"}), []string{"Lee", "Ray"}},
		"a sum below":             {withTable(t, false, []any{"Summe:", "all", 7}), []string{"Lee", "Ray"}},
		"a sum alone":             {withTable(t, false, []any{"", "", 7}), []string{"Lee", "Ray"}},
		"a note":                  {withTable(t, false, []any{}, []any{"Note", "by", "Max"}), []string{"Lee", "Ray"}},
		"a row that was appended": {withTable(t, false, []any{"Fox", "Cat", 5}), []string{"Lee", "Ray", "Fox"}},
	} {
		t.Run(title, func(t *testing.T) {
			names, line, first, err := namesAndFirst(t, test.data, 0)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, first); diff != "" || line != 2 || len(names) != 3 {
				t.Errorf("header %q in row %d; rows (-want +got):\n%s", names, line, diff)
			}
		})
	}
}

// TestTitlesAndTotalsOfAWorkbookStay writes a workbook again.
func TestTitlesAndTotalsOfAWorkbookStay(t *testing.T) {
	path := save(t, withTable(t, true, []any{"Ergebnis", "", 7}, []any{}, []any{"Note", "by", "Max"}))
	written, err := rewrite(t, path, []table.Column{{Name: "status"}}, func(table.Row) ([]table.Fill, []string) { return nil, []string{"new"} })
	if err != nil {
		t.Fatal(err)
	}
	book, err := excelize.OpenFile(written)
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	got, err := book.GetRows("Sheet1")
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{
		{"Report"},
		{"Name", "Firma", "Umsatz", "status"},
		{"Lee", "Acme", "3", "new"},
		{"Ray", "Beta", "4", "new"},
		{"Ergebnis", "", "7"},
		nil,
		{"Note", "by", "Max"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("cells (-want +got):\n%s", diff)
	}
}
