package pipeline

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payonce/pipeline/output"
)

// TestUnchangedTablesAreNotWrittenAgain runs a list of companies again and again. Its files are written again when
// one of them was removed or changed, or another format was asked for, and only then. The summary is the same each
// time.
func TestUnchangedTablesAreNotWrittenAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	o := runOf(companyIDs(t, dir, "ids.csv", 101, 120), "company", "financials", "ownership")
	o.Output.Tables, o.Output.TablesFormat = filepath.Join(dir, "tables"), "csv"
	work := bothIn(dir)
	work.Env.Build = func() string { return "a program" }
	run := func() (*output.TablesWritten, []fs.FileInfo) {
		t.Helper()
		ended, err := work.Run(t.Context(), o, silent{})
		if err != nil || ended.Stop != nil {
			t.Fatalf("%v, stopped by %v", err, ended.Stop)
		}
		paths := []string{o.Output.Path}
		for _, table := range ended.Summary.Tables.Tables {
			paths = append(paths, table.File)
		}
		var files []fs.FileInfo
		for _, path := range paths {
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, info)
		}
		return ended.Summary.Tables, files
	}
	tables, files := run()
	if len(files) < 4 {
		t.Fatalf("%d files", len(files))
	}
	financials := filepath.Join(o.Output.Tables, "financials.csv")
	for _, step := range []struct {
		name    string
		change  func() error
		written bool
	}{
		{"nothing", func() error { return nil }, false},
		{"a removed table", func() error { return os.Remove(financials) }, true},
		{"nothing after it", func() error { return nil }, false},
		{"an edited table", func() error { return os.WriteFile(financials, []byte("company_id\n7\n"), 0o600) }, true},
	} {
		if err := step.change(); err != nil {
			t.Fatal(err)
		}
		again, now := run()
		if diff := cmp.Diff(tables, again); diff != "" {
			t.Errorf("%s: the summary differs (-first +now):\n%s", step.name, diff)
		}
		if same := slices.EqualFunc(files, now, os.SameFile); same == step.written {
			t.Errorf("%s: the files were left as they are: %t", step.name, same)
		}
		files = now
	}
}
