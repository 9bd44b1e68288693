// This file shows the state and the results of jobs as metrics of Prometheus: in a file for each job, and over
// HTTP. It reads nothing; reading.go reads what the metrics follow from. No metric has personal data: the values
// of labels are names of jobs, accounts, fields, meters, ceilings and outcomes.

package jobs

import (
	"time"

	"payonce/cost"
)

// JobMetrics is what the metrics of a job follow from.
type JobMetrics struct {
	Name     string
	Read     time.Time // when the journal was read
	Accounts []AccountMetrics
	Ceilings []CeilingMetrics // of the last run

	Paused   bool
	Waits    time.Time // until when an occurrence waits; zero for none
	Failures int64     // in a row

	Last    *RunMetrics // the last occurrence that began; nil for none
	Success time.Time   // when an occurrence last came to its end without a failure; zero for never
	// Occurrences counts what became of those that the history has, by state.
	Occurrences map[string]int64
	// Rows are those of the list of the last run that has ended, by their outcomes.
	Rows map[string]int64
	// Waited are the seconds that the runs waited, by their reasons.
	Waited map[string]float64
}

// AccountMetrics counts the calls of a job to one account since the journal began, what they found and what they
// cost. The values never fall, except those marked below.
type AccountMetrics struct {
	Name   string
	Fields []FieldMetrics
	Units  []UnitMetrics

	Answered, NotCharged, Forfeited int64 // calls
	// Spent is what was certainly charged. What was booked as paid and may turn out to have been free is in MayBeFree.
	Spent cost.Money

	// These can fall.
	MayBeFree cost.Money
	Held      cost.Money // by calls without an outcome
	InDoubt   int64      // calls
}

// FieldMetrics counts the values of a field.
type FieldMetrics struct {
	Name         string
	Asked, Found int64
	LastFound    int64 // by the last run
}

// UnitMetrics count what is used of a meter that is not money.
type UnitMetrics struct {
	Meter string
	Used  int64
	Held  int64
}

// CeilingMetrics is a limit, and what is left of it.
type CeilingMetrics struct {
	Name    string
	Account string // whose units it limits; "" for money and lookups, which span accounts
	Meter   string // "usd", or what the units count
	// Limit and Left are micro-dollars or units.
	Limit, Left int64
}

// RunMetrics is one occurrence of a job.
type RunMetrics struct {
	Began    time.Time
	Ended    time.Time // zero while it runs, and after a crash
	ExitCode int64
	Found    int64 // values
	Calls    int64
	Spent    cost.Money
}
