package app

import (
	"slices"

	"payonce/checkpoint"
	"payonce/cost"
	"payonce/internal/accounts"
	"payonce/internal/observe"
	"payonce/internal/report"
	"payonce/internal/report/runview"
	"payonce/internal/report/usageview"
	"payonce/internal/usage"
	"payonce/pipeline/dispatch"
)

func (j *job) summary(record checkpoint.Run, done written, stop dispatch.Stop) (*runview.Summary, error) {
	tally := j.tally()
	mayBeFree, err := j.session.journal().MayBeFree(checkpoint.RunScope(j.name))
	if err != nil {
		return nil, err
	}
	totals := j.session.journal().Totals(checkpoint.RunScope(j.name))
	doubts, _ := j.session.journal().InDoubt(j.name)
	view := &runview.Summary{
		Run: j.name, Job: j.jobName(), Output: j.output.Path, Rows: rowsByName(done.rows), Lookups: tally.Lookups, Dropped: tally.Dropped, Posts: tally.Posts,
		Spent: totals.Settled.Money(), SpentLeast: report.Least(totals.Settled.Money(), mayBeFree), SpentNow: tally.Spent, Held: totals.Held.Money(), FreeUsed: j.session.usage().FreeUsed(checkpoint.RunScope(j.name)), InDoubt: int64(doubts),
	}
	view.Accounts = j.session.usage().Run(record, j.session.now())
	view.Found, view.Drift = runview.FoundBy(view.Accounts), view.Accounts.Drift()
	view.Steps = j.stepsDone()
	view.FoundNow = runview.FoundNow(view.Steps)
	view.Kept, view.Tables, view.Exclusive = done.kept, done.tables, j.session.work.Workspace.Service.Exclusive
	tightest, left := j.tightest()
	view.Tightest, view.Left, view.MaxSpend = tightest.Name, left, j.maxSpend()
	if stop != nil {
		view.Stop = new(stop.Word())
	}
	if stop != nil && stop == someGivenUp(tally) {
		view.GivenUp = tally.GivenUp
	}
	return view, nil
}

// stepsDone shows what the lookups of this start found and used in each step.
func (j *job) stepsDone() (done []runview.StepDone) {
	for _, s := range j.steps {
		view := usageview.Account{
			Number: s.account.Number(), Interface: s.account.Catalogue.Interface, Lookups: s.tally.Answered,
			Found: usageview.FoundOf(s.account.Catalogue, s.tally.Asked, s.tally.Returned),
		}
		if s.account.Consumes(cost.USD) {
			view.Spent = &s.tally.Spent
		}
		done = append(done, runview.StepDone{Step: s.name, Account: view})
	}
	return done
}

// usage reads what the accounts of the journal found, cost and used.
func (s *session) usage() usage.Reader {
	return usage.Reader{Journal: s.journal(), Interfaces: accounts.Interfaces(s.work.Workspace).All}
}

// takesMoney reports whether the lookups can cost money.
func (j *job) takesMoney() bool {
	return slices.ContainsFunc(j.accounts, func(a *accounts.Account) bool { return a.Consumes(cost.USD) })
}

// sending describes the steps to somebody who watches.
func (j *job) sending() (steps []observe.SendingStep) {
	for _, s := range j.steps {
		steps = append(steps, observe.SendingStep{Name: s.name, Rate: s.account.Rate})
	}
	return steps
}
