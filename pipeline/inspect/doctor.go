// This file checks everything that a run needs, only with free calls unless units may be used.

package inspect

import (
	"context"
	"errors"

	"payonce/pipeline/problem"
	"payonce/pipeline/provider"
	"payonce/pipeline/report"
	"payonce/pipeline/workspace"
)

// Diagnosis is what the checks found.
type Diagnosis struct {
	Report *report.Diagnosis
	// Kind says who has to act on the first problem; 0 for a failure of this machine.
	Kind problem.Kind
}

// checks runs the checks and keeps what they find.
type checks struct {
	provider.Checks
	place *workspace.Session
}

// accepted reports whether the service of an interface accepts its key.
func (d *checks) accepted(name string) bool {
	_, is := d.Accepted[name]
	return is
}

// Diagnose runs all checks, as far as one does not need another one's good end. The advice
// is worded by hints and explain. With limits on units of v2 it also sends one paid call, within them.
func Diagnose(ctx context.Context, env workspace.Environment, options workspace.Options, limits provider.Budget, hints report.Hints, explain func(error) string) (found *Diagnosis, err error) {
	d := &checks{
		Checks: provider.Checks{Prices: options.Prices, Hints: hints, Explain: explain},
		place:  &workspace.Session{Options: options, Env: env},
	}
	defer func() { err = errors.Join(err, d.place.Close()) }()
	for _, of := range options.Used() {
		at, err := d.place.Endpoint(of)
		if err != nil {
			return nil, err
		}
		d.Of = of
		if err := of.Check(ctx, at, &d.Checks); err != nil {
			return nil, err
		}
	}
	d.checkState(ctx)
	d.checkBooked()
	if err := d.checkCounting(ctx, limits); err != nil {
		return nil, err
	}
	return &Diagnosis{report.DiagnosisOf(d.Results), d.Kind}, ctx.Err()
}

// checkBooked compares the counters of each account with what the journal booked on its modules.
func (d *checks) checkBooked() {
	for _, of := range d.place.Options.Used() {
		if !d.accepted(of.Name()) || d.place.Journal == nil {
			continue
		}
		check := of.Name() + " modules"
		journal, err := d.place.AccountOf(of)
		if err != nil {
			d.Failed(check, err)
			continue
		}
		if journal == nil || journal.Base().ReadAt.IsZero() {
			continue
		}
		tariff := of.Interface().Tariff
		if misplaced := provider.DriftSince(journal, d.Accepted[of.Name()], tariff).Misplaced; misplaced.On != "" {
			d.Warn(check, "module_differs", "%s", misplaced.Describe(tariff))
		}
	}
}
