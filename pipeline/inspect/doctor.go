// This file checks everything that a run needs, only with free calls unless units may be used.

package inspect

import (
	"context"
	"errors"
	"fmt"

	"payonce/io/service/v2"
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
	place    *workspace.Session
	service  workspace.Service // its options
	hints    report.Hints
	explain  func(error) string // words an error, and what to do about it
	findings []report.CheckFinding
	kind     problem.Kind // of the first problem
	problems int
	accepted bool // the service accepts the key
	// acceptedV2 says that the second interface accepts its key.
	acceptedV2 bool
	usage      v2.Usage // that it showed
}

func (d *checks) ok(check, format string, args ...any) {
	d.findings = append(d.findings, report.CheckFinding{Check: check, Result: report.CheckOK, Found: fmt.Sprintf(format, args...)})
}

// warn notes what should be seen to; the code names the advice.
func (d *checks) warn(check, code, format string, args ...any) {
	d.findings = append(d.findings, report.CheckFinding{Check: check, Result: report.CheckWarning, Found: fmt.Sprintf(format, args...), Advice: d.hints(code)})
}

// problem notes what keeps a run from starting, and who has to act.
func (d *checks) problem(kind problem.Kind, check, code, format string, args ...any) {
	d.findings = append(d.findings, report.CheckFinding{Check: check, Result: report.CheckProblem, Found: fmt.Sprintf(format, args...), Advice: d.hints(code)})
	if d.problems++; d.problems == 1 {
		d.kind = kind
	}
}

// failed notes an error that keeps a run from starting.
func (d *checks) failed(check string, err error) {
	kind := problem.Kind(0)
	if problem.IsUsage(err) {
		kind = problem.Usage
	}
	text := problem.Text(err, d.hints)
	if text == err.Error() {
		text = d.explain(err)
	}
	d.problem(kind, check, "", "%s", text)
}

// Diagnose runs all checks, as far as one does not need another one's good end. The advice
// is worded by hints and explain. With limits on units of v2 it also sends one paid call, within them.
func Diagnose(ctx context.Context, env workspace.Environment, options workspace.Options, limits provider.Budget, hints report.Hints, explain func(error) string) (found *Diagnosis, err error) {
	d := &checks{place: &workspace.Session{Options: options, Env: env}, service: options.Service, hints: hints, explain: explain}
	defer func() { err = errors.Join(err, d.place.Close()) }()
	if options.Service.Known() || !options.HasV2() {
		config, err := d.place.Config()
		if err != nil {
			return nil, err
		}
		if d.checkConfig(config) {
			d.checkService(ctx, config)
		}
	}
	if options.HasV2() {
		if err := d.checkV2(ctx); err != nil {
			return nil, err
		}
	}
	d.checkState(ctx)
	d.checkBooked()
	if err := d.checkCounting(ctx, limits); err != nil {
		return nil, err
	}
	return &Diagnosis{report.DiagnosisOf(d.findings), d.kind}, ctx.Err()
}
