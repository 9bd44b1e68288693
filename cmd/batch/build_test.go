package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestProgramsOfEqualSizeAndTimeHaveDifferentBuildHashes has files like those of two builds of a release.
func TestProgramsOfEqualSizeAndTimeHaveDifferentBuildHashes(t *testing.T) {
	released := time.Unix(1_700_000_000, 0)
	write := func(name, code string) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(code), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, released, released); err != nil {
			t.Fatal(err)
		}
		return path
	}
	one, two, copied := sumOf(write("batch", "code")), sumOf(write("batch", "cods")), sumOf(write("copy", "code"))
	if one == two || one != copied {
		t.Errorf("the builds are %s and %s, and that of a copy of the first is %s", one, two, copied)
	}
	if missing := sumOf(filepath.Join(t.TempDir(), "missing")); missing != "" {
		t.Errorf("a missing program has the build %s", missing)
	}
}

// TestTheBuildHashIsThatOfTheRunningProgram: without one, no output would be left in place.
func TestTheBuildHashIsThatOfTheRunningProgram(t *testing.T) {
	if path, err := os.Executable(); err != nil || buildHash() != sumOf(path) || buildHash() == "" {
		t.Errorf("build %q, error %v", buildHash(), err)
	}
}
