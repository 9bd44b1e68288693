package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"payonce/internal/report"
)

func newDoctorCommand(env environment) *cobra.Command {
	s := newSettings(env)
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check the key, the service and the journal, and say what to do; sends no lookup",
		Long: "Check everything that a run needs, with free calls alone: the key, the service over REST and MCP,\n" +
			"the names that are assumed of it, its clock, limit, prices and conditions, and the place of the\n" +
			"journal. Every line says what was found, and where something is wrong, what to do.\n\n" +
			"It ends well when a run could start, with warnings too." +
			exitCodes(exitDone, exitInternal, exitUsage, exitRefused, exitInterrupted),
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.withSession(cmd, func(session *session) error { return diagnose(cmd.Context(), session) })
		},
	}
	s.addJournalFlags(cmd.Flags())
	s.addServiceFlags(cmd.Flags())
	cmd.Flags().StringVar(&s.rateCard, "rate-card", "", "compare the prices of this YAML `FILE` with the service's")
	cmd.Flags().StringVar(&s.rateOption, "rate-option", "", "compare the prices of the rate card's option `NAME` with the service's")
	return cmd
}

// doctor runs the checks and keeps what they find.
type doctor struct {
	*session
	findings []report.Finding
	code     int  // of the first problem
	accepted bool // the service accepts the key
}

func (d *doctor) ok(check, format string, args ...any) {
	d.findings = append(d.findings, report.Finding{Check: check, Result: report.CheckOK, Found: fmt.Sprintf(format, args...)})
}

func (d *doctor) warn(check, advice, format string, args ...any) {
	d.findings = append(d.findings, report.Finding{Check: check, Result: report.CheckWarning, Found: fmt.Sprintf(format, args...), Advice: advice})
}

// problem notes what keeps a run from starting, with the exit code that it ends with.
func (d *doctor) problem(code int, check, advice, format string, args ...any) {
	d.findings = append(d.findings, report.Finding{Check: check, Result: report.CheckProblem, Found: fmt.Sprintf(format, args...), Advice: advice})
	if d.code == exitDone {
		d.code = code
	}
}

// diagnose runs all checks, as far as one does not need another one's good end.
func diagnose(ctx context.Context, s *session) error {
	d := &doctor{session: s}
	config, err := s.serviceConfig()
	if err != nil {
		return err
	}
	if d.checkConfig(config) {
		d.checkService(ctx, config)
	}
	d.checkState(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err := d.show(report.DiagnosisOf(d.findings)); err != nil {
		return err
	}
	if d.code != exitDone {
		return stopError{d.code}
	}
	return nil
}
