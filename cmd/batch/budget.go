package main

import (
	"github.com/spf13/cobra"

	"payonce/pipeline"
	"payonce/pipeline/inspect"
	"payonce/pipeline/report"
)

func newBudgetCommand(env environment) *cobra.Command {
	o, runs := newOptions(env), false
	cmd := &cobra.Command{
		Use:   "budget",
		Short: "Show the ceilings with what is settled, held and left",
		Long: "Show the ceilings of the jobs, the workspace and the account, with what is settled, held and left\n" +
			"under each, and the sums by job and month. --runs shows those of each run, too. The limits are those\n" +
			"that the runs were last started with, or those given here. A call counts on the day on which it began.\n" +
			"The account is asked for its free status; without an answer the journal alone is shown. Sends no lookup." +
			exitHelp(exitDone, exitInternal, exitUsage, exitInterrupted, exitLocked),
		RunE: o.command(func(cmd *cobra.Command, w *pipeline.Work, _ []string) (report.Report, error) {
			budget := inspect.BudgetOptions{Budget: o.budget.value(), Runs: runs}
			if o.offline {
				budget.Offline = "--offline"
			}
			return inspect.Budget(cmd.Context(), w, budget)
		}),
	}
	o.addJournalFlags(cmd.Flags())
	o.service.AddService(cmd.Flags())
	o.addSharedCeilingFlags(cmd.Flags())
	cmd.Flags().StringVar(&o.budget.job, "job", "", "only the job of this `NAME` and its runs")
	cmd.Flags().BoolVar(&runs, "runs", false, "also show the ceilings of each run")
	cmd.Flags().BoolVar(&o.offline, "offline", false, "do not read the account status")
	return cmd
}
