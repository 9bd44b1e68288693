package conform

import (
	"context"
	"errors"

	"payonce/conformance/rules"
	"payonce/conformance/v2rules"
	"payonce/cost"
	"payonce/internal/app"
	"payonce/internal/probe"
	"payonce/internal/problem"
	"payonce/internal/report/checkview"
	"payonce/internal/workspace"
	v2 "payonce/service/v2"
	"payonce/service/v2/units"
)

// unknownKey is a key that no service knows.
const unknownKey = "no-key-of-any-workspace"

// compareV2 compares the v2 interface with its specification, and adds what it found.
func (o Options) compareV2(ctx context.Context, w *app.Work, place *workspace.Session, ended *Ended) error {
	config, err := place.V2Config()
	if err != nil {
		return err
	}
	client, err := v2.NewStatusClient(config)
	if err != nil {
		return problem.AsUsage(err)
	}
	config.Key = unknownKey
	unknown, err := v2.NewStatusClient(config)
	if err != nil {
		return problem.AsUsage(err)
	}
	live := &v2rules.Live{
		Client: client, UnknownKey: unknown, Now: w.Env.Now, Modules: w.Workspace.V2.Modules, Why: o.NoUnits,
		Shared: !place.Options.Service.Exclusive && !place.Options.Service.Sandbox,
	}
	compare := func() error {
		found, err := live.Compare(ctx)
		ended.Report.Add(found)
		return err
	}
	if len(o.Budget.Units) == 0 {
		return compare()
	}
	if _, err := client.Usage(ctx); err != nil { // it is reported, and nothing is sent
		return compare()
	}
	if place.Journal == nil {
		if err := place.OpenJournal(ctx, Run); err != nil {
			return err
		}
	}
	payer := probe.Options{Run: Run, Budget: o.Budget, Note: w.Observer.Note, Stop: ended.Stop}
	err = probe.With(ctx, place, payer, func(p *probe.Prober) error {
		live.Sender = p
		err := compare()
		ended.Stop = p.Stop
		ended.InDoubt = p.InDoubt()
		ended.Report.Units = unitsOf(p.Used())
		return err
	})
	if errors.Is(err, probe.ErrInDoubt) {
		live.Why = o.InDoubt
		return compare()
	}
	return err
}

// unitsOf returns what was used and is held of each module.
func unitsOf(totals cost.Totals) (all []checkview.Units) {
	for _, meter := range units.Limited() {
		u := checkview.Units{Module: units.Name(meter), Used: totals.Settled[meter], Held: totals.Held[meter]}
		if u.Used+u.Held != 0 {
			all = append(all, u)
		}
	}
	return all
}

// nothing is a report without rules.
func nothing() *checkview.Conformance { return checkview.ConformanceOf(rules.Report{}, cost.Totals{}) }
