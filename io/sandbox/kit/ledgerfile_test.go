package kit

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const header = `{"kind":"test"}` + "\n"

// TestALedgerOpenedLaterIsCreatedByItsFirstEntry: the file appears with the first entry, and of two processes that
// began without it only one can write.
func TestALedgerOpenedLaterIsCreatedByItsFirstEntry(t *testing.T) {
	path := filepath.Join(t.TempDir(), "books")
	var entries []string
	add := func(entry string) error { entries = append(entries, entry); return nil }
	first, err := OpenLedgerFileLater(path, header, add)
	if err != nil {
		t.Fatal(err)
	}
	second, err := OpenLedgerFileLater(path, header, add)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("the file is there before an entry: %v", err)
	}
	if err := first.Record("a"); err != nil {
		t.Fatal(err)
	}
	if err := second.Record("b"); err == nil || !strings.Contains(err.Error(), "another process") {
		t.Errorf("the second process writes: %v", err)
	}
	if err := first.Record("c"); err != nil {
		t.Error(err)
	}
	if err := first.Close(); err != nil {
		t.Error(err)
	}
	if err := first.Record("d"); err == nil {
		t.Error("an entry after the end")
	}
	_ = second.Close()
	if !slices.Equal(entries, []string{"a", "c"}) {
		t.Errorf("%q became true", entries)
	}
	entries = nil
	again, err := OpenLedgerFileLater(path, header, add)
	if err != nil || !slices.Equal(entries, []string{"a", "c"}) {
		t.Errorf("%v, read %q", err, entries)
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
}

// TestCloseWithoutAnEntry leaves no file, and takes no entry any more.
func TestCloseWithoutAnEntry(t *testing.T) {
	path := filepath.Join(t.TempDir(), "books")
	l, err := OpenLedgerFileLater[string](path, header, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := l.Record("a"); err == nil {
		t.Error("an entry after the end")
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("a file without an entry: %v", err)
	}
}
