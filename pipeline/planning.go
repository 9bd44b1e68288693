package pipeline

import (
	"context"
	"time"

	"payonce/cost"
	"payonce/cost/forecast"
	"payonce/enrich"
	"payonce/pipeline/dispatch"
	"payonce/pipeline/provider"
	"payonce/pipeline/report"
)

// plan works out what a run of the job would do. It shows what the list has cost before and a proposed sample; nil
// for neither.
func (j *job) plan(ctx context.Context, spent *report.SpentBefore, sample *report.Sample) (*report.Plan, error) {
	at, likely := j.now().UTC().Truncate(time.Second), j.Paid().Forecast()
	spend, err := j.planSpend(likely, spent)
	if err != nil {
		return nil, err
	}
	list, err := j.planList()
	if err != nil {
		return nil, err
	}
	ambiguous, err := j.choosing.Left(ctx, j.search())
	if err != nil {
		return nil, err
	}
	ceilings := j.planCeilings(at, spend.Maximum, likely)
	if ceilings.Complete, err = j.planComplete(ctx, ceilings.Ceilings); err != nil {
		return nil, err
	}
	return &report.Plan{
		Version: report.PlanVersion, At: at, Run: j.Name, Job: j.JobName(),
		PlanList: list, PlanLookups: j.planLookups(), PlanSpend: spend,
		PlanCeilings: ceilings, PlanSchedule: j.planSchedule(at, ceilings.Ceilings),
		PlanRates: j.planRates(likely), Sample: sample, Ambiguous: ambiguous, AccountRead: j.Read(),
		Refused: j.refusedNow(), Steps: j.planSteps(), Units: j.Units(), Limits: provider.ReachedLimits(j.Accounts),
	}, nil
}

// planList shows how the list is read.
func (j *job) planList() (view report.PlanList, err error) {
	first, paid := j.Steps[0], j.Paid()
	view = report.PlanList{
		List: j.list.Title(), Output: j.output.Path, Preset: j.Reading.Preset, MapFile: j.mapFile,
		Columns: report.ColumnNames(j.Schema, first.Scope.Mapping), Unused: report.UnusedColumns(j.Schema, j.Reading.Unused),
		DoubtfulNames: first.Counts.DoubtfulNames, Placeholders: first.Counts.Placeholders,
		Below: report.BelowOf(j.list.Below()), Priority: j.order.Priority,
	}
	if j.Reading.Lists == enrich.Companies {
		view.Lists = enrich.Companies.String()
	}
	prices := paid.Account.Rates().Prices()
	view.Held, err = report.HeldColumns(j.Schema, paid.Account.Catalogue, paid.Scope.FieldColumns(), first.Counts.Held, prices)
	if err != nil {
		return view, err
	}
	view.Encoding, view.EncodingGuessed, err = j.list.About()
	return view, err
}

// planLookups shows the rows by their outcomes, and the lookups.
func (r *RunSteps) planLookups() report.PlanLookups {
	rows, paid := r.RowCounts(), r.Paid()
	catalogue := paid.Account.Catalogue
	view := report.PlanLookups{
		Rows: report.RowCountsOf(rows), Unidentifiable: map[string]int64{}, Lookups: map[string]int64{},
		Asks: report.AsksOf(catalogue, paid.Counts.Lookups), Fields: report.Values[int64]{},
	}
	for reason, n := range rows.Unidentifiable {
		view.Unidentifiable[string(reason)] = n
	}
	for _, fields := range paid.Account.Operations {
		view.Lookups[catalogue.Operation(fields)] = paid.Account.Sent()[fields]
	}
	for f := range paid.Scope.Wanted.Each() {
		view.Fields = report.AddCount(view.Fields, catalogue.Name(f), paid.Counts.Asked[f])
	}
	return view
}

// planSpend shows what the lookups cost at most, what they will likely cost, and what that is paid from. The likely
// cost is unknown where units have prices: match rates say how many fields are returned, and not how many calls use
// units.
func (r *RunSteps) planSpend(likely *forecast.Forecast, spent *report.SpentBefore) (view report.PlanSpend, err error) {
	paid := r.Paid()
	account, asked, wanted := paid.Account, paid.Counts.Asked, paid.Scope.Wanted
	free, prices := account.FreeLeft(), account.Prices.Quote.Prices
	own, err := cost.Demand(asked).Maximum(free, prices) // what its balance pays for
	if err != nil {
		return view, cost.Named(err, account.Catalogue)
	}
	unknown := likely.Unknown()
	view = report.PlanSpend{
		FreeAllowance: report.Values[int64]{}, Prices: r.Prices(), Maximum: r.Maximum(),
		Split: report.MaximumSplitOf(account.Catalogue, wanted, own, asked, free, account.Shown.Balance),
		History: report.History{
			None: len(unknown) == len(paid.Counts.Kinds), Missing: paid.kindNames(unknown),
			Borrowed: paid.kindNames(likely.Borrowed()), PricedUnits: r.PricedUnits(),
		},
		SpentBefore: spent,
	}
	for f := range wanted.Each() {
		view.FreeAllowance = report.AddCount(view.FreeAllowance, account.Catalogue.Name(f), free[f])
	}
	if spend, known := likely.Spend(prices); known && !r.PricedUnits() {
		view.Expected, view.ExpectedRange = &spend.Expected, &report.AmountRange{Low: spend.Low, High: spend.High}
	}
	return view, nil
}

// planCeilings shows every ceiling with what is left under it, and what the run can spend.
func (r *RunSteps) planCeilings(at time.Time, maximum cost.Money, likely *forecast.Forecast) report.PlanCeilings {
	view := report.PlanCeilings{Ceilings: r.viewCeilings(at, likely), Possible: r.Possible(maximum)}
	if threshold := r.Budget.Threshold; threshold != nil {
		view.Approval = &report.PlanApproval{Threshold: *threshold, Needed: view.Possible > *threshold, Approved: r.Budget.Approved}
	}
	return view
}

// planSchedule says how long the lookups take and when the last of them can be sent.
func (r *RunSteps) planSchedule(at time.Time, ceilings []report.Ceiling) report.PlanSchedule {
	ahead, paid := r.lookAhead(at, ceilings), r.Paid()
	duration, rate := ahead.remaining(at), paid.Account.Rate
	view := report.PlanSchedule{Seconds: int64(duration / time.Second), Rate: report.RateText(rate), EndsAt: at.Add(duration)}
	if covered := ahead.covered(); covered < r.Lookups() {
		view.Timed = &covered
	}
	if ahead.pause.After(at) {
		pause := ahead.pause.UTC()
		view.PausedUntil = &pause
	}
	budget := paid.Account.Shown.Budget
	reset := budget.ResetsAt.UTC()
	if budget.Capped && reset.After(at) && view.EndsAt.After(reset) {
		windows := int64(reset.Sub(at)/rate.Window) + 1
		view.BudgetReset = &report.BudgetReset{At: reset, LookupsBefore: min(windows*int64(rate.Slots), paid.Counts.Lookup)}
	}
	return view
}

// planRates shows by which options of the rate card the account may pay, and what the list would cost by each.
func (r *RunSteps) planRates(likely *forecast.Forecast) report.PlanRates {
	paid := r.Paid()
	prices := paid.Account.Prices
	view := report.PlanRates{
		Options:  report.OptionsOf(prices.Card.Compare(cost.Demand(paid.Counts.Asked), paid.Account.FreeLeft())),
		MayPayBy: prices.OptionNames(),
	}
	for i, option := range likely.Compare(prices.Card) {
		if option.Known {
			view.Options[i].Expected, view.Options[i].CheapestExpected = &option.Total.Expected, option.Cheapest
		}
	}
	if len(view.MayPayBy) == 1 {
		view.Option = view.MayPayBy[0]
	}
	return view
}

// refusedNow says why the service would refuse the lookups now, nil when nothing is known against them.
func (j *job) refusedNow() *report.RefusedNow {
	for _, account := range j.Accounts {
		if refused, ok := j.foreseen(account).(dispatch.ServiceRefused); ok {
			return &report.RefusedNow{Code: refused.Code, Message: refused.Message}
		}
	}
	return nil
}
