package table_test

import (
	"testing"

	"payonce/io/table"
)

func TestErrorNamesThePlaceAndWhatToDo(t *testing.T) {
	for _, c := range []struct {
		err  table.Error
		want string
	}{
		{table.Error{File: "a.csv", Reason: "it is empty"}, "a.csv: it is empty"},
		{table.Error{File: "a.csv", Line: 3, Reason: "2 cells", Hint: "add one"}, "a.csv:3: 2 cells; add one"},
		{table.Error{File: "a.csv", Line: 3, Column: 7, Reason: "a NUL byte", Hint: "remove it"}, "a.csv:3:7: a NUL byte; remove it"},
	} {
		if got := c.err.Error(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
