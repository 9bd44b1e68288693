// This file describes the steps of a run: what each step asks of which account, what it can cost and
// use at most, and which ceilings limit it.

package pipeline

import (
	"cmp"
	"slices"

	"payonce/checkpoint/attempt"
	"payonce/cost"
	"payonce/enrich"
	"payonce/pipeline/dispatch"
	"payonce/pipeline/provider"
	"payonce/pipeline/scan"
)

// RunStep is one step of a run: an account is asked for some fields.
type RunStep struct {
	Name    string // unique in the run
	Account *provider.Account
	Scope   scan.Scope
	// Scan of the first step is that of the list. That of a later step has the most that the step can ask for,
	// while earlier steps may still find values.
	Scan    *scan.Scan
	Counts  scan.Counts
	UpTo    int64          // counted lookups that depend on answers of earlier steps
	Tally   dispatch.Tally // what the lookups of this start came to
	NotSent []StepNotSent  // lookups that this start did not send, though it sent others
	Stop    dispatch.Stop  // why this start ended it early; nil when it did not
	Stopped string         // why rows were not attempted, as the output says it
	// AsksByAnswers says that it asks about companies by ids that answers of earlier steps may give.
	AsksByAnswers bool
	// GivesIDs says that its answers have ids of companies.
	GivesIDs bool
	// Searches says that it searches for companies by a name or number that several may have.
	Searches bool
}

// StepNotSent are lookups of a step that were not sent because of a limit of the account or a ceiling on units. The
// other lookups of the step were sent.
type StepNotSent struct {
	Why     dispatch.Stop
	Lookups int64
}

// RunSteps has the steps of a run, and what it may spend.
type RunSteps struct {
	*session
	Name     string
	Budget   provider.Budget
	Accounts []*provider.Account // that are asked, in the order of their first steps
	Steps    []*RunStep          // one at least
	// Approved is the most that the run may spend over all its starts by an approval; nil without one.
	Approved *cost.Money
	Pages    Pages
}

// Pages are the pages of a search that a run asks for before its lookups, under the same ceilings.
type Pages struct {
	Interface string       // that is asked
	Calls     int64        // at most
	Most      cost.Amounts // that they use up
}

// JobName returns the job that the run belongs to: one with the run's name when none was given.
func (r *RunSteps) JobName() string { return r.Budget.JobOf(r.Name) }

// Add adds a step that asks an account, and returns it.
func (r *RunSteps) Add(account *provider.Account, scope scan.Scope) *RunStep {
	scope.Catalogue = account.Catalogue
	if !slices.Contains(r.Accounts, account) {
		r.Accounts = append(r.Accounts, account)
	}
	account.Wanted |= scope.Asked()
	step := &RunStep{Name: account.Catalogue.Interface, Account: account, Scope: scope}
	r.Steps = append(r.Steps, step)
	return step
}

// Of returns the steps that ask an account.
func (r *RunSteps) Of(account *provider.Account) (asking []*RunStep) {
	for _, s := range r.Steps {
		if s.Account == account {
			asking = append(asking, s)
		}
	}
	return asking
}

// Count takes the counts of the scans.
func (r *RunSteps) Count() {
	for _, s := range r.Steps {
		s.Counts = s.Scan.Count()
	}
	r.countUpTo()
	for _, account := range r.Accounts {
		account.Lookups = map[enrich.Fields]int64{}
		for _, s := range r.Of(account) {
			for fields, n := range s.Counts.Lookups {
				account.Lookups[fields] += n
			}
		}
	}
}

// Lookups returns how many lookups the steps have.
func (r *RunSteps) Lookups() (lookups int64) {
	for _, s := range r.Steps {
		lookups += s.Counts.Lookup
	}
	return lookups
}

// Tally returns what the lookups of this start came to. Fields that were asked for and returned are in the
// tallies of the steps alone.
func (r *RunSteps) Tally() (sum dispatch.Tally) {
	for _, s := range r.Steps {
		tally := s.Tally
		tally.Asked, tally.Returned = enrich.ByField[int64]{}, enrich.ByField[int64]{}
		sum = sum.Plus(tally)
	}
	return sum
}

// Largest returns the step that certainly asks about the most rows, and the first one of several: a plan shows
// the outcomes of the rows in it. A search by name asks about few rows of a list of companies.
func (r *RunSteps) Largest() *RunStep {
	return slices.MaxFunc(r.Steps, func(a, b *RunStep) int { return cmp.Compare(a.Counts.Lookup-a.UpTo, b.Counts.Lookup-b.UpTo) })
}

// Paid returns the step whose service takes money, or else the first step. A plan shows the prices of fields,
// the balance and the free allowance of its account.
func (r *RunSteps) Paid() *RunStep {
	for _, s := range r.Steps {
		if s.Account.TakesMoney() {
			return s
		}
	}
	return r.Steps[0]
}

// TakesMoney reports whether the lookups can cost money.
func (r *RunSteps) TakesMoney() bool {
	return slices.ContainsFunc(r.Accounts, func(a *provider.Account) bool { return a.Consumes(cost.USD) })
}

// Read reports whether the status of every account was read.
func (r *RunSteps) Read() bool {
	return !slices.ContainsFunc(r.Accounts, func(a *provider.Account) bool { return !a.Read })
}

// Request returns what every lookup of an account asks the journal for.
func (r *RunSteps) Request(account *provider.Account) attempt.Request {
	return attempt.Request{
		Run: r.Name, Job: r.JobName(), Rates: account.Rates(), Strict: r.Budget.Strict,
		Ceilings: append(r.runCeilings(), r.Budget.UnitCeilings(r.Name, r.JobName(), account.Tariff)...),
	}
}
