// Package runreport says how a run, a job or a month went: what was found, what it cost, what went wrong, and
// what the month will likely cost. It calculates with the facts that it is given and reads nothing.
package runreport

import (
	"time"

	"payonce/cost"
	"payonce/internal/report/planview"
	"payonce/internal/report/runview"
	"payonce/internal/report/usageview"
)

// Version is the version of the object that a report is as JSON.
const Version = 1

// Scope says what a report is about: one run, all runs of a job, or all runs of the journal. Times are in
// UTC.
type Scope struct {
	Run   string `json:"run,omitempty"`
	Job   string `json:"job,omitempty"`
	Month string `json:"month,omitempty"` // such as "2026-11"; "" for all months
}

// Report says how runs went.
type Report struct {
	Version int       `json:"version"`
	Of      Scope     `json:"of"`
	At      time.Time `json:"at"`
	Runs    []Run     `json:"runs"` // in the order of their first starts
	// Stages lead from the rows of the lists to the found values. Rows are those of runs that have ended, each
	// as it last ended.
	Stages []Stage `json:"funnel"`

	Calls    int64 `json:"calls"`    // that ended, and those without an outcome
	Answered int64 `json:"answered"` // calls
	Found    int64 `json:"found"`    // values
	// Pages counts the answered calls that are pages of searches. They are not values.
	Pages int64      `json:"search_pages,omitempty"`
	Spent cost.Money `json:"spent_usd"`
	// SpentLeast is the least that it can be while charges may turn out to have been free.
	SpentLeast *cost.Money `json:"spent_least_usd,omitempty"`
	PerValue   *cost.Money `json:"per_value_usd"` // null when nothing was found

	Units    AllUnits  `json:"units,omitempty"` // of modules
	Days     []Day     `json:"days"`
	Ceilings []Ceiling `json:"ceilings"`
	Forecast *Forecast `json:"forecast,omitempty"`

	Prices    []Price `json:"prices"` // their amounts add up to Spent
	Fields    []Field `json:"fields"`
	Steps     []Part  `json:"steps"`
	Companies []Part  `json:"companies"`
	Mail      []Mail  `json:"mail_providers"`

	// Waits are those of the starts that came to their end, the longest first.
	Waits   []runview.Waited `json:"waits"`
	Errors  []Error          `json:"errors"`
	Seconds *Seconds         `json:"seconds,omitempty"` // that answered calls took
	Doubts  []Doubt          `json:"in_doubt"`
	Held    cost.Money       `json:"held_usd"` // by all calls in doubt, at most
	// MoreDoubts counts the calls in doubt that are not in Doubts.
	MoreDoubts int64     `json:"more_in_doubt,omitempty"`
	Compared   *Compared `json:"plan,omitempty"`
	// Missing names what the journal does not tell.
	Missing []string `json:"missing"`
}

// Run is one run of a report.
type Run struct {
	Run     string           `json:"run"`
	Job     string           `json:"job"`
	Started time.Time        `json:"started"`
	Ended   *time.Time       `json:"ended"` // null while it runs, or after a crash
	Stop    string           `json:"stop,omitempty"`
	Rows    map[string]int64 `json:"rows"` // by outcome
	// NotSent are lookups that the last start did not send.
	NotSent []runview.NotSent `json:"not_sent,omitempty"`
	Drift   *usageview.Drift  `json:"drift,omitempty"` // of the first account
	// Drifts are those of all accounts that have one, by their interfaces.
	Drifts map[string]*usageview.Drift `json:"drift_by_interface,omitempty"`
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

// Ceiling is a limit on the spend of a day or a month, as the run that started last was given it.
type Ceiling struct {
	Name   string     `json:"name"`
	Of     string     `json:"of"`     // "job NAME" or "workspace"
	Period string     `json:"period"` // "day" or "month"
	Limit  cost.Money `json:"limit_usd"`
}

// Price is a quantity of values at a price.
type Price struct {
	Interface string `json:"interface"`
	Field     string `json:"field"`
	// Of says what the amount is for: "price", "free" for the free allowance, or "reported" for calls whose
	// amount the service reported.
	Of     string      `json:"of"`
	Count  int64       `json:"count"`
	Price  *cost.Money `json:"price_usd"` // null for reported amounts
	Amount cost.Money  `json:"amount_usd"`
}

// Rate is a part of a number. With 95 % certainty, the rate that is behind it lies between Low and High.
type Rate struct {
	Found int64   `json:"found"`
	Of    int64   `json:"of"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// Field is what was asked for and found of a field.
type Field struct {
	Interface string `json:"interface"`
	Field     string `json:"field"`
	Rate      Rate   `json:"rate"`
	// Charged is null when the service reported amounts that do not belong to one field.
	Charged  *cost.Money `json:"charged_usd"`
	PerValue *cost.Money `json:"per_value_usd"`
}

// Part is a part of the answered calls, by the step or the company.
type Part struct {
	Name    string     `json:"name"`
	Rate    Rate       `json:"rate"`   // calls that found something
	Values  int64      `json:"values"` // found
	Share   float64    `json:"share"`  // of all values that were found
	Charged cost.Money `json:"charged_usd"`
	Units   AllUnits   `json:"units,omitempty"`
}

// Mail is a provider of mailboxes, and how many of the found emails it has.
type Mail struct {
	Host   string  `json:"host"`
	Emails int64   `json:"emails"`
	Share  float64 `json:"share"`
}

// Error is a reason why calls brought no answer.
type Error struct {
	State  string `json:"state"`
	Reason string `json:"reason"`
	Calls  int64  `json:"calls"`
}

// Seconds are the times between the record of a call's intent and that of its answer.
type Seconds struct {
	Median float64 `json:"median"`
	Most   float64 `json:"percentile_95"`
}

// Doubt is a call whose outcome is unknown.
type Doubt struct {
	Attempt uint64     `json:"attempt"`
	Run     string     `json:"run"`
	Begun   time.Time  `json:"begun"`
	Fields  string     `json:"fields"`
	Held    cost.Money `json:"held_usd"`
	Units   AllUnits   `json:"units,omitempty"` // that it holds
}

// Compared has what was planned beside what came of it.
type Compared struct {
	Lookups  int64           `json:"planned_lookups"`
	Maximum  cost.Money      `json:"planned_maximum_usd"`
	Expected *cost.Money     `json:"planned_expected_usd"`
	Range    *planview.Range `json:"planned_range_usd"`
	// Calls, Answered and Spent are those since the plan.
	Calls    int64      `json:"calls"`
	Answered int64      `json:"answered"`
	Spent    cost.Money `json:"spent_usd"`
}
