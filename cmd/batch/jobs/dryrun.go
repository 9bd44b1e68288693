// This file shows the plan of an occurrence before it is due.

package jobs

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"payonce/checkpoint"
	"payonce/checkpoint/record"
	"payonce/pipeline/problem"
	"payonce/pipeline/report"
)

// dryRun shows the plan of the occurrence of a job that a start would run now, or else of the next one. It spends
// nothing, and records nothing. A command or a query of a list runs, and what it wrote is removed.
func (env Environment) dryRun(ctx context.Context, job *Job, q RunRequest) error {
	j, err := findJournal(job)
	if err != nil {
		return problem.AsUsage(err)
	}
	at, err := env.plannedOccurrence(ctx, j, job, q)
	if err != nil {
		return err
	}
	if err := job.prepare(at, j.wait); err != nil {
		return problem.AsUsage(err)
	}
	temporary, err := os.MkdirTemp("", "batch-plan-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(temporary) }() // the list of a command; only its owner can read it
	spool := j.spool(job.Name, at)
	found := exists(spool)
	if job.List.Query.SQL != "" {
		if _, found, err = keptSpool(prefixOf(spool)); err != nil {
			return err
		}
	}
	if !found { // else it is the list of an occurrence that was interrupted
		spool = filepath.Join(temporary, filepath.Base(spool))
	}
	list, err := Runner{Note: env.note, Stderr: env.Stderr}.listOf(ctx, job, at, spool)
	if err != nil {
		return err
	}
	shown := list
	if job.List.Command != "" || job.List.Query.SQL != "" {
		shown = job.List.String()
	}
	fmt.Fprintf(env.Stdout, "%s %s, due at %s: a plan, nothing is sent\nlist %s\noutput %s\n\n", job.Name, at,
		job.Plan.Due(at).In(job.Plan.Zone).Format("2006-01-02 15:04 MST"), report.Printable(shown), report.Printable(job.Output()))
	return job.Run.Plan(ctx, list)
}

// plannedOccurrence returns the occurrence that a start would run, or else the next one.
func (env Environment) plannedOccurrence(ctx context.Context, j *jobJournal, job *Job, q RunRequest) (at LocalTime, err error) {
	now := env.Now()
	if at = q.At; !at.IsZero() {
		return at, nil
	}
	state := &reading{ScheduleState: ScheduleState{Ran: func(LocalTime) bool { return false }}} // without a journal
	decision := job.Plan.Decide(state.ScheduleState, now)
	err = j.read(ctx, "jobs run --dry-run", func(s record.Store) error {
		known, err := checkpoint.JobRecord(s, job.Name)
		if err != nil {
			return err
		}
		if state, err = recordedState(s, known); err != nil {
			return err
		}
		decision = job.Plan.Decide(state.ScheduleState, now)
		return state.err
	})
	if err != nil {
		return at, err
	}
	next, _ := job.Plan.NextAfter(now)
	switch {
	case !state.Unfinished.IsZero() && !decision.Abandoned:
		return state.Unfinished, nil
	case !decision.Run.IsZero() && !q.Once:
		return decision.Run, nil
	case !next.IsZero() && !q.Once:
		return next, nil
	}
	return localTimeOf(now.In(job.Plan.Zone)), nil
}
