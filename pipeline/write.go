package pipeline

import (
	"context"
	"errors"

	"payonce/pipeline/provider"
	"payonce/pipeline/report"

	"payonce/checkpoint"
	"payonce/io/listfile"
	"payonce/pipeline/output"
	"payonce/pipeline/problem"
)

// Write writes the output of a recorded run again, from its list and the journal. Reading says
// how the list is read where the run does not.
func (w *Work) Write(ctx context.Context, name string, reading List, to Output) (*report.RewrittenOutput, error) {
	return withReading(ctx, w, "write", func(s *session) (*report.RewrittenOutput, error) {
		run, err := FindRun(s.journal(), name)
		if err != nil {
			return nil, err
		}
		if run.Output == "" {
			return nil, problem.Usagef("%s has no output: its calls only checked the service; their answers are in the journal, and a run of the list uses them", run.Name)
		}
		if run.List == "" {
			return nil, problem.Usagef("%s is a search and has no list that could be read again; search again to write what it found, nothing that was answered is bought again", run.Name)
		}
		j, err := s.recall(ctx, run, reading, to)
		if err != nil {
			return nil, err
		}
		lists, err := RecordedLists(s.journal())
		if err != nil {
			return nil, err
		}
		if s.place.Snapshot() { // the owner may be about to write them
			outputs, err := RecordedOutputs(s.journal())
			if err != nil {
				return nil, err
			}
			if err := output.CheckUnused(outputs, to.Path, to.Rejects, to.NewValues); err != nil {
				return nil, err
			}
		}
		if err := output.CheckTargets(to.Path, to.Rejects, to.NewValues, append(append(output.SourcesOf(j.list.Paths), to.Sources...), append(lists, j.choosing.Source())...)); err != nil {
			return nil, err
		}
		if err := errors.Join(j.choose(ctx), j.choosing.Check(ctx, j.search(), s.note)); err != nil {
			return nil, err
		}
		if err := j.checkOutputs(); err != nil {
			return nil, err
		}
		ambiguous, kept, err := j.writeCandidates(ctx)
		if err != nil {
			return nil, err
		}
		j.setStopped(run)
		done, err := j.write(ctx)
		return &report.RewrittenOutput{
			Run: run.Name, Output: to.Path, Rows: done.rows, Kept: append(kept, done.kept...),
			Tables: done.tables, NewValues: done.added, Ambiguous: ambiguous,
		}, err
	})
}

// recall prepares the job of a recorded run. What the run says of its list is a value of that
// run: the same reading serves several runs.
func (s *session) recall(ctx context.Context, run checkpoint.Run, reading List, to Output) (*job, error) {
	order, err := reading.recall(run)
	if err != nil {
		return nil, err
	}
	if run.People != "" {
		if run.Search == (checkpoint.PeopleSearch{}) || s.work.People == nil {
			return nil, problem.Usagef("an earlier version ran %s and did not record how it searched for people; run the same command again to write them, nothing that was answered is bought again", run.Name)
		}
		if order, err = s.work.People(ctx, s.work, s.place, run, order); err != nil {
			return nil, err
		}
	}
	j, err := s.prepare(RunOptions{List: order, Output: to})
	if wrong, is := errors.AsType[*listfile.OptionError](err); is && wrong.Option == "sheet" && reading.Sheet == "" {
		order.Sheet = "" // earlier versions recorded the sheet of a list without sheets
		j, err = s.prepare(RunOptions{List: order, Output: to})
	}
	if err != nil {
		return nil, err
	}
	j.profile = run.Profile
	return j, j.open(context.Background(), provider.UseNothing) // which asks the service nothing
}
