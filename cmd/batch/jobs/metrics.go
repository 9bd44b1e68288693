// This file shows the state and the results of jobs as metrics of Prometheus: in a file for each job, and over
// HTTP. It reads nothing; reading.go reads what the metrics follow from. No metric has personal data: the values
// of labels are names of jobs, accounts, fields, meters, ceilings and outcomes.

package jobs

import (
	"time"

	"payonce/cost"
	"payonce/pipeline/report"
)

// JobMetrics is what the metrics of a job follow from.
type JobMetrics struct {
	Known
	Read     time.Time // when the journal was read
	Accounts []AccountMetrics
	Ceilings []CeilingMetrics // of the last run
	// Rows are those of the list of the last run that has ended, by their outcomes.
	Rows map[string]int64
	// Waited are the seconds that the runs waited, by their reasons.
	Waited map[string]float64
}

// AccountMetrics are the sums of a job's calls to one account since the journal began. The sums of settled calls never
// fall; MayBeFree, what is held and InDoubt can.
type AccountMetrics struct {
	report.AccountTerms
	Name      string
	Totals    cost.Totals
	MayBeFree cost.Money  // of what is settled
	InDoubt   int64       // calls
	LastRun   cost.Totals // of the last run
}

// CeilingMetrics is a limit, and what is left of it.
type CeilingMetrics struct {
	Name    string
	Account string // whose units it limits; "" for money and lookups, which span accounts
	Meter   string // "usd", or what the units count
	// Limit and Left are micro-dollars or units.
	Limit, Left int64
}
