package main

import (
	"time"

	"payonce/cost"
	"payonce/enrich"
	"payonce/pipeline/dispatch"
	"payonce/pipeline/survey"
)

// planVersion is the version of the object that "batch plan --json" prints; its
// schema is docs/plan.schema.json.
const planVersion = 1

// planView is a plan as it is shown, printed with --json and kept with --out.
type planView struct {
	Version        int               `json:"version"`
	At             time.Time         `json:"at"`
	Run            string            `json:"run"`
	Job            string            `json:"job"`
	List           string            `json:"list"`
	Columns        map[string]string `json:"columns"`
	Encoding       string            `json:"encoding,omitempty"` // of the list, when it is not UTF-8
	Priority       string            `json:"priority,omitempty"`
	Rows           rowCounts         `json:"rows"`
	Unidentifiable map[string]int64  `json:"unidentifiable,omitempty"`
	Lookups        map[string]int64  `json:"lookups"`
	Fields         map[string]int64  `json:"fields"`
	FreeAllowance  map[string]int64  `json:"free_allowance"`
	Prices         pricesView        `json:"prices"`
	Maximum        cost.Money        `json:"maximum_usd"`
	Split          splitView         `json:"maximum_split"`
	Expected       *cost.Money       `json:"expected_usd"`       // null without a history
	ExpectedRange  *rangeView        `json:"expected_range_usd"` // the same
	History        historyView       `json:"history"`
	Ceilings       []ceilingView     `json:"ceilings"`
	Possible       cost.Money        `json:"possible_usd"` // what the ceilings leave of the maximum
	Approval       *approvalView     `json:"approval,omitempty"`
	Seconds        int64             `json:"seconds"`
	Rate           string            `json:"rate"`
	EndsAt         time.Time         `json:"ends_at"`
	BudgetReset    *resetView        `json:"budget_reset,omitempty"`
	Option         string            `json:"option"` // "" when the prices do not tell one
	Options        []optionView      `json:"options"`
	Sample         *sampleView       `json:"sample,omitempty"`
	AccountRead    bool              `json:"account_read"`
	Refused        *refusedView      `json:"refused_now,omitempty"`

	kinds    int      // of lookups
	mayPayBy []string // the options with these prices
}

// rowCounts are the rows by what a run would make of them. They add up to Total.
type rowCounts struct {
	Total          int64 `json:"total"`
	Lookup         int64 `json:"lookup"`
	Answered       int64 `json:"answered"`
	Filled         int64 `json:"filled"`
	Duplicate      int64 `json:"duplicate"`
	Unidentifiable int64 `json:"unidentifiable"`
	Rejected       int64 `json:"rejected"`
	InDoubt        int64 `json:"in_doubt"`
	Forfeited      int64 `json:"forfeited"`
	NotAttempted   int64 `json:"not_attempted"`
	Forgotten      int64 `json:"forgotten,omitempty"` // on request, with "batch forget"
}

// pricesView says what a returned field costs and where that stands.
type pricesView struct {
	Source        string                `json:"source"`
	USD           map[string]cost.Money `json:"usd"`
	Disagreements []string              `json:"disagreements,omitempty"`
}

// splitView says what the maximum is paid from, in the order of use. What the
// account does not tell is null.
type splitView struct {
	Free      map[string]int64 `json:"free"` // fields
	Included  *cost.Money      `json:"included_usd"`
	Prepaid   *cost.Money      `json:"prepaid_usd"`
	Uncovered *cost.Money      `json:"uncovered_usd"` // beyond the balance
}

// approvalView says whether somebody has to approve the run.
type approvalView struct {
	Threshold cost.Money `json:"threshold_usd"`
	Needed    bool       `json:"needed"`
}

// refusedView is why the service would refuse the lookups now, as far as the account
// tells: no money, no access, no price.
type refusedView struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// resetView is the end of the usage budget's month, which comes before the run's.
type resetView struct {
	At            time.Time `json:"at"`
	LookupsBefore int64     `json:"lookups_before"` // at most
}

// optionView is what the list would cost by an option of the rate card.
type optionView struct {
	Name    string     `json:"name"`
	Monthly cost.Money `json:"monthly_usd"`
	// Maximum is for the lookups; Total has the month's fee with what it includes.
	// They are null when the option has no price for a field.
	Maximum  *cost.Money `json:"maximum_usd"`
	Total    *cost.Money `json:"total_usd"`
	Cheapest bool        `json:"cheapest"` // by Total
	// Expected is what the total will likely be; null without a history.
	Expected         *cost.Money `json:"expected_usd"`
	CheapestExpected bool        `json:"cheapest_expected"`
}

// plan works out what a run of the job would do.
func (j *job) plan() (*planView, error) {
	free, demand := j.freeLeft(), cost.Demand(j.counts.Asked)
	maximum, err := demand.Maximum(free, j.quote.Prices)
	if err != nil {
		return nil, err
	}
	encoding, err := j.list.About()
	if err != nil {
		return nil, err
	}
	view := &planView{
		Version: planVersion, At: j.env.now().UTC().Truncate(time.Second), Run: j.name, Job: j.jobName(), List: j.list.title(),
		Columns: j.columnNames(), Encoding: encoding, Priority: j.priority, Rows: rowsOf(j.counts), Unidentifiable: map[string]int64{},
		Lookups: map[string]int64{}, Fields: map[string]int64{}, FreeAllowance: map[string]int64{},
		Prices: j.viewPrices(), Maximum: maximum, Split: j.split(maximum, free), Possible: j.possible(maximum),
		AccountRead: j.asked, Rate: j.rate.String(),
	}
	for reason, rows := range j.counts.Unidentifiable {
		view.Unidentifiable[string(reason)] = rows
	}
	for _, operation := range enrich.Operations() {
		view.Lookups[operation.String()] = j.sent()[operation]
	}
	for f := range j.scope.Wanted.Each() {
		view.Fields[f.String()] = demand[f]
		view.FreeAllowance[f.String()] = free[f]
	}
	if threshold := j.approvalThreshold.amount; threshold != nil {
		view.Approval = &approvalView{Threshold: *threshold, Needed: view.Possible > *threshold}
	}
	view.schedule(j)
	if refused, ok := j.foreseen().(dispatch.ServiceRefused); ok {
		view.Refused = &refusedView{refused.Code, refused.Message}
	}
	if view.mayPayBy = j.optionNames(); len(view.mayPayBy) == 1 {
		view.Option = view.mayPayBy[0]
	}
	view.addOptions(j.card.Compare(demand, free))
	forecast := j.forecast(free)
	view.addForecast(j, forecast)
	view.addCeilings(j, forecast)
	return view, nil
}

func rowsOf(c survey.Counts) rowCounts {
	rows := rowCounts{
		Total: c.Rows, Lookup: c.Lookup, Answered: c.Answered, Filled: c.Filled, Duplicate: c.Duplicates,
		Rejected: c.Rejected, InDoubt: c.InDoubt, Forfeited: c.Forfeited, NotAttempted: c.Skipped, Forgotten: c.Forgotten,
	}
	for _, n := range c.Unidentifiable {
		rows.Unidentifiable += n
	}
	return rows
}

func (j *job) columnNames() map[string]string {
	names := map[string]string{}
	for role, column := range j.scope.Mapping {
		names[string(role)] = j.schema.Columns[column]
	}
	return names
}

// viewPrices says what the wanted fields cost.
func (j *job) viewPrices() pricesView {
	view := pricesView{Source: j.quote.Source(), USD: map[string]cost.Money{}}
	for f, price := range j.quote.Prices {
		view.USD[f.String()] = price
	}
	for _, disagreement := range j.quote.Disagreements {
		view.Disagreements = append(view.Disagreements, disagreement.String())
	}
	return view
}

// addOptions shows what the list would cost by every option of the rate card.
func (v *planView) addOptions(costs []cost.OptionCost) {
	for _, c := range costs {
		v.Options = append(v.Options, optionView{
			Name: c.Option.Name, Monthly: c.Option.MonthlyIncluded,
			Maximum: pointer(c.Usage), Total: pointer(c.Total), Cheapest: c.Cheapest,
		})
	}
}

// split says what the maximum is paid from (specification v1, "Allowances and rate
// card").
func (j *job) split(maximum cost.Money, free cost.Allowances) splitView {
	split := splitView{Free: map[string]int64{}}
	for f := range j.scope.Wanted.Each() {
		split.Free[f.String()] = min(j.counts.Asked[f], max(free[f], 0))
	}
	balance := j.account.Balance
	if balance.Included.Known {
		included := min(maximum, balance.Included.Value)
		split.Included = &included
		if balance.Prepaid.Known {
			prepaid := min(maximum-included, balance.Prepaid.Value)
			uncovered := maximum - included - prepaid
			split.Prepaid, split.Uncovered = &prepaid, &uncovered
		}
	}
	return split
}

// schedule says how long the lookups take and when the last of them can be sent.
func (v *planView) schedule(j *job) {
	duration := j.duration()
	v.Seconds = int64(duration / time.Second)
	v.EndsAt = v.At.Add(duration)
	reset := j.account.Budget.ResetsAt.UTC()
	if j.account.Budget.Capped && reset.After(v.At) && v.EndsAt.After(reset) {
		rate := j.journalRate()
		windows := int64(reset.Sub(v.At)/rate.Window) + 1
		v.BudgetReset = &resetView{At: reset, LookupsBefore: min(windows*int64(rate.Slots), j.counts.Lookup)}
	}
}
