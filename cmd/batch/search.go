// This file has the commands that build lists from searches.

package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"payonce/configs"
	"payonce/io/atomicfile"
	"payonce/io/listfile"
	"payonce/io/service/v2"
	"payonce/pipeline"
	"payonce/pipeline/columns"
	"payonce/pipeline/dispatch"
	"payonce/pipeline/output"
	"payonce/pipeline/problem"
	"payonce/pipeline/report"
	"payonce/pipeline/search"
)

func newSearchCommand(env environment) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "search",
		Short: "Build a list of companies or people from searches, within a limit on units",
		Long: "Search companies or people by filters, and write what is found as a list that plan and run accept.\n" +
			"Each page of results is a paid call. An interrupted search resumes when it is run again, and a page\n" +
			"that was answered within --fresh-for is not bought again. A search with more results than the service\n" +
			"shows is split by places and ranges.",
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newCompanies(env), newOverview(env), newEmployees(env), newPeople(env), newAutocomplete(env), newFigures(env))
	return cmd
}

// searchCommand is one call of a command.
type searchCommand struct {
	o       *options
	kind    search.Kind
	where   []string
	filters string // a file
	codes   string // a file
	// lists are the values of flags that stand for filters, by their keys.
	lists map[string]*[]string
	// companies is the list, open until the command ends; nil for none.
	companies *columns.UserList
	// readList reads what a list says into an order.
	readList func(ctx context.Context, w *pipeline.Work, order *search.Order) error

	most, perOne configs.CountFlag
	perPage      int
	freshFor     configs.AgeFlag
	name         string
	output       string
	keep         uint
	rebuy        bool
}

// usualPage is how many results a page has that the service allows for most searches.
const usualPage = 25

// pageOf returns how many results a page of a kind of searches has unless the user says otherwise.
func pageOf(kind search.Kind) int {
	if most := v2.MostPerPage(kind.Operation); most > 0 {
		return most
	}
	return usualPage
}

// usualFreshFor is how old an answer may be unless the user says otherwise.
const usualFreshFor = 7 * 24 * time.Hour

func newSearch(env environment, kind search.Kind, cmd *cobra.Command) (*searchCommand, *cobra.Command) {
	c := &searchCommand{o: newOptions(env), kind: kind, lists: map[string]*[]string{}, freshFor: configs.AgeFlag{Span: usualFreshFor, Given: true}}
	c.o.needs = "v2"
	cmd.Long += exitHelp(exitDone, exitInternal, exitUsage, exitCeiling, exitRefused, exitDoubt, exitInterrupted, exitApproval, exitLocked)
	cmd.RunE = c.run
	flags := cmd.Flags()
	c.readList = c.readCompanies
	c.o.addJournalFlags(flags)
	c.o.service.AddWait(flags)
	c.o.service.AddService(flags)
	c.o.service.AddPace(flags)
	c.o.addUnitPrices(flags)
	c.o.addFormulasFlag(flags)
	c.o.addSearchCeilingFlags(flags)
	flags.StringVarP(&c.output, "output", "o", "", "write the list to this `FILE`: CSV, JSON, Parquet or Excel by its ending")
	flags.StringArrayVar(&c.where, "where", nil, "a filter, `KEY=VALUE`; a range is KEY=10..50, KEY=10.. or KEY=..50; a list is KEY=A,B (repeatable)")
	flags.StringVar(&c.filters, "filters", "", "read filters from this `FILE`, a JSON object as the service's filters are")
	flags.StringVar(&c.codes, "codes", "", "read the names of the account's codes from this `FILE`, so that filters take names: CSV, JSON or YAML")
	flags.Var(&c.most, "max", "the most results")
	flags.Var(&c.freshFor, "fresh-for", "buy a page again when it was answered longer ago than this (7d, 12h)")
	flags.IntVar(&c.perPage, "per-page", pageOf(kind), "ask for `N` results on a page")
	flags.BoolVar(&c.rebuy, "rebuy", false, "buy pages again that were counted and whose responses were lost")
	flags.StringVar(&c.name, "name", "", "the search's `NAME` in the journal (default from its filters)")
	flags.UintVar(&c.keep, "keep-outputs", 5, "keep up to `N` earlier versions of an output that would lose edits or values; see batch undo")
	flags.BoolVarP(&c.o.yes, "yes", "y", false, "do not ask before spending")
	flags.BoolVar(&c.o.dryRun, "dry-run", false, "show the plan and end; nothing is sent")
	flags.BoolVar(&c.o.ceilingOK, "ceiling-ok", false, "end with 0, not 3, when a ceiling is reached")
	// An error would say that the command has no such flag.
	_ = cmd.RegisterFlagCompletionFunc("where", c.completeWhere)
	return c, cmd
}

// addListFlags adds the flags of a list of companies.
func (c *searchCommand) addListFlags(cmd *cobra.Command, usage string) {
	c.o.list.AddReading(cmd.Flags())
	cmd.Flags().StringArrayVar(&c.o.list.List.Mapping, "map", nil, usage)
}

// stand adds a flag that stands for a filter.
func (c *searchCommand) stand(cmd *cobra.Command, flag, key, usage string) {
	c.lists[key] = cmd.Flags().StringArray(flag, nil, usage+"; several with commas (repeatable)")
}

// completeWhere completes the keys of filters.
func (c *searchCommand) completeWhere(_ *cobra.Command, _ []string, given string) ([]string, cobra.ShellCompDirective) {
	return keysBeginning(c.kind, given), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// run runs the search, or plans it.
func (c *searchCommand) run(cmd *cobra.Command, args []string) error {
	w, err := c.o.work(cmd)
	if err != nil {
		return err
	}
	order, err := c.order(cmd.Context(), w, args)
	defer c.close()
	if err != nil {
		return err
	}
	if c.o.dryRun {
		plan, err := search.MakePlan(cmd.Context(), w, order)
		if err != nil {
			return err
		}
		return c.show(c.o.env.stdout, plan)
	}
	out, err := c.reportsTo()
	if err != nil {
		return err
	}
	ended, err := search.Run(cmd.Context(), w, order, &searchPerson{c: c, out: out})
	c.o.observer.End()
	if err != nil {
		return err
	}
	next := c.o.env.typed.afterSearch(ended, c.o.env.now())
	ended.Summary.Command, ended.Summary.Advice = next.Command, next.after(advice(ended, c.o.env.now()))
	if err := c.show(out, ended.Summary); err != nil {
		return fmt.Errorf("the search has ended and %s is written, but the summary could not be printed: %w", output.TargetName(order.Output.Path), err)
	}
	return endOfSearch(ended.Stop, ended.Summary.Lost(), c.o.ceilingOK)
}

// show shows a report, as --json asks for. A person who does not read it does not stop the search.
func (c *searchCommand) show(to io.Writer, r report.Report) error {
	if c.o.json {
		return report.WriteJSON(to, r)
	}
	return unlessUnread(c.o.showText(to, r))
}

// silent reports whether nobody reads standard error.
func (c *searchCommand) silent() bool { return c.o.quiet || c.o.logFormat.Value == "json" }

// reportsTo returns where reports go: to standard error where the list is written to standard output.
func (c *searchCommand) reportsTo() (io.Writer, error) {
	switch {
	case c.output != listfile.Standard:
		return c.o.env.stdout, nil
	case c.o.json:
		return nil, problem.Usagef("--json and -o - both write to standard output; choose a file for one of them")
	case c.silent():
		return io.Discard, nil
	}
	return c.o.env.stderr, nil
}

// order returns what the flags say.
func (c *searchCommand) order(ctx context.Context, w *pipeline.Work, args []string) (search.Options, error) {
	switch {
	case c.output == "" && !c.o.dryRun:
		return search.Options{}, problem.Usagef("where is the list to go? give -o FILE, such as %s.csv", c.kind.Name)
	case c.perPage < 1 || c.perPage > 1000:
		return search.Options{}, problem.Usagef("--per-page %d: choose 1 to 1000", c.perPage)
	}
	o := search.Options{
		Run: c.name, FreshFor: c.freshFor.Span, Rebuy: c.rebuy, Pace: c.o.service.Pace(), Budget: c.o.budget.value(), Yes: c.o.yes,
		Output: search.Output{Path: c.output, Keep: int(c.keep), Stdout: c.o.env.stdout, Sources: c.o.sources()},
		Order:  search.Order{Kind: c.kind, Most: c.most.OrZero(), PerOne: c.perOne.OrZero()},
	}
	if c.filters != "" {
		o.Output.Sources = append(o.Output.Sources, output.Source{What: "the file of --filters", Path: c.filters})
	}
	if c.codes != "" {
		o.Output.Sources = append(o.Output.Sources, output.Source{What: "the file of --codes", Path: c.codes})
	}
	var err error
	if o.Order.Query, err = c.query(); err != nil {
		return o, err
	}
	if len(args) > 0 {
		o.Output.Sources = append(o.Output.Sources, output.SourcesOf(args)...)
		if c.companies, err = columns.OpenList(c.o.list.reading(ctx, c.o.env.stdin), args...); err == nil {
			err = c.readList(ctx, w, &o.Order)
		}
	}
	return o, err
}

// close closes the list of companies.
func (c *searchCommand) close() {
	if c.companies != nil {
		_ = c.companies.Close() // it was read
	}
}

// query returns the filters that the flags give.
func (c *searchCommand) query() (search.Query, error) {
	q := search.NewQuery(c.kind.Operation, c.perPage)
	if c.codes != "" {
		codes, err := readCodes(c.codes)
		if err != nil {
			return q, err
		}
		q = q.WithCodes(codes)
	}
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
			for _, value := range *values {
				if q, err = q.List(key, value); err != nil {
					return q, problem.AsUsage(err)
				}
			}
		}
	}
	return q, nil
}

// readCodes reads a file of codes.
func readCodes(name string) (search.Codes, error) {
	data, err := atomicfile.ReadSmall(name)
	if err != nil {
		return nil, problem.AsUsage(err)
	}
	codes, err := search.ReadCodes(data, strings.EqualFold(filepath.Ext(name), ".csv"))
	if err == nil {
		err = codes.Check()
	}
	if err != nil {
		return nil, problem.Usagef("%s: %w", name, err)
	}
	return codes, nil
}

// endOfSearch returns the error that ends a search. A limit of a module is a ceiling that the account has.
func endOfSearch(stop dispatch.Stop, lost, ceilingOK bool) error {
	code := exitOfStop(stop)
	if refused, is := stop.(dispatch.ServiceRefused); is && (refused.Code == v2.CodeDailyLimit || refused.Code == v2.CodeLimit) {
		code = exitCeiling
	}
	if code == exitCeiling && ceilingOK {
		code = exitDone
	}
	if code == exitDone && lost {
		code = exitDoubt
	}
	return exitWith(code)
}
