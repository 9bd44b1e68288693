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
	"fmt"
	"io"
	"iter"
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
	Name      string // "companies", "employees" or "people"
	Operation v2.Operation
}

// Kinds returns the kinds of searches.
func Kinds() []Kind {
	return []Kind{
		{"companies", v2.OpProspecting}, {"employees", v2.OpEmployees}, {"people", v2.OpEnrichEmployeeSearch},
	}
}

// Order says what is searched.
type Order struct {
	Kind Kind
	// Query has the filters. For employees it has those besides the company.
	Query Query
	// Companies are the identifiers of the companies whose employees are searched; nil for other kinds. They
	// can be read more than once, and each of them comes once. Count is their number.
	Companies iter.Seq[string]
	Count     int64
	Most      int64 // results; 0 for no bound
	PerOne    int64 // results of each company; 0 for no bound
}

// roots returns the searches that are walked.
func (o Order) roots() iter.Seq[Root] {
	return func(yield func(Root) bool) {
		if o.Companies == nil {
			yield(Root{Query: o.Query, Most: o.PerOne})
			return
		}
		for id := range o.Companies {
			// Check has found that the filters take identifiers.
			q, _ := o.Query.With(companyID, id)
			if !yield(Root{Query: q, Most: o.PerOne}) {
				return
			}
		}
	}
}

const companyID = "company_id"

// check says why the searches cannot be asked.
func (o Order) check() error {
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
	if o.Companies != nil {
		for id := range o.Companies {
			fmt.Fprintln(sum, id)
		}
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
	return table.Schema{Columns: ListColumns(o.Order.Kind.Operation)}
}
