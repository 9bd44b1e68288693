// This file has the commands about watched companies: they start and end watches, record changes, and ask again.

package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"payonce/cost"
	"payonce/pipeline"
	"payonce/pipeline/dispatch"
	"payonce/pipeline/output"
	"payonce/pipeline/problem"
	"payonce/pipeline/provider"
	"payonce/pipeline/report"
	"payonce/pipeline/watch"
)

// watchCommand is one call of a command.
type watchCommand struct {
	*options
	ids    []string
	name   string
	rebuy  bool
	fields []string // of --fields
	since  string
}

func newWatch(env environment, cmd *cobra.Command, codes ...int) *watchCommand {
	c := &watchCommand{options: newOptions(env)}
	c.needs = "v2"
	cmd.Long += exitHelp(codes...)
	c.addJournalFlags(cmd.Flags())
	c.service.AddWait(cmd.Flags())
	c.service.AddService(cmd.Flags())
	return c
}

// addList adds the flags of a list of companies.
func (c *watchCommand) addList(cmd *cobra.Command) {
	cmd.Args = cobra.ArbitraryArgs
	c.list.AddReading(cmd.Flags())
	cmd.Flags().StringArrayVar(&c.list.List.Mapping, "map", nil, "`FIELD=COLUMN`: the column of a field, by its header or #number; empty for none (repeatable)")
	cmd.Flags().StringSliceVar(&c.ids, "company", nil, "a company by its `ID` at the service (repeatable)")
}

// addOutput adds the flags of a command that writes a file.
func (c *watchCommand) addOutput(cmd *cobra.Command, what string) {
	cmd.Flags().StringVarP(&c.output.path, "output", "o", "", "write "+what+" to this `FILE`: CSV, JSON, Parquet or Excel by its ending")
	c.addKeepFlag(cmd.Flags())
	c.addFormulasFlag(cmd.Flags())
}

// addPaying adds the flags of a command that spends.
func (c *watchCommand) addPaying(cmd *cobra.Command) {
	flags := cmd.Flags()
	c.service.AddPace(flags)
	c.addUnitPrices(flags)
	c.addSearchCeilingFlags(flags)
	flags.Lookup("max-spend").Usage = "the most that the command may spend, over all its starts; it limits units that have a price"
	flags.Lookup("max-units").Usage = "`MODULE=N`: the most units of a module that the command may use, over all its starts (repeatable)"
	flags.Lookup("job").Usage = "the `NAME` of the job that the command belongs to (default that of its run)"
	flags.BoolVarP(&c.yes, "yes", "y", false, "do not ask before spending")
	flags.BoolVar(&c.dryRun, "dry-run", false, "show the plan and end; nothing is sent")
	flags.BoolVar(&c.ceilingOK, "ceiling-ok", false, "end with 0, not 3, when a ceiling is reached")
}

// companies returns the list that the arguments and flags name.
func (c *watchCommand) companies(ctx context.Context, args []string) watch.List {
	return watch.List{
		Options: c.list.reading(ctx, c.env.stdin), Names: args, Mapping: c.list.List.Mapping, Preset: c.list.Preset.Value, IDs: c.ids,
	}
}

// workOn loads the options of a command that needs companies.
func (c *watchCommand) workOn(cmd *cobra.Command, args []string) (*pipeline.Work, error) {
	w, err := c.work(cmd)
	if err == nil && len(args) == 0 && len(c.ids) == 0 {
		err = problem.Usagef("the command needs companies; give a list or --company ID")
	}
	return w, err
}

func (c *watchCommand) paying() watch.Paying {
	return watch.Paying{Run: c.name, Budget: c.budget.value(), Pace: c.service.Pace(), Rebuy: c.rebuy, Yes: c.yes}
}

// outputOf returns where the file is written.
func (c *watchCommand) outputOf(args []string) pipeline.Output {
	o := c.output.value(c.env, c.sources())
	o.Sources = append(o.Sources, output.SourcesOf(args)...)
	return o
}

// watchPerson asks the person who started a command.
type watchPerson struct {
	c   *watchCommand
	out io.Writer // where the plan is shown
}

// CanAsk implements watch.Approver.
func (p *watchPerson) CanAsk() bool { return p.c.env.canAsk }

// Show implements watch.Approver. A plan that sends nothing is not shown.
func (p *watchPerson) Show(plan watch.Plan) error {
	defer p.c.env.outliveReaders()
	to := p.out
	switch {
	case plan.Calls() == 0, p.c.json && (p.c.quiet || p.c.logFormat.Value == "json"):
		return nil
	case p.c.json:
		to = p.c.env.stderr
	}
	if err := unlessUnread(p.c.showText(to, plan)); err != nil {
		return err
	}
	_, err := fmt.Fprintln(to)
	return err
}

// Confirm implements watch.Approver.
func (p *watchPerson) Confirm(ctx context.Context, calls int64) bool {
	return p.c.env.confirm(ctx, fmt.Sprintf("Send at most %s? [y/N] ", report.Counted(calls, "call")))
}

func newWatchAddCommand(env environment) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "add [LIST...]",
		Short: "Watch the companies of a list for changes",
		Long: "Start to watch the companies of a list. The list has the service's ids (company_id), or names companies as\n" +
			"in a run: then the ids come from the answers in the journal. The command buys nothing to find an id. It names\n" +
			"the rows without a known id.\n\n" +
			"Each start is a paid call and uses a unit of the module watch while the company is watched. A watched company\n" +
			"is not started again; it gets the fields of --fields that it lacks, which is free. When the response to a\n" +
			"start was lost, the service shows whether the company is watched. After a stop the same command continues.",
	}
	c := newWatch(env, cmd, exitDone, exitInternal, exitUsage, exitCeiling, exitRefused, exitDoubt, exitInterrupted, exitApproval, exitLocked)
	c.addList(cmd)
	c.addPaying(cmd)
	cmd.Flags().StringSliceVar(&c.fields, "fields", nil, "the `FIELDS` to watch, with commas between them (default those that the service chooses)")
	cmd.Flags().StringVar(&c.name, "name", "", "the run's `NAME` in the journal (default a name made from the companies)")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		w, err := c.workOn(cmd, args)
		if err != nil {
			return err
		}
		o := watch.AddOptions{Paying: c.paying(), List: c.companies(cmd.Context(), args), Fields: c.fields}
		if c.dryRun {
			plan, err := watch.PlanAdd(cmd.Context(), w, o)
			if err != nil {
				return err
			}
			return c.show(env.stdout, plan)
		}
		ended, err := watch.Add(cmd.Context(), w, o, &watchPerson{c, env.stdout})
		c.observer.End()
		if err != nil {
			return ifInterrupted(err, "run the same command again to continue")
		}
		ended.Advice = c.advice(ended.Stop)
		if err := unlessUnread(c.show(env.stdout, ended)); err != nil {
			return err
		}
		return c.end(ended.Stop, ended.DoubtsNow > 0, len(ended.Problems) > 0)
	}
	return cmd
}

// end returns the error that ends a command that spends.
func (c *watchCommand) end(stop dispatch.Stop, lost, failed bool) error {
	code := exitOfStop(stop)
	switch {
	case code == exitCeiling && c.ceilingOK:
		code = exitDone
	case code == exitDone && failed:
		code = exitRefused
	}
	if code == exitDone && lost {
		code = exitDoubt
	}
	return exitWith(code)
}

// advice says why a command stopped and what to do next.
func (c *watchCommand) advice(stop dispatch.Stop) string {
	var flags []string
	lead := leadAgain
	if reached, is := stop.(dispatch.CeilingReached); is {
		if flags = doubled(reached.Ceiling); flags != nil {
			lead = "To go on with twice the limit, run"
		}
		if reached.Ceiling.Period != cost.Ever {
			flags, lead = nil, fmt.Sprintf("To go on from %s on, run", report.Time(provider.Renewal(reached.Ceiling.Period, c.env.now())))
		}
	}
	why := ""
	switch stop := stop.(type) {
	case nil:
		return ""
	case dispatch.CeilingReached:
		why = fmt.Sprintf("Stopped at the ceiling %s: %s.\n", stop.Ceiling.Name, leftUnder(stop, "call"))
	case dispatch.Interrupted:
		why = "Interrupted. All received answers are recorded.\n"
	case dispatch.ServiceRefused:
		why = "The service refused (" + cmp.Or(stop.Code, stop.Module) + "): " + strings.TrimRight(stop.Message, ".") + ".\n"
	}
	return why + c.env.typed.goOn(lead, flags...).after("")
}

func newWatchRemoveCommand(env environment) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "remove [LIST...]",
		Short: "End the watching of companies, which is free",
		Long:  "End the watching of the companies of a list. Each gives its unit of the module watch back. The command is free.",
	}
	c := newWatch(env, cmd, exitDone, exitInternal, exitUsage, exitRefused, exitInterrupted)
	c.addList(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		w, err := c.workOn(cmd, args)
		if err != nil {
			return err
		}
		v, err := watch.Remove(cmd.Context(), w, watch.ListOptions{List: c.companies(cmd.Context(), args)})
		return c.showEntries(v, err)
	}
	return cmd
}

// showEntries shows companies. Problems with some of them end the command as a refusal.
func (c *watchCommand) showEntries(v *watch.Entries, err error) error {
	if err == nil {
		err = unlessUnread(c.show(c.env.stdout, v))
	}
	if err == nil && len(v.Problems) > 0 {
		err = exitWith(exitRefused)
	}
	return err
}

func newWatchListCommand(env environment) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list [LIST...]",
		Short: "Show the watched companies and their watched fields",
		Long:  "Show the companies that the account watches, with their watched fields: all, or those of a list. The command\nis free.",
	}
	c := newWatch(env, cmd, exitDone, exitInternal, exitUsage, exitRefused, exitInterrupted)
	c.addList(cmd)
	c.addOutput(cmd, "the companies")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		w, err := c.work(cmd)
		if err != nil {
			return err
		}
		out, err := c.besideLists()
		if err != nil {
			return err
		}
		v, err := watch.Show(cmd.Context(), w, watch.ListOptions{List: c.companies(cmd.Context(), args), Output: c.outputOf(args)})
		if err != nil {
			return err
		}
		return unlessUnread(c.options.show(out, v))
	}
	return cmd
}

func newWatchFieldsCommand(env environment) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "fields [LIST...]",
		Short: "Show or change the watched fields of companies, which is free",
		Long:  "Show the watched fields of companies: of a list, or of all watched ones. With --add and --remove, change the\nfields of the list first. The command is free.",
	}
	c := newWatch(env, cmd, exitDone, exitInternal, exitUsage, exitRefused, exitInterrupted)
	c.addList(cmd)
	var add, remove []string
	cmd.Flags().StringSliceVar(&add, "add", nil, "also watch these `FIELDS`, with commas between them")
	cmd.Flags().StringSliceVar(&remove, "remove", nil, "stop watching these `FIELDS`, with commas between them")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		work := c.work
		if len(add)+len(remove) > 0 {
			work = func(cmd *cobra.Command) (*pipeline.Work, error) { return c.workOn(cmd, args) }
		}
		w, err := work(cmd)
		if err != nil {
			return err
		}
		v, err := watch.Fields(cmd.Context(), w, watch.ListOptions{List: c.companies(cmd.Context(), args)}, add, remove)
		return c.showEntries(v, err)
	}
	return cmd
}

func newWatchEventsCommand(env environment) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "events [LIST...]",
		Short: "Show the changes of watched companies as the service lists them",
		Long:  "Show the changes of the companies of a list with their dates, the newest of each company first. The command is\nfree and records nothing.",
	}
	c := newWatch(env, cmd, exitDone, exitInternal, exitUsage, exitRefused, exitInterrupted)
	c.addList(cmd)
	c.addOutput(cmd, "the changes")
	var from, to string
	cmd.Flags().StringVar(&from, "from", "", "leave out changes before this `DAY`, UTC, such as 2026-11-22")
	cmd.Flags().StringVar(&to, "to", "", "leave out changes after this `DAY`, UTC")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		w, err := c.work(cmd)
		if err != nil {
			return err
		}
		out, err := c.besideLists()
		if err != nil {
			return err
		}
		o := watch.EventOptions{ListOptions: watch.ListOptions{List: c.companies(cmd.Context(), args), Output: c.outputOf(args)}}
		if o.From, err = dayOf("from", from); err != nil {
			return err
		}
		if o.To, err = dayOf("to", to); err != nil {
			return err
		}
		v, err := watch.Events(cmd.Context(), w, o)
		if err != nil {
			return err
		}
		return unlessUnread(c.options.show(out, v))
	}
	return cmd
}

// dayOf reads a day, UTC; the zero time stands for none.
func dayOf(flag, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	day, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return day, problem.Usagef("--%s %q: give a day such as 2026-11-22", flag, text)
	}
	return day, nil
}

func newWatchPollCommand(env environment) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "poll",
		Short: "Record the changes of the watched companies, which is free",
		Long: "Read the changes of all watched companies since the last poll, and record each once in the journal. Companies\n" +
			"with a waiting notification (batch watch receive) come first. The command is free. It does not ask again for\n" +
			"the companies: batch watch refresh does.",
		Args: cobra.NoArgs,
	}
	c := newWatch(env, cmd, exitDone, exitInternal, exitUsage, exitRefused, exitInterrupted, exitLocked)
	var o watch.PollOptions
	cmd.Flags().BoolVar(&o.Notified, "notified", false, "read only the changes of companies with a waiting notification")
	cmd.RunE = c.command(func(cmd *cobra.Command, w *pipeline.Work, _ []string) (report.Report, error) {
		return watch.Poll(cmd.Context(), w, o)
	})
	return cmd
}

func newWatchRefreshCommand(env environment) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "refresh [LIST...] -o CHANGES",
		Short: "Ask again for the companies of a list that have changed, and write their changes",
		Long: "Ask again for the companies of a list whose watched fields have changed since their answers. The changes are those\n" +
			"that batch watch poll recorded, the oldest first. One observed change causes at most one paid call, however often\n" +
			"it was observed. A later run or write of the list has the new values.\n\n" +
			"The table of changes has the old and the new value of each changed field between two answers, from this start and\n" +
			"from earlier ones. After a stop the same command continues.",
	}
	c := newWatch(env, cmd, exitDone, exitInternal, exitUsage, exitCeiling, exitRefused, exitDoubt, exitInterrupted, exitApproval, exitLocked)
	c.addList(cmd)
	c.addPaying(cmd)
	c.addOutput(cmd, "the changes")
	cmd.Flags().StringVar(&c.name, "name", "", "the run's `NAME` in the journal (default watch-refresh and the day)")
	cmd.Flags().BoolVar(&c.rebuy, "rebuy", false, "also ask again for companies whose call was charged and whose answer was lost")
	cmd.Flags().StringVar(&c.since, "since", "", "leave out of the table changes that were observed before this `DAY`, UTC")
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return c.refresh(cmd, args) }
	return cmd
}

func (c *watchCommand) refresh(cmd *cobra.Command, args []string) error {
	w, err := c.workOn(cmd, args)
	if err != nil {
		return err
	}
	out, err := c.besideLists()
	if err != nil {
		return err
	}
	o := watch.RefreshOptions{Paying: c.paying(), List: c.companies(cmd.Context(), args), Output: c.outputOf(args)}
	if o.Since, err = dayOf("since", c.since); err != nil {
		return err
	}
	if c.dryRun {
		plan, err := watch.PlanRefresh(cmd.Context(), w, o)
		if err != nil {
			return err
		}
		return c.show(c.env.stdout, plan)
	}
	ended, err := watch.Refresh(cmd.Context(), w, o, &watchPerson{c, out})
	c.observer.End()
	if err != nil {
		return ifInterrupted(err, "run the same command again to continue")
	}
	ended.Advice = c.advice(ended.Stop)
	if err := unlessUnread(c.options.show(out, ended)); err != nil {
		return err
	}
	return c.end(ended.Stop, ended.Lost(), false)
}
