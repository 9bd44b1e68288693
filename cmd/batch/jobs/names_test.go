package jobs

import (
	"context"
	"testing"
	"time"

	"github.com/spf13/pflag"
)

// TestFilesOfAnOccurrenceHaveItsDate in the names that a job gives them.
func TestFilesOfAnOccurrenceHaveItsDate(t *testing.T) {
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	files := []string{"output", "rejects", "new-values", "tables", "candidates"}
	for _, name := range files {
		flags.String(name, name+"-{date}", "")
	}
	for _, name := range []string{"job", "name", "wait"} {
		flags.String(name, "", "")
	}
	job := &Job{Name: "job", List: List{Path: "names_test.go"}, Run: RunLine{
		Flags: flags, Start: func(context.Context, string, time.Time) RunOutcome { return RunOutcome{} },
		Fail: func(err error) RunOutcome { return RunOutcome{Err: err} },
	}}
	if outcome := (Runner{}).start(t.Context(), &jobJournal{dir: t.TempDir()}, job, localTimeOf(noon), time.Time{}); outcome.Err != nil {
		t.Fatal(outcome.Err)
	}
	for _, name := range files {
		if got, want := flags.Lookup(name).Value.String(), name+"-2026-03-04"; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
