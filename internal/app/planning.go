package app

import (
	"time"

	"payonce/cost"
	"payonce/internal/report"
	"payonce/internal/report/named"
	"payonce/internal/report/planview"
	"payonce/pipeline/dispatch"
)

// plan works out what a run of the job would do.
func (j *job) plan() (*planview.Plan, error) {
	first, paid := j.steps[0], j.paidStep()
	account, counts := paid.account, paid.counts
	free, demand := account.FreeLeft(), cost.Demand(counts.Asked)
	own, err := demand.Maximum(free, account.Prices.Quote.Prices)
	if err != nil {
		return nil, cost.Named(err, account.Catalogue)
	}
	maximum := j.maximum()
	held, err := planview.HeldOf(j.schema, account.Catalogue, paid.scope.FieldColumns(), first.counts.Held, account.Prices.Quote.Prices)
	if err != nil {
		return nil, err
	}
	encoding, guessed, err := j.list.About()
	if err != nil {
		return nil, err
	}
	view := &planview.Plan{
		Version: planview.PlanVersion, At: j.session.now().UTC().Truncate(time.Second), Run: j.name, Job: j.jobName(), List: j.list.Title(),
		MapFile: j.mapFile, Preset: j.reading.Preset, Columns: planview.ColumnNames(j.schema, first.scope.Mapping), Unused: planview.UnusedOf(j.schema, j.reading.Unused),
		Held: held, Placeholders: first.counts.Placeholders, DoubtfulNames: first.counts.DoubtfulNames, Encoding: encoding, EncodingGuessed: guessed,
		Priority: j.order.Priority, Rows: planview.RowsOf(first.counts), Unidentifiable: map[string]int64{},
		Lookups: map[string]int64{}, Fields: named.Values[int64]{}, FreeAllowance: named.Values[int64]{},
		Prices: planview.PricesOf(account.Catalogue, account.Prices.Quote), Maximum: maximum, Split: paid.split(own, free), Possible: j.possible(maximum),
		AccountRead: j.read(), Rate: report.Rate(j.session.work.Workspace.Service.Rate),
	}
	for reason, rows := range first.counts.Unidentifiable {
		view.Unidentifiable[string(reason)] = rows
	}
	for _, fields := range account.Operations {
		view.Lookups[account.Catalogue.Operation(fields)] = account.Sent()[fields]
	}
	for f := range paid.scope.Wanted.Each() {
		view.Fields = named.Add(view.Fields, account.Catalogue.Name(f), demand[f])
		view.FreeAllowance = named.Add(view.FreeAllowance, account.Catalogue.Name(f), free[f])
	}
	view.Asks = planview.AsksOf(account.Catalogue, paid.counts.Lookups)
	if threshold := j.budget.Threshold; threshold != nil {
		view.Approval = &planview.Approval{Threshold: *threshold, Needed: view.Possible > *threshold}
	}
	schedule(view, j, paid)
	for _, account := range j.accounts {
		if refused, ok := j.foreseen(account).(dispatch.ServiceRefused); ok && view.Refused == nil {
			view.Refused = &planview.Refused{Code: refused.Code, Message: refused.Message}
		}
	}
	if view.MayPayBy = account.Prices.OptionNames(); len(view.MayPayBy) == 1 {
		view.Option = view.MayPayBy[0]
	}
	addOptions(view, account.Prices.Card.Compare(demand, free))
	forecast := paid.forecast()
	addForecast(view, paid, forecast)
	addCeilings(view, j, forecast)
	j.showSteps(view)
	return view, nil
}

// addOptions shows what the list would cost by every option of the rate card.
func addOptions(v *planview.Plan, costs []cost.OptionCost) {
	for _, c := range costs {
		v.Options = append(v.Options, planview.Option{
			Name: c.Option.Name, Monthly: c.Option.MonthlyIncluded,
			Maximum: report.Known(c.Usage), Total: report.Known(c.Total), Cheapest: c.Cheapest,
		})
	}
}

// split says what the maximum is paid from (specification v1, "Allowances and rate
// card").
func (s *step) split(maximum cost.Money, free cost.Allowances) planview.Split {
	split := planview.Split{Free: named.Values[int64]{}}
	for f := range s.scope.Wanted.Each() {
		split.Free = named.Add(split.Free, s.account.Catalogue.Name(f), min(s.counts.Asked[f], max(free[f], 0)))
	}
	balance := s.account.Shown.Balance
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
func schedule(v *planview.Plan, j *job, paid *step) {
	duration := j.duration()
	v.Seconds = int64(duration / time.Second)
	v.EndsAt = v.At.Add(duration)
	budget := paid.account.Shown.Budget
	reset := budget.ResetsAt.UTC()
	if budget.Capped && reset.After(v.At) && v.EndsAt.After(reset) {
		rate := paid.account.Rate
		windows := int64(reset.Sub(v.At)/rate.Window) + 1
		v.BudgetReset = &planview.Reset{At: reset, LookupsBefore: min(windows*int64(rate.Slots), paid.counts.Lookup)}
	}
}
