// This file has the runs that search people of the companies of a list and look up what is wanted of them.

package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"payonce/checkpoint"
	"payonce/configs"
	"payonce/io/table"
	"payonce/pipeline"
	"payonce/pipeline/columns"
	"payonce/pipeline/dispatch"
	"payonce/pipeline/output"
	"payonce/pipeline/problem"
	"payonce/pipeline/report"
	"payonce/pipeline/search"
	"payonce/pipeline/workspace"
)

// peopleFlags say which people of the companies of a list are searched.
type peopleFlags struct {
	number configs.CountFlag
	search *searchCommand // has the filters
	flags  *pflag.FlagSet
}

// peopleFilters are the flags of the filters.
var peopleFilters = []string{"seniority", "department", "title", "where", "codes"}

// addPeopleFlags adds the flags of a run for people of companies.
func (o *options) addPeopleFlags(flags *pflag.FlagSet) {
	kind := kindNamed("employees")
	c := &searchCommand{o: o, kind: kind, lists: map[string]*[]string{}, perPage: pageOf(kind)}
	o.people = &peopleFlags{search: c, flags: flags}
	flags.Var(&o.people.number, "people", "the list has companies with their company_id: search up to `N` people of each, and look up the people")
	stand := func(flag, key, usage string) {
		c.lists[key] = flags.StringArray(flag, nil, usage+"; several with commas (repeatable)")
	}
	stand("seniority", "seniority", "with --people: only this `ID` of a seniority level, or its name in the file of --codes")
	stand("department", "department", "with --people: only this `ID` of a department, or its name in the file of --codes")
	stand("title", "job_title", "with --people: only job titles with this `TEXT`")
	flags.StringArrayVar(&c.where, "where", nil, "with --people: a filter, `KEY=VALUE`, as in batch search employees (repeatable)")
	flags.StringVar(&c.codes, "codes", "", "with --people: read the names of the account's codes from this `FILE`: CSV, JSON or YAML")
	for _, flag := range peopleFilters {
		placeBeside(flags, flag, "people")
	}
}

// isAsked reports whether a run is for people of companies.
func (p *peopleFlags) isAsked() bool { return p != nil && p.number.OrZero() > 0 }

// check refuses flags that do not go together.
func (p *peopleFlags) check(o *options) error {
	if p == nil {
		return nil
	}
	if !p.isAsked() {
		for _, flag := range peopleFilters {
			if p.flags.Changed(flag) {
				return problem.Usagef("--%s is a filter of people of companies; give --people N too, how many of each company are wanted", flag)
			}
		}
		return nil
	}
	for _, flag := range []string{"plan", "out", "sample", "offline", "selected", "resolve", "map-file", "preset", "html", "md", "changes"} {
		if p.flags.Lookup(flag) != nil && p.flags.Changed(flag) {
			return problem.Usagef("--people and --%s exclude each other", flag)
		}
	}
	return nil
}

// peopleOptions returns what is asked. The list stays open until the command ends.
func (o *options) peopleOptions(ctx context.Context, w *pipeline.Work, args []string) (asked search.PeopleOptions, err error) {
	c := o.people.search
	asked.Run = pipeline.RunOptions{
		List: o.list.Value(ctx, o.env.stdin, o.env.now, args...), Budget: o.budget.value(), Pace: o.service.Pace(), Yes: o.yes,
		Output: o.output.value(o.env, o.sources()),
	}
	asked.Order = search.Order{Kind: c.kind, PerOne: o.people.number.OrZero()}
	if asked.Order.Query, err = c.query(); err != nil {
		return asked, err
	}
	asked.Run.Output.Sources = append(asked.Run.Output.Sources, output.SourcesOf(args)...)
	if c.codes != "" {
		asked.Run.Output.Sources = append(asked.Run.Output.Sources, output.Source{What: "the file of --codes", Path: c.codes})
	}
	if c.companies, err = columns.OpenList(o.list.reading(ctx, o.env.stdin), args...); err != nil {
		return asked, err
	}
	without, err := ofCompanies(ctx, &asked, c.companies, o.list.List.Mapping, o.list.Preset.Value)
	if err == nil {
		noteWithoutID(w, without)
	}
	return asked, err
}

// ofCompanies sets the companies of a list in the options. It returns how many rows have no identifier.
func ofCompanies(ctx context.Context, asked *search.PeopleOptions, list *columns.UserList, mapping []string, preset string) (without int64, err error) {
	column, err := idColumn(list, mapping, preset)
	if err != nil {
		return 0, err
	}
	schema, _, err := list.Look()
	if err != nil {
		return 0, err
	}
	of, err := columnsOfCompanies(asked.Order.Kind, list, column)
	if err != nil {
		return 0, err
	}
	asked.Paths, asked.Columns, asked.Header = list.Paths, of.names, columns.Fingerprint(schema)
	asked.Column = columns.Override(schema, columns.CompanyID, column)
	asked.Rows = func(ctx context.Context, visit func(string, []string) error) error {
		return eachCompany(ctx, list, column, of.places, visit)
	}
	return readCompanyIDs(ctx, list, column, &asked.Order)
}

// peopleAgain is pipeline.Work.People. It reads the list of companies of a recorded run again, as the run read it.
func peopleAgain(
	ctx context.Context, w *pipeline.Work, place *workspace.Session, run checkpoint.Run, list pipeline.List,
) (found pipeline.List, err error) {
	companies, err := columns.OpenList(list.Options, list.Names...)
	if err != nil {
		return list, err
	}
	defer func() { err = errors.Join(err, companies.Close()) }()
	schema, _, err := companies.Look()
	if err != nil {
		return list, err
	}
	var mapping []string
	if columns.Fingerprint(schema) == run.Search.Header { // else the columns are recognised again
		mapping = []string{run.Search.Column}
	}
	asked := search.PeopleOptions{Run: pipeline.RunOptions{List: list}}
	asked.Order = search.Order{Kind: kindNamed("employees"), PerOne: run.Search.PerCompany}
	if asked.Order.Query, err = search.QueryOf(asked.Order.Kind, run.Search); err != nil {
		return list, err
	}
	if _, err := ofCompanies(ctx, &asked, companies, mapping, ""); err != nil {
		return list, err
	}
	return search.PeopleAgain(ctx, w, place, asked)
}

// eachCompany visits the rows of a list, each with the identifier of its company and the cells at some places.
func eachCompany(ctx context.Context, list *columns.UserList, id int, places []int, visit func(string, []string) error) error {
	reader, err := list.Open(nil)
	if err != nil {
		return err
	}
	take := func(block table.Block) (rows []companyRow, err error) {
		err = block.Each(func(row table.Row) error {
			one := companyRow{name: idIn(row.Cell(id)), cells: make([]string, 0, len(places))}
			for _, place := range places {
				one.cells = append(one.cells, string(row.Cell(place)))
			}
			rows = append(rows, one)
			return nil
		})
		return rows, err
	}
	err = table.Ordered(ctx, reader, take, func(_ table.Block, rows []companyRow) error {
		for _, row := range rows {
			if err := visit(row.name, row.cells); err != nil {
				return err
			}
		}
		return nil
	})
	return columns.AsListUsage(errors.Join(err, reader.Close()))
}

// planPeople shows the plan of a run for people of companies.
func (o *options) planPeople(cmd *cobra.Command, w *pipeline.Work, list []string) error {
	defer o.people.search.close()
	asked, err := o.peopleOptions(cmd.Context(), w, list)
	if err != nil {
		return err
	}
	plan, err := search.PlanPeople(cmd.Context(), w, asked, false)
	if err != nil {
		return err
	}
	return o.show(o.env.stdout, plan)
}

// runPeople runs for people of companies and shows how it went.
func (o *options) runPeople(cmd *cobra.Command, w *pipeline.Work, list []string, out io.Writer) error {
	defer o.people.search.close()
	asked, err := o.peopleOptions(cmd.Context(), w, list)
	if err != nil {
		return err
	}
	ended, err := search.RunPeople(cmd.Context(), w, asked, &peoplePerson{o: o, out: out})
	o.observer.End()
	if err != nil && ended != nil {
		return ifInterrupted(err, "after %s for pages of the search; their answers are in the journal, and %s was not written",
			report.Counted(ended.Search.Summary.Calls, "call"), output.TargetName(o.output.path))
	}
	if err != nil {
		return err
	}
	o.env.start.Ran(&pipeline.RunEnded{Summary: ended.Run.Summary, Stop: ended.Stop(), BudgetResets: ended.Run.BudgetResets})
	return o.concludePeople(out, ended)
}

// concludePeople shows the summary and returns the error that ends the command.
func (o *options) concludePeople(out io.Writer, ended *search.PeopleEnded) error {
	stop, now := ended.Stop(), o.env.now()
	code := exitOfStop(stop)
	if code == exitDone || code == exitCeiling && o.ceilingOK {
		code = codeOfRows(ended.Run.Summary.Rows)
		if ended.Search.Summary.Lost() {
			code = exitDoubt
		}
	}
	summary := ended.Run.Summary
	if ended.Search.Stop != nil || ended.Run.Stop == nil && ended.Search.Summary.Lost() {
		next := o.env.typed.afterSearch(ended.Search, now)
		if reached, isCeiling := ended.Search.Stop.(dispatch.CeilingReached); isCeiling { // the plan says how much is left
			summary.Enough = ended.Enough
			next = o.afterCeiling(summary, reached.Ceiling, now)
		}
		summary.Command, summary.Advice = next.Command, next.after(advice(ended.Search, now))
	} else {
		next := o.afterRun(summary, ended.Run.Stop, code, now)
		summary.Command, summary.Advice = next.Command, next.after(o.hints.Advice(summary, ended.Run.Stop, now))
	}
	if stop != nil {
		word := stop.Word()
		summary.Stop = &word
	}
	if err := unlessUnread(o.show(out, &search.PeopleSummary{RunSummary: summary, Search: ended.Search.Summary})); err != nil {
		return fmt.Errorf("the run has ended and %s is written, but the summary could not be printed: %w", output.TargetName(o.output.path), err)
	}
	return exitWith(code)
}

// peoplePerson asks whoever started a run for people of companies.
type peoplePerson struct {
	o   *options
	out io.Writer // where the plan is shown
}

// CanAsk implements search.PeopleApprover.
func (p *peoplePerson) CanAsk() bool { return p.o.env.canAsk }

// Show implements search.PeopleApprover. A plan that sends nothing is not shown.
func (p *peoplePerson) Show(plan *search.PeoplePlan) error {
	defer p.o.env.outliveReaders()
	to := p.out
	switch {
	case plan.Done():
		return nil
	case p.o.json && (p.o.quiet || p.o.logFormat.Value == "json"):
		return nil // the object on standard output says how it went
	case p.o.json:
		to = p.o.env.stderr
	}
	if err := unlessUnread(p.o.showText(to, plan)); err != nil {
		return err
	}
	_, err := fmt.Fprintln(to)
	return err
}

// Confirm implements search.PeopleApprover.
func (p *peoplePerson) Confirm(ctx context.Context, plan *search.PeoplePlan) bool {
	pages := plan.Search.Needed
	if plan.Search.AtMost != nil {
		pages = *plan.Search.AtMost
	}
	sent := report.Lookups(plan.Covered())
	if pages > 0 {
		sent = report.Counted(pages, "call") + " for pages and " + sent
	}
	question := report.Textf("Send at most %s, within the limits? [y/N] ", sent)
	if plan.Approval.Missing(plan.PossibleUSD) {
		question = report.Textf("This can spend $%s, more than the approval threshold of $%s.\n", plan.PossibleUSD, plan.Approval.Threshold) + question
	}
	return p.o.env.confirm(ctx, question)
}
