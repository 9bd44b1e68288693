// Package choosing lets a user choose among the companies that the searches of a run found. It reads which candidates
// were selected, and writes the candidates of companies without a selected one.
package choosing

import (
	"context"
	"errors"
	"fmt"

	"payonce/internal/candidates"
	"payonce/internal/outputs"
	"payonce/internal/problem"
	"payonce/internal/report/choices"
	"payonce/internal/target"
	"payonce/io/listfile"
	"payonce/pipeline/row"
	"payonce/pipeline/steps"
)

// Search is the step of a run that searches for companies.
type Search struct {
	Scope   row.Scope
	List    row.List // that the step reads
	Journal candidates.Journal
	// Resolving are the steps from the search to the one in which the service chooses; none where it does not.
	Resolving steps.Steps
}

// unresolved returns the search on the rows as they are once the service has chosen.
func (s Search) unresolved(ctx context.Context) (Search, func() error, error) {
	if len(s.Resolving) == 0 {
		return s, func() error { return nil }, nil
	}
	rows, err := s.Resolving.After(ctx, s.List, len(s.Resolving))
	if err != nil {
		return s, nil, err
	}
	s.List, s.Scope = rows.List, s.Resolving.Outputs().Follow(s.Scope)
	return s, rows.Close, nil
}

// Choosing is the choice of a run.
type Choosing struct {
	Selected string // the file in which candidates were selected; "" for none
	choices  candidates.Choices
}

// Read reads which candidates were selected.
func (c *Choosing) Read(ctx context.Context) (err error) {
	if c.Selected == "" {
		return nil
	}
	if c.choices, err = candidates.ReadFile(ctx, c.Selected); err != nil {
		return c.wrong(err)
	}
	return nil
}

// wrong says which file an error is about.
func (c *Choosing) wrong(err error) error { return problem.Usagef("%s: %w", c.Selected, err) }

// IDs returns the selected ids of companies, for row.Scope.
func (c *Choosing) IDs() map[string]string { return c.choices.IDs() }

// Source is the file in which candidates were selected. No output overwrites it.
func (c *Choosing) Source() target.Source {
	return target.Source{What: "the file in which candidates were selected", Path: c.Selected}
}

// Check refuses choices that are for another list, or that the search did not find. It notes those for companies that
// are no longer in the list. The search is nil where a run searches for no company.
func (c *Choosing) Check(ctx context.Context, search *Search, note func(text string)) error {
	switch {
	case len(c.choices) == 0:
		return nil
	case search == nil:
		return c.wrong(errors.New("no row of the list has to be searched for"))
	}
	unnamed, err := c.choices.Check(ctx, search.Scope, search.List, search.Journal)
	for _, choice := range unnamed {
		note(fmt.Sprintf("%s: line %d is not used: no row of the list is a %s that has to be searched for",
			c.Selected, choice.Line, choice.Sought))
	}
	if wrong, is := errors.AsType[*candidates.LineError](err); is {
		return c.wrong(wrong)
	}
	return err
}

// Left says how many companies and rows are ambiguous as far as the journal knows, without those that somebody
// selected a candidate for.
func (c *Choosing) Left(ctx context.Context, search *Search) (*choices.View, error) {
	_, left, err := c.gather(ctx, search, "")
	return left, err
}

func (c *Choosing) gather(
	ctx context.Context, search *Search, file string,
) (all []candidates.Ambiguous, left *choices.View, err error) {
	if search != nil {
		left, done, err := search.unresolved(ctx)
		if err != nil {
			return nil, nil, err
		}
		all, err = candidates.Gather(ctx, left.Scope, left.List, left.Journal)
		if err = errors.Join(err, done()); err != nil {
			return nil, nil, err
		}
	}
	companies, rows := c.choices.Left(all)
	return all, choices.Of(companies, rows, file), nil
}

// CheckWrite refuses a file of candidates that cannot be written, that is one of the sources, or that is one of the
// outputs of the run. It can be the one in which candidates were selected.
func CheckWrite(to, run outputs.Request, sources []target.Source) error {
	switch to.Path {
	case "":
		return nil
	case listfile.Standard:
		return problem.Usagef("candidates are not written to standard output; name a file")
	}
	written := []target.Source{{What: "the output", Path: run.Path}, {What: "the file of rejects", Path: run.Rejects}}
	for _, table := range run.Tables.Paths() {
		written = append(written, target.Source{What: "a table", Path: table})
	}
	if err := target.CheckApart(to.Path, written, sources); err != nil {
		return err
	}
	return problem.AsUsage(candidates.CheckWrite(to))
}

// Write writes the candidates, where the request has a path, and says how many companies are ambiguous. The file
// is protected as outputs are.
func (c *Choosing) Write(
	ctx context.Context, search *Search, to outputs.Request, protection outputs.Protection,
) (*choices.View, []outputs.Kept, error) {
	all, left, err := c.gather(ctx, search, to.Path)
	if err != nil || to.Path == "" {
		return left, nil, err
	}
	kept, err := candidates.Write(ctx, all, c.choices, to, protection)
	return left, kept, err
}
