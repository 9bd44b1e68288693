package inspect

import (
	"context"
	"errors"
	"slices"
	"strings"
	"syscall"
	"time"

	"payonce/pipeline"
	"payonce/pipeline/report"

	"payonce/checkpoint"
	"payonce/pipeline/problem"
	"payonce/pipeline/workspace"
)

// RunsOptions say which runs are listed.
type RunsOptions struct {
	Since time.Time // only those that started at this time or later; zero for all
	Job   string    // only those of this job; "" for all
	Limit int64     // the most runs, of which those that started last; 0 for all
}

// Runs lists the runs of the journal with what each spent, the one that started last first.
func Runs(ctx context.Context, w *pipeline.Work, o RunsOptions) (*report.Runs, error) {
	return pipeline.WithJournal(ctx, w, "runs", func(s *workspace.Session) (*report.Runs, error) {
		running, err := runningIn(s)
		if err != nil {
			return nil, err
		}
		runs, err := s.Journal.Runs()
		if err != nil {
			return nil, err
		}
		runs = slices.DeleteFunc(runs, func(run checkpoint.Run) bool {
			return run.LastStarted().Before(o.Since) || o.Job != "" && jobOf(run) != o.Job
		})
		slices.SortStableFunc(runs, func(a, b checkpoint.Run) int { return b.LastStarted().Compare(a.LastStarted()) })
		all := int64(len(runs))
		if o.Limit > 0 {
			runs = runs[:min(o.Limit, all)]
		}
		view := &report.Runs{Runs: make([]*report.Run, len(runs)), More: all - int64(len(runs))}
		for i, run := range runs {
			if view.Runs[i], err = viewRun(usageOf(s), run, s.Env.Now()); err != nil {
				return nil, err
			}
			view.Runs[i].Running = slices.Contains(running, run.Name)
		}
		recorded, err := startsOf(w, ownersOf(s))
		for i := len(recorded) - 1; i >= 0 && view.LastStart == nil; i-- {
			if recorded[i].IsRun() {
				view.LastStart = &recorded[i]
			}
		}
		return view, err
	})
}

// Starts lists the starts that were recorded. It does not need the journal.
func Starts(w *pipeline.Work) (*report.Starts, error) {
	return pipeline.WithSession(w, func(s *workspace.Session) (*report.Starts, error) {
		recorded, err := startsOf(w, ownersOf(s))
		return &report.Starts{Starts: recorded}, err
	})
}

// startsOf returns the starts that were recorded for the workspace's journal, and how they stand.
func startsOf(w *pipeline.Work, owners []workspace.Owner) ([]checkpoint.Start, error) {
	dir, err := w.Workspace.Dir()
	if err != nil {
		return nil, err
	}
	recorded, err := checkpoint.ReadStarts(dir)
	if recorded == nil {
		recorded = []checkpoint.Start{}
	}
	owns := func(process int) bool {
		return slices.ContainsFunc(owners, func(owner workspace.Owner) bool { return owner.Process == process })
	}
	for i := range recorded {
		recorded[i].State = checkpoint.StartStateOf(recorded[i], owns, isAlive)
	}
	return recorded, err
}

// isAlive reports whether this host has a process with the number.
func isAlive(process int) bool { return !errors.Is(syscall.Kill(process, 0), syscall.ESRCH) }

// ownersOf returns the processes of this machine that have opened the journal and do more than read it. One that does
// not answer is left out: it has just ended or is about to begin.
func ownersOf(s *workspace.Session) []workspace.Owner {
	owners, err := s.Owners()
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(owners, func(owner workspace.Owner) bool { return owner.Reading })
}

// runningIn returns the names of the runs in progress, on a shared journal also those of other machines.
func runningIn(s *workspace.Session) (names []string, err error) {
	if !s.Snapshot() {
		return nil, nil
	}
	commands := []string{}
	for _, owner := range ownersOf(s) {
		commands = append(commands, owner.Command)
	}
	processes, err := processesOf(s)
	for _, process := range processes {
		if !process.Silent {
			commands = append(commands, process.Command)
		}
	}
	for _, command := range commands {
		if name, is := strings.CutPrefix(command, "run "); is && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names, err
}

// RunNames returns the names of the runs in the journal.
func RunNames(ctx context.Context, w *pipeline.Work) ([]string, error) {
	return pipeline.WithJournal(ctx, w, "completion", func(s *workspace.Session) (names []string, err error) {
		runs, err := s.Journal.Runs()
		for _, run := range runs {
			names = append(names, run.Name)
		}
		return names, err
	})
}

// findRun returns the run of that name, or else the only one whose name begins so.
func findRun(journal *checkpoint.Journal, name string) (checkpoint.Run, error) {
	found, err := pipeline.FindRun(journal, name)
	if err == nil {
		return found, nil
	}
	runs, listErr := journal.Runs()
	if listErr != nil {
		return found, listErr
	}
	var named []string
	for _, run := range runs {
		if strings.HasPrefix(run.Name, name) {
			found, named = run, append(named, run.Name)
		}
	}
	switch len(named) {
	case 0:
		return found, err
	case 1:
		return found, nil
	}
	return found, problem.Coded("run_ambiguous", "the names of %d runs begin with %q: %s", len(named), name, strings.Join(named, ", "))
}

// Show shows a run: its spend and its rows by outcome. A part of its name is enough, from the beginning on.
func Show(ctx context.Context, w *pipeline.Work, name string) (*report.Run, error) {
	return pipeline.WithJournal(ctx, w, "show", func(s *workspace.Session) (*report.Run, error) {
		run, err := findRun(s.Journal, name)
		if err != nil {
			return nil, err
		}
		view, err := viewRun(usageOf(s), run, s.Env.Now())
		if err != nil {
			return nil, err
		}
		running, err := runningIn(s)
		if err != nil {
			return nil, err
		}
		view.Running = slices.Contains(running, run.Name)
		view.Drift, view.Waits = view.Accounts.Drift(), report.WaitsOf([]checkpoint.Run{run}, "")
		view.NotSent = report.NotSentBy(run)
		calls, err := callsOf(usageOf(s), run)
		if err != nil {
			return nil, err
		}
		view.Spend, view.Pages = calls.Spend(), calls.Pages().Number()
		calls.Pages().TakeFrom(view.Accounts)
		return view, nil
	})
}

// usageOf reads what the accounts of the journal found, cost and used.
func usageOf(s *workspace.Session) pipeline.UsageReader {
	return pipeline.UsageReader{Journal: s.Journal, Interfaces: s.Options.Interfaces().All}
}

func viewRun(reader pipeline.UsageReader, run checkpoint.Run, at time.Time) (*report.Run, error) {
	journal := reader.Journal
	mayBeFree, err := journal.MayBeFree(checkpoint.RunScope(run.Name))
	if err != nil {
		return nil, err
	}
	totals := journal.Totals(checkpoint.RunScope(run.Name))
	doubts, _ := journal.InDoubt(run.Name)
	view := &report.Run{
		Run: run.Name, Job: jobOf(run), List: run.List, Output: run.Output, Fields: run.Fields, Started: run.Started.UTC(), LastStarted: run.LastStarted().UTC(), Stop: run.Stop,
		MaxSpend: run.MaxSpend, Spent: totals.Settled.Money(), SpentLeast: report.Least(totals.Settled.Money(), mayBeFree), Held: totals.Held.Money(), Lookups: totals.Lookups,
		FreeUsed: reader.FreeUsed(checkpoint.RunScope(run.Name)), InDoubt: int64(doubts), Forfeited: totals.Forfeited, Rows: run.Rows,
	}
	view.Accounts = reader.Run(run, at)
	if !run.Ended.IsZero() {
		ended := run.Ended.UTC()
		view.Ended = &ended
	}
	return view, nil
}
