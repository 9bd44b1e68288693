package sheet

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"payonce/io/table"
)

// TestFormulasBecomeTextCells writes values that begin like formulas: into an empty cell of a workbook, into one with a
// formula, as appended cells, and as rows of a new workbook. Each is a text cell with the bytes of its value.
func TestFormulasBecomeTextCells(t *testing.T) {
	values := []string{
		"=1+1", "=HYPERLINK(\"https://a.example\")", "+A1", "-A1", "@SUM(A1)", "\t=1+1", "\r=1+1", "\n=1+1", "'=1+1", "+49 171 5550100", "-123.4",
	}
	path := save(t, workbook(t, func(book *excelize.File) error {
		if err := book.SetSheetRow("Sheet1", "A1", &[]any{"name", "empty", "formula"}); err != nil {
			return err
		}
		for i := range values {
			line := i + 2
			if err := book.SetCellValue("Sheet1", fmt.Sprint("A", line), "Ann"); err != nil {
				return err
			}
			if err := book.SetCellFormula("Sheet1", fmt.Sprint("C", line), `""`); err != nil {
				return err
			}
		}
		return nil
	}))
	rewritten, err := rewrite(t, path, []table.Column{{Name: "appended"}}, func(row table.Row) ([]table.Fill, []string) {
		value := values[row.Number()-1]
		return []table.Fill{{Column: 1, Value: value}, {Column: 2, Value: value}}, []string{value}
	})
	if err != nil {
		t.Fatal(err)
	}
	checkTexts(t, rewritten, values, "B", "C", "D")
	var rows [][]string
	for _, value := range values {
		rows = append(rows, []string{value})
	}
	var out bytes.Buffer
	list := table.NewMemory([]string{"own"}, rows)
	w, err := NewEncoder(&out, list.Schema(), []table.Column{{Name: "appended"}})
	if err != nil {
		t.Fatal(err)
	}
	err = writeRows(list, w, func(row table.Row) ([]table.Fill, []string) { return nil, []string{values[row.Number()-1]} })
	if err != nil {
		t.Fatal(err)
	}
	checkTexts(t, save(t, out.Bytes()), values, "A", "B")
}

// checkTexts checks that columns have the values as text cells, for another program and for the reader of lists.
func checkTexts(t *testing.T, path string, values []string, columns ...string) {
	t.Helper()
	book, err := excelize.OpenFile(path, excelize.Options{RawCellValue: true})
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	read, err := cellsOf(path, "")
	if err != nil {
		t.Fatal(err)
	}
	for i, value := range values {
		for _, column := range columns {
			cell := fmt.Sprint(column, i+2)
			kind, err := book.GetCellType("Sheet1", cell)
			if err != nil || kind != excelize.CellTypeInlineString && kind != excelize.CellTypeSharedString {
				t.Errorf("%s is of type %d, %v", cell, kind, err)
			}
			if formula, err := book.GetCellFormula("Sheet1", cell); formula != "" || err != nil {
				t.Errorf("%s has the formula %s, %v", cell, formula, err)
			}
			if got, err := book.GetCellValue("Sheet1", cell); got != value || err != nil {
				t.Errorf("%s is %q for another program, want %q, %v", cell, got, value, err)
			}
			if got := read[i+1][column[0]-'A']; got != value {
				t.Errorf("%s is read as %q, want %q", cell, got, value)
			}
		}
	}
	if text := parts(t, path)[sheetPart]; strings.Contains(text, "<f>") {
		t.Errorf("the sheet has a formula: %s", text)
	}
}
