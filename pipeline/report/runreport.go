// This file says how a run, a job or a month went: what was found, what it cost, what failed, and what the month will
// likely cost. It calculates with the facts that it is given and reads nothing.

package report

import (
	"time"

	"payonce/checkpoint"
	"payonce/cost"
)

// runReportVersion is the version of the object that a report is as JSON.
const runReportVersion = 1

// ReportScope says what a report is about: one run, all runs of a job, or all runs of the journal. Times are in
// UTC.
type ReportScope struct {
	Run   string `json:"run,omitempty"`
	Job   string `json:"job,omitempty"`
	Month string `json:"month,omitempty"` // such as "2026-11"; "" for all months
}

// RunReport says how runs went.
type RunReport struct {
	Version int           `json:"version"`
	Of      ReportScope   `json:"of"`
	At      time.Time     `json:"at"`
	Runs    []ReportedRun `json:"runs"` // in the order of their first starts
	// Stages lead from the rows of the lists to the found values. Rows are those of runs that have ended, each
	// as it last ended.
	Stages []Stage `json:"funnel"`
	// Mismatches are the runs with answers that contradict their rows.
	Mismatches []Mismatched `json:"mismatches,omitempty"`

	Calls    int64 `json:"calls"`    // that were sent, or may have been
	Answered int64 `json:"answered"` // calls
	Found    int64 `json:"found"`    // values
	// Pages counts the answered calls that are pages of searches. They are not values.
	Pages int64      `json:"search_pages,omitempty"`
	Spent cost.Money `json:"spent_usd"`
	// SpentLeast is the least that it can be while charges may turn out to have been free.
	SpentLeast *cost.Money `json:"spent_least_usd,omitempty"`
	PerValue   *cost.Money `json:"per_value_usd"` // null when nothing was found

	Units    AllUnits        `json:"units,omitempty"` // of modules
	Days     []Day           `json:"days"`
	Ceilings []ReportCeiling `json:"ceilings"`
	Forecast *MonthForecast  `json:"forecast,omitempty"`

	Prices    []PricedQuantity `json:"prices"` // their amounts add up to Spent
	Fields    []ReportField    `json:"fields"`
	Steps     []AnswerPart     `json:"steps"`
	Companies []AnswerPart     `json:"companies"`
	Mail      []MailProvider   `json:"mail_providers"`

	// Waits are those of the starts that came to their end, the longest first.
	Waits   []Waited      `json:"waits"`
	Errors  []ReportError `json:"errors"`
	Seconds *CallSeconds  `json:"seconds,omitempty"` // that answered calls took
	Doubts  []ReportDoubt `json:"in_doubt"`
	Held    cost.Money    `json:"held_usd"` // by all calls without an outcome, together
	// MoreDoubts counts the calls in doubt that are not in Doubts.
	MoreDoubts int64     `json:"more_in_doubt,omitempty"`
	Compared   *Compared `json:"plan,omitempty"`
	// Missing names what the journal does not tell.
	Missing []string `json:"missing"`

	// Again is what is recorded of the last start of the run of the report; nil when nothing is.
	Again *checkpoint.Start `json:"-"`
}

// ReportedRun is one run of a report.
type ReportedRun struct {
	Run     string           `json:"run"`
	Job     string           `json:"job"`
	List    string           `json:"list,omitempty"`   // "" for a search
	Output  string           `json:"output,omitempty"` // absolute path
	Fields  string           `json:"fields,omitempty"` // that were asked for
	Users   []string         `json:"users,omitempty"`  // who started it; none in older records
	Started time.Time        `json:"started"`
	Ended   *time.Time       `json:"ended"` // null while it runs, or after a crash
	Stop    string           `json:"stop,omitempty"`
	Rows    map[string]int64 `json:"rows"` // by outcome
	Running bool             `json:"running,omitempty"`
	// Found and Spent are those of the calls that the report is about.
	Found    int64          `json:"found"` // values
	Spent    cost.Money     `json:"spent_usd"`
	MaxSpend cost.Money     `json:"max_spend_usd"`
	ceilings []cost.Ceiling // that the user set
	// NotSent are lookups that the last start did not send.
	NotSent []NotSent `json:"not_sent,omitempty"`
	Drift   *Drift    `json:"drift,omitempty"` // of the first account
	// Drifts are those of all accounts that have one, by their interfaces.
	Drifts map[string]*Drift `json:"drift_by_interface,omitempty"`
}

// Mismatched says how many rows of a run did not get the values of their answers, which contradict them.
type Mismatched struct {
	Run  string `json:"run"`
	Rows int64  `json:"rows"`
}

// Stage is a number of rows or values that are left of the stage before.
type Stage struct {
	Name  string `json:"name"`
	Count int64  `json:"count"`
}

// Day is what was charged on a day.
type Day struct {
	Day     string     `json:"day"`
	Calls   int64      `json:"calls"`
	Found   int64      `json:"found"` // values
	Charged cost.Money `json:"charged_usd"`
	Units   AllUnits   `json:"units,omitempty"`
}

// ReportCeiling is a limit on the spend of a day or a month, as the run that started last was given it.
type ReportCeiling struct {
	Name   string     `json:"name"`
	Of     string     `json:"of"`     // "job NAME" or "workspace"
	Period string     `json:"period"` // "day" or "month"
	Limit  cost.Money `json:"limit_usd"`
}

// PricedQuantity is a quantity of values at a price.
type PricedQuantity struct {
	Interface string `json:"interface"`
	Field     string `json:"field"`
	Words     string `json:"words"` // for a reader
	// Of says what the amount is for: "price", "free" for the free allowance, or "reported" for calls whose
	// amount the service reported.
	Of     string      `json:"of"`
	Count  int64       `json:"count"`
	Price  *cost.Money `json:"price_usd"` // null for reported amounts
	Amount cost.Money  `json:"amount_usd"`
}

// Proportion is a part of a number. With 95 % certainty, the rate that is behind it lies between Low and High.
type Proportion struct {
	Found int64   `json:"found"`
	Of    int64   `json:"of"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// ReportField is what was asked for and found of a field.
type ReportField struct {
	Interface string     `json:"interface"`
	Field     string     `json:"field"`
	Words     string     `json:"words"`  // for one value
	Plural    string     `json:"plural"` // for several
	Rate      Proportion `json:"rate"`
	// Charged is null when the service reported amounts that do not belong to one field.
	Charged  *cost.Money `json:"charged_usd"`
	PerValue *cost.Money `json:"per_value_usd"`
}

// AnswerPart is a part of the answered calls, by the step or the company.
type AnswerPart struct {
	Name    string     `json:"name"`
	Words   string     `json:"words,omitempty"` // for the name, where a reader needs others
	Rate    Proportion `json:"rate"`            // calls that found something
	Values  int64      `json:"values"`          // found
	Share   float64    `json:"share"`           // of all values that were found
	Charged cost.Money `json:"charged_usd"`
	Units   AllUnits   `json:"units,omitempty"`
}

// MailProvider is a provider of mailboxes, and how many of the found emails it has.
type MailProvider struct {
	Host   string  `json:"host"`
	Emails int64   `json:"emails"`
	Share  float64 `json:"share"`
}

// ReportError is a reason why calls brought no answer.
type ReportError struct {
	State  string `json:"state"`
	Reason string `json:"reason"`
	Calls  int64  `json:"calls"`
}

// CallSeconds are the times between the record of a call's intent and that of its answer.
type CallSeconds struct {
	Median float64 `json:"median"`
	Most   float64 `json:"percentile_95"`
}

// ReportDoubt is a call whose outcome is unknown.
type ReportDoubt struct {
	Attempt uint64     `json:"attempt"`
	Run     string     `json:"run"`
	Begun   time.Time  `json:"begun"`
	Fields  string     `json:"fields"`
	Held    cost.Money `json:"held_usd"`
	Units   AllUnits   `json:"units,omitempty"` // that it holds
}

// Compared has what was planned beside what came of it.
type Compared struct {
	Lookups  int64        `json:"planned_lookups"`
	Maximum  cost.Money   `json:"planned_maximum_usd"`
	Expected *cost.Money  `json:"planned_expected_usd"`
	Range    *AmountRange `json:"planned_range_usd"`
	// Calls, Answered and Spent are those since the plan.
	Calls    int64      `json:"calls"`
	Answered int64      `json:"answered"`
	Spent    cost.Money `json:"spent_usd"`
}
