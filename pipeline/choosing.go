// This file lets a user choose among the companies that the searches of a run found. It reads which candidates
// were selected, and writes the candidates of companies without a selected one.

package pipeline

import (
	"context"
	"errors"
	"fmt"

	"payonce/io/listfile"
	"payonce/pipeline/output"
	"payonce/pipeline/problem"
	"payonce/pipeline/report"
	"payonce/pipeline/scan"
)

// ChoosingSearch is the step of a run that searches for companies.
type ChoosingSearch struct {
	Scope   scan.Scope
	List    scan.List // that the step reads
	Journal CandidateJournal
	// Resolving are the steps from the search to the one in which the service chooses; none where it does not.
	Resolving output.Steps
}

// unresolved returns the search on the rows as they are once the service has chosen.
func (s ChoosingSearch) unresolved(ctx context.Context) (ChoosingSearch, func() error, error) {
	if len(s.Resolving) == 0 {
		return s, func() error { return nil }, nil
	}
	rows, err := s.Resolving.After(s.List, len(s.Resolving))
	if err != nil {
		return s, nil, err
	}
	s.Scope = s.Resolving.Outputs().Follow(s.Scope)
	if s.List, err = rows.For(ctx, s.Scope); err != nil {
		return s, nil, errors.Join(err, rows.Close())
	}
	return s, rows.Close, nil
}

// choosing is the choice of a run.
type choosing struct {
	Selected string // the file in which candidates were selected; "" for none
	choices  Choices
}

// Read reads which candidates were selected.
func (c *choosing) Read(ctx context.Context) (err error) {
	if c.Selected == "" {
		return nil
	}
	if c.choices, err = readChoicesFile(ctx, c.Selected); err != nil {
		return c.wrong(err)
	}
	return nil
}

// wrong says which file an error is about.
func (c *choosing) wrong(err error) error { return problem.Usagef("%s: %w", c.Selected, err) }

// Source is the file in which candidates were selected. No output overwrites it.
func (c *choosing) Source() output.Source {
	return output.Source{What: "the file in which candidates were selected", Path: c.Selected}
}

// Check refuses choices that are for another list, or that the search did not find. It notes those for companies that
// are no longer in the list. The search is nil where a run searches for no company.
func (c *choosing) Check(ctx context.Context, search *ChoosingSearch, note func(text string)) error {
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
	if wrong, is := errors.AsType[*LineError](err); is {
		return c.wrong(wrong)
	}
	return err
}

// Left says how many companies and rows are ambiguous as far as the journal knows, without those that somebody
// selected a candidate for.
func (c *choosing) Left(ctx context.Context, search *ChoosingSearch) (*report.Choices, error) {
	_, left, err := c.gather(ctx, search, "")
	return left, err
}

func (c *choosing) gather(
	ctx context.Context, search *ChoosingSearch, file string,
) (all []Ambiguous, left *report.Choices, err error) {
	if search != nil {
		left, done, err := search.unresolved(ctx)
		if err != nil {
			return nil, nil, err
		}
		all, err = gatherAmbiguous(ctx, left.Scope, left.List, left.Journal)
		if err = errors.Join(err, done()); err != nil {
			return nil, nil, err
		}
	}
	companies, rows := c.choices.Left(all)
	return all, report.ChoicesOf(companies, rows, file), nil
}

// checkChoosing refuses a file of candidates that cannot be written, that is one of the sources, or that is one of the
// outputs of the run. It can be the one in which candidates were selected.
func checkChoosing(to, run output.Request, sources []output.Source) error {
	switch to.Path {
	case "":
		return nil
	case listfile.Standard:
		return problem.Usagef("candidates are not written to standard output; name a file")
	}
	written := run.Files()
	for _, table := range run.Tables.Paths() {
		written = append(written, output.Source{What: "a table", Path: table})
	}
	if err := output.CheckTargetApart(to.Path, written, sources); err != nil {
		return err
	}
	return problem.AsUsage(checkWriteCandidates(to))
}

// Write writes the candidates, where the request has a path, and says how many companies are ambiguous. The file
// is protected as outputs are.
func (c *choosing) Write(
	ctx context.Context, search *ChoosingSearch, to output.Request, protection output.Protection,
) (*report.Choices, []output.KeptVersion, error) {
	all, left, err := c.gather(ctx, search, to.Path)
	if err != nil || to.Path == "" {
		return left, nil, err
	}
	kept, err := writeCandidates(ctx, all, c.choices, to, protection)
	return left, kept, err
}
