package main

import (
	"github.com/spf13/cobra"

	"payonce/checkpoint"
	"payonce/internal/report"
)

func newRunsCommand(env environment) *cobra.Command {
	s := newSettings(env)
	cmd := &cobra.Command{
		Use:   "runs",
		Short: "List the runs of the workspace's journal",
		Long:  "List the runs of the workspace's journal with what each spent." + exitCodes(exitDone, exitInternal, exitUsage, exitInterrupted, exitLocked),
		Args:  usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.withJournal(cmd, "runs", listRuns)
		},
	}
	s.addJournalFlags(cmd.Flags())
	return cmd
}

func viewRun(journal *checkpoint.Journal, run checkpoint.Run) (*report.Run, error) {
	totals := journal.Totals(checkpoint.RunScope(run.Name))
	doubts, _ := journal.InDoubt(run.Name)
	mayBeFree, err := journal.MayBeFree(checkpoint.RunScope(run.Name))
	if err != nil {
		return nil, err
	}
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

func listRuns(s *session) error {
	runs, err := s.journal.Runs()
	if err != nil {
		return err
	}
	view := &report.Runs{Runs: make([]*report.Run, len(runs))}
	for i, run := range runs {
		if view.Runs[i], err = viewRun(s.journal, run); err != nil {
			return err
		}
	}
	return s.show(view)
}

func newShowCommand(env environment) *cobra.Command {
	s := newSettings(env)
	cmd := &cobra.Command{
		Use:   "show RUN",
		Short: "Show a run: its spend and its rows by outcome",
		Long:  "Show a run: its spend and its rows by outcome, as they were when it last ended." + exitCodes(exitDone, exitInternal, exitUsage, exitInterrupted, exitLocked),
		Args:  usageArgs(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.withJournal(cmd, "show", func(session *session) error { return session.showRun(args[0]) })
		},
	}
	s.addJournalFlags(cmd.Flags())
	return cmd
}

// findRun returns the run of that name.
func (s *session) findRun(name string) (checkpoint.Run, error) {
	run, found, err := s.journal.Run(name)
	if err == nil && !found {
		err = usagef("there is no run %q in this journal; %q lists them", name, "batch runs")
	}
	return run, err
}

func (s *session) showRun(name string) error {
	run, err := s.findRun(name)
	if err != nil {
		return err
	}
	view, err := viewRun(s.journal, run)
	if err != nil {
		return err
	}
	spend, err := explainSpend(s.journal, run)
	if err != nil {
		return err
	}
	view.Spend, view.Drift = spend, report.DriftOf(run.Drift)
	return s.show(view)
}
