package listfile_test

import (
	"os"
	"path/filepath"
	"testing"

	"payonce/io/listfile"
)

// TestAnOutputThatIsGivenUpClosesItsList: nothing reads the list any more, whatever its
// format.
func TestAnOutputThatIsGivenUpClosesItsList(t *testing.T) {
	const descriptors = "/proc/self/fd"
	if _, err := os.Stat(descriptors); err != nil {
		t.Skip("the system does not show which files are open")
	}
	dir := t.TempDir()
	source := open(t, listfile.Options{}, write(t, "list.csv", list))
	for _, ending := range []string{".csv", ".csv.gz", ".parquet", ".xlsx"} {
		path := filepath.Join(dir, "list"+ending)
		fill(t, source, path, false)
		out, err := listfile.Create(open(t, listfile.Options{}, path), listfile.Request{Path: filepath.Join(dir, "out"+ending)})
		if err != nil {
			t.Fatal(err)
		}
		out.Discard()
		entries, err := os.ReadDir(descriptors)
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range entries {
			if target, _ := os.Readlink(filepath.Join(descriptors, entry.Name())); target == path {
				t.Errorf("%s is open still", filepath.Base(path))
			}
		}
	}
}
