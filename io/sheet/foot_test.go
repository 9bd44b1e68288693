package sheet

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"payonce/io/table"
)

// TestRowsBelowTheRowsOfASheetStay writes sheets without an Excel table again. Only rows of data get a status.
func TestRowsBelowTheRowsOfASheetStay(t *testing.T) {
	header := []any{"Name", "Firma", "Umsatz", "Ort"}
	data := [][]any{header, {"Lee", "Acme", 3, "Bonn"}, {"Ray", "Beta", 4, "Ulm"}}
	for name, test := range map[string]struct {
		below []any
		line  int64
	}{
		"nothing":            {nil, 0},
		"a total":            {[]any{[]any{"Summe", "", 7}}, 4},
		"totals and notes":   {[]any{[]any{"Summe", "", 7}, []any{"Durchschnitt", "", 3.5}, nil, []any{"Quelle: CRM"}, []any{"Stand:", "", "01.02.2026"}}, 4},
		"notes":              {[]any{nil, nil, []any{"Erstellt von Max Mustermann am 1. Februar 2026"}, []any{"* ohne Gewähr"}}, 6},
		"a note in the last": {[]any{nil, []any{"", "", "", "Quelle: Handelsregister"}}, 5},
	} {
		t.Run(name, func(t *testing.T) {
			want := [][]string{{"Name", "Firma", "Umsatz", "Ort", "status"}, {"Lee", "Acme", "3", "Bonn", "new"}, {"Ray", "Beta", "4", "Ulm", "new"}}
			rows := append([][]any{}, data...)
			for _, row := range test.below {
				cells, _ := row.([]any)
				var texts []string
				for _, cell := range cells {
					texts = append(texts, fmt.Sprint(cell))
				}
				rows, want = append(rows, cells), append(want, texts)
			}
			path := save(t, withRows(t, rows...))
			list, err := Open(path, "", 0)
			if err != nil {
				t.Fatal(err)
			}
			defer list.Close()
			var found table.Foot
			list.WhenFoot(func(foot table.Foot) { found = foot })
			block, err := list.Next()
			if err != nil || block.Len() != 2 || found.Line != test.line {
				t.Fatalf("%v, %d rows, and below them %+v, want row %d", err, block.Len(), found, test.line)
			}
			if _, err := list.Next(); err != io.EOF {
				t.Errorf("error %v, want the end", err)
			}
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
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("cells (-want +got):\n%s", diff)
			}
		})
	}
}

// TestTotalsBelowManyRowsOfASheet has the last rows in two blocks.
func TestTotalsBelowManyRowsOfASheet(t *testing.T) {
	for rows := blockRows - 3; rows <= blockRows+1; rows++ {
		all := [][]any{{"Name", "Firma", "Ort"}}
		for range rows {
			all = append(all, []any{"Lee", "Acme", "Bonn"})
		}
		all = append(all, []any{"Total", "", rows}, []any{"Source: CRM"}, []any{"Exported on 1 May"})
		list, err := Open(save(t, withRows(t, all...)), "", 0)
		if err != nil {
			t.Fatal(err)
		}
		defer list.Close()
		var found table.Foot
		list.WhenFoot(func(foot table.Foot) { found = foot })
		total := 0
		for {
			block, err := list.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			total += block.Len()
		}
		if total != rows || found.Rows != 3 || found.Line != int64(rows)+2 {
			t.Errorf("%d rows and below them %+v, want %d", total, found, rows)
		}
	}
}

// A sum that a program wrote without its value is a total as well.
func TestTotalsWithoutValuesAreBelowASheet(t *testing.T) {
	data := workbook(t, func(book *excelize.File) error {
		for i, row := range [][]any{{"Name", "Firma", "Umsatz"}, {"Lee", "Acme", 3}, {"Ray", "Beta", 4}, {"Total"}} {
			if err := book.SetSheetRow("Sheet1", fmt.Sprintf("A%d", i+1), &row); err != nil {
				return err
			}
		}
		return book.SetCellFormula("Sheet1", "C4", "SUM(C2:C3)")
	})
	_, _, first, err := namesAndFirst(t, data, 0)
	if err != nil || strings.Join(first, " ") != "Lee Ray" {
		t.Errorf("rows %q, %v", first, err)
	}
}
