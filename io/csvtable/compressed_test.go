package csvtable_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payonce/io/csvtable"
	"payonce/io/listfile"
)

// Lists as they lie on a disk: compressed or not, of one file or several.
func TestCompressedAndPlainFilesFormOneList(t *testing.T) {
	dir := t.TempDir()
	text := "name,note\n" + strings.Repeat("Ada,\"a\n\"\"b\"\"\"\n", 50_000)
	for _, name := range []string{"1.csv", "2.csv.gz", "3.csv.zst"} {
		write(t, filepath.Join(dir, name), text)
	}
	inputs, err := listfile.ExpandPatterns(filepath.Join(dir, "?.csv*"))
	if err != nil {
		t.Fatal(err)
	}
	var list []csvtable.Input
	for _, input := range inputs {
		list = append(list, input)
	}
	r, err := csvtable.Open(csvtable.Options{}, list...)
	if err != nil {
		t.Fatal(err)
	}
	out := written(t, r, nil, nil)
	rows := strings.TrimPrefix(text, "name,note\n")
	if !cmp.Equal(text+rows+rows, out) {
		t.Error("the three files did not come back as one")
	}
}

func TestACutCompressedListIsAnError(t *testing.T) {
	path := filepath.Join(t.TempDir(), "list.csv.gz")
	write(t, path, "name,note\n"+strings.Repeat("Ada,x\n", 500_000))
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, whole[:len(whole)-4], 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := csvtable.Open(csvtable.Options{}, listfile.TextAt(path))
	if err != nil {
		t.Fatal(err)
	}
	_, err = readAll(r)
	if err == nil || !strings.Contains(err.Error(), "reading "+path+": the gzip data is cut short") {
		t.Errorf("err = %v, want that the file is cut short", err)
	}
}

// write writes a file, compressed as its name says.
func write(t *testing.T, path, text string) {
	t.Helper()
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w, err := listfile.NewTextWriter(file, path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = w.Write([]byte(text))
	if err := errors.Join(err, w.Close(), file.Close()); err != nil {
		t.Fatal(err)
	}
}
