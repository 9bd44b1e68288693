package main

import (
	"os"
	"strings"
	"testing"
)

func self(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func TestRunMeasuresTimeAndMemoryOfACommand(t *testing.T) {
	took, stdout, err := command{self(t), "csv-count", makeList(t)}.run(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	if took.wall <= 0 || took.cpu <= 0 || took.peak < 1<<20 || took.peak > 1<<32 {
		t.Errorf("it took %+v", took)
	}
	if found, err := countsOf(stdout); err != nil || found.Rows != int64(testList().Rows) {
		t.Errorf("it found %v, %v in %q", found, err, stdout)
	}
}

// TestMeasuredCommandsDoNotUseTheUsersJournals: what is measured has journals of its own, which are
// not encrypted.
func TestMeasuredCommandsDoNotUseTheUsersJournals(t *testing.T) {
	names := []string{"SERVICE_BASE_URL", "BATCH_STATE", "BATCH_JOURNAL_KEY"}
	for _, name := range names {
		t.Setenv(name, "the user's")
	}
	_, stdout, err := command{"env"}.run(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if !strings.Contains("\n"+string(stdout), "\n"+name+"=\n") {
			t.Errorf("%s counts", name)
		}
	}
}

func TestACommandThatFailsSaysWhy(t *testing.T) {
	_, _, err := command{self(t), "csv-count", "nowhere.csv"}.run(t.Context(), 1)
	if err == nil || !strings.Contains(err.Error(), "csv-count nowhere.csv: exit status 1: bench: open nowhere.csv") {
		t.Errorf("error %v", err)
	}
}

func TestPeakMemoryIsInBytesOnEverySystem(t *testing.T) {
	if linux, mac := peakBytes(2048, "linux"), peakBytes(2048, "darwin"); linux != 2<<20 || mac != 2048 {
		t.Errorf("2048 are %d bytes on Linux, %d on macOS", linux, mac)
	}
}
