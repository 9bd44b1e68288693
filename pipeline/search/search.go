// Package search builds lists from the results of searches. Each page of results is a paid call in the journal.
//
// A search goes in rounds. A walk over the pages that the journal knows says which pages are needed next. They
// are sent as the lookups of a run are, and the walk begins again. So an interrupted search resumes, and a
// search whose pages are all known sends nothing.
package search

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"time"

	"payonce/checkpoint/attempt"
	"payonce/io/service/v2"
	"payonce/io/table"
	"payonce/pipeline"
	"payonce/pipeline/dispatch"
	"payonce/pipeline/output"
)

// Kind is what a search is called, and what it calls.
type Kind struct {
	Name      string // "companies", "overview", "employees", "people", "autocomplete" or "figures"
	Operation v2.Operation
}

// Kinds returns the kinds of searches.
func Kinds() []Kind {
	return []Kind{
		{"companies", v2.OpProspecting},
		{"overview", v2.OpOverview},
		{"employees", v2.OpEmployees},
		{"people", v2.OpEnrichEmployeeSearch},
		{"autocomplete", v2.OpAutocomplete},
		{"figures", v2.OpGetFinancials},
	}
}

// Order says what is searched.
type Order struct {
	Kind Kind
	// Query has the filters. For employees it has those besides the company.
	Query Query
	// Companies are the identifiers of the companies whose employees or figures are searched; nil for other kinds. They
	// can be read more than once, and each of them comes once. Count is their number.
	Companies iter.Seq[string]
	Count     int64
	// Rows are filters that rows of a list give, besides those of the query; nil for none. Each row has a name of its
	// own. They can be read more than once, and Count is their number.
	Rows iter.Seq2[string, map[string]string]
	// List are the columns of the list that has the companies; the zero value for none.
	List   ListCells
	Most   int64 // results; 0 for no bound
	PerOne int64 // results of each company; 0 for no bound
	// Bounded says that each company has no more pages than PerOne results need.
	Bounded bool
}

// pagesOfOne returns the most pages of each company, 0 for no bound.
func (o Order) pagesOfOne() int {
	if !o.Bounded {
		return 0
	}
	perPage := int64(o.Query.PerPage())
	return int((o.PerOne + perPage - 1) / perPage)
}

// roots returns the searches that are walked.
func (o Order) roots() iter.Seq[Root] {
	return func(yield func(Root) bool) {
		for company, values := range o.rows() {
			q := o.Query
			for key, value := range values {
				q, _ = q.With(key, value) // check has found that the filters take the values
			}
			for _, one := range q.each() {
				if !yield(Root{Query: one, Most: o.PerOne, Company: company, Pages: o.pagesOfOne()}) {
					return
				}
			}
		}
	}
}

// rows returns what the filters of each search are besides the query.
func (o Order) rows() iter.Seq2[string, map[string]string] {
	switch {
	case o.Rows != nil:
		return o.Rows
	case o.Companies != nil:
		return func(yield func(string, map[string]string) bool) {
			for id := range o.Companies {
				if !yield(id, map[string]string{companyID: id}) {
					return
				}
			}
		}
	}
	return func(yield func(string, map[string]string) bool) { yield("", nil) }
}

// each returns for what there is a search each.
func (o Order) each() string {
	switch {
	case o.Kind.Operation == v2.OpGetFinancials:
		return "company and year"
	case o.Rows != nil:
		return "row"
	}
	return "company"
}

const companyID = "company_id"

// ListCells are the cells of a list that its companies bring into the list of a search.
type ListCells struct {
	Columns []string
	// Read returns the cells of the first row of each company whose identifier is in the set.
	Read func(ctx context.Context, ids map[string]bool) (map[string][]string, error)
}

// check says why the searches cannot be asked.
func (o Order) check() error {
	switch most := v2.MostPerPage(o.Kind.Operation); {
	case most > 0 && o.Query.PerPage() > most:
		return fmt.Errorf("%d results on a page: a page of this search has at most %d", o.Query.PerPage(), most)
	case o.Companies != nil && o.Query.Has(companyID):
		return errors.New("the companies are given twice, by the list and by the filter company_id; leave one of them out")
	case o.Companies == nil && o.PerOne > 0:
		return errors.New("a number of results of each company needs a list of companies")
	}
	for row, values := range o.rows() {
		for key, value := range values {
			if _, err := o.Query.With(key, value); err != nil {
				return fmt.Errorf("%s %s: %w", o.Kind.Name, row, err)
			}
		}
	}
	for root := range o.roots() {
		if err := root.Query.Check(); err != nil {
			return err
		}
	}
	return nil
}

// runName returns the name of the run of a search that has none: the same search has the same name, so it
// resumes, and its ceilings count what it has used.
func (o Order) runName() string {
	sum := sha256.New()
	fmt.Fprintf(sum, "%s\n%s\n%d\n%d\n", o.Query.Call(1).Body, o.Kind.Name, o.Most, o.PerOne)
	switch {
	case o.Rows != nil:
		for root := range o.roots() {
			sum.Write(root.Query.Call(1).Body)
		}
	case o.Companies != nil:
		for id := range o.Companies {
			fmt.Fprintln(sum, id)
		}
	}
	if isRecord(o.Kind.Operation) {
		fmt.Fprintln(sum, o.Query)
	}
	return "search-" + o.Kind.Name + "-" + hex.EncodeToString(sum.Sum(nil)[:4])
}

// Options say what is searched, under which limits, and where the results are written.
type Options struct {
	Order Order
	Run   string // the name of the run; "" for one that follows from the order
	// Budget has the ceilings on what the search uses and spends.
	Budget pipeline.Budget
	// FreshFor is how old an answer may be that stands for a page.
	FreshFor time.Duration
	Rebuy    bool // pages that were counted and whose answers were lost are asked for again
	Pace     pipeline.Pace
	Output   Output
	Yes      bool // do not ask before spending
}

// Output says where the list is written.
type Output struct {
	Path    string
	Keep    int // earlier versions of the file, at most
	Stdout  io.Writer
	Sources []output.Source // files that are never overwritten
}

// Approver stands for the person who starts a search.
type Approver interface {
	// Show shows the plan before anything is sent.
	Show(plan *Plan) error
	// CanAsk reports whether Confirm can ask somebody.
	CanAsk() bool
	// Confirm asks whether the calls of the plan may be sent.
	Confirm(ctx context.Context, plan *Plan) bool
}

// Ended says how a search ended.
type Ended struct {
	Summary *Summary
	Stop    dispatch.Stop // why it stopped early; nil when it did not
}

// reask says which known pages are asked for again.
func (o Options) reask(now time.Time) attempt.Reask {
	oldest := now.Add(-o.FreshFor)
	return attempt.Reask{Before: oldest, Found: oldest, Forfeited: o.Rebuy}
}

// schema returns the columns of the list.
func (o Options) schema() table.Schema {
	return table.Schema{Columns: slices.Concat(ListColumns(o.Order.Kind.Operation), o.Order.List.Columns)}
}
