//go:build !arm

package atomicfile

import (
	"os"
	"path/filepath"
	"testing"
)

// TestWritebackWorksOnLinux asks Linux to write a range of a file to the disk.
func TestWritebackWorksOnLinux(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteString("text"); err != nil {
		t.Fatal(err)
	}
	if err := beginWriteback(file, 0, 4); err != nil {
		t.Errorf("%v for a file", err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
}
