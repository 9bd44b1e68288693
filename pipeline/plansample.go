package pipeline

import (
	"context"
	"slices"
	"strings"

	"payonce/checkpoint"
	"payonce/pipeline/report"
)

// proposeSample works out what the first subjects of the list would cost when they go through all steps. It returns
// nil when no sample is asked for.
func (j *job) proposeSample(ctx context.Context, o PlanOptions) (*report.Sample, error) {
	if o.Sample == nil {
		return nil, nil
	}
	subjects, sample := *o.Sample, *j
	sample.watched = nil
	if j.order.Limit == 0 || subjects < j.order.Limit {
		sample.order.Limit = subjects
	}
	sample.Steps = slices.Clone(j.Steps)
	for i, s := range j.Steps {
		step := *s
		step.Scope.Only = nil
		if step.Scope.Limit = 0; !sample.limitsRows() {
			step.Scope.Limit = sample.order.Limit
		}
		sample.Steps[i] = &step
	}
	defer j.Count() // the accounts have the lookups of the sample
	if err := sample.take(ctx); err != nil {
		return nil, err
	}
	view := &report.Sample{
		Persons: sample.order.Limit, Lookups: sample.Lookups(), UpTo: upTo(sample.Steps), Maximum: sample.Maximum(),
		TakesMoney: sample.TakesMoney(), Units: sample.Units(), MaxUnits: sample.MaxUnits(),
	}
	spent := j.Totals(checkpoint.RunScope(j.Name))
	view.MaxSpend = spent.Settled.Plus(spent.Held).Money().Plus(view.Maximum) // the ceiling counts what the run has spent
	if j.Budget.MaxSpend != nil {
		view.MaxSpend = min(view.MaxSpend, *j.Budget.MaxSpend)
	}
	if o.SampleCommand != nil {
		view.Words = o.SampleCommand(view)
		view.Command = strings.Join(view.Words, " ")
	}
	if !view.TakesMoney || j.PricedUnits() {
		return view, nil
	}
	paid := j.Paid()
	if width, known := paid.Forecast().WidthAfter(sample.Paid().Counts.Kinds, paid.Account.Prices.Quote.Prices); known {
		view.WidthAfter = &width
	}
	return view, nil
}

// upTo reports whether answers of the first step decide how many lookups later steps have.
func upTo(steps []*RunStep) bool {
	return slices.ContainsFunc(steps[1:], func(s *RunStep) bool { return s.Counts.Lookup > 0 })
}
