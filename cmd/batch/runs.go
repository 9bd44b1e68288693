package main

import (
	"github.com/spf13/cobra"

	"payonce/cmd/batch/usage"
	"payonce/internal/app"
	"payonce/internal/inspect"
	"payonce/internal/report"
)

func newRunsCommand(env environment) *cobra.Command {
	o := newOptions(env)
	cmd := &cobra.Command{
		Use:   "runs",
		Short: "List the runs of the workspace's journal",
		Long:  "List the runs of the workspace's journal with what each spent." + exitCodes(exitDone, exitInternal, exitUsage, exitInterrupted, exitLocked),
		Args:  usage.Args(cobra.NoArgs),
		RunE: o.command(func(cmd *cobra.Command, w *app.Work, _ []string) (report.Report, error) {
			return inspect.Runs(cmd.Context(), w)
		}),
	}
	o.addJournalFlags(cmd.Flags())
	return cmd
}

func newShowCommand(env environment) *cobra.Command {
	o := newOptions(env)
	cmd := &cobra.Command{
		Use:   "show RUN",
		Short: "Show a run: its spend and its rows by outcome",
		Long:  "Show a run: its spend and its rows by outcome, as they were when it last ended." + exitCodes(exitDone, exitInternal, exitUsage, exitInterrupted, exitLocked),
		Args:  usage.Args(cobra.ExactArgs(1)),
		RunE: o.command(func(cmd *cobra.Command, w *app.Work, args []string) (report.Report, error) {
			return inspect.Show(cmd.Context(), w, args[0])
		}),
	}
	o.addJournalFlags(cmd.Flags())
	return cmd
}
