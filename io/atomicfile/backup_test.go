package atomicfile_test

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payonce/io/atomicfile"
)

// files returns the texts of all files in a directory by name.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, entry := range entries {
		text, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		texts[entry.Name()] = string(text)
	}
	return texts
}

// replace puts a new file at path as atomicfile does: the old one stays where it has another name.
func replace(t *testing.T, path, text string) {
	t.Helper()
	if err := errors.Join(os.WriteFile(path+".new", []byte(text), 0o600), os.Rename(path+".new", path)); err != nil {
		t.Fatal(err)
	}
}

func TestKeepKeepsTheNewestVersions(t *testing.T) {
	for most, want := range map[int]map[string]string{
		1: {"out.csv": "4", "out.csv.~1": "3"},
		3: {"out.csv": "4", "out.csv.~1": "3", "out.csv.~2": "2", "out.csv.~3": "1"},
		5: {"out.csv": "4", "out.csv.~1": "3", "out.csv.~2": "2", "out.csv.~3": "1", "out.csv.~4": "0"},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, "out.csv")
		replace(t, path, "0")
		for version := 1; version <= 4; version++ {
			if kept, err := atomicfile.KeepVersion(path, most); err != nil || kept != path+".~1" {
				t.Fatalf("kept as %s, %v", kept, err)
			}
			replace(t, path, strconv.Itoa(version))
		}
		if diff := cmp.Diff(want, files(t, dir)); diff != "" {
			t.Errorf("at most %d versions (-want +got):\n%s", most, diff)
		}
	}
}

func TestKeepVersionShiftsVersionsIntoAGap(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out.csv")
	for name, text := range map[string]string{"out.csv": "new", "out.csv.~1": "1", "out.csv.~3": "3"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := atomicfile.KeepVersion(path, 3); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"out.csv": "new", "out.csv.~1": "new", "out.csv.~2": "1", "out.csv.~3": "3"}
	if diff := cmp.Diff(want, files(t, dir)); diff != "" {
		t.Error(diff)
	}
	if _, err := atomicfile.KeepVersion(path, 0); err == nil {
		t.Error("no versions were kept, without an error")
	}
}

func TestRestoreVersionExchangesTheFiles(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out.csv")
	if err := atomicfile.RestoreVersion(path); !errors.Is(err, atomicfile.ErrNoVersion) {
		t.Errorf("without an earlier version: %v", err)
	}
	replace(t, path, "edited")
	if _, err := atomicfile.KeepVersion(path, 5); err != nil {
		t.Fatal(err)
	}
	replace(t, path, "new")
	for _, want := range []map[string]string{
		{"out.csv": "edited", "out.csv.~1": "new"}, {"out.csv": "new", "out.csv.~1": "edited"},
	} {
		if err := atomicfile.RestoreVersion(path); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, files(t, dir)); diff != "" {
			t.Error(diff)
		}
	}
	if err := errors.Join(os.Remove(path), atomicfile.RestoreVersion(path)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"out.csv": "edited"}, files(t, dir)); diff != "" {
		t.Errorf("without the file (-want +got):\n%s", diff)
	}
}
