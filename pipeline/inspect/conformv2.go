package inspect

import (
	"context"
	"errors"

	"payonce/cost"
	"payonce/io/conformance"
	"payonce/io/service/v2"
	"payonce/pipeline"
	"payonce/pipeline/problem"
	"payonce/pipeline/provider"
	"payonce/pipeline/provider/providerv2"
	"payonce/pipeline/report"
	"payonce/pipeline/workspace"
)

// unknownKey is a key that no service knows.
const unknownKey = "no-key-of-any-workspace"

// compareV2 compares the v2 interface with its specification, and adds what it found.
func (o ConformanceOptions) compareV2(ctx context.Context, w *pipeline.Work, place *workspace.Session, ended *ComparisonEnded) error {
	of, v2provider, _ := provider.Of[providerv2.Provider](place.Options.Services) // the caller has looked
	at, err := place.Endpoint(of)
	if err != nil {
		return err
	}
	config := v2provider.Config(at)
	client, err := v2.NewStatusClient(config)
	if err != nil {
		return problem.AsUsage(err)
	}
	config.Key = unknownKey
	unknown, err := v2.NewStatusClient(config)
	if err != nil {
		return problem.AsUsage(err)
	}
	live := &conformance.LiveV2{
		Client: client, UnknownKey: unknown, Now: w.Env.Now, Modules: v2provider.Modules, Why: o.NoUnits,
		Shared: !place.Options.Exclusive && !place.Options.Sandbox,
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
		if err := place.OpenJournal(ctx, ConformanceRun); err != nil {
			return err
		}
	}
	payer := probeOptions{Run: ConformanceRun, Budget: o.Budget, Note: w.Observer.Note, Stop: ended.Stop}
	err = withProber(ctx, place, payer, func(p *prober) error {
		live.Sender = p
		err := compare()
		ended.Stop = p.Stop
		ended.InDoubt = p.InDoubt()
		ended.Report.Units = unitsOf(p.Used())
		return err
	})
	if errors.Is(err, ErrProbeInDoubt) {
		live.Why = o.InDoubt
		return compare()
	}
	return err
}

// unitsOf returns what was used and is held of each module.
func unitsOf(totals cost.Totals) (all []report.ConformanceUnits) {
	for _, meter := range v2.LimitedMeters() {
		u := report.ConformanceUnits{Module: v2.MeterName(meter), Used: totals.Settled[meter], Held: totals.Held[meter]}
		if u.Used+u.Held != 0 {
			all = append(all, u)
		}
	}
	return all
}

// nothing is a report without rules.
func nothing() *report.Conformance { return report.ConformanceOf(conformance.Report{}, cost.Totals{}) }
