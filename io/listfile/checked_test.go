package listfile_test

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payonce/io/listfile"
	"payonce/io/table"
)

// TestACheckedList reads a list of each format that was read before, and writes it.
func TestACheckedList(t *testing.T) {
	source := open(t, listfile.Options{}, write(t, "list.csv", list))
	dir := t.TempDir()
	for _, ending := range []string{".csv", ".tsv", ".csv.gz", ".csv.zst", ".parquet", ".xlsx"} {
		path := filepath.Join(dir, "list"+ending)
		fill(t, source, path, false)
		l := open(t, listfile.Options{}, path)
		want := cells(t, l)
		if diff := cmp.Diff(want, cells(t, l.Checked())); diff != "" {
			t.Errorf("%s (-first pass +checked):\n%s", ending, diff)
		}
		again := filepath.Join(dir, "again"+ending)
		fill(t, l.Checked(), again, false)
		rows := cells(t, open(t, listfile.Options{}, again))
		for i := range rows {
			rows[i] = rows[i][:4] // of five: there are two columns of costs now
		}
		if diff := cmp.Diff(want, rows); diff != "" {
			t.Errorf("%s written again (-want +got):\n%s", ending, diff)
		}
	}
}

// TestACheckedListIsNotCheckedAgain says of a list with a ragged row that it was.
func TestACheckedListIsNotCheckedAgain(t *testing.T) {
	const ragged = "name,email,note\nAnn,,x\nBob\n"
	l := open(t, listfile.Options{}, write(t, "list.csv", ragged))
	rows := func(l *listfile.List, look bool) error {
		reader, err := l.Open(nil)
		if err != nil {
			t.Fatal(err)
		}
		defer reader.Close()
		return table.Ordered(t.Context(), reader, func(b table.Block) (struct{}, error) {
			return struct{}{}, b.Each(func(r table.Row) error {
				if look {
					r.Cell(0)
				}
				return nil
			})
		}, func(table.Block, struct{}) error { return nil })
	}
	var wrong *table.Error
	for name, err := range map[string]error{
		"a first pass": rows(l, false), "a look": rows(l.Checked(), true), "a look at all": rows(l.Whole().Checked(), true),
	} {
		if !errors.As(err, &wrong) || wrong.Line != 3 {
			t.Errorf("%s: %v, want an error of line 3", name, err)
		}
	}
	for name, l := range map[string]*listfile.List{"checked": l.Checked(), "checked and whole": l.Checked().Whole()} {
		if err := rows(l, false); err != nil {
			t.Errorf("%s: %v, want no look at the rows", name, err)
		}
	}
}
