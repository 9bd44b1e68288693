package jobs

import (
	"bytes"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payonce/checkpoint/record"
	"payonce/cost"
)

func TestTheHistoryShowsTheResultOrTheReasonOfEachOccurrence(t *testing.T) {
	t.Parallel()
	due := time.Date(2026, 3, 1, 2, 30, 0, 0, time.UTC)
	one := record.Occurrence{Job: "nightly", At: "2026-03-01T02:30", Count: 1, Zone: "UTC", Due: due}
	began := one
	began.Starts, began.Began = 1, due.Add(time.Second)
	ended := began
	ended.Ended, ended.Found, ended.Spent = due.Add(time.Minute), 7, 2*cost.Dollar
	waits := ended
	waits.Exit, waits.Reason, waits.Until = 3, "ceiling:daily", due.Add(24*time.Hour)
	missed := one
	missed.First, missed.Count, missed.Reason = "2026-02-27T02:30", 3, string(Missed)
	skipped, paused := one, one
	skipped.Cause = "an earlier occurrence still ran or waited"
	skipped.Reason, paused.Reason = string(overlap), string(Paused)+": the export is rebuilt"
	var printed bytes.Buffer
	if err := (Environment{Stdout: &printed}).writeHistory([]record.Occurrence{missed, skipped, paused, began, ended, waits}); err != nil {
		t.Fatal(err)
	}
	const want = `JOB      OCCURRENCE                                DUE                  BEGAN                ENDED                EXIT  FOUND  SPENT  REASON
nightly  2026-02-27T02:30 to 2026-03-01T02:30 (3)  2026-03-01 02:30:00  -                    -                    -     -      -      missed: its catch-up window had passed
nightly  2026-03-01T02:30                          2026-03-01 02:30:00  -                    -                    -     -      -      skipped: an earlier occurrence still ran or waited
nightly  2026-03-01T02:30                          2026-03-01 02:30:00  -                    -                    -     -      -      paused: the export is rebuilt
nightly  2026-03-01T02:30                          2026-03-01 02:30:00  2026-03-01 02:30:01  -                    -     0      $0.00  runs, or was killed and goes on with the next start
nightly  2026-03-01T02:30                          2026-03-01 02:30:00  2026-03-01 02:30:01  2026-03-01 02:31:00  0     7      $2.00  
nightly  2026-03-01T02:30                          2026-03-01 02:30:00  2026-03-01 02:30:01  2026-03-01 02:31:00  3     7      $2.00  the run reached the ceiling daily, waits until 2026-03-02 02:30 UTC
`
	if diff := cmp.Diff(want, printed.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
