package app

import (
	"context"

	"payonce/checkpoint"
	"payonce/cost"
	"payonce/internal/problem"
	"payonce/internal/report/planview"
	"payonce/pipeline/steps"
)

// proposeSample works out what the first persons of the list would cost.
func (j *job) proposeSample(ctx context.Context, persons int64) (*planview.Sample, error) {
	run, first := j.run("")[:1], j.steps[0]
	scope := &run[0].Scope
	if scope.Limit == 0 || persons < scope.Limit {
		scope.Limit = persons
	}
	sampled, err := run.Survey(ctx, &steps.Rows{List: j.list}, 0)
	if err != nil {
		return nil, err
	}
	counts := sampled.Count()
	maximum, err := cost.Demand(counts.Asked).Maximum(first.account.FreeLeft(), first.account.Prices.Quote.Prices)
	if err != nil {
		return nil, problem.AsUsage(err)
	}
	spent := j.session.totals(checkpoint.RunScope(j.name))
	limit := spent.Settled.Plus(spent.Held).Money().Plus(maximum) // the ceiling counts what the run has spent
	if j.budget.MaxSpend != nil {
		limit = min(limit, *j.budget.MaxSpend)
	}
	view := &planview.Sample{Persons: scope.Limit, Lookups: counts.Lookup, Maximum: maximum, MaxSpend: limit}
	if width, known := first.forecast().WidthAfter(counts.Kinds, first.account.Prices.Quote.Prices); known {
		view.WidthAfter = &width
	}
	return view, nil
}
