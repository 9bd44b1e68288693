package main

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"payonce/cost"
	"payonce/io/csvtable"
	"payonce/io/sheet"
	"payonce/io/table"
	"payonce/pipeline/columns"
	"payonce/pipeline/dispatch"
	"payonce/pipeline/scan"
)

// TestErrorsOfListsNameTheFlagThatHelps words errors that the packages below return without
// any flag.
func TestErrorsOfListsNameTheFlagThatHelps(t *testing.T) {
	t.Parallel()
	wrapped := func(err error) error { return fmt.Errorf("list.csv: %w", err) }
	for _, test := range []struct {
		err  error
		want string
	}{
		{
			wrapped(columns.DoubtsError{{Columns: `#1 "Email" and #3 "Work Email"`, Role: columns.Email, First: 0}}),
			`list.csv: columns #1 "Email" and #3 "Work Email" could all be email; choose one with --map email=#1`,
		},
		{
			wrapped(&columns.SharedColumnError{Column: `#2 "Phone"`, A: columns.Email, B: columns.Phone}),
			`list.csv: column #2 "Phone" cannot be filled with both email and phone; map another column for one of them, or none, such as --map phone=`,
		},
		{
			wrapped(&columns.OverrideError{Override: "phone=#9", Err: errors.New("no such column")}),
			"list.csv: --map phone=#9: no such column",
		},
		{
			&dispatch.PriceTooLowError{Field: "work_email", Price: 9 * cost.Cent, Source: "the card", Most: 15 * cost.Cent},
			"the service may charge $0.15 for a work_email, which costs $0.09 by the card; choose the right option with --rate-option, or give the right price with --rate-card",
		},
		{
			wrapped(&scan.TempFileError{Doing: "no temporary file can be made for the rest", Err: fs.ErrPermission}),
			"list.csv: the list needs more memory than it may use, and no temporary file can be made for the rest: permission denied; give --temp DIR, a directory with room, or more --memory",
		},
		{
			wrapped(&table.Error{File: "list.xlsx", Reason: "there are several sheets: A, B", Hint: "name one of them", Err: &sheet.SeveralSheetsError{Names: []string{"A", "B"}}}),
			"list.csv: list.xlsx: there are several sheets: A, B; name one of them with --sheet",
		},
		{
			fmt.Errorf(`line 2: column "n" holds %w; write the list as CSV`, table.ErrNotUTF8),
			`line 2: column "n" holds bytes that are not UTF-8; write the list as CSV; or say with --encoding how the list is encoded`,
		},
		{
			&table.Error{File: "list.csv", Line: 2, Reason: "the row has 3 cells, the header has 2", Hint: "quote the cells", Err: csvtable.ErrGuessedDelimiter},
			"list.csv:2: the row has 3 cells, the header has 2; quote the cells; if that is wrong, set it with --delimiter",
		},
		{wrapped(scan.ErrTooLongToOrder), "list.csv: lists of more than 4294967295 rows cannot be ordered by priority; split the list, or leave --priority out"},
		{fs.ErrPermission, "permission denied"},
	} {
		if failed, _ := failureOf(test.err, ""); failed.Message+failed.Hint != test.want {
			t.Errorf("got\n%s\nwant\n%s", failed.Message+failed.Hint, test.want)
		}
	}
}
