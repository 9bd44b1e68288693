package app

import (
	"context"
	"time"

	"payonce/cost"
	"payonce/enrich"
	"payonce/internal/accounts"
	"payonce/internal/report"
	"payonce/internal/report/named"
	"payonce/internal/report/planview"
	"payonce/pipeline/dispatch"
)

// plan works out what a run of the job would do.
func (j *job) plan(ctx context.Context) (*planview.Plan, error) {
	first, rows, paid := j.Steps[0], j.RowCounts(), j.Paid()
	account, counts := paid.Account, paid.Counts
	free, demand := account.FreeLeft(), cost.Demand(counts.Asked)
	own, err := demand.Maximum(free, account.Prices.Quote.Prices) // what its balance pays for
	if err != nil {
		return nil, cost.Named(err, account.Catalogue)
	}
	maximum := j.Maximum()
	held, err := planview.HeldOf(j.schema, account.Catalogue, paid.Scope.FieldColumns(), first.Counts.Held, account.Rates().Prices())
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
		Version: planview.PlanVersion, At: j.session.now().UTC().Truncate(time.Second), Run: j.Name, Job: j.JobName(), List: j.list.Title(),
		MapFile: j.mapFile, Preset: j.reading.Preset, Columns: planview.ColumnNames(j.schema, first.Scope.Mapping), Unused: planview.UnusedOf(j.schema, j.reading.Unused),
		Held: held, Placeholders: first.Counts.Placeholders, DoubtfulNames: first.Counts.DoubtfulNames, Encoding: encoding, EncodingGuessed: guessed,
		Below:    planview.BelowOf(j.list.Below()),
		Priority: j.order.Priority, Rows: planview.RowsOf(rows), Unidentifiable: map[string]int64{},
		Lookups: map[string]int64{}, Fields: named.Values[int64]{}, FreeAllowance: named.Values[int64]{},
		Prices: j.Prices(), Maximum: maximum, Split: planview.SplitOf(account.Catalogue, paid.Scope.Wanted, own, paid.Counts.Asked, free, account.Shown.Balance), Possible: j.Possible(maximum),
		Ambiguous: ambiguous, Limits: accounts.Limits(j.Accounts), AccountRead: j.Read(), Rate: report.Rate(account.Rate),
	}
	for reason, n := range rows.Unidentifiable {
		view.Unidentifiable[string(reason)] = n
	}
	for _, fields := range account.Operations {
		view.Lookups[account.Catalogue.Operation(fields)] = account.Sent()[fields]
	}
	for f := range paid.Scope.Wanted.Each() {
		view.Fields = named.Add(view.Fields, account.Catalogue.Name(f), demand[f])
		view.FreeAllowance = named.Add(view.FreeAllowance, account.Catalogue.Name(f), free[f])
	}
	view.Asks = planview.AsksOf(account.Catalogue, paid.Counts.Lookups)
	if j.reading.Lists == enrich.Companies {
		view.Lists = enrich.Companies.String()
	}
	if threshold := j.Budget.Threshold; threshold != nil {
		view.Approval = &planview.Approval{Threshold: *threshold, Needed: view.Possible > *threshold}
	}
	for _, account := range j.Accounts {
		if refused, ok := j.foreseen(account).(dispatch.ServiceRefused); ok && view.Refused == nil {
			view.Refused = &planview.Refused{Code: refused.Code, Message: refused.Message}
		}
	}
	if view.MayPayBy = account.Prices.OptionNames(); len(view.MayPayBy) == 1 {
		view.Option = view.MayPayBy[0]
	}
	view.Options = planview.OptionsOf(account.Prices.Card.Compare(demand, free))
	j.Show(view)
	return view, nil
}
