package app

import (
	"payonce/checkpoint"
	"payonce/internal/report"
	"payonce/internal/report/runview"
	"payonce/pipeline/dispatch"
)

func (j *job) summary(done written, stop dispatch.Stop, drift *runview.Drift) (*runview.Summary, error) {
	tally := j.tally()
	mayBeFree, err := j.session.journal().MayBeFree(checkpoint.RunScope(j.name))
	if err != nil {
		return nil, err
	}
	totals := j.session.journal().Totals(checkpoint.RunScope(j.name))
	doubts, _ := j.session.journal().InDoubt(j.name)
	view := &runview.Summary{
		Run: j.name, Job: j.jobName(), Output: j.output.Path, Rows: rowsByName(done.rows), Lookups: tally.Lookups, Dropped: tally.Dropped, Posts: tally.Posts,
		Spent: totals.Settled.Money(), SpentLeast: report.Least(totals.Settled.Money(), mayBeFree), SpentNow: tally.Spent, Held: totals.Held.Money(), FreeUsed: report.FreeUnits(totals.Settled), InDoubt: int64(doubts),
	}
	view.Found = runview.FoundOf(totals.Asked, totals.Returned, totals.Settled.Money())
	view.FoundNow = runview.FoundOf(j.steps[0].tally.Asked, j.steps[0].tally.Returned, tally.Spent)
	view.Kept, view.Tables = done.kept, done.tables
	view.Exclusive = j.session.work.Workspace.Service.Exclusive
	tightest, left := j.tightest()
	view.Tightest, view.Left, view.MaxSpend = tightest.Name, left, j.maxSpend()
	if stop != nil {
		word := stop.Word()
		view.Stop = &word
	}
	if stop != nil && stop == someGivenUp(tally) {
		view.GivenUp = tally.GivenUp
	}
	view.Drift = drift
	return view, nil
}
