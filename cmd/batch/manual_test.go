package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
)

// write writes the pages of a program with two commands, and returns them by their names.
func write(t *testing.T, epoch string, now time.Time) map[string]string {
	t.Helper()
	root := &cobra.Command{Use: "program", Short: "Do things"}
	plan := &cobra.Command{Use: "plan LIST", Short: "Show what would be done", Run: func(*cobra.Command, []string) {}}
	plan.Flags().String("fields", "", "what is wanted")
	root.AddCommand(plan, newManualCommand(environment{
		getenv: func(string) string { return epoch }, now: func() time.Time { return now },
	}))
	dir := t.TempDir()
	root.SetArgs([]string{"man", dir})
	if err := root.Execute(); err != nil {
		t.Fatal(err)
	}
	pages := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		page, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		pages[entry.Name()] = string(page)
	}
	return pages
}

// TestEachCommandHasAManualPage looks for the pages, and for flags in them. The command itself has none.
func TestEachCommandHasAManualPage(t *testing.T) {
	pages := write(t, "", time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC))
	for name, want := range map[string]string{
		"program.1": "program-plan(1)", "program-plan.1": "fields", "program-man.1": "",
	} {
		page, found := pages[name]
		if found != (want != "") || !bytes.Contains([]byte(page), []byte(want)) {
			t.Errorf("page %s (found: %t) has no %q:\n%s", name, found, want, page)
		}
	}
}

// TestManualPagesAreReproducible writes the pages at two times with the time of the same source.
func TestManualPagesAreReproducible(t *testing.T) {
	first := write(t, "1700000000", time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC))
	later := write(t, "1700000000", time.Date(2027, 4, 2, 0, 0, 0, 0, time.UTC))
	if diff := cmp.Diff(first, later); diff != "" {
		t.Error(diff)
	}
	if other := write(t, "1800000000", time.Now()); cmp.Equal(first, other) {
		t.Error("the pages do not show the time of the source")
	}
}
