package kit

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const header = `{"kind":"test"}` + "\n"

// TestOpenLater: the file appears with the first entry, and of two processes that began without it only one can
// write.
func TestOpenLater(t *testing.T) {
	path := filepath.Join(t.TempDir(), "books")
	none := func([]byte) error { t.Error("an entry in a file that is not there"); return nil }
	first, err := OpenLedgerFileLater(path, header, none)
	if err != nil {
		t.Fatal(err)
	}
	second, err := OpenLedgerFileLater(path, header, none)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("the file is there before an entry: %v", err)
	}
	if err := first.Append("a"); err != nil {
		t.Fatal(err)
	}
	if err := second.Append("b"); err == nil || !strings.Contains(err.Error(), "another process") {
		t.Errorf("the second process writes: %v", err)
	}
	if err := first.Append("c"); err != nil {
		t.Error(err)
	}
	if err := first.Close(); err != nil {
		t.Error(err)
	}
	if err := first.Append("d"); err == nil {
		t.Error("an entry after the end")
	}
	_ = second.Close()
	var lines string
	again, err := OpenLedgerFileLater(path, header, func(line []byte) error { lines += string(line); return nil })
	if err != nil || lines != "\"a\"\n\"c\"\n" {
		t.Errorf("%v, read %q", err, lines)
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
}

// TestCloseWithoutAnEntry leaves no file, and takes no entry any more.
func TestCloseWithoutAnEntry(t *testing.T) {
	path := filepath.Join(t.TempDir(), "books")
	l, err := OpenLedgerFileLater(path, header, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := l.Append("a"); err == nil {
		t.Error("an entry after the end")
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("a file without an entry: %v", err)
	}
}
