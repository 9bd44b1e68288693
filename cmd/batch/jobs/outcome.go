package jobs

import (
	"time"

	"payonce/internal/app"
	"payonce/internal/jobs"
	"payonce/internal/waiting"
)

// LongestPause is the longest pause of the service during which a run of a job keeps the journal. The job waits
// for the end of a longer one without it.
const LongestPause = 5 * time.Minute

// Outcome adds to an outcome how a run ended that began at a time; ended is nil when it could not start. A run
// that needs more credit than the account has ends with the exit code of a refusal.
func Outcome(outcome jobs.Outcome, ended *app.Ended, began time.Time, refused int) jobs.Outcome {
	if ended == nil {
		return outcome
	}
	summary := ended.Summary
	outcome.Reason, outcome.Lookups, outcome.Spent = "", summary.Posts, summary.SpentNow
	if summary.Stop != nil {
		outcome.Reason = *summary.Stop
	}
	for _, field := range summary.FoundNow.Fields {
		outcome.Found += field.Value.Found
	}
	outcome.Until = waiting.Until(ended, began)
	if waiting.NeedsCredit(ended) {
		outcome.Exit = refused
	}
	return outcome
}
