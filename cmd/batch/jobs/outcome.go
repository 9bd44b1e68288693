package jobs

import (
	"errors"
	"time"

	"payonce/checkpoint/record"
	"payonce/cost"
	"payonce/io/notify"
	"payonce/pipeline"
	"payonce/pipeline/problem"
	"payonce/pipeline/report"
)

// LongestPause is the longest pause of the service during which a run of a job keeps the journal. The job waits
// for the end of a longer one without it.
const LongestPause = 5 * time.Minute

// Outcome adds to an outcome how a run ended that began at a time; ended is nil when it could not start. A run
// that needs more credit than the account has ends with the exit code of a refusal. For a run that nobody approved,
// the outcome has the amount that it can spend.
func Outcome(outcome RunOutcome, ended *pipeline.RunEnded, began time.Time, refused int) RunOutcome {
	if ended == nil {
		outcome.Facts.Unapproved = unapproved(outcome.Err)
		return outcome
	}
	summary := ended.Summary
	outcome.Reason, outcome.OfRun = "", &RunSums{Lookups: summary.Calls, Spent: summary.Spent}
	if summary.Stop != nil {
		outcome.Reason = *summary.Stop
	}
	outcome.Facts = factsOf(summary)
	for _, field := range summary.Found.Fields {
		outcome.OfRun.Found += field.Value.Found
	}
	outcome.Until = waitsUntil(ended, began)
	if needsCredit(ended) {
		outcome.Exit = refused
	}
	return outcome
}

// unapproved returns the amount in the error of a run that nobody approved; zero for other errors.
func unapproved(err error) cost.Money {
	missing, is := errors.AsType[*problem.Error](err)
	if !is || missing.Code != codeUnapproved || len(missing.Values) == 0 {
		return 0
	}
	amount, _ := missing.Values[0].(cost.Money)
	return amount
}

// codeUnapproved is the code of the error of a run that nobody approved. The value of the error is the amount that the
// run can spend.
const codeUnapproved = "approval_missing"

// factsOf returns what alerts need to know about a run.
func factsOf(summary *report.RunSummary) notify.RunFacts {
	facts := notify.RunFacts{InDoubt: summary.InDoubt}
	for _, field := range summary.FoundNow.Fields {
		facts.Fields = append(facts.Fields, record.FieldCount{Name: field.Name, Asked: field.Value.Asked, Found: field.Value.Found})
	}
	if drift := summary.Drift; drift != nil {
		facts.Lost, facts.Higher = drift.Money, drift.Prices.Map()
		for _, units := range drift.Free {
			facts.LostUnits += units.Value
		}
		for _, units := range drift.Units {
			facts.LostUnits += units
		}
	}
	return facts
}
