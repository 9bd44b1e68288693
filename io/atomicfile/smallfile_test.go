package atomicfile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What is read whole has a bound, and nothing is waited for.
func TestReadSmallFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	whole, long := filepath.Join(dir, "whole"), filepath.Join(dir, "long")
	for path, size := range map[string]int{whole: maxSmallBytes, long: maxSmallBytes + 1} {
		if err := os.WriteFile(path, make([]byte, size), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if data, err := ReadSmall(whole); err != nil || len(data) != maxSmallBytes {
		t.Errorf("%d bytes, %v", len(data), err)
	}
	for path, want := range map[string]string{
		long: "is longer than 1048576 bytes", dir: "is a directory", filepath.Join(dir, "none"): "no such file", os.DevNull: "is not a regular file",
	} {
		if _, err := ReadSmall(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
}
