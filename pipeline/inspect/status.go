package inspect

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"payonce/checkpoint"
	"payonce/checkpoint/record"
	"payonce/checkpoint/remote"
	"payonce/cost"
	"payonce/pipeline"
	"payonce/pipeline/report"
	"payonce/pipeline/workspace"
)

// Activity is what a command shows to other processes about its progress.
type Activity struct {
	Phase    string           `json:"phase"`
	Progress *report.Progress `json:"progress"`
}

// Describe returns an activity as the owner of a journal shows it.
func (a Activity) Describe() workspace.Progress {
	text, _ := json.Marshal(a) // of texts and numbers
	progress := workspace.Progress{Detail: text, Summary: a.Phase}
	if a.Progress != nil {
		progress.Summary = report.Percent(a.Progress.Percent()) + " done"
	}
	return progress
}

// Status says what uses the journal of the workspace now. When nothing does, it says how the last run
// ended.
//
// When the owner ends while it is read, Status looks again: then nothing runs, or another command does.
func Status(ctx context.Context, w *pipeline.Work) (view *report.Status, err error) {
	for range maxLooks {
		if view, err = lookAtStatus(ctx, w); err == nil {
			view.Waiting, err = waitingJobs(ctx, w)
		}
		if !errors.Is(err, remote.ErrLost) {
			return view, err
		}
	}
	return view, err
}

// maxLooks is how often Status looks at a journal whose owners end.
const maxLooks = 3

func lookAtStatus(ctx context.Context, w *pipeline.Work) (*report.Status, error) {
	return pipeline.WithSession(w, func(s *workspace.Session) (*report.Status, error) {
		now := s.Env.Now()
		view := &report.Status{At: now.UTC().Truncate(time.Second), Active: []*report.Active{}, Zone: now.Location()}
		exists, err := s.ReadExisting(ctx, "status")
		if err != nil || !exists {
			return view, err
		}
		if view.Limits, err = limitsOf(s); err != nil {
			return view, err
		}
		if view.Processes, err = processesOf(s); err != nil {
			return view, err
		}
		if s.Snapshot() {
			owners, err := s.Owners()
			if err != nil && !errors.Is(err, remote.ErrNoOwner) { // else it has ended
				return nil, err
			}
			for _, owner := range owners {
				if owner.Reading { // it ends soon
					continue
				}
				active, err := viewActive(s, owner)
				if err != nil {
					return nil, err
				}
				view.Active = append(view.Active, active)
			}
		}
		if len(view.Active) > 0 {
			return view, nil
		}
		view.Last, err = lastRun(s)
		return view, err
	})
}

// processesOf returns the processes that share the journal.
func processesOf(s *workspace.Session) (processes []report.SharedProcess, err error) {
	all, err := s.Processes()
	for _, p := range all {
		processes = append(processes, report.SharedProcess{
			Epoch: p.Epoch, Holder: p.Holder, Command: workspace.CommandOf(p.Holder), Since: p.Since.UTC(), LeaseUntil: p.LeaseUntil.UTC(), Silent: !p.LeaseUntil.After(p.Now),
		})
	}
	return processes, err
}

// limitsOf returns the limits of modules that are reached.
func limitsOf(s *workspace.Session) (limits []report.ReachedLimit, err error) {
	for _, of := range s.Options.Used() {
		journal, err := s.AccountOf(of)
		if err != nil {
			return nil, err
		}
		if journal != nil {
			limits = append(limits, report.LimitsOf(journal.Limits())...)
		}
	}
	return limits, nil
}

// waitingJobs returns the jobs that wait until a limit has ended.
func waitingJobs(ctx context.Context, w *pipeline.Work) (waiting []report.WaitingJob, err error) {
	dir, exists, err := w.Workspace.Find()
	if err != nil || !exists {
		return nil, err
	}
	opening, err := w.Workspace.Opening(w.Env, "status", ctx.Err)
	if err != nil {
		return nil, err
	}
	err = workspace.ReadStore(ctx, dir, opening, func(s record.Store) error {
		found, err := checkpoint.WaitingOccurrences(s)
		for _, one := range found {
			waiting = append(waiting, report.WaitingJob{Job: one.Job, Occurrence: one.At, Until: one.Until, Reason: one.Reason})
		}
		return err
	})
	return waiting, workspace.OpenError(err)
}

// viewActive shows the command that owns the journal.
func viewActive(s *workspace.Session, owner workspace.Owner) (*report.Active, error) {
	active := &report.Active{Command: owner.Command, Process: owner.Process, Since: owner.Since.UTC()}
	var activity Activity
	if len(owner.Detail) > 0 {
		if err := json.Unmarshal(owner.Detail, &activity); err != nil {
			return nil, err
		}
	}
	active.Phase, active.Progress = activity.Phase, activity.Progress
	name, isRun := strings.CutPrefix(owner.Command, "run ")
	if !isRun {
		return active, nil
	}
	run, found, err := s.Journal.Run(name)
	if err != nil || !found {
		return active, err
	}
	active.Run = viewActiveRun(s, run)
	return active, nil
}

// viewActiveRun shows what a run has spent, against the ceiling on money with the least left.
func viewActiveRun(s *workspace.Session, run checkpoint.Run) *report.ActiveRun {
	ceilings, now := slices.Clone(run.Ceilings), s.Env.Now()
	for i := range ceilings {
		ceilings[i] = ceilings[i].At(now)
	}
	ceilings = append(ceilings, s.Journal.Base().Ceilings(checkpoint.ScopeAccount)...)
	mostRestrictive, left, _ := cost.MostRestrictive(ceilings, s.Journal.Totals)
	totals := s.Journal.Totals(checkpoint.RunScope(run.Name))
	inFlight := int64(0)
	for _, call := range s.Journal.OpenCalls().Calls {
		if call.Run == run.Name && !call.InDoubt {
			inFlight++
		}
	}
	return &report.ActiveRun{
		Run: run.Name, InFlight: inFlight, Spent: totals.Settled.Money(), Held: totals.Held.Money(), MaxSpend: run.MaxSpend,
		MostRestrictive: mostRestrictive.Name, Left: max(left, 0), Accounts: usageOf(s).Run(run, now),
	}
}

// lastRun shows the run that started last, nil without runs.
func lastRun(s *workspace.Session) (*report.Run, error) {
	runs, err := s.Journal.Runs()
	if err != nil || len(runs) == 0 {
		return nil, err
	}
	last := slices.MaxFunc(runs, func(a, b checkpoint.Run) int { return a.LastStarted().Compare(b.LastStarted()) })
	return viewRun(usageOf(s), last, s.Env.Now())
}
