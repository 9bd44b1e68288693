package main

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payonce/pipeline/report"
)

var at = time.Date(2026, 11, 22, 10, 31, 0, 0, time.UTC)

// statuses returns a function that returns a run for that number of times, and then nothing that runs.
func statuses(active int) func() (*report.Status, error) {
	return func() (*report.Status, error) {
		found := &report.Status{At: at, Active: []*report.Active{}}
		if active--; active >= 0 {
			found.Active = append(found.Active, &report.Active{Command: "run " + strings.Repeat("leads", 30), Process: 7, Since: at})
		}
		return found, nil
	}
}

// A terminal shows one status: each overwrites the one before, whose lines took one line each.
func TestAWatchedStatusOverwritesThePreviousOneOnATerminal(t *testing.T) {
	t.Parallel()
	for _, columns := range []int{80, 120} {
		var out strings.Builder
		screen := statusScreen{Out: &out, Columns: func() int { return columns }}
		if err := watchStatus(t.Context(), time.Nanosecond, screen, statuses(2)); err != nil {
			t.Fatal(err)
		}
		lines := ("run " + strings.Repeat("leads", 30))[:columns] + "\nprocess                   7, since 10:31:00\n"
		want := lines + "\x1b[2A\x1b[J" + lines + "\x1b[2A\x1b[J" + "nothing runs\n"
		if diff := cmp.Diff(want, out.String()); diff != "" {
			t.Errorf("%d columns (-want +got):\n%s", columns, diff)
		}
	}
}

func TestAWatchedStatusIsAppendedToAFile(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		screen statusScreen
		part   string
	}{"text": {statusScreen{}, "7, since 10:31:00\n\n"}, "JSON": {statusScreen{JSON: true}, `"process": 7`}} {
		var out strings.Builder
		c.screen.Out = &out
		if err := watchStatus(t.Context(), time.Nanosecond, c.screen, statuses(3)); err != nil {
			t.Fatal(err)
		}
		if strings.Count(out.String(), c.part) != 3 || strings.Contains(out.String(), "\x1b") {
			t.Errorf("%s: %q", name, out.String())
		}
	}
}

func TestWithoutAnIntervalTheStatusIsShownOnce(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	screen := statusScreen{Out: &out, Columns: func() int { return 10 }}
	if err := watchStatus(t.Context(), 0, screen, statuses(3)); err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(out.String(), "7, since 10:31:00\n") || strings.Count(out.String(), "\n") != 2 {
		t.Errorf("%q", out.String())
	}
}

func TestAnInterruptEndsTheWatch(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := watchStatus(ctx, time.Hour, statusScreen{Out: &strings.Builder{}}, statuses(3)); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
