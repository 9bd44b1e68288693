package iotest

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// TestRunExecutesWithoutRootRights looks for a file that its directory hides, and for one that it shows.
func TestRunExecutesWithoutRootRights(t *testing.T) {
	dir := UserDir(t)
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for mode, want := range map[fs.FileMode]error{0o700: nil, 0: fs.ErrPermission} {
		if err := os.Chmod(dir, mode); err != nil {
			t.Fatal(err)
		}
		var err error
		AsUser(t, func() { _, err = os.Stat(file) })
		if !errors.Is(err, want) {
			t.Errorf("mode %s: error %v, want %v", mode, err, want)
		}
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
}
