package pipeline

import (
	"context"
	"errors"
	"io"

	"payonce/checkpoint"
	"payonce/checkpoint/attempt"
	"payonce/enrich"
	"payonce/pipeline/problem"
	"payonce/pipeline/provider"
	"payonce/pipeline/scan"
	"payonce/pipeline/workspace"
)

// Asking is a run of one service whose lookups another use case sends, one at a time.
type Asking struct {
	Account *provider.Account
	job     *job
}

// Asking prepares such a run of a name. A list without files has no lookups.
func (w *Work) Asking(place *workspace.Session, name string, of provider.Service, order List, budget Budget) (*Asking, error) {
	s := &session{work: w, place: place}
	order.Run = name
	o := RunOptions{List: order, Budget: budget}
	j := s.newJob(o)
	if len(order.Names) == 0 {
		account := s.account(of)
		wanted, unknown := account.Asked(order.Fields)
		if unknown != "" {
			return nil, problem.Usagef("%s has no field %s", account.Catalogue.Interface, unknown)
		}
		j.Add(account, scan.Scope{Wanted: wanted})
	} else {
		prepared, err := s.prepare(o)
		if err != nil {
			return nil, errors.Join(err, s.closeLists())
		}
		j = prepared
	}
	j.Accounts[0].Strict = budget.Strict
	return &Asking{Account: j.Accounts[0], job: j}, nil
}

// Lookups returns the first lookups of the list, as its limit says, that the journal has no answer for.
func (a *Asking) Lookups(ctx context.Context) (lookups []enrich.Lookup, err error) {
	j := a.job
	if j.list == nil {
		return nil, nil
	}
	a.Account.Journal = j.journal()
	if err := j.take(ctx); err != nil {
		return nil, err
	}
	next, done := j.Steps[0].Scan.Lookups(ctx, j.list)
	defer done()
	for {
		lookup, err := next()
		if errors.Is(err, io.EOF) {
			return lookups, nil
		}
		if err != nil {
			return nil, err
		}
		lookups = append(lookups, lookup)
	}
}

// Record returns what the journal is to remember of the run.
func (a *Asking) Record() (checkpoint.Run, error) { return a.job.record() }

// Request returns what every lookup asks the journal for.
func (a *Asking) Request() attempt.Request { return a.job.Request(a.Account) }

// Close closes the list.
func (a *Asking) Close() error { return a.job.session.closeLists() }
