package main

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"time"

	"github.com/spf13/cobra"

	"payonce/configs"
	"payonce/io/atomicfile"
	"payonce/io/listfile"
	"payonce/pipeline"
	"payonce/pipeline/dispatch"
	"payonce/pipeline/output"
	"payonce/pipeline/problem"
	"payonce/pipeline/report"
	"payonce/pipeline/search"
)

// searchWork is where a command works, once its flags are read.
type searchWork struct {
	*pipeline.Work
	Pace    pipeline.Pace
	Budget  pipeline.Budget
	JSON    bool
	Quiet   bool
	Sources []output.Source // files that are never overwritten
	// Show writes a report for a person.
	Show func(to io.Writer, r report.Report) error
	// Sent ends the line about what is sent.
	Sent func()
}

// searchEnvironment is what a command needs of its caller. Each command has its own.
type searchEnvironment struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Now            func() time.Time
	FileMode       fs.FileMode // of new files; zero for 0600
	// AddFlags adds the flags of the workspace and the service, and Work reads them.
	AddFlags func(cmd *cobra.Command)
	Work     func(cmd *cobra.Command) (searchWork, error)
	// CanAsk says that somebody can be asked, and Confirm asks.
	CanAsk  bool
	Confirm func(ctx context.Context, question string) bool
	// Begun is called before anything is sent: from then on the search goes on when nobody reads what it prints.
	Begun func()
	// End returns the error that ends a command whose search stopped, or lost pages; nil when all is done.
	End func(stop dispatch.Stop, lost, ceilingOK bool) error
}

// newSearchingCommand returns the command with those below it. exits is added to the help of each.
func newSearchingCommand(newEnv func() searchEnvironment, exits string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "search",
		Short: "Build a list of companies or people from searches, within a limit on units",
		Long: "Search companies or people by filters, and write what is found as a list that plan and run accept.\n" +
			"Each page of results is a paid call. An interrupted search resumes when it is run again, and a page\n" +
			"that was answered within --fresh-for is not bought again. A search with more results than the service\n" +
			"shows is split by places and ranges.",
		Args: checkedArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newCompanies(newEnv(), exits), newEmployees(newEnv(), exits), newPeople(newEnv(), exits))
	return cmd
}

// searchCommand is one call of a command.
type searchCommand struct {
	env     searchEnvironment
	kind    search.Kind
	where   []string
	filters string // a file
	// lists are the values of flags that stand for filters, by their keys.
	lists map[string]*[]string

	most, perOne configs.CountFlag
	perPage      int
	freshFor     configs.AgeFlag
	name         string
	output       string
	keep         uint
	rebuy        bool
	yes, dryRun  bool
	ceilingOK    bool

	list listFlags // of employees
}

// usualPage is how many results a page has that the service allows for every search.
const usualPage = 25

// usualFreshFor is how old an answer may be unless the user says otherwise.
const usualFreshFor = 7 * 24 * time.Hour

func newSearch(env searchEnvironment, kind search.Kind, cmd *cobra.Command, exits string) (*searchCommand, *cobra.Command) {
	c := &searchCommand{env: env, kind: kind, lists: map[string]*[]string{}, freshFor: configs.AgeFlag{Span: usualFreshFor, Given: true}}
	cmd.Long += exits
	cmd.RunE = c.run
	env.AddFlags(cmd)
	flags := cmd.Flags()
	flags.StringVarP(&c.output, "output", "o", "", "write the list to this `FILE`: CSV, JSON, Parquet or Excel by its ending")
	flags.StringArrayVar(&c.where, "where", nil, "a filter, `KEY=VALUE`; a range is KEY=10..50, KEY=10.. or KEY=..50; a list takes the flag several times (repeatable)")
	flags.StringVar(&c.filters, "filters", "", "read filters from this `FILE`, a JSON object as the service's filters are")
	flags.Var(&c.most, "max", "the most results")
	flags.Var(&c.freshFor, "fresh-for", "buy a page again when it was answered longer ago than this (7d, 12h)")
	flags.IntVar(&c.perPage, "per-page", usualPage, "ask for `N` results on a page")
	flags.BoolVar(&c.rebuy, "rebuy", false, "buy pages again that were counted and whose responses were lost")
	flags.StringVar(&c.name, "name", "", "the search's `NAME` in the journal (default from its filters)")
	flags.UintVar(&c.keep, "keep-outputs", 5, "keep up to `N` earlier versions of an output that would lose edits or values; see batch undo")
	flags.BoolVarP(&c.yes, "yes", "y", false, "do not ask before spending")
	flags.BoolVar(&c.dryRun, "dry-run", false, "show the plan and end; nothing is sent")
	flags.BoolVar(&c.ceilingOK, "ceiling-ok", false, "end with 0, not 3, when a ceiling is reached")
	// An error would say that the command has no such flag.
	_ = cmd.RegisterFlagCompletionFunc("where", c.completeWhere)
	return c, cmd
}

// stand adds a flag that stands for a filter.
func (c *searchCommand) stand(cmd *cobra.Command, flag, key, usage string) {
	c.lists[key] = cmd.Flags().StringArray(flag, nil, usage+" (repeatable)")
}

// completeWhere completes the keys of filters.
func (c *searchCommand) completeWhere(_ *cobra.Command, _ []string, given string) ([]string, cobra.ShellCompDirective) {
	return keysBeginning(c.kind, given), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// run runs the search, or plans it.
func (c *searchCommand) run(cmd *cobra.Command, args []string) error {
	w, err := c.env.Work(cmd)
	if err != nil {
		return err
	}
	o, err := c.options(cmd.Context(), w, args)
	if err != nil {
		return err
	}
	if c.dryRun {
		plan, err := search.MakePlan(cmd.Context(), w.Work, o)
		if err != nil {
			return err
		}
		return show(w, c.env.Stdout, plan, plan)
	}
	out, err := c.reportsTo(w)
	if err != nil {
		return err
	}
	ended, err := search.Run(cmd.Context(), w.Work, o, &searchPerson{env: c.env, work: w, out: out})
	w.Sent()
	if err != nil {
		return err
	}
	ended.Summary.Advice = advice(ended, c.env.Now())
	if err := show(w, out, ended.Summary, ended.Summary); err != nil {
		return fmt.Errorf("the search has ended and %s is written, but the summary could not be printed: %w", output.TargetName(o.Output.Path), err)
	}
	return c.env.End(ended.Stop, ended.Summary.Lost(), c.ceilingOK)
}

// show shows a report, as --json asks for.
func show(w searchWork, to io.Writer, value any, r report.Report) error {
	if w.JSON {
		return report.WriteJSON(to, value)
	}
	return w.Show(to, r)
}

// reportsTo returns where reports go: to standard error where the list is written to standard output.
func (c *searchCommand) reportsTo(w searchWork) (io.Writer, error) {
	switch {
	case c.output != listfile.Standard:
		return c.env.Stdout, nil
	case w.JSON:
		return nil, problem.Usagef("--json and -o - both write to standard output; choose a file for one of them")
	case w.Quiet:
		return io.Discard, nil
	}
	return c.env.Stderr, nil
}

// options returns what the flags say.
func (c *searchCommand) options(ctx context.Context, w searchWork, args []string) (search.Options, error) {
	switch {
	case c.output == "" && !c.dryRun:
		return search.Options{}, problem.Usagef("where is the list to go? give -o FILE, such as %s.csv", c.kind.Name)
	case c.perPage < 1 || c.perPage > 1000:
		return search.Options{}, problem.Usagef("--per-page %d: choose 1 to 1000", c.perPage)
	}
	o := search.Options{
		Run: c.name, FreshFor: c.freshFor.Span, Rebuy: c.rebuy, Pace: w.Pace, Budget: w.Budget, Yes: c.yes,
		Output: search.Output{Path: c.output, Keep: int(c.keep), Stdout: c.env.Stdout, Sources: w.Sources},
		Order:  search.Order{Kind: c.kind, Most: c.most.OrZero(), PerOne: c.perOne.OrZero()},
	}
	if c.filters != "" {
		o.Output.Sources = append(o.Output.Sources, output.Source{What: "the file of --filters", Path: c.filters})
	}
	var err error
	if o.Order.Query, err = c.query(); err != nil {
		return o, err
	}
	if len(args) > 0 {
		o.Output.Sources = append(o.Output.Sources, output.SourcesOf(args)...)
		err = c.readCompanies(ctx, w, args, &o.Order)
	}
	return o, err
}

// query returns the filters that the flags give.
func (c *searchCommand) query() (search.Query, error) {
	q := search.NewQuery(c.kind.Operation, c.perPage)
	if c.filters != "" {
		data, err := atomicfile.ReadSmall(c.filters)
		if err != nil {
			return q, problem.AsUsage(err)
		}
		if q, err = q.JSON(data); err != nil {
			return q, problem.Usagef("%s: %w", c.filters, err)
		}
	}
	var err error
	for _, text := range c.where {
		if q, err = q.Where(text); err != nil {
			return q, problem.Usagef("--where %s: %w", text, err)
		}
	}
	for _, key := range search.FilterKeys(c.kind.Operation) {
		if values := c.lists[key]; values != nil && len(*values) > 0 {
			if q, err = q.With(key, *values...); err != nil {
				return q, problem.AsUsage(err)
			}
		}
	}
	return q, nil
}
