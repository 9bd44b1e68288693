package main

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"payonce/enrich"
	"payonce/internal/lists"
	"payonce/sandbox"
)

// rosterBench has a run that a ceiling stopped, and its kept roster.
type rosterBench struct {
	*workbench
	run []string
}

func newRosterBench(t *testing.T) *rosterBench {
	config := sandbox.DefaultConfig()
	config.MatchRates = [enrich.NumFields]float64{0.8, 0.6}
	config.Window = sandbox.Window{Limit: 10000, Per: time.Second}
	b := &rosterBench{workbench: newWorkbench(t, config, lists.Default(5, 300))}
	b.run = []string{"--name", "first", "--fields", "email,phone", "--max-spend", "20", "--rate", "10000/1s", "--yes", "-o", b.path("out.csv")}
	b.batchTo([]int{exitCeiling}, "run", b.run...)
	if kept := b.rosters(); len(kept) != 1 {
		t.Fatalf("rosters %v, want one", kept)
	}
	return b
}

// rosters returns the paths of all rosters that are kept, and of what is left over.
func (b *rosterBench) rosters() []string {
	b.t.Helper()
	found, err := filepath.Glob(b.path("state/*/*/rosters/*"))
	if err != nil {
		b.t.Fatal(err)
	}
	return found
}

// write writes the output of the run and returns it, and whether that took a new roster.
func (b *rosterBench) write() (output []byte, anew bool) {
	b.t.Helper()
	before := map[string]os.FileInfo{}
	for _, path := range b.rosters() {
		before[path] = b.stat(path)
	}
	output = b.writeAnyhow()
	for _, path := range b.rosters() {
		anew = anew || before[path] == nil || !os.SameFile(before[path], b.stat(path))
	}
	return output, anew
}

func (b *rosterBench) stat(path string) os.FileInfo {
	b.t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		b.t.Fatal(err)
	}
	return info
}

// forgetRosters removes all rosters.
func (b *rosterBench) forgetRosters() {
	b.t.Helper()
	for _, path := range b.rosters() {
		if err := os.Remove(path); err != nil {
			b.t.Fatal(err)
		}
	}
}

func (b *rosterBench) writeAnyhow() []byte {
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

// wantAnew checks that the output is written with a new roster, and is what it would be
// if none had ever been kept.
func (b *rosterBench) wantAnew(what string) {
	b.t.Helper()
	got, anew := b.write()
	if !anew {
		b.t.Errorf("%s: the old roster was used", what)
	}
	b.forgetRosters()
	if want := b.writeAnyhow(); !bytes.Equal(got, want) {
		b.t.Errorf("%s: the output with a roster beside the journal\n%s\nand without\n%s", what, got, want)
	}
	if _, anew := b.write(); anew {
		b.t.Errorf("%s: the roster was not kept", what)
	}
}

// Nothing is lost when an output is not written: nobody waits for it after an interrupt.
func TestWriteEndsAtAnInterrupt(t *testing.T) {
	t.Parallel()
	b := newRosterBench(t)
	for _, kept := range []bool{true, false} {
		if !kept {
			if err := os.Remove(b.rosters()[0]); err != nil {
				t.Fatal(err)
			}
		}
		interrupted, interrupt := context.WithCancel(t.Context())
		interrupt()
		if _, stderr, code := b.tryUntil(interrupted, "write", "first", "-o", b.path("again.csv")); code != exitInterrupted {
			t.Errorf("kept roster: %t, exit code %d\n%s", kept, code, stderr)
		}
		if _, err := os.Stat(b.path("again.csv")); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("kept roster: %t, the output: %v", kept, err)
		}
	}
}

func TestAnOutputIsWrittenAgainWithTheKeptRoster(t *testing.T) {
	t.Parallel()
	b := newRosterBench(t)
	want, err := os.ReadFile(b.path("out.csv"))
	if err != nil {
		t.Fatal(err)
	}
	got, anew := b.write()
	if anew || !bytes.Equal(want, got) {
		t.Errorf("new roster: %t; the run wrote\n%s\nand write\n%s", anew, want, got)
	}
	b.batchTo([]int{exitCeiling}, "run", b.run...) // finds the journal changed
	if again, anew := b.write(); anew || !bytes.Equal(want, again) {
		t.Errorf("after a second run: new roster: %t, output\n%s", anew, again)
	}
}

func TestAKeptRosterIsOfOneListAndJournal(t *testing.T) {
	t.Parallel()
	b := newRosterBench(t)
	list, err := os.ReadFile(b.path("list.csv"))
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(b.path("list.csv"))
	if err != nil {
		t.Fatal(err)
	}
	// Two rows change places: neither the length nor the time of the list tells.
	lines := bytes.SplitAfter(list, []byte("\n"))
	at := 1
	for bytes.ContainsRune(slices.Concat(lines[at], lines[at+1]), '"') {
		at++
	}
	lines[at], lines[at+1] = lines[at+1], lines[at]
	writeFile(t, b.path("list.csv"), string(slices.Concat(lines...)))
	if err := os.Chtimes(b.path("list.csv"), info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	b.wantAnew("another list")

	b.program = "another program"
	b.wantAnew("another program")

	b.batchTo([]int{exitDone, exitCeiling}, "run", "--name", "second", "--fields", "email", "--max-spend", "5", "--rate", "10000/1s", "--yes", "-o", b.path("second.csv"))
	b.wantAnew("another journal")

	if _, stderr, code := b.try("forget", "--first-name", "Nobody", "--last-name", "Known", "--company-name", "Here"); code != exitDone {
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
	b.wantAnew("somebody was forgotten")

	roster := b.rosters()[0]
	kept, err := os.ReadFile(roster)
	if err != nil {
		t.Fatal(err)
	}
	for at := 0; at < len(kept); at += 1 + len(kept)/6 {
		damaged := slices.Clone(kept)
		damaged[at] ^= 1 << (at % 8)
		writeFile(t, roster, string(damaged))
		b.wantAnew("a damaged roster")
		writeFile(t, roster, string(kept[:at]))
		b.wantAnew("a roster that is cut short")
	}
}

func TestWithoutANameOfTheProgramNoRosterIsKept(t *testing.T) {
	t.Parallel()
	b := newRosterBench(t)
	want := b.writeAnyhow()
	b.program = ""
	b.forgetRosters()
	if got := b.writeAnyhow(); !bytes.Equal(want, got) {
		t.Errorf("the output is\n%s\nwant\n%s", got, want)
	}
	if kept := b.rosters(); len(kept) != 0 {
		t.Errorf("rosters are kept: %v", kept)
	}
}

// TestRostersThatFitNoMoreAreRemoved has the file of a process that ended while it kept a
// roster, and lets another run change the journal.
func TestRostersThatFitNoMoreAreRemoved(t *testing.T) {
	t.Parallel()
	b := newRosterBench(t)
	first := b.rosters()[0]
	writeFile(t, filepath.Join(filepath.Dir(first), "."+filepath.Base(first)+"123"), "left over")
	b.batchTo([]int{exitCeiling}, "run", "--name", "second", "--fields", "email", "--max-spend", "5", "--rate", "10000/1s", "--yes", "-o", b.path("second.csv"))
	second := b.rosters()
	if len(second) != 1 || second[0] == first {
		t.Fatalf("rosters %v, want that of the second run alone", second)
	}
	b.writeAnyhow()
	if both := b.rosters(); len(both) != 2 || !slices.Contains(both, second[0]) {
		t.Errorf("rosters %v, want those of both runs, which fit the journal", both)
	}
}
