package app

import (
	"context"

	"payonce/checkpoint"
	"payonce/internal/problem"
	"payonce/internal/report"
)

// Runs lists the runs of the journal with what each spent.
func (w *Work) Runs(ctx context.Context) (*report.Runs, error) {
	return withJournal(ctx, w, "runs", func(s *session) (*report.Runs, error) {
		runs, err := s.journal().Runs()
		if err != nil {
			return nil, err
		}
		view := &report.Runs{Runs: make([]*report.Run, len(runs))}
		for i, run := range runs {
			if view.Runs[i], err = viewRun(s.journal(), run); err != nil {
				return nil, err
			}
		}
		return view, nil
	})
}

// Show shows a run: its spend and its rows by outcome.
func (w *Work) Show(ctx context.Context, name string) (*report.Run, error) {
	return withJournal(ctx, w, "show", func(s *session) (*report.Run, error) {
		run, err := s.findRun(name)
		if err != nil {
			return nil, err
		}
		view, err := viewRun(s.journal(), run)
		if err != nil {
			return nil, err
		}
		view.Drift = report.DriftOf(run.Drift)
		view.Spend, err = explainSpend(s.journal(), run)
		return view, err
	})
}

// findRun returns the run of that name.
func (s *session) findRun(name string) (checkpoint.Run, error) {
	run, found, err := s.journal().Run(name)
	if err == nil && !found {
		err = problem.Coded("no_such_run", "there is no run %q in this journal", name)
	}
	return run, err
}

func viewRun(journal *checkpoint.Journal, run checkpoint.Run) (*report.Run, error) {
	mayBeFree, err := journal.MayBeFree(checkpoint.RunScope(run.Name))
	if err != nil {
		return nil, err
	}
	totals := journal.Totals(checkpoint.RunScope(run.Name))
	doubts, _ := journal.InDoubt(run.Name)
	view := &report.Run{
		Run: run.Name, List: run.List, Output: run.Output, Fields: run.Fields, Started: run.Started.UTC(), Stop: run.Stop,
		MaxSpend: run.MaxSpend, Spent: totals.Settled, SpentLeast: report.Least(totals.Settled, mayBeFree), Held: totals.Held, Lookups: totals.Lookups,
		FreeUsed: report.ByField(totals.FreeUsed), InDoubt: int64(doubts), Forfeited: totals.Forfeited, Rows: run.Rows,
	}
	if !run.Ended.IsZero() {
		ended := run.Ended.UTC()
		view.Ended = &ended
	}
	return view, nil
}
