package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/xuri/excelize/v2"
)

// A run remembers which sheet of a workbook it is about.
func TestOutputOfASheetIsWrittenAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	book := filepath.Join(dir, "list.xlsx")
	writeBook(t, book, "customers", "partners")
	state := filepath.Join(dir, "state")
	first, again := filepath.Join(dir, "first.xlsx"), filepath.Join(dir, "again.xlsx")
	mustEnd(t, "run", book, "--sheet", "partners", "--name", "trial", "--max-spend", "5", "--yes", "-o", first, "--sandbox", "--state", state)
	mustEnd(t, "write", "trial", "-o", again, "--sandbox", "--state", state)
	want, err := os.ReadFile(first)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(again); err != nil || !bytes.Equal(got, want) {
		t.Errorf("it was not written again as it was: %v", err)
	}
}

// writeBook writes a workbook whose sheets have one person each.
func writeBook(t *testing.T, path string, sheets ...string) {
	t.Helper()
	book := excelize.NewFile()
	defer book.Close()
	for _, sheet := range sheets {
		if _, err := book.NewSheet(sheet); err != nil {
			t.Fatal(err)
		}
		for cell, row := range map[string][]string{"A1": {"first_name", "last_name", "company"}, "A2": {"Ann", "Lee", sheet}} {
			if err := book.SetSheetRow(sheet, cell, &row); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := book.SaveAs(path); err != nil {
		t.Fatal(err)
	}
}

// mustEnd runs the program, which has to end well.
func mustEnd(t *testing.T, args ...string) {
	t.Helper()
	if text, err := exec.Command(*programPath, args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
}
