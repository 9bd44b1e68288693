package sheet

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"
)

// dated makes a workbook with a number in every format, below a title with a date.
func dated(t *testing.T, from1904 bool) []byte {
	t.Helper()
	return workbook(t, func(book *excelize.File) error {
		err := errors.Join(
			book.SetWorkbookProps(&excelize.WorkbookPropsOptions{Date1904: &from1904}),
			book.SetSheetRow("Sheet1", "A1", &[]any{nil, 46056}),
			book.SetSheetRow("Sheet1", "A3", &[]any{"name", "date", "time", "custom", "length", "money", "mixed"}),
			book.SetSheetRow("Sheet1", "A4", &[]any{"Lee", 46056, 46056.75, 46056.5, 1.5, 46056, "53111"}),
			book.SetSheetRow("Sheet1", "A5", &[]any{"Ray", "46056", 46056.99999999, 60.25, 46056, -3, 46056}),
			book.SetSheetRow("Sheet1", "A6", &[]any{"May", "n/a", nil, 9e9, 0.25, 0, 46056}),
			book.SetSheetRow("Sheet1", "A7", &[]any{"Fox", -1, 2, 0.5, 2, 3, "46056"}),
		)
		for _, format := range []struct {
			cells  [2]string
			number int
			custom string
		}{
			{[2]string{"B1", "B1"}, 14, ""},
			{[2]string{"B4", "B7"}, 14, ""},
			{[2]string{"C4", "C7"}, 22, ""},
			{[2]string{"D4", "D7"}, 0, `[$-407]dd\\ mmm\\ yyyy;@`},
			{[2]string{"E4", "E7"}, 0, "[h]:mm:ss"},
			{[2]string{"F4", "F7"}, 0, `#,##0.00 "Day" [Red]`},
			{[2]string{"G5", "G5"}, 15, ""},
		} {
			style := &excelize.Style{NumFmt: format.number}
			if format.custom != "" {
				style.CustomNumFmt = &format.custom
			}
			id, failed := book.NewStyle(style)
			err = errors.Join(err, failed, book.SetCellStyle("Sheet1", format.cells[0], format.cells[1], id))
		}
		return err
	})
}

func TestDatesAreReadAsDates(t *testing.T) {
	got, err := cellsOf(save(t, dated(t, false)), "")
	want := [][]string{
		{"name", "date", "time", "custom", "length", "money", "mixed"},
		{"Lee", "2026-02-03", "2026-02-03T18:00:00", "2026-02-03T12:00:00", "1.5", "46056", "53111"},
		{"Ray", "46056", "2026-02-04", "60.25", "46056", "-3", "2026-02-03"},
		{"May", "n/a", "", "9000000000", "0.25", "0", "46056"},
		{"Fox", "-1", "2", "0.5", "2", "3", "46056"},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("error %v, cells (-want +got):\n%s", err, diff)
	}
	from1904, err := cellsOf(save(t, dated(t, true)), "")
	if want := "2030-02-04"; err != nil || from1904[1][1] != want {
		t.Errorf("from 1904: %q, %v; want %q", from1904[1][1], err, want)
	}
}

func TestTheTextOfADate(t *testing.T) {
	for number, want := range map[string]string{
		"60": "", "61": "1900-03-01", "2958465": "9999-12-31", "2958466": "", "0": "", "0.99": "", "NaN": "", "": "", "x": "",
		"46056.0000001": "2026-02-03", "46056.25": "2026-02-03T06:00:00",
	} {
		if got, isDate := dateText(number, false); got != want || isDate != (want != "") {
			t.Errorf("%q is %q, want %q", number, got, want)
		}
	}
}
