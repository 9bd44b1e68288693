package output

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"payonce/io/listfile"
)

// TestAnOutputIsNotWrittenWhenItsRejectsFail has something in the place of the rejects by the time that
// all is written.
func TestAnOutputIsNotWrittenWhenItsRejectsFail(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	if err := os.WriteFile(path("list.csv"), []byte("first_name\nAnn\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	list, err := listfile.New(listfile.Options{}, path("list.csv"))
	if err != nil {
		t.Fatal(err)
	}
	create := func(name string) *listfile.Output {
		output, err := listfile.Create(list, listfile.Request{Path: path(name)})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(output.Discard)
		return output
	}
	files := &Files{list: list, out: create("out.csv"), rejects: create("rejects.csv")}
	if err := os.MkdirAll(path("rejects.csv/in the way"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := files.Commit(t.Context(), Protection{}); err == nil {
		t.Error("rejects were put over a directory")
	}
	if _, err := os.Stat(path("out.csv")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the output is there without its rejects: %v", err)
	}
}
