package app

import (
	"context"

	"payonce/checkpoint"
	"payonce/cost"
	"payonce/internal/problem"
	"payonce/internal/report"
	"payonce/pipeline/survey"
)

// proposeSample works out what the first persons of the list would cost.
func (j *job) proposeSample(ctx context.Context, persons int64) (*report.Sample, error) {
	scope := j.scope
	if scope.Limit == 0 || persons < scope.Limit {
		scope.Limit = persons
	}
	sampled, err := survey.Take(ctx, scope, j.list, j.recorder())
	if err != nil {
		return nil, err
	}
	counts := sampled.Count()
	maximum, err := cost.Demand(counts.Asked).Maximum(j.freeLeft(), j.prices.Quote.Prices)
	if err != nil {
		return nil, problem.AsUsage(err)
	}
	spent := j.session.totals(checkpoint.RunScope(j.name))
	limit := spent.Settled.Plus(spent.Held).Money().Plus(maximum) // the ceiling counts what the run has spent
	if j.budget.MaxSpend != nil {
		limit = min(limit, *j.budget.MaxSpend)
	}
	view := &report.Sample{Persons: scope.Limit, Lookups: counts.Lookup, Maximum: maximum, MaxSpend: limit}
	if width, known := j.forecast(j.freeLeft()).WidthAfter(counts.Kinds, j.prices.Quote.Prices); known {
		view.WidthAfter = &width
	}
	return view, nil
}
