package sheet

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"payonce/io/table"
)

// filtered makes a workbook whose list begins in the third row.
func filtered(t *testing.T, more func(*excelize.File) error) string {
	t.Helper()
	return save(t, workbook(t, func(book *excelize.File) error {
		return errors.Join(
			book.SetSheetName("Sheet1", "Ann's list"),
			book.SetSheetRow("Ann's list", "A1", &[]any{"Customers"}),
			book.SetSheetRow("Ann's list", "A3", &[]any{"name", "city", "email"}),
			book.SetSheetRow("Ann's list", "A4", &[]any{"Lee", "Bonn", "a@x.example"}),
			book.SetSheetRow("Ann's list", "A5", &[]any{"Ray", "Ulm"}),
			more(book),
		)
	}))
}

func appendTwo(t *testing.T, path string) map[string]string {
	t.Helper()
	out, err := rewrite(t, path, []table.Column{{Name: "status"}, {Name: "a <b>"}}, func(table.Row) ([]table.Fill, []string) {
		return nil, []string{"matched", ""}
	})
	if err != nil {
		t.Fatal(err)
	}
	return parts(t, out)
}

func TestFiltersExtendOverTheAppendedColumns(t *testing.T) {
	for filter, want := range map[string]string{
		"A3:C5": "A3:E5", // the list
		"A3:B5": "A3:B5", // not to its end
		"A4:C5": "A4:C5", // not from its header
	} {
		got := appendTwo(t, filtered(t, func(book *excelize.File) error { return book.AutoFilter("Ann's list", filter, nil) }))
		sheet, names := got[sheetPart], got[workbookPart]
		if _, after, _ := strings.Cut(sheet, "</sheetData>"); !strings.Contains(strings.ReplaceAll(after, "$", ""), `<autoFilter ref="`+want+`"`) {
			t.Errorf("%s: %s", filter, after)
		}
		from, to, _ := strings.Cut(want, ":")
		if name := "$" + from[:1] + "$" + from[1:] + ":$" + to[:1] + "$" + to[1:]; !strings.Contains(names, name+"</definedName>") {
			t.Errorf("%s: %s is not in %s", filter, name, names)
		}
	}
}

func TestTablesExtendOverTheAppendedColumns(t *testing.T) {
	const part = "xl/tables/table1.xml"
	path := filtered(t, func(book *excelize.File) error {
		return book.AddTable("Ann's list", &excelize.Table{Range: "A3:C5", Name: "People"})
	})
	before, got := parts(t, path)[part], appendTwo(t, path)[part]
	want := strings.NewReplacer(
		`ref="A3:C5"`, `ref="A3:E5"`, `<tableColumns count="3">`, `<tableColumns count="5">`,
		`</tableColumns>`, `<tableColumn id="4" name="status"/><tableColumn id="5" name="a &lt;b&gt;"/></tableColumns>`,
	).Replace(before)
	if diff := cmp.Diff(want, got); diff != "" || want == before {
		t.Errorf("the table (-want +got):\n%s", diff)
	}
	out, err := rewrite(t, path, nil, func(table.Row) ([]table.Fill, []string) { return nil, nil })
	if err != nil || parts(t, out)[part] != before {
		t.Errorf("nothing is appended, and the table is %s, %v", parts(t, out)[part], err)
	}
	narrow := filtered(t, func(book *excelize.File) error { return book.AddTable("Ann's list", &excelize.Table{Range: "A3:B5"}) })
	if before := parts(t, narrow)[part]; appendTwo(t, narrow)[part] != before {
		t.Errorf("a table that ends before the list has changed: %s", before)
	}
}
