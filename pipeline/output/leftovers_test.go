package output

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"payonce/checkpoint/record"
	"payonce/io/atomicfile"
)

func TestLeftoversOfEveryRunAreRemoved(t *testing.T) {
	runs := []record.Run{{Output: ""}, {Output: "-"}, {Output: filepath.Join(t.TempDir(), "missing", "out.csv")}}
	var leftovers []string
	for range 2 {
		path := filepath.Join(t.TempDir(), "out.csv")
		file, err := atomicfile.Create(path, 0)
		if err != nil {
			t.Fatal(err)
		}
		leftovers = append(leftovers, file.Pending())
		file.Discard() // and then it is there again, but nobody writes it
		if err := os.WriteFile(leftovers[len(leftovers)-1], []byte("ann@x.example"), 0o600); err != nil {
			t.Fatal(err)
		}
		runs = append(runs, record.Run{Output: path}, record.Run{Output: path})
	}
	live, err := atomicfile.Create(runs[3].Output, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer live.Discard()
	RemoveLeftovers(runs)
	for _, path := range leftovers {
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is left: %v", path, err)
		}
	}
	if _, err := os.Stat(live.Pending()); err != nil {
		t.Errorf("a file that is being written was removed: %v", err)
	}
}
