package app

import (
	"cmp"
	"context"
	"slices"
	"time"

	"payonce/cost"
	"payonce/enrich"
	"payonce/internal/accounts"
	"payonce/internal/report"
	"payonce/internal/report/named"
	"payonce/internal/report/planview"
	"payonce/pipeline/dispatch"
)

// widestStep returns the step that certainly asks about the most rows, and the first one of several: a plan shows
// the outcomes of the rows in it. A search by name asks about few rows of a list of companies.
func (j *job) widestStep() *step {
	return slices.MaxFunc(j.steps, func(a, b *step) int { return cmp.Compare(a.counts.Lookup-a.upTo, b.counts.Lookup-b.upTo) })
}

// plan works out what a run of the job would do.
func (j *job) plan(ctx context.Context) (*planview.Plan, error) {
	first, widest, paid := j.steps[0], j.widestStep(), j.paidStep()
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
	ambiguous, err := j.choosing.Left(ctx, j.search())
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
		Priority: j.order.Priority, Rows: planview.RowsOf(widest.counts), Unidentifiable: map[string]int64{},
		Lookups: map[string]int64{}, Fields: named.Values[int64]{}, FreeAllowance: named.Values[int64]{},
		Prices: planview.PricesOf(account.Catalogue, account.Prices.Quote), Maximum: maximum, Split: planview.SplitOf(account.Catalogue, paid.scope.Wanted, own, paid.counts.Asked, free, account.Shown.Balance), Possible: j.possible(maximum),
		Ambiguous: ambiguous, Limits: accounts.Limits(j.accounts), AccountRead: j.read(), Rate: report.Rate(account.Rate),
	}
	for reason, rows := range widest.counts.Unidentifiable {
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
	if j.reading.Lists == enrich.Companies {
		view.Lists = enrich.Companies.String()
	}
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
	view.Options = planview.OptionsOf(account.Prices.Card.Compare(demand, free))
	forecast := paid.forecast()
	addForecast(view, paid, forecast)
	addCeilings(view, j, forecast)
	j.showSteps(view)
	return view, nil
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
