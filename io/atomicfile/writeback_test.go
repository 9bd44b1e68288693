package atomicfile

import (
	"bytes"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"pgregory.net/rapid"
)

// TestWritebackCoversContiguousRanges asks for ranges that follow each other, large ones,
// and leaves little for the end.
func TestWritebackCoversContiguousRanges(t *testing.T) {
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

// TestALargeFileIsWrittenCompletely writes more than the system is asked to put on the disk at once.
func TestALargeFileIsWrittenCompletely(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	f, err := Create(path, 0)
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

// What failed is told of the file that was asked for: nobody knows the one in the making.
func TestErrorNamesThePath(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	f, err := Create(path, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Discard()
	if err := f.pending.Close(); err != nil { // so that writing fails
		t.Fatal(err)
	}
	_, err = f.Write([]byte("row"))
	if failed, isPath := errors.AsType[*fs.PathError](err); !isPath || failed.Path != path {
		t.Errorf("error %v", err)
	}
}

// TestWritebackErrorsFailOnlyForAFullOrBrokenDisk: an output does not fail where the system cannot be asked, and
// fails where it says that the disk is full or broken.
func TestWritebackErrorsFailOnlyForAFullOrBrokenDisk(t *testing.T) {
	for told, fails := range map[error]bool{
		syscall.EINVAL: false, syscall.ENOSYS: false, syscall.ESPIPE: false, syscall.EOPNOTSUPP: false, syscall.EPERM: false,
		syscall.EIO: true, syscall.ENOSPC: true, &os.SyscallError{Err: syscall.EDQUOT}: true,
	} {
		path := filepath.Join(t.TempDir(), "file")
		f, err := Create(path, 0)
		if err != nil {
			t.Fatal(err)
		}
		f.beginWriteback = func(*os.File, int64, int64) error { return told }
		written, err := f.Write(make([]byte, writebackSize))
		if written != writebackSize || errors.Is(err, told) != fails {
			t.Errorf("%v: %d bytes, %v", told, written, err)
		}
		if err := f.Commit(); errors.Is(err, told) != fails || (err != nil) != fails {
			t.Errorf("%v: Commit = %v", told, err)
		}
		if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) != fails {
			t.Errorf("%v: the file is there: %v", told, err)
		}
	}
}
