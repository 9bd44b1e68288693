// This file has the runs that first ask again for the watched companies of their list that have changed.

package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"payonce/io/listfile"
	"payonce/pipeline"
	"payonce/pipeline/dispatch"
	"payonce/pipeline/output"
	"payonce/pipeline/problem"
	"payonce/pipeline/watch"
)

// refreshFirst records what has changed of the watched companies, asks again for those of the list, and writes the
// changes of their values. The calls are those of the run, so each of its ceilings limits both together.
func (o *options) refreshFirst(cmd *cobra.Command, w *pipeline.Work, run pipeline.RunOptions, out io.Writer) (dispatch.Stop, error) {
	switch {
	case o.changes == "":
		return nil, nil
	case o.kept != nil:
		return nil, problem.Usagef("--plan and --changes exclude each other, because the plan does not have the calls for changes; leave one out")
	case slices.Contains(run.List.Names, listfile.Standard) || o.changes == listfile.Standard:
		return nil, problem.Usagef("--changes needs files for the list and the table, because the list is read twice; standard input and output cannot be used")
	}
	files := output.Request{Path: run.Output.Path, Rejects: run.Output.Rejects, NewValues: run.Output.NewValues}.Files()
	files = append(files, output.Source{What: "the file of candidates", Path: run.Output.Candidates})
	if err := output.CheckTargetApart(o.changes, files, slices.Concat(run.Output.Sources, output.SourcesOf(run.List.Names))); err != nil {
		return nil, err
	}
	name, err := w.RunName(run)
	if err != nil {
		return nil, err
	}
	polled, err := watch.Poll(cmd.Context(), w, watch.PollOptions{})
	if err != nil {
		return nil, err
	}
	c := &watchCommand{options: o}
	ended, err := watch.Refresh(cmd.Context(), w, watch.RefreshOptions{
		Paying: watch.Paying{Run: name, Within: true, Budget: run.Budget, Pace: run.Pace, Rebuy: run.List.Reask.Forfeited, Yes: run.Yes},
		List:   watch.List{Options: run.List.Options, Names: run.List.Names, Mapping: run.List.Mapping, Preset: run.List.Preset},
		Output: pipeline.Output{Path: o.changes, Keep: run.Output.Keep, Stdout: run.Output.Stdout, Sources: slices.Concat(run.Output.Sources, output.SourcesOf(run.List.Names))},
	}, &watchPerson{c, out})
	o.observer.End()
	if err != nil {
		return nil, err
	}
	w.Observer.Note(fmt.Sprintf("changes of watched companies: %d new, %d calls, %d in %s", polled.Observed, ended.Calls, ended.Rows, o.changes))
	return ended.Stop, nil
}

// afterChanges adds to the error of an interrupted run that calls for changes may have been sent before.
func (o *options) afterChanges(err error) error {
	if o.changes == "" {
		return err
	}
	return ifInterrupted(err, "the answers for changes that came are recorded, and the list was not written")
}
