package pipeline

import (
	"payonce/checkpoint"
	"payonce/cost"
	"payonce/pipeline/dispatch"
	"payonce/pipeline/report"
)

func (j *job) summary(record checkpoint.Run, done written, stop dispatch.Stop) (*report.RunSummary, error) {
	tally := j.Tally()
	mayBeFree, err := j.journal().MayBeFree(checkpoint.RunScope(j.Name))
	if err != nil {
		return nil, err
	}
	totals := j.journal().Totals(checkpoint.RunScope(j.Name))
	doubts, _ := j.journal().InDoubt(j.Name)
	view := &report.RunSummary{
		Run: j.Name, Job: j.JobName(), Output: j.output.Path, Rows: done.rows, Lookups: tally.Lookups, Dropped: tally.Dropped, Posts: tally.Posts,
		Spent: totals.Settled.Money(), SpentLeast: report.Least(totals.Settled.Money(), mayBeFree), SpentNow: tally.Spent, Held: totals.Held.Money(), FreeUsed: j.usage().FreeUsed(checkpoint.RunScope(j.Name)), InDoubt: int64(doubts), Calls: totals.Calls(),
	}
	view.Accounts = j.usage().Run(record, j.now())
	view.Found, view.Drift = report.FoundBy(view.Accounts), view.Accounts.Drift()
	view.Steps, view.NotSent = j.stepsDone(), report.NotSentBy(record)
	view.FoundNow, view.Reached, view.Waiting = report.FoundNow(view.Steps), report.LimitsReached(record), j.awaitsLimited()
	view.Kept, view.Tables, view.NewValues, view.Exclusive = done.kept, done.tables, done.added, j.session.work.Workspace.Exclusive
	mostRestrictive, left := j.MostRestrictive()
	view.MostRestrictive, view.Left, view.MaxSpend = mostRestrictive.Name, left, j.MaxSpend()
	view.Enough = j.enough
	if stop != nil {
		view.Stop = new(stop.Word())
	}
	view.Halted = tally.Halted
	if stop != nil && stop == someGivenUp(tally) {
		view.GivenUp = tally.GivenUp
	}
	return view, nil
}

// awaitsLimited reports whether a step depends on lookups of an earlier step that were not sent because of a limit: it
// asks by ids of their answers, or for what they do not find.
func (r *RunSteps) awaitsLimited() bool {
	for i, s := range r.Steps {
		fallsBack := s.Scope.Fallback > 0 && s.UpTo > 0
		for _, earlier := range r.Steps[:i] {
			sameAccount := earlier.Account == s.Account && earlier.Scope.Subject == s.Scope.Subject
			if len(earlier.NotSent) > 0 && (s.AsksByAnswers && earlier.GivesIDs || fallsBack && sameAccount) {
				return true
			}
		}
	}
	return false
}

// stepsDone shows what the lookups of this start found and used in each step.
func (j *job) stepsDone() (done []report.StepDone) {
	for _, s := range j.Steps {
		view := report.AccountUsage{
			Number: s.Account.Number(), Interface: s.Account.Catalogue.Interface, Lookups: s.Tally.Answered,
			Found: report.FieldsFound(s.Account.Catalogue, s.Tally.Asked, s.Tally.Returned),
		}
		if s.Account.Consumes(cost.USD) {
			view.Spent = &s.Tally.Spent
		}
		done = append(done, report.StepDone{Step: s.Name, AccountUsage: view})
	}
	return done
}

// stepEnds says of each step why this start ended it early, and which lookups it did not send.
func (j *job) stepEnds() (ends []checkpoint.StepEnd) {
	for _, s := range j.Steps {
		end := checkpoint.StepEnd{Step: s.Name, Stop: wordOf(s.Stop)}
		for _, l := range s.NotSent {
			left := checkpoint.NotSent{Reason: l.Why.Word(), Lookups: l.Lookups}
			switch why := l.Why.(type) {
			case dispatch.CeilingReached:
				left.Module = s.Account.Tariff.Meters[why.Ceiling.Meter].Name
			case dispatch.ServiceRefused:
				left.Module = why.Module
			}
			end.NotSent = append(end.NotSent, left)
		}
		ends = append(ends, end)
	}
	return ends
}

// setStopped takes from the record of the run why each step stopped, which the output says in rows that the step did not
// attempt. So Write can write the same output again.
func (j *job) setStopped(run checkpoint.Run) {
	for _, s := range j.Steps {
		s.Stopped = run.StopOf(s.Name)
	}
}

// usage reads what the accounts of the journal found, cost and used.
func (s *session) usage() UsageReader {
	return UsageReader{Journal: s.journal(), Interfaces: s.work.Workspace.Interfaces().All}
}

// sending describes the steps to somebody who watches.
func (j *job) sending() (steps []SendingStep) {
	for _, s := range j.Steps {
		steps = append(steps, SendingStep{Name: s.Name, Rate: s.Account.Rate})
	}
	return steps
}
