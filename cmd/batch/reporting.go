package main

import (
	"errors"
	"io/fs"
	"time"

	"github.com/spf13/cobra"

	"payonce/pipeline"
	"payonce/pipeline/inspect"
	"payonce/pipeline/output"
	"payonce/pipeline/problem"
	"payonce/pipeline/report"
)

// reportCommand is one call of the command.
type reportCommand struct {
	o     *options
	pages pageFlags
	scope report.ReportScope
	plan  string // the file of a plan that the run is compared with
}

func newReportCommand(env environment) *cobra.Command {
	c := &reportCommand{o: newOptions(env)}
	cmd := &cobra.Command{
		Use:   "report [RUN] [-o OUT.html]",
		Short: "Report on a run, a job or a month: found values, spend, rates, errors",
		Long: "Report on a run, on all runs of a job, on a month, or on a month of a job: what was found, what was spent\n" +
			"against the ceilings and will likely be spent until the month ends, quantities and prices, match rates,\n" +
			"calls in doubt and drift. All of it comes from the journal, also during a run. The HTML page loads\n" +
			"no other file, and has no names of people from a list. Without -o and --md the report is printed.",
		Args: cobra.MaximumNArgs(1),
		RunE: c.run,
	}
	flags := cmd.Flags()
	flags.StringVar(&c.scope.Job, "job", "", "report on all runs of the job of this `NAME`")
	flags.StringVar(&c.scope.Month, "month", "", "report on this `MONTH` (2026-11, UTC)")
	flags.StringVar(&c.plan, "plan", "", "compare the run with the plan that was kept in this `FILE`")
	c.pages.AddOutput(flags, "report")
	c.o.addJournalFlags(flags)
	return withExitCodes(cmd, exitDone, exitInternal, exitUsage, exitInterrupted, exitLocked)
}

func (c *reportCommand) run(cmd *cobra.Command, args []string) error {
	w, err := c.o.work(cmd)
	if err != nil {
		return err
	}
	if err := c.check(args, c.o.sources()); err != nil {
		return err
	}
	options := inspect.ReportOptions{Scope: c.scope}
	if c.plan != "" {
		if options.Plan, err = c.readPlan(); err != nil {
			return err
		}
	}
	view, err := inspect.ReadReport(cmd.Context(), w, options)
	if err != nil {
		return err
	}
	shown := c.o.env.stdout
	switch {
	case c.o.json:
		shown = nil
		err = report.WriteJSON(c.o.env.stdout, view)
	case !c.pages.Given():
		err = report.WriteText(c.o.env.stdout, view, c.o.hints.OfReport)
	}
	if err != nil {
		return err
	}
	return c.pages.Write(shown, view, c.o.hints.OfReport, c.o.env.fileMode)
}

// check checks what the report is about, and the files that it is written to.
func (c *reportCommand) check(args []string, sources []output.Source) error {
	if len(args) > 0 {
		c.scope.Run = args[0]
	}
	switch {
	case c.scope == report.ReportScope{}:
		return problem.Usagef("nothing to report on; give a run, --job NAME or --month MONTH")
	case c.scope.Run != "" && (c.scope.Job != "" || c.scope.Month != ""):
		return problem.Usagef("report on run %s alone, or with --job or --month; leave one of them out", c.scope.Run)
	case c.plan != "" && c.scope.Run == "":
		return problem.Usagef("--plan compares one run with its plan; give the run")
	}
	if c.scope.Month != "" {
		if _, err := time.Parse("2006-01", c.scope.Month); err != nil {
			return problem.Usagef("--month %q: write a month such as 2026-11", c.scope.Month)
		}
	}
	if c.plan != "" {
		sources = append(sources, output.Source{What: "the plan of --plan", Path: c.plan})
	}
	return c.pages.Check(sources)
}

func (c *reportCommand) readPlan() (*report.Plan, error) {
	kept, err := pipeline.ReadPlanFile(c.plan)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, problem.Usagef("there is no file %s", c.plan)
	case err != nil:
		return nil, problem.AsUsage(err)
	case kept.Plan.Run != c.scope.Run:
		return nil, problem.Usagef("%s is the plan of run %s, not of run %s", c.plan, kept.Plan.Run, c.scope.Run)
	}
	return kept.Plan, nil
}
