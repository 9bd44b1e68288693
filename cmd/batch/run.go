package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"payonce/io/listfile"
	"payonce/pipeline"
	"payonce/pipeline/output"
	"payonce/pipeline/problem"
	"payonce/pipeline/report"
	"payonce/pipeline/scan"
)

func newRunCommand(env environment) *cobra.Command {
	o, cmd := newRun(env)
	o.addPeopleFlags(cmd.Flags())
	return cmd
}

// newRun returns the command and the options that its flags set.
func newRun(env environment) (*options, *cobra.Command) {
	o := newOptions(env)
	cmd := &cobra.Command{
		Use:   "run LIST... [-o OUT]",
		Short: "Enrich the list, under --max-spend; run it again to resume",
		Long: "Show the plan, ask, look up what is missing and write the list back filled in. Running the\n" +
			"same command again resumes: what was answered is never paid again, and --max-spend counts\n" +
			"what the run has spent already. --approval-threshold and --approve count from this start.\n\n" +
			"With --plan the list and the flags come from a plan that was kept with \"batch plan --out\". The run\n" +
			"is refused when the list, its columns, the prices or the ceilings differ from the plan, or\n" +
			"when it could cost more; answers since then make no difference." +
			exitHelp(exitDone, exitInternal, exitUsage, exitCeiling, exitRefused, exitDoubt, exitInterrupted, exitApproval, exitLocked),
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runList(cmd, o, args)
		},
	}
	o.addJournalFlags(cmd.Flags())
	o.service.AddWait(cmd.Flags())
	o.service.AddService(cmd.Flags())
	o.addListFlags(cmd.Flags())
	o.addPriceFlags(cmd.Flags())
	o.addCeilingFlags(cmd.Flags())
	cmd.Flags().StringVar(&o.planFile, "plan", "", "run the list and the flags of this plan `FILE`")
	cmd.Flags().Var(&o.budget.approve, "approve", "approve that this start spends up to this amount, above --approval-threshold; it spends no more")
	cmd.Flags().StringVarP(&o.output.path, "output", "o", "", "write the enriched list to this `FILE` (default LIST with .enriched before its ending)")
	cmd.Flags().BoolVar(&o.list.List.Reask.Forfeited, "rebuy", false, "buy fields again that were charged and whose answers were lost")
	cmd.Flags().StringVar(&o.changes, "changes", "", "before the run, record the changes of watched companies, ask again for the changed companies of the list, and write their changes to this `FILE`")
	cmd.Flags().BoolVarP(&o.yes, "yes", "y", false, "do not ask before spending")
	cmd.Flags().BoolVar(&o.ceilingOK, "ceiling-ok", false, "end with 0, not 3, when a ceiling is reached")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "show the plan and end, as batch plan does")
	return o, cmd
}

// listToRun returns the list that the command line names, or else the plan's.
func (o *options) listToRun(args []string) ([]string, error) {
	switch {
	case len(args) > 0:
		return args, nil
	case o.kept != nil && len(o.kept.List.Paths) == 0:
		return nil, problem.Usagef("the list of this plan came from standard input: give it again, as %q", "batch run - --plan FILE")
	case o.kept != nil:
		return o.kept.List.Paths, nil
	}
	return nil, problem.Usagef("which list? give its file, or --plan FILE; see %q", "batch run --help")
}

// runList runs a list and shows how it went.
func runList(cmd *cobra.Command, o *options, args []string) error {
	w, err := o.work(cmd)
	if err != nil {
		return err
	}
	list, err := o.listToRun(args)
	switch {
	case err != nil:
		return err
	case o.dryRun && o.kept != nil:
		return problem.Usagef("--dry-run makes a plan, and --plan follows one; leave one of them out")
	case o.dryRun:
		return o.planWith(cmd, w, list)
	}
	if o.output.path == "" {
		if o.output.path, err = output.OutputName(list); err != nil {
			return err
		}
	}
	o.env.start.BeginRun(w, o.env.now, cmd, list)
	out, err := o.besideLists()
	if err != nil {
		return err
	}
	if err := o.people.check(o); err != nil {
		return err
	}
	if o.people.isAsked() {
		return o.runPeople(cmd, w, list, out)
	}
	person := &person{env: o.env, out: out}
	switch {
	case o.json && (o.quiet || o.logFormat.Value == "json"):
		person.out = io.Discard // the object on standard output says how it went
	case o.json:
		person.out = o.env.stderr
	}
	person.show = func(plan *report.Plan) error { return o.showText(person.out, plan) }
	run := pipeline.RunOptions{
		List: o.list.Value(cmd.Context(), o.env.stdin, o.env.now, list...), Budget: o.budget.value(), Pace: o.service.Pace(),
		Output: o.output.value(o.env, o.sources()), Yes: o.yes, Unapproved: o.unapproved,
	}
	if o.kept != nil {
		run.Kept = &pipeline.KeptPlan{Path: o.planFile, Plan: o.kept}
	}
	stop, err := o.refreshFirst(cmd, w, run, person.out)
	if err != nil {
		return o.afterChanges(err)
	}
	var ended *pipeline.RunEnded
	if err := o.offerMapping(cmd.Context(), run.List, func() (err error) {
		ended, err = w.Run(cmd.Context(), run, person)
		o.observer.End()
		return err
	}); err != nil {
		return o.afterChanges(err)
	}
	if ended.Stop == nil {
		ended.Stop = stop
	}
	o.env.start.Ran(ended)
	return o.conclude(out, ended)
}

// conclude shows the summary and returns the error that ends the command.
func (o *options) conclude(out io.Writer, ended *pipeline.RunEnded) error {
	code := exitOfStop(ended.Stop)
	if code == exitDone || code == exitCeiling && o.ceilingOK {
		code = codeOfRows(ended.Summary.Rows)
	}
	next := o.afterRun(ended.Summary, ended.Stop, code, o.env.now())
	ended.Summary.Command = next.Command
	advice := o.hints.Advice(ended.Summary, ended.Stop, o.env.now())
	if advice == "" && ended.Stop == nil && o.service.Sandbox {
		advice = sandboxAdvice(ended.Summary.Rows)
	}
	ended.Summary.Advice = next.after(advice)
	if err := unlessUnread(o.show(out, ended.Summary)); err != nil {
		return fmt.Errorf("the run has ended and %s is written, but the summary could not be printed: %w", output.TargetName(o.output.path), err)
	}
	return exitWith(code)
}

// sandboxAdvice says why the embedded service found nothing in a list; "" when it found something.
func sandboxAdvice(rows map[string]int64) string {
	found := rows[string(scan.StatusMatched)] + rows[string(scan.StatusPartial)]
	if rows[string(scan.StatusNotFound)] == 0 || found > 0 {
		return ""
	}
	return "The sandbox knows only companies and people of its own, so it finds nothing in other lists.\n" +
		"A list that it knows comes from batch search companies --sandbox."
}

// codeOfRows returns the exit code of a run whose rows have these outcomes.
func codeOfRows(rows map[string]int64) int {
	if rows[string(scan.StatusInDoubt)]+rows[string(scan.StatusForfeited)] > 0 {
		return exitDoubt
	}
	return exitDone
}

// besideLists returns where reports go: to standard error where the list, the rejects or the new values are
// written to standard output.
func (o *options) besideLists() (io.Writer, error) {
	flag := "-o"
	switch listfile.Standard {
	case o.output.path:
	case o.output.rejects:
		flag = "--rejects"
	case o.output.newValues:
		flag = "--new-values"
	default:
		return o.env.stdout, nil
	}
	if o.json {
		return nil, problem.Usagef("--json and %s - both write to standard output; choose a file for one of them", flag)
	}
	if o.quiet {
		return io.Discard, nil
	}
	return o.env.stderr, nil
}

// person asks whoever started the run.
type person struct {
	env  environment
	out  io.Writer // where the plan is shown
	show func(*report.Plan) error
}

func (p *person) CanAsk() bool { return p.env.canAsk }

// Show shows the plan unless there is nothing left to look up. From here on the run continues when a
// reader of its output ends.
func (p *person) Show(plan *report.Plan) error {
	if plan.IsDone() {
		p.env.outliveReaders()
		return nil
	}
	if err := p.show(plan); err != nil {
		return err
	}
	_, err := fmt.Fprintln(p.out)
	p.env.outliveReaders()
	return err
}

// Confirm asks whether the lookups may be sent.
func (p *person) Confirm(ctx context.Context, asked pipeline.Question) bool {
	question := report.Textf("Send %s and spend at most $%s? [y/N] ", report.Lookups(asked.Lookups), asked.Possible)
	if asked.Covered < asked.Lookups {
		question = report.Textf("Send up to %s and spend at most $%s, enough for at least %d of them? [y/N] ",
			report.Lookups(asked.Lookups), asked.Possible, asked.Covered)
	}
	if asked.Beyond != nil {
		question = report.Textf("This is more than the approval threshold of $%s.\n", asked.Beyond) + question
	}
	return p.env.confirm(ctx, question)
}

func (env environment) confirm(ctx context.Context, question string) bool {
	return confirmLine(ctx, env.stdin, env.stderr, question)
}
