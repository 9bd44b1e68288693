package main

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"payonce/configs"
	"payonce/pipeline"
	"payonce/pipeline/inspect"
	"payonce/pipeline/output"
	"payonce/pipeline/problem"
	"payonce/pipeline/report"
)

func newRunsCommand(env environment) *cobra.Command {
	o, starts := newOptions(env), false
	var since configs.SinceFlag
	var chosen inspect.RunsOptions
	cmd := &cobra.Command{
		Use:   "runs",
		Short: "List the runs of the workspace's journal",
		Long: "List the runs of the workspace's journal with what each spent, the one that started last first. With\n" +
			"--json all are listed unless --limit is given." + exitHelp(exitDone, exitInternal, exitUsage, exitInterrupted, exitLocked),
		RunE: o.command(func(cmd *cobra.Command, w *pipeline.Work, _ []string) (report.Report, error) {
			if starts {
				return inspect.Starts(w)
			}
			if chosen.Limit < 0 {
				return nil, problem.Usagef("--limit %d: give a number of runs, or 0 for all", chosen.Limit)
			}
			if o.json && !cmd.Flags().Changed("limit") {
				chosen.Limit = 0 // a script gets all
			}
			chosen.Since = since.Time(env.now())
			return inspect.Runs(cmd.Context(), w, chosen)
		}),
	}
	o.addJournalFlags(cmd.Flags())
	cmd.Flags().Var(&since, "since", "only the runs that started at this day, month or time (UTC) or later, or so long ago, such as 7d")
	cmd.Flags().StringVar(&chosen.Job, "job", "", "only the runs of the job of this `NAME`")
	cmd.Flags().Int64Var(&chosen.Limit, "limit", 20, "list this many runs at most, 0 for all")
	cmd.Flags().BoolVar(&starts, "starts", false, "list every start of a run, failed ones too")
	return cmd
}

func newShowCommand(env environment) *cobra.Command {
	o := newOptions(env)
	cmd := &cobra.Command{
		Use:   "show RUN|PLAN",
		Short: "Show a run, or a plan that was kept",
		Long: "Show a run: its spend and its rows by outcome, as they were when it last ended. The beginning of its\n" +
			"name is enough. The name of a file that ends in .json shows the plan that was kept in it." + exitHelp(exitDone, exitInternal, exitUsage, exitInterrupted, exitLocked),
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return o.showOne(cmd, args[0]) },
	}
	o.addJournalFlags(cmd.Flags())
	o.output.pages.Add(cmd.Flags(), "report")
	return cmd
}

// showOne shows the plan that is kept in a file, or the run of that name.
func (o *options) showOne(cmd *cobra.Command, name string) error {
	isPlan := strings.EqualFold(filepath.Ext(name), ".json")
	sources := o.sources()
	if isPlan {
		sources = append(sources, output.Source{What: "the plan", Path: name})
	}
	if err := o.output.pages.Check(sources); err != nil {
		return err
	}
	if isPlan {
		kept, err := pipeline.ReadPlanFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			return problem.Usagef("there is no file %s", name)
		}
		if err != nil {
			return problem.AsUsage(err)
		}
		return o.showPages(kept.Plan)
	}
	w, err := o.work(cmd)
	if err != nil {
		return err
	}
	run, err := inspect.Show(cmd.Context(), w, name)
	if err != nil {
		return err
	}
	return o.showPages(run)
}
