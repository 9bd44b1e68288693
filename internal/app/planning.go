package app

import (
	"time"

	"payonce/cost"
	"payonce/internal/report"
	"payonce/pipeline/dispatch"
)

// plan works out what a run of the job would do.
func (j *job) plan() (*report.Plan, error) {
	free, demand := j.freeLeft(), cost.Demand(j.counts.Asked)
	maximum, err := demand.Maximum(free, j.prices.Quote.Prices)
	if err != nil {
		return nil, cost.Named(err, j.of.Catalogue)
	}
	held, err := report.HeldOf(j.schema, j.scope.FieldColumns(), j.counts.Held, j.prices.Quote.Prices)
	if err != nil {
		return nil, err
	}
	encoding, guessed, err := j.list.About()
	if err != nil {
		return nil, err
	}
	view := &report.Plan{
		Version: report.PlanVersion, At: j.session.now().UTC().Truncate(time.Second), Run: j.name, Job: j.jobName(), List: j.list.Title(),
		MapFile: j.mapFile, Preset: j.reading.Preset, Columns: report.ColumnNames(j.schema, j.scope.Mapping), Unused: report.UnusedOf(j.schema, j.reading.Unused),
		Held: held, Placeholders: j.counts.Placeholders, DoubtfulNames: j.counts.DoubtfulNames, Encoding: encoding, EncodingGuessed: guessed, Priority: j.order.Priority, Rows: report.RowsOf(j.counts), Unidentifiable: map[string]int64{},
		Lookups: map[string]int64{}, Fields: map[string]int64{}, FreeAllowance: map[string]int64{},
		Prices: report.PricesOf(j.prices.Quote), Maximum: maximum, Split: j.split(maximum, free), Possible: j.possible(maximum),
		AccountRead: j.asked, Rate: report.Rate(j.session.work.Workspace.Service.Rate),
	}
	for reason, rows := range j.counts.Unidentifiable {
		view.Unidentifiable[string(reason)] = rows
	}
	for _, fields := range j.of.Operations {
		view.Lookups[j.of.Catalogue.Operation(fields)] = j.sent()[fields]
	}
	for f := range j.scope.Wanted.Each() {
		view.Fields[j.of.Catalogue.Name(f)] = demand[f]
		view.FreeAllowance[j.of.Catalogue.Name(f)] = free[f]
	}
	if threshold := j.budget.Threshold; threshold != nil {
		view.Approval = &report.Approval{Threshold: *threshold, Needed: view.Possible > *threshold}
	}
	schedule(view, j)
	if refused, ok := j.foreseen().(dispatch.ServiceRefused); ok {
		view.Refused = &report.Refused{Code: refused.Code, Message: refused.Message}
	}
	if view.MayPayBy = j.prices.OptionNames(); len(view.MayPayBy) == 1 {
		view.Option = view.MayPayBy[0]
	}
	addOptions(view, j.prices.Card.Compare(demand, free))
	forecast := j.forecast(free)
	addForecast(view, j, forecast)
	addCeilings(view, j, forecast)
	return view, nil
}

// addOptions shows what the list would cost by every option of the rate card.
func addOptions(v *report.Plan, costs []cost.OptionCost) {
	for _, c := range costs {
		v.Options = append(v.Options, report.Option{
			Name: c.Option.Name, Monthly: c.Option.MonthlyIncluded,
			Maximum: report.Known(c.Usage), Total: report.Known(c.Total), Cheapest: c.Cheapest,
		})
	}
}

// split says what the maximum is paid from (specification v1, "Allowances and rate
// card").
func (j *job) split(maximum cost.Money, free cost.Allowances) report.Split {
	split := report.Split{Free: map[string]int64{}}
	for f := range j.scope.Wanted.Each() {
		split.Free[j.of.Catalogue.Name(f)] = min(j.counts.Asked[f], max(free[f], 0))
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
func schedule(v *report.Plan, j *job) {
	duration := j.duration()
	v.Seconds = int64(duration / time.Second)
	v.EndsAt = v.At.Add(duration)
	reset := j.account.Budget.ResetsAt.UTC()
	if j.account.Budget.Capped && reset.After(v.At) && v.EndsAt.After(reset) {
		rate := j.rate()
		windows := int64(reset.Sub(v.At)/rate.Window) + 1
		v.BudgetReset = &report.Reset{At: reset, LookupsBefore: min(windows*int64(rate.Slots), j.counts.Lookup)}
	}
}
