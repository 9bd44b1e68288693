package pipeline

import (
	"context"
	"time"

	"payonce/cost"
	"payonce/enrich"
	"payonce/pipeline/dispatch"
	"payonce/pipeline/provider"
	"payonce/pipeline/report"
)

// plan works out what a run of the job would do.
func (j *job) plan(ctx context.Context) (*report.Plan, error) {
	first, rows, paid := j.Steps[0], j.RowCounts(), j.Paid()
	account, counts := paid.Account, paid.Counts
	free, demand := account.FreeLeft(), cost.Demand(counts.Asked)
	own, err := demand.Maximum(free, account.Prices.Quote.Prices) // what its balance pays for
	if err != nil {
		return nil, cost.Named(err, account.Catalogue)
	}
	maximum := j.Maximum()
	held, err := report.HeldColumns(j.schema, account.Catalogue, paid.Scope.FieldColumns(), first.Counts.Held, account.Rates().Prices())
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
	view := &report.Plan{
		Version: report.PlanVersion, At: j.session.now().UTC().Truncate(time.Second), Run: j.Name, Job: j.JobName(), List: j.list.Title(),
		MapFile: j.mapFile, Preset: j.reading.Preset, Columns: report.ColumnNames(j.schema, first.Scope.Mapping), Unused: report.UnusedColumns(j.schema, j.reading.Unused),
		Held: held, Placeholders: first.Counts.Placeholders, DoubtfulNames: first.Counts.DoubtfulNames, Encoding: encoding, EncodingGuessed: guessed,
		Below:    report.BelowOf(j.list.Below()),
		Priority: j.order.Priority, Rows: report.RowCountsOf(rows), Unidentifiable: map[string]int64{},
		Lookups: map[string]int64{}, Fields: report.Values[int64]{}, FreeAllowance: report.Values[int64]{},
		Prices: j.Prices(), Maximum: maximum, Split: report.MaximumSplitOf(account.Catalogue, paid.Scope.Wanted, own, paid.Counts.Asked, free, account.Shown.Balance), Possible: j.Possible(maximum),
		Ambiguous: ambiguous, Limits: provider.ReachedLimits(j.Accounts), AccountRead: j.Read(), Rate: report.RateText(account.Rate),
	}
	for reason, n := range rows.Unidentifiable {
		view.Unidentifiable[string(reason)] = n
	}
	for _, fields := range account.Operations {
		view.Lookups[account.Catalogue.Operation(fields)] = account.Sent()[fields]
	}
	for f := range paid.Scope.Wanted.Each() {
		view.Fields = report.AddCount(view.Fields, account.Catalogue.Name(f), demand[f])
		view.FreeAllowance = report.AddCount(view.FreeAllowance, account.Catalogue.Name(f), free[f])
	}
	view.Asks = report.AsksOf(account.Catalogue, paid.Counts.Lookups)
	if j.reading.Lists == enrich.Companies {
		view.Lists = enrich.Companies.String()
	}
	if threshold := j.Budget.Threshold; threshold != nil {
		view.Approval = &report.PlanApproval{Threshold: *threshold, Needed: view.Possible > *threshold}
	}
	for _, account := range j.Accounts {
		if refused, ok := j.foreseen(account).(dispatch.ServiceRefused); ok && view.Refused == nil {
			view.Refused = &report.RefusedNow{Code: refused.Code, Message: refused.Message}
		}
	}
	if view.MayPayBy = account.Prices.OptionNames(); len(view.MayPayBy) == 1 {
		view.Option = view.MayPayBy[0]
	}
	view.Options = report.OptionsOf(account.Prices.Card.Compare(demand, free))
	j.Show(view)
	return view, nil
}
