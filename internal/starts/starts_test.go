package starts

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"payonce/cost"
)

var at = time.Date(2026, 11, 22, 10, 31, 0, 0, time.UTC)

func begin(t *testing.T, dir, command string, n int) *Record {
	t.Helper()
	record, err := Begin(dir, Start{At: at.Add(time.Duration(n) * time.Second), Command: command, Output: "out.csv"})
	if err != nil {
		t.Fatal(err)
	}
	return record
}

func read(t *testing.T, dir string) []Start {
	t.Helper()
	all, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestAStartHasItsEnd(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first, killed := begin(t, dir, "first", 1), begin(t, dir, "killed", 2)
	if err := first.End(End{At: at, Exit: 4, Reason: "credits_exhausted", Lookups: 3, Spent: 45 * cost.Cent}); err != nil {
		t.Fatal(err)
	}
	all := read(t, dir)
	if len(all) != 2 || all[0].Command != "first" || all[1].Command != "killed" || all[1].End != nil || killed == nil {
		t.Fatalf("%+v", all)
	}
	if end := all[0].End; end == nil || end.Exit != 4 || end.Spent != 45*cost.Cent || all[0].User == "" || all[0].Host == "" {
		t.Errorf("%+v, end %+v", all[0], end)
	}
	if info, err := os.Stat(filepath.Join(dir, fileName)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, error %v", info, err)
	}
}

// Processes that start at the same time do not damage each other's lines, and a torn line hides no other.
func TestStartsOfManyProcessesAreAllThere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var working sync.WaitGroup
	for n := range 20 {
		working.Go(func() {
			if err := begin(t, dir, fmt.Sprint(n), n).End(End{Exit: n}); err != nil {
				t.Error(err)
			}
		})
	}
	working.Wait()
	file, err := os.OpenFile(filepath.Join(dir, fileName), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(file, `{"id":"torn","at":"2026`)
	file.Close()
	begin(t, dir, "last", 100)
	all := read(t, dir)
	if len(all) != 21 || all[20].Command != "last" {
		t.Fatalf("%d starts: %+v", len(all), all)
	}
	for _, start := range all[:20] {
		if start.End == nil || fmt.Sprint(start.End.Exit) != start.Command {
			t.Errorf("%+v, end %+v", start, start.End)
		}
	}
}

func TestWithoutAJournalNothingIsRecorded(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "none")
	if err := begin(t, dir, "first", 1).End(End{}); err != nil {
		t.Error(err)
	}
	if all := read(t, dir); len(all) > 0 {
		t.Errorf("%+v", all)
	}
}

// The first start of a journal makes its directory only after it began.
func TestTheFirstStartIsRecordedWhenThereIsADirectory(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "journal")
	first, failed := begin(t, dir, "first", 1), begin(t, dir, "failed", 2)
	if err := failed.End(End{At: at, Exit: 2}); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := first.Continue(); err != nil {
			t.Fatal(err)
		}
	}
	if all := read(t, dir); len(all) != 1 || all[0].Command != "first" || all[0].End != nil {
		t.Fatalf("%+v", all)
	}
	if err := first.End(End{At: at, Exit: 0, Lookups: 1}); err != nil {
		t.Fatal(err)
	}
	if all := read(t, dir); len(all) != 1 || all[0].End == nil {
		t.Errorf("%+v", all)
	}
}
