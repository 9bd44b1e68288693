package output

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/record"
	"payonce/enrich"
	"payonce/io/listfile"
	"payonce/io/table"
)

// owners is an interface with one table. An answer is the name of an owner.
type owners struct{}

func (owners) Tables() []enrich.Table {
	return []enrich.Table{{
		Name: "owners", Key: "company", Columns: []enrich.TableColumn{{Name: "name"}, {Name: "shares", Kind: enrich.IntegerCell}},
	}}
}

func (owners) Rows(_ enrich.Field, a enrich.Answered) ([]enrich.TableRow, enrich.CellProblems, error) {
	return []enrich.TableRow{{Cells: []enrich.Cell{
		{Known: true, Text: a.Data}, {Kind: enrich.IntegerCell, Known: true, Integer: int64(len(a.Data))},
	}}}, enrich.CellProblems{}, nil
}

func (o owners) Extras(of enrich.Field, answer enrich.Answered) ([]enrich.TableRow, enrich.CellProblems, error) {
	return o.Rows(of, answer)
}

// tableAnswers are the answers of attempts, whose numbers are those of the companies.
type tableAnswers map[attempt.ID]string

func (a tableAnswers) Recall(int64, bool) func([]attempt.ID, []attempt.Outcome) ([]attempt.Outcome, error) {
	return func(ids []attempt.ID, known []attempt.Outcome) ([]attempt.Outcome, error) {
		for _, id := range ids {
			known = append(known, attempt.Outcome{
				ID: id, Who: enrich.Identity{Company: enrich.Company{ID: fmt.Sprint(id)}},
				Ended: attempt.Resolution{State: attempt.Settled, Status: enrich.Matched, Data: a[id]},
			})
		}
		return known, nil
	}
}

// files remembers the files that were written.
type files map[string]record.File

func (f files) File(path string) (record.File, bool, error) {
	file, found := f[path]
	return file, found, nil
}

func (f files) SaveFile(file record.File) error {
	f[file.Path] = file
	return nil
}

// tablesOf returns the request of tables of one wanted field in a directory.
func tablesOf(dir, format string, a tableAnswers) Tables {
	return Tables{Dir: dir, Format: format, Steps: TableSteps{{Interface: owners{}, Answers: a, Wanted: 1}}}
}

// writeTables writes an output with its tables, and returns what was kept.
func writeTables(t *testing.T, j Journal, wanted Tables, companies ...attempt.ID) []KeptVersion {
	t.Helper()
	list := listOf(t, "list.csv", "company\n1\n")
	out, err := listfile.Create(list, listfile.Request{Path: filepath.Join(t.TempDir(), "out.csv")})
	if err != nil {
		t.Fatal(err)
	}
	if err := wanted.check(); err != nil {
		t.Fatal(err)
	}
	f := &Files{list: list, out: out, tables: &tableFiles{Tables: wanted, mode: 0o640, decided: NewDecidedAnswers(wanted.Steps)}}
	defer f.Discard()
	for _, id := range companies {
		f.Decided(0)(0, id)
	}
	if _, err := f.WriteTables(t.Context()); err != nil {
		t.Fatal(err)
	}
	kept, err := f.Commit(t.Context(), Protection{Journal: j, Now: time.Now(), Most: 3})
	if err != nil {
		t.Fatal(err)
	}
	return kept
}

func TestTablesAreWrittenInBothFormats(t *testing.T) {
	for _, format := range tableFormats() {
		dir := filepath.Join(t.TempDir(), "tables")
		wanted := tablesOf(dir, format, tableAnswers{1: "Ann", 2: "Zoë, Inc"})
		path, j := filepath.Join(dir, "owners."+format), files{}
		if kept := writeTables(t, j, wanted, 2, 1); len(kept) > 0 {
			t.Errorf("%s: kept %v", format, kept)
		}
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		list, err := listfile.New(listfile.Options{}, path)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		reader, err := list.Open(nil)
		if err != nil {
			t.Fatal(err)
		}
		block, err := reader.Next()
		if err == nil {
			err = block.Each(func(r table.Row) error {
				got = append(got, fmt.Sprintf("%s|%s|%s", r.Cell(0), r.Cell(1), r.Cell(2)))
				return nil
			})
		}
		if err := errors.Join(err, reader.Close()); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"2|Zoë, Inc|9", "1|Ann|3"}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", format, diff)
		}
		for name, want := range map[string]os.FileMode{path: 0o640, dir: 0o750} {
			if info, err := os.Stat(name); err != nil || info.Mode().Perm() != want {
				t.Errorf("%s: %v, %v", name, info.Mode(), err)
			}
		}
		if kept := writeTables(t, j, wanted, 2, 1); len(kept) > 0 {
			t.Errorf("%s, written again: kept %v", format, kept)
		}
		if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
			t.Errorf("%s: the same table has other bytes, %v", format, err)
		}
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) != 1 {
			t.Errorf("%s: the directory has %v, %v", format, entries, err)
		}
	}
}

// TestATableThatWouldBeLostIsKept when somebody edited it, and when it has a company that the new one lacks.
func TestATableThatWouldBeLostIsKept(t *testing.T) {
	for _, format := range tableFormats() {
		dir := t.TempDir()
		path, j := filepath.Join(dir, "owners."+format), files{}
		write := func(companies ...attempt.ID) string {
			var reasons []string
			for _, k := range writeTables(t, j, tablesOf(dir, format, tableAnswers{1: "Ann", 2: "Bob", 3: "Cem"}), companies...) {
				reasons = append(reasons, filepath.Base(k.File)+" "+k.Reason)
			}
			return strings.Join(reasons, "; ")
		}
		name := filepath.Base(path)
		for _, step := range []struct {
			companies []attempt.ID
			want      string
		}{
			{[]attempt.ID{1, 2}, ""},
			{[]attempt.ID{2, 3, 1}, ""}, // more than before
			{[]attempt.ID{3}, name + " it holds 2 values that the new one lacks"},
		} {
			if got := write(step.companies...); got != step.want {
				t.Errorf("companies %v: kept %q, want %q", step.companies, got, step.want)
			}
		}
		edited, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(path, append(edited, '\n'), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		if got, want := write(3), name+" it was changed after it was written"; got != want {
			t.Errorf("an edited table: kept %q, want %q", got, want)
		}
	}
}

// TestTablesThatCannotBeWrittenAreRefused before anything is sent. Nothing is left.
func TestTablesThatCannotBeWrittenAreRefused(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "taken", "owners.csv"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ dir, format, want string }{
		{filepath.Join(dir, "new"), "csv", ""},
		{filepath.Join(dir, "new") + "/", "csv", ""},
		{dir, "parquet", ""},
		{dir, "xlsx", `"xlsx" is not a format of tables; choose parquet or csv`},
		{file, "csv", "is not a directory, and the tables are files in one"},
		{filepath.Join(dir, "no", "new"), "csv", "does not exist; create it first"},
		{filepath.Join(dir, "taken"), "csv", "is a directory; name a file in it"},
	} {
		err := tablesOf(c.dir, c.format, nil).check()
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s in %s: %v, want %q", c.format, c.dir, err, c.want)
		}
	}
	if err := (Tables{Dir: dir, Format: "csv"}).check(); !errors.Is(err, ErrNoTables) {
		t.Errorf("without tables: %v", err)
	}
	if err := (Tables{}).check(); err != nil || (Tables{}).Paths() != nil {
		t.Errorf("without a directory: %v", err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
		t.Errorf("the directory has %v, %v", entries, err)
	}
}

// TestADiscardedTableLeavesNoFile ends the files of a run whose output could not be written.
func TestADiscardedTableLeavesNoFile(t *testing.T) {
	dir := t.TempDir()
	wanted := tablesOf(dir, "parquet", tableAnswers{1: "Ann"})
	f := &Files{tables: &tableFiles{Tables: wanted, decided: NewDecidedAnswers(wanted.Steps)}, out: &listfile.Output{}}
	f.Decided(0)(0, 1)
	if summary, err := f.WriteTables(t.Context()); err != nil || summary.Tables[0].Rows != 1 {
		t.Fatalf("%+v, %v", summary, err)
	}
	f.Discard()
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("the directory has %v, %v", entries, err)
	}
}
