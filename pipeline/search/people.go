// This file has the use case that searches a number of people of each company of a list and looks up their contacts, as
// one run.

package search

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"payonce/checkpoint"
	"payonce/checkpoint/attempt"
	"payonce/cost"
	"payonce/io/listfile"
	"payonce/io/service/v2"
	"payonce/io/table"
	"payonce/pipeline"
	"payonce/pipeline/columns"
	"payonce/pipeline/dispatch"
	"payonce/pipeline/problem"
	"payonce/pipeline/provider"
	"payonce/pipeline/report"
	"payonce/pipeline/workspace"
)

// PeopleOptions say which people of the companies of a list are searched, and what is looked up for them. The calls of
// the search and the lookups are calls of one run: each of its ceilings limits both together.
type PeopleOptions struct {
	// Run is the run of the list. Its rows are the people in place of the companies.
	Run pipeline.RunOptions
	// Order has the companies of the list, the filters, and how many people of each company are wanted.
	Order Order
	// Column is the column of the list that has the identifiers of the companies, in the form of pipeline.List.Mapping, and
	// Header the fingerprint of the names of its columns.
	Column, Header string
	// Columns are the columns of the list that the rows of people have as well.
	Columns []string
	// Rows visits the rows of the list in their order, each with the identifier of its company, "" for none, and the cells
	// of the columns.
	Rows func(ctx context.Context, visit func(company string, cells []string) error) error
	// Paths are the files of the list; none for standard input.
	Paths []string
}

// pageFreshFor is how old an answer may be when a run begins that stands for a page.
const pageFreshFor = 7 * 24 * time.Hour

// The columns of the rows besides those of a search and of the list.
const (
	searchColumn = "people_search"
	unitsColumn  = "enrich_units_search"
)

// peopleSearch is the search of a run.
type peopleSearch struct {
	PeopleOptions
	page     cost.Amounts // that a page uses up
	progress Progress
	pages    map[attempt.ID]bool // that the run has asked for and got; whether they had results
	account  attempt.Account     // that was asked for them
}

// newPeopleSearch returns the search of a run, whose name is chosen when it has none.
func newPeopleSearch(ctx context.Context, o PeopleOptions) (*peopleSearch, error) {
	o.Order.Bounded = true
	o.Run.List.OnlyCompaniesFallBack = true // the ids of the search name the people
	p := &peopleSearch{PeopleOptions: o, pages: map[attempt.ID]bool{}}
	switch {
	case o.Order.PerOne < 1:
		return nil, problem.Usagef("a run for people of companies needs their number for each company")
	case o.Order.Companies == nil:
		return nil, problem.Usagef("a run for people of companies needs a list of companies")
	}
	if o.Run.List.Run == "" {
		name, err := p.runName(ctx)
		if err != nil {
			return nil, err
		}
		p.Run.List.Run = name
	}
	return p, nil
}

// runName returns the name of a run that has none: the same command has the same name. What comes from standard input
// has no place, but its rows.
func (p *peopleSearch) runName(ctx context.Context) (string, error) {
	sum, base := sha256.New(), "stdin"
	fmt.Fprintf(sum, "%q %q %q %s", p.Paths, p.Run.List.Fields, p.Run.List.From, p.about())
	if len(p.Paths) > 0 {
		base = filepath.Base(listfile.TrimCompression(p.Paths[0]))
		base = report.Printable(strings.TrimSuffix(base, filepath.Ext(base)))
	} else if err := p.Rows(ctx, func(company string, cells []string) error {
		fmt.Fprintf(sum, "\n%q %q", company, cells)
		return nil
	}); err != nil {
		return "", err
	}
	return base + "-people-" + hex.EncodeToString(sum.Sum(nil)[:4]), nil
}

// about says what is searched, for the record of the run.
func (p *peopleSearch) about() string {
	return fmt.Sprintf("%d of each company: %s", p.Order.PerOne, p.Order.Query)
}

// options returns how the pages are asked for.
func (p *peopleSearch) options() Options {
	run := p.Run
	return Options{
		Order: p.Order, Run: run.List.Run, Budget: run.Budget, FreshFor: pageFreshFor, Rebuy: run.List.Reask.Forfeited, Pace: run.Pace, Yes: true,
		Output: Output{Path: run.Output.Path, Keep: run.Output.Keep, Stdout: run.Output.Stdout, Sources: run.Output.Sources},
	}
}

// record returns what the journal is to remember of the run while pages are asked for. What an earlier start has
// recorded of the lookups stays.
func (p *peopleSearch) record(run, before checkpoint.Run) (checkpoint.Run, error) {
	record := before
	record.Name, record.Output, record.Started, record.Restarted = run.Name, run.Output, run.Started, run.Restarted
	record.Job, record.MaxSpend, record.Ceilings, record.Accounts = run.Job, run.MaxSpend, run.Ceilings, run.Accounts
	record.Ended, record.Stop = checkpoint.Run{}.Ended, ""
	list := p.Run.List
	list.Found = &pipeline.FoundRows{People: p.about(), Search: p.how()}
	return record, list.Note(&record, p.Paths)
}

// how says how people are searched for, so that PeopleAgain can read the pages again.
func (p *peopleSearch) how() checkpoint.PeopleSearch {
	return checkpoint.PeopleSearch{
		PerCompany: p.Order.PerOne, PerPage: int64(p.Order.Query.PerPage()), Filters: string(p.Order.Query.object()),
		Column: p.Column, Header: p.Header,
	}
}

// PeopleAgain returns the list of a recorded run for people. Its rows are the people on the pages in the journal. It
// sends nothing.
func PeopleAgain(ctx context.Context, w *pipeline.Work, place *workspace.Session, o PeopleOptions) (pipeline.List, error) {
	p, err := newPeopleSearch(ctx, o)
	if err != nil {
		return o.Run.List, err
	}
	s, err := newSession(w, place, Options{Order: p.Order, Run: o.Run.List.Run, FreshFor: pageFreshFor}, p)
	if err != nil {
		return o.Run.List, err
	}
	journal, err := place.AccountOf(s.Service)
	if err != nil {
		return o.Run.List, err
	}
	if err := s.use(journal); err != nil {
		return o.Run.List, err
	}
	if p.progress, err = s.walk(); err != nil {
		return o.Run.List, err
	}
	rows, err := p.rows(ctx, w.Env.Raw, false)
	if err != nil {
		return o.Run.List, err
	}
	return p.list(rows), nil
}

// QueryOf returns the filters by which a recorded run searched for people.
func QueryOf(kind Kind, how checkpoint.PeopleSearch) (Query, error) {
	return NewQuery(kind.Operation, int(how.PerPage)).JSON([]byte(how.Filters))
}

// usedBy returns the units that a resolved attempt has used up, when the run has paid for it. It remembers the attempt.
func (s *session) usedBy(id attempt.ID, ended attempt.Resolution) (units int64) {
	if ended.Run != s.name {
		return 0
	}
	if ended.Answered() {
		s.people.pages[id] = ended.Returned != 0
	}
	for _, meter := range s.MetersOf(s.Order.Kind.Operation) {
		units += ended.Charge.Amounts[meter]
	}
	return units
}

// interruptedText says what an interrupt leads to.
func (s *session) interruptedText() string {
	if s.people != nil {
		return "interrupted: waiting for the calls in flight; interrupt again to stop at once"
	}
	return "interrupted: waiting for the calls in flight, then writing what is known; interrupt again to stop at once"
}

// awaited returns how many searches with a bound of pages may need more of them.
func (p Progress) awaited() (n int64) {
	for _, one := range p.Bounded {
		if one.Awaited {
			n++
		}
	}
	return n
}

// word says what the search of a company has found.
func (one RootProgress) word(company string, known bool) string {
	switch {
	case company == "":
		return "no_company_id"
	case one.Gap != "" && one.Found == 0:
		return string(one.Gap)
	case !known || one.Awaited && one.Found == 0:
		return "not_attempted"
	case one.Found == 0:
		return "none"
	}
	return "found"
}

// rows returns the rows of the run: each row of the list, with each of the people of its company. A row whose company
// has no people is there once. With possible, people who can still be found have rows, too.
func (p *peopleSearch) rows(ctx context.Context, raw, possible bool) (*pipeline.FoundRows, error) {
	of := map[string][]ResultItem{}
	for _, item := range p.progress.Items {
		of[item.Company] = append(of[item.Company], item)
	}
	names := ListColumns(v2.OpEmployees)
	var text bytes.Buffer
	to := csv.NewWriter(&text)
	if err := to.Write(slices.Concat(names, p.Columns, []string{searchColumn, unitsColumn})); err != nil {
		return nil, err
	}
	counted := map[string]bool{} // companies whose units are in a row
	err := p.Rows(ctx, func(company string, cells []string) error {
		one, known := p.progress.Bounded[company]
		items := slices.Clone(of[company])
		if possible && (one.Awaited || !known && company != "") {
			for n := one.Found; n < p.Order.PerOne; n++ {
				items = append(items, ResultItem{Cells: []string{fmt.Sprintf("possible-%s-%d", company, n), "", "", company}})
			}
		}
		if len(items) == 0 {
			items = []ResultItem{{Cells: []string{"", "", "", company}}}
		}
		for _, item := range items {
			units := ""
			if company != "" && !counted[company] {
				counted[company], units = true, fmt.Sprint(one.Used)
			}
			person := table.EscapeFormulas(slices.Clone(item.Cells), raw)
			if err := to.Write(slices.Concat(person, cells, []string{one.word(company, known), units})); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	to.Flush()
	return &pipeline.FoundRows{Text: text.Bytes(), Paths: p.Paths, People: p.about(), Search: p.how()}, to.Error()
}

// list returns the list of the run whose rows are the people.
func (p *peopleSearch) list(found *pipeline.FoundRows) pipeline.List {
	list := p.Run.List
	list.Found, list.Preset, list.MapFile, list.Recorded = found, columns.NoPreset, "", pipeline.RecordedColumns{Fixed: true}
	list.Mapping = nil
	for _, name := range []columns.Role{columns.ContactID, columns.FullName, columns.CompanyName} {
		list.Mapping = append(list.Mapping, string(name)+"="+string(name))
	}
	return list
}

// PeoplePlan is the plan of a run for people of companies.
type PeoplePlan struct {
	// Plan is that of the lookups, as many as there can be.
	*report.Plan
	Search   *Plan       `json:"people_search"`
	Together []MostUnits `json:"units_at_most"` // of both
	// MaximumUSD is what both can cost at most.
	MaximumUSD cost.Money `json:"together_maximum_usd"`
	// PossibleUSD is what the ceilings on money leave of it.
	PossibleUSD cost.Money           `json:"together_possible_usd"`
	Approval    *report.PlanApproval `json:"approval,omitempty"` // of both
	pages       cost.Money           // what the pages can cost at most
}

// MostUnits is how many units of a module can be used up at most.
type MostUnits struct {
	Module  string `json:"module"`
	Search  int64  `json:"search"`
	Lookups int64  `json:"lookups"`
	Most    int64  `json:"most"`
}

// Done reports whether nothing is left to be asked.
func (p *PeoplePlan) Done() bool { return p.Search.Needed == 0 && p.Plan.IsDone() }

// PlanPeople plans a run for people of companies. It sends nothing that is paid for. With limits it refuses what a run
// needs limits for.
func PlanPeople(ctx context.Context, w *pipeline.Work, o PeopleOptions, limits bool) (*PeoplePlan, error) {
	p, err := newPeopleSearch(ctx, o)
	if err != nil {
		return nil, err
	}
	return p.plan(ctx, w, limits)
}

func (p *peopleSearch) plan(ctx context.Context, w *pipeline.Work, limits bool) (*PeoplePlan, error) {
	options := p.options()
	options.Output.Path = ""
	plan := &PeoplePlan{}
	var err error
	if plan.Search, err = makePlan(ctx, w, options, p); err != nil {
		return nil, err
	}
	rows, err := p.rows(ctx, w.Env.Raw, true)
	if err != nil {
		return nil, err
	}
	pages := p.awaitedPages()
	planned, err := w.Plan(ctx, pipeline.PlanOptions{
		List: p.list(rows), Output: p.Run.Output.Path, Budget: p.Run.Budget, Sum: limits,
		Pages: pipeline.Pages{Interface: v2.Catalogue().Interface, Calls: pages, Most: p.page.Times(pages)},
	})
	if err != nil {
		return nil, err
	}
	plan.Plan = planned.Plan
	plan.together(p)
	return plan, nil
}

// awaitedPages returns how many pages can still be asked for.
func (p *peopleSearch) awaitedPages() int64 {
	return p.progress.awaited() * int64(p.Order.pagesOfOne())
}

// together sums up what both parts can use.
func (p *PeoplePlan) together(s *peopleSearch) {
	pages := s.awaitedPages()
	most := map[string]MostUnits{}
	for _, meter := range v2.Meters() {
		if s.page[meter] > 0 && pages > 0 {
			most[v2.MeterName(meter)] = MostUnits{Search: pages * s.page[meter]}
		}
	}
	units := p.Plan.Units
	if len(units) == 0 && len(p.Plan.Steps) == 1 {
		units = p.Plan.Steps[0].Units
	}
	for _, one := range units {
		m := most[one.Meter]
		m.Lookups += one.Most
		most[one.Meter] = m
	}
	for _, module := range slices.Sorted(maps.Keys(most)) {
		m := most[module]
		m.Module, m.Most = module, m.Search+m.Lookups
		p.Together = append(p.Together, m)
	}
	p.pages = s.page.Money() * cost.Money(pages)
	p.MaximumUSD, p.PossibleUSD = p.Plan.Maximum+p.pages, p.Plan.Possible+p.pages
	for _, ceiling := range p.Plan.Ceilings {
		if ceiling.Left != nil {
			p.PossibleUSD = min(p.PossibleUSD, *ceiling.Left)
		}
	}
	if p.Plan.Approval != nil {
		approval := *p.Plan.Approval
		approval.Needed = p.PossibleUSD > approval.Threshold
		p.Approval, p.Plan.Approval = &approval, nil
	}
}

// enough returns limits that suffice for both parts and for what the run used before.
func (p *PeoplePlan) enough() report.Enough {
	enough := report.Enough{MaxUnits: map[string]int64{}}
	for _, ceiling := range p.Plan.Ceilings {
		switch name, _, _ := strings.Cut(ceiling.Name, " "); {
		case name == provider.CeilingMaxSpend && ceiling.Limit != nil:
			enough.MaxSpend = max(*ceiling.Limit, *ceiling.Limit-*ceiling.Left+p.MaximumUSD)
		case name == provider.CeilingMaxUnits && ceiling.LimitUnits != nil:
			needed := *ceiling.LimitUnits - *ceiling.LeftUnits
			for _, m := range p.Together {
				if m.Module == ceiling.Meter {
					needed += m.Most
				}
			}
			enough.MaxUnits[ceiling.Meter] = max(*ceiling.LimitUnits, needed)
		}
	}
	return enough
}

// Render writes the plan.
func (p *PeoplePlan) Render(page *report.Page) {
	p.Search.Render(page)
	page.Gap()
	lookups := *p.Plan
	lookups.Columns = nil // those of the rows of people
	lookups.Render(page)
	page.Gap()
	page.Titlef("Both together")
	page.Gap()
	for _, m := range p.Together {
		if m.Search == 0 {
			page.Entryf("units of "+m.Module, "at most %d, for lookups", m.Most)
			continue
		}
		page.Entryf("units of "+m.Module, "at most %d: %d for pages of the search, %d for lookups", m.Most, m.Search, m.Lookups)
	}
	if p.MaximumUSD > 0 {
		page.Entryf("spend at most", "$%s", p.MaximumUSD)
	}
	p.Approval.Render(page, p.PossibleUSD)
}

// PeopleEnded says how a run for people of companies ended.
type PeopleEnded struct {
	Search *Ended
	Run    *pipeline.RunEnded
	// Enough has limits that suffice for the rest of the run, by its plan.
	Enough report.Enough
}

// Stop returns why the run ended early, first of the search; nil when it did not.
func (e *PeopleEnded) Stop() dispatch.Stop {
	if e.Search.Stop != nil {
		return e.Search.Stop
	}
	return e.Run.Stop
}

// PeopleSummary says what a run for people of companies has found.
type PeopleSummary struct {
	*report.RunSummary
	Search *Summary `json:"people_search"`
}

// Render writes the summary.
func (v *PeopleSummary) Render(page *report.Page) {
	v.Search.Render(page)
	page.Gap()
	v.RunSummary.Render(page)
}

// PeopleApprover stands for the person who starts a run for people of companies.
type PeopleApprover interface {
	Show(plan *PeoplePlan) error
	CanAsk() bool
	Confirm(ctx context.Context, plan *PeoplePlan) bool
}

// RunPeople shows the plan, asks, searches the people, looks up what is wanted of them and writes the list. Running the
// same again resumes: the rows follow from the pages in the journal. When it fails after the search, it also
// returns how the search ended.
func RunPeople(ctx context.Context, w *pipeline.Work, o PeopleOptions, approver PeopleApprover) (*PeopleEnded, error) {
	p, err := newPeopleSearch(ctx, o)
	if err != nil {
		return nil, err
	}
	if !o.Run.Yes && !approver.CanAsk() {
		return nil, problem.Unapproved("cannot_ask", "a run asks before it spends, and this is not a terminal; nothing was sent")
	}
	plan, err := p.plan(ctx, w, true)
	if err != nil {
		return nil, err
	}
	if plan.Approval != nil {
		plan.Approval.Asks = approver.CanAsk()
	}
	if err := approver.Show(plan); err != nil {
		return nil, err
	}
	budget, missing := p.Run.Budget, plan.Approval.Missing(plan.PossibleUSD)
	approved := budget.Approved
	switch {
	case plan.Done():
	case missing && !approver.CanAsk():
		return nil, problem.Unapproved("approval_missing", "the run can spend $%s, more than the approval threshold of $%s, and this is not a terminal to confirm at; nothing was sent",
			plan.PossibleUSD, *budget.Threshold).With(plan.PossibleUSD)
	case missing:
		approved = &plan.PossibleUSD
	case budget.Threshold != nil && (approved == nil || *approved < *budget.Threshold):
		approved = budget.Threshold
	case approved != nil && *approved < plan.pages:
		return nil, problem.Unapproved("approval_missing", "the pages of the search can cost $%s, more than the approved $%s; nothing was sent",
			plan.pages, *approved).With(plan.PossibleUSD)
	}
	if (!o.Run.Yes || missing) && !plan.Done() {
		if confirmed := approver.Confirm(ctx, plan); ctx.Err() != nil {
			return nil, ctx.Err()
		} else if !confirmed {
			return nil, problem.Unapproved("", "not confirmed; nothing was sent")
		}
	}
	ended := &PeopleEnded{Enough: plan.enough()}
	ended.Search, err = pipeline.WithSession(w, func(place *workspace.Session) (*Ended, error) {
		s, err := newSession(w, place, p.options(), p)
		if err != nil {
			return nil, err
		}
		return s.run(ctx, agreed{})
	})
	if err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return ended, ctx.Err()
	}
	rows, err := p.rows(ctx, w.Env.Raw, false)
	if err != nil {
		return ended, err
	}
	if ended.Search.Stop != nil {
		rows.Stop = ended.Search.Stop.Word()
	}
	run := p.Run
	run.List, run.Yes = p.list(rows), true
	if run.Budget.Threshold = nil; approved != nil { // the pages had the rest of it
		run.Budget.Approved = new(max(*approved-plan.pages, 0))
	}
	if ended.Run, err = w.Run(ctx, run, agreedRun{}); err == nil {
		p.withoutPages(ended.Run.Summary)
	}
	return ended, err
}

// withoutPages takes the pages, which are calls of the run, from the values that it found.
func (p *peopleSearch) withoutPages(summary *report.RunSummary) {
	field, _ := p.Order.Kind.Operation.ListedField() // employees have it
	pages := report.PagesFound{}
	for _, hasResults := range p.pages {
		pages.Add(p.account, v2.Catalogue().Name(field), hasResults)
	}
	pages.TakeFrom(summary.Accounts)
	summary.Found = report.FoundBy(summary.Accounts)
}

// agreed stands for a person who has agreed to the plan of both parts.
type agreed struct{}

func (agreed) Show(*Plan) error                    { return nil }
func (agreed) CanAsk() bool                        { return false }
func (agreed) Confirm(context.Context, *Plan) bool { return false }

// agreedRun is agreed for the lookups.
type agreedRun struct{}

func (agreedRun) Show(*report.Plan) error                         { return nil }
func (agreedRun) CanAsk() bool                                    { return false }
func (agreedRun) Confirm(context.Context, pipeline.Question) bool { return false }
