package jobrun

import (
	"context"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"payonce/internal/jobs"
	"payonce/schedule"
)

// TestFilesOfAnOccurrenceHaveItsDate in the names that a job gives them.
func TestFilesOfAnOccurrenceHaveItsDate(t *testing.T) {
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	files := []string{"output", "rejects", "tables", "candidates"}
	for _, name := range files {
		flags.String(name, name+"-{date}", "")
	}
	for _, name := range []string{"job", "name", "wait"} {
		flags.String(name, "", "")
	}
	job := &jobs.Job{Name: "job", List: jobs.List{Path: "list.csv"}, Run: jobs.Run{
		Flags: flags, Start: func(context.Context, string, time.Time) jobs.Outcome { return jobs.Outcome{} },
		Fail: func(err error) jobs.Outcome { return jobs.Outcome{Err: err} },
	}}
	if outcome := (Runner{}).start(t.Context(), &book{dir: t.TempDir()}, job, schedule.LocalOf(noon), time.Time{}); outcome.Err != nil {
		t.Fatal(outcome.Err)
	}
	for _, name := range files {
		if got, want := flags.Lookup(name).Value.String(), name+"-2026-03-04"; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
