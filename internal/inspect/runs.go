package inspect

import (
	"context"

	"payonce/checkpoint"
	"payonce/internal/app"
	"payonce/internal/report"
	"payonce/internal/workspace"
)

// Runs lists the runs of the journal with what each spent.
func Runs(ctx context.Context, w *app.Work) (*report.Runs, error) {
	return app.WithJournal(ctx, w, "runs", func(s *workspace.Session) (*report.Runs, error) {
		runs, err := s.Journal.Runs()
		if err != nil {
			return nil, err
		}
		view := &report.Runs{Runs: make([]*report.Run, len(runs))}
		for i, run := range runs {
			if view.Runs[i], err = viewRun(s.Journal, run); err != nil {
				return nil, err
			}
		}
		return view, nil
	})
}

// Show shows a run: its spend and its rows by outcome.
func Show(ctx context.Context, w *app.Work, name string) (*report.Run, error) {
	return app.WithJournal(ctx, w, "show", func(s *workspace.Session) (*report.Run, error) {
		run, err := app.FindRun(s.Journal, name)
		if err != nil {
			return nil, err
		}
		view, err := viewRun(s.Journal, run)
		if err != nil {
			return nil, err
		}
		view.Drift = report.DriftOf(run.Drift)
		view.Spend, err = explainSpend(s.Journal, run)
		return view, err
	})
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
		MaxSpend: run.MaxSpend, Spent: totals.Settled.Money(), SpentLeast: report.Least(totals.Settled.Money(), mayBeFree), Held: totals.Held.Money(), Lookups: totals.Lookups,
		FreeUsed: report.FreeUnits(totals.Settled), InDoubt: int64(doubts), Forfeited: totals.Forfeited, Rows: run.Rows,
	}
	if !run.Ended.IsZero() {
		ended := run.Ended.UTC()
		view.Ended = &ended
	}
	return view, nil
}
