package inspect

import (
	"context"

	"payonce/checkpoint"
	"payonce/internal/app"
	"payonce/internal/report"
	"payonce/internal/starts"
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
		recorded, err := startsOf(w)
		if len(recorded) > 0 {
			view.LastStart = &recorded[len(recorded)-1]
		}
		return view, err
	})
}

// Starts lists the starts of runs that were recorded. It does not need the journal.
func Starts(w *app.Work) (*report.Starts, error) {
	recorded, err := startsOf(w)
	return &report.Starts{Starts: recorded}, err
}

// startsOf returns the starts that were recorded for the workspace's journal.
func startsOf(w *app.Work) ([]starts.Start, error) {
	dir, err := w.Workspace.Dir()
	if err != nil {
		return nil, err
	}
	recorded, err := starts.Read(dir)
	if recorded == nil {
		recorded = []starts.Start{}
	}
	return recorded, err
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
