package main

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"payonce/enrich"
	"payonce/io/sandbox"
	"payonce/io/sandbox/world"
)

// stoppedRun returns a list with a run, called first, that a ceiling stopped, and the
// arguments of that run.
func stoppedRun(t *testing.T) (*workbench, []string) {
	t.Helper()
	config := sandbox.DefaultConfig()
	config.MatchRates = enrich.ByField[float64]{0.8, 0.6}
	config.Window = sandbox.Window{Limit: 10000, Per: time.Second}
	b := newWorkbench(t, config, world.DefaultList(5, 300))
	run := []string{"--name", "first", "--fields", "email,phone", "--max-spend", "20", "--rate", "10000/1s", "--concurrency", "1", "--yes", "-o", b.path("out.csv")}
	b.batchTo([]int{exitCeiling}, "run", run...)
	return b, run
}

// writeAgain writes the output of the first run again and returns it.
func (b *workbench) writeAgain() []byte {
	b.t.Helper()
	if stdout, stderr, code := b.try("write", "first", "-o", b.path("again.csv")); code != exitDone {
		b.t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
	}
	output, err := os.ReadFile(b.path("again.csv"))
	if err != nil {
		b.t.Fatal(err)
	}
	return output
}

// TestAnInterruptedWriteLeavesNoOutput shows that an interrupted write leaves no output: nothing is
// lost when an output is not written.
func TestAnInterruptedWriteLeavesNoOutput(t *testing.T) {
	t.Parallel()
	b, _ := stoppedRun(t)
	interrupted, interrupt := context.WithCancel(t.Context())
	interrupt()
	if _, stderr, code := b.tryUntil(interrupted, "write", "first", "-o", b.path("again.csv")); code != exitInterrupted {
		t.Errorf("exit code %d\n%s", code, stderr)
	}
	if _, err := os.Stat(b.path("again.csv")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the output: %v", err)
	}
}

// TestWriteGivesTheOutputOfTheRun also shows that a run which changes nothing leaves the
// output as it was, and that nothing about the rows is kept between two commands.
func TestWriteGivesTheOutputOfTheRun(t *testing.T) {
	skipIfShort(t)
	t.Parallel()
	b, run := stoppedRun(t)
	want, err := os.ReadFile(b.path("out.csv"))
	if err != nil {
		t.Fatal(err)
	}
	if got := b.writeAgain(); !bytes.Equal(want, got) {
		t.Errorf("the run wrote\n%s\nand write\n%s", want, got)
	}
	b.batchTo([]int{exitCeiling}, "run", run...)
	if got := b.writeAgain(); !bytes.Equal(want, got) {
		t.Errorf("after a second run the output is\n%s\nwant\n%s", got, want)
	}
	if kept, err := filepath.Glob(b.path("state/*/*/rosters")); err != nil || len(kept) > 0 {
		t.Errorf("kept %v, error %v", kept, err)
	}
}
