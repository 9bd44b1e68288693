package inspect

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"payonce/enrich"
	"payonce/io/listfile"
	"payonce/io/table"
)

// oneRow is a block of one row that has no cells.
type oneRow struct{}

func (oneRow) First() int64                             { return 1 }
func (oneRow) Len() int                                 { return 1 }
func (oneRow) Release()                                 {}
func (oneRow) Number() int64                            { return 1 }
func (oneRow) Line() int64                              { return 1 }
func (oneRow) Cell(int) []byte                          { return nil }
func (r oneRow) Each(visit func(table.Row) error) error { return visit(r) }

// writeParquet writes a list with one row as the query of a job does.
func writeParquet(t *testing.T, path, name string) {
	t.Helper()
	out, err := listfile.CreateNew(table.Schema{}, listfile.Request{Path: path, Appended: []table.Column{{Name: "name", Kind: enrich.TextCell}}})
	if err != nil {
		t.Fatal(err)
	}
	defer out.Discard()
	part := out.Writer.Part(oneRow{})
	if err := errors.Join(part.WriteRow(oneRow{}, nil, []enrich.Cell{enrich.TextOf(name)}), out.Writer.Write(part), out.Finish(), out.Commit()); err != nil {
		t.Fatal(err)
	}
}

// TestListsOfJobsThatNameThePersonAreRemoved, and those that cannot be read. Others stay.
func TestListsOfJobsThatNameThePersonAreRemoved(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(dir, "lists", name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	names := func(text string) bool { return strings.Contains(text, "Ann") && strings.Contains(text, "Lee") }
	write("paused/1.csv", "first,last\nAnn,Lee\n")
	write("paused/2.csv", "first,last\nBob,Lee\nAnn,Ray\n")
	write("removed/3.csv", "Export for Ann Lee\n\nfirst,last\nBob,Ray\n")
	write("removed/4.csv", "\"last\",first\n\"L\ne\",Bob\n")
	write("removed/5.parquet", "not a list")
	writeParquet(t, filepath.Join(dir, "lists", "removed", "6.parquet"), "Ann Lee")
	writeParquet(t, filepath.Join(dir, "lists", "removed", "7.parquet"), "Bob Lee")
	removed, err := removeLists(dir, names)
	want := []string{"paused/1.csv", "removed/3.csv", "removed/5.parquet", "removed/6.parquet"}
	for i := range want {
		want[i] = filepath.Join(dir, "lists", want[i])
	}
	if err != nil || !slices.Equal(removed, want) {
		t.Errorf("removed %q, want %q, error %v", removed, want, err)
	}
	for _, path := range removed {
		if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is there: %v", path, err)
		}
	}
	if again, err := removeLists(dir, names); len(again) > 0 || err != nil {
		t.Errorf("removed again %q, error %v", again, err)
	}
	if none, err := removeLists(t.TempDir(), names); len(none) > 0 || err != nil {
		t.Errorf("without lists: %q, error %v", none, err)
	}
}
