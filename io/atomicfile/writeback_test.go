package atomicfile

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"
)

// TestWritebackFollowsWhatIsWritten asks for ranges that follow each other, large ones,
// and leaves little for the end.
func TestWritebackFollowsWhatIsWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var w writeback
		written, begun := int64(0), int64(0)
		for _, length := range rapid.SliceOf(rapid.IntRange(0, 2*writebackSize)).Draw(t, "lengths") {
			written += int64(length)
			offset, size := w.add(length)
			if size > 0 {
				if offset != begun || size < writebackSize {
					t.Fatalf("%d bytes from %d on, after %d", size, offset, begun)
				}
				begun += size
			}
			if begun > written || written-begun >= writebackSize {
				t.Fatalf("%d bytes of %d are begun", begun, written)
			}
		}
	})
}

// TestWritebackIsPossible asks for a range of a file, which the system of tests can do.
func TestWritebackIsPossible(t *testing.T) {
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

// TestALargeFileIsWhole writes more than the system is asked to put on the disk at once.
func TestALargeFileIsWhole(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	f, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Discard()
	pieces := rand.New(rand.NewPCG(1, 2))
	var want []byte
	for len(want) < 3*writebackSize {
		piece := bytes.Repeat([]byte{byte(len(want))}, 1+pieces.IntN(writebackSize))
		if _, err := f.Write(piece); err != nil {
			t.Fatal(err)
		}
		want = append(want, piece...)
	}
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%d bytes, %v, want %d", len(got), err, len(want))
	}
}
