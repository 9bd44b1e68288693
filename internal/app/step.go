package app

import (
	"context"
	"errors"

	"payonce/enrich"
	"payonce/internal/accounts"
	"payonce/internal/interfaces"
	"payonce/pipeline/dispatch"
	"payonce/pipeline/output"
	"payonce/pipeline/row"
	"payonce/pipeline/steps"
	"payonce/pipeline/survey"
)

// step is one step of a run: an account is asked for some fields.
type step struct {
	name    string // unique in the run
	account *accounts.Account
	scope   row.Scope
	// survey is of the list for the first step. A later step has that of the most that it can ask for, as long
	// as earlier ones may find values.
	survey *survey.Survey
	counts survey.Counts
	upTo   int64          // those of the counted lookups that answers of earlier steps may still lead to
	tally  dispatch.Tally // what the lookups of this start came to
	named  bool           // it asks about companies by ids that answers of earlier steps may give
	names  bool           // its answers name companies by their ids
	// searches says that it searches for companies by a name or number that several may have.
	searches bool
}

// knownTo returns what the journal knows of an account.
func (j *job) knownTo(account *accounts.Account) steps.Account {
	if journal := account.Journal; journal != nil && j.watched != nil && journal == j.session.journal() {
		return accounts.Watched(journal, j.watched)
	}
	return accounts.Known(account.Journal)
}

// run returns the steps of the run for the pipeline. The rows that were not attempted say why it stopped.
func (j *job) run(stopped string) (all steps.Steps) {
	for _, s := range j.steps {
		all = append(all, steps.Step{
			Name: s.name, Account: j.knownTo(s.account),
			Output: output.Output{
				Scope: s.scope, Run: j.name, Stopped: stopped, Optional: j.profile, Names: j.schema.Columns,
				Units: output.UnitsOf(s.account.Tariff, s.scope.Wanted), CopyHeld: j.order.CopyHeld, Decoder: s.account.NewDecoder(),
			},
		})
	}
	return all
}

// take surveys the whole list for each step.
func (j *job) take(ctx context.Context) error {
	defer j.session.work.Observer.Surveying()()
	run := j.run("")
	for i, s := range j.steps {
		if err := j.takeStep(ctx, run, i); err != nil {
			return err
		}
		s.counts = s.survey.Count()
	}
	j.countUpTo()
	for _, account := range j.accounts {
		account.Lookups = map[enrich.Fields]int64{}
		for _, s := range j.of(account) {
			for fields, n := range s.counts.Lookups {
				account.Lookups[fields] += n
			}
		}
	}
	return nil
}

// takeStep surveys the list for a step.
func (j *job) takeStep(ctx context.Context, run steps.Steps, i int) (err error) {
	rows, err := run.After(ctx, j.list, i)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	take := run.Most
	if i == 0 {
		take = run.Survey
	}
	j.steps[i].survey, err = take(ctx, rows, i)
	return err
}

// of returns the steps that ask an account.
func (j *job) of(account *accounts.Account) (asking []*step) {
	for _, s := range j.steps {
		if s.account == account {
			asking = append(asking, s)
		}
	}
	return asking
}

// lookups returns how many lookups the steps have.
func (j *job) lookups() (lookups int64) {
	for _, s := range j.steps {
		lookups += s.counts.Lookup
	}
	return lookups
}

// tally returns what the lookups of this start came to. Fields that were asked for and returned are in the
// tallies of the steps alone.
func (j *job) tally() (sum dispatch.Tally) {
	for _, s := range j.steps {
		tally := s.tally
		tally.Asked, tally.Returned = enrich.ByField[int64]{}, enrich.ByField[int64]{}
		sum = sum.Plus(tally)
	}
	return sum
}

// addSteps adds the steps that the list is taken through.
func (j *job) addSteps() error {
	mapping := j.reading.Mapping
	list := interfaces.ListOf(j.reading.Lists, mapping)
	list.Resolve = j.order.Resolve
	planned, err := list.Steps(j.asked)
	if err != nil {
		return err
	}
	names := interfaces.NamesOf(planned)
	for i, p := range planned {
		scope := p.Scope(mapping)
		scope.Held, scope.Prefer, scope.Reask, scope.Limit = j.order.Held, j.order.Prefer, j.order.Reask, j.order.Limit
		scope.Memory, scope.TempDir = j.order.Memory, j.order.TempDir
		j.addStep(j.accountOf(p.Interface), scope)
		added := j.steps[i]
		added.name = names[i]
		added.named, added.names, added.searches = p.ByID || p.Searched.Patterns != 0 && !p.WithoutID, p.Names(), p.Searches()
	}
	return nil
}

// addStep adds a step that asks an account.
func (j *job) addStep(account *accounts.Account, scope row.Scope) {
	scope.Catalogue = account.Catalogue
	if len(j.of(account)) == 0 {
		j.accounts = append(j.accounts, account)
	}
	account.Wanted |= scope.Wanted
	j.steps = append(j.steps, &step{name: account.Catalogue.Interface, account: account, scope: scope})
}

// accountOf returns the account of an interface, which the steps of a run share.
func (j *job) accountOf(of interfaces.Interface) *accounts.Account {
	for _, account := range j.accounts {
		if account.Catalogue.Interface == of.Catalogue.Interface {
			return account
		}
	}
	if of.Catalogue.Interface == interfaces.V1().Catalogue.Interface {
		return j.session.v1()
	}
	return accounts.NewV2(j.session.place, j.session.note)
}

// v1 returns the account of v1.
func (s *session) v1() *accounts.Account {
	return accounts.NewV1(s.place, s.note, func(err error) { s.note(s.work.Explain(err) + "; the plan goes on without it") })
}
