package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
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

// The results of a check.
const (
	checkOK      = "ok"
	checkWarning = "warning" // a run can start
	checkProblem = "problem" // a run cannot start, or would be stopped
)

// finding is what one check found.
type finding struct {
	Check  string `json:"check"`
	Result string `json:"result"`
	Found  string `json:"found"`
	Advice string `json:"advice,omitempty"` // what to do
}

// doctor runs the checks and keeps what they find.
type doctor struct {
	*session
	findings []finding
	code     int  // of the first problem
	accepted bool // the service accepts the key
}

func (d *doctor) ok(check, format string, args ...any) {
	d.findings = append(d.findings, finding{Check: check, Result: checkOK, Found: fmt.Sprintf(format, args...)})
}

func (d *doctor) warn(check, advice, format string, args ...any) {
	d.findings = append(d.findings, finding{check, checkWarning, fmt.Sprintf(format, args...), advice})
}

// problem notes what keeps a run from starting, with the exit code that it ends with.
func (d *doctor) problem(code int, check, advice, format string, args ...any) {
	d.findings = append(d.findings, finding{check, checkProblem, fmt.Sprintf(format, args...), advice})
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
	if err := d.report(); err != nil {
		return err
	}
	if d.code != exitDone {
		return stopError{d.code}
	}
	return nil
}

// doctorView is what the checks found, as it is printed with --json.
type doctorView struct {
	Usable   bool      `json:"usable"`
	Warnings int       `json:"warnings"`
	Problems int       `json:"problems"`
	Checks   []finding `json:"checks"`
}

func (d *doctor) report() error {
	view := doctorView{Checks: d.findings}
	for _, f := range d.findings {
		switch f.Result {
		case checkWarning:
			view.Warnings++
		case checkProblem:
			view.Problems++
		}
	}
	view.Usable = view.Problems == 0
	if d.json {
		return printJSON(d.env.stdout, view)
	}
	return view.print(&printer{w: d.env.stdout})
}

func (v doctorView) print(p *printer) error {
	for _, f := range v.Checks {
		text := f.Found
		if f.Advice != "" {
			text += ". " + f.Advice
		}
		p.entry(fmt.Sprintf("%-8s %s", f.Result, f.Check), "%s", text) // one line each, for grep
	}
	p.line("")
	switch {
	case !v.Usable:
		p.line("Not usable: %s, %s.", counted(v.Problems, "problem"), counted(v.Warnings, "warning"))
	case v.Warnings > 0:
		p.line("Usable, with %s.", counted(v.Warnings, "warning"))
	default:
		p.line("Usable.")
	}
	return p.err
}
