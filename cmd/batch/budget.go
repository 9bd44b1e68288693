package main

import (
	"github.com/spf13/cobra"

	"payonce/pipeline"
	"payonce/pipeline/inspect"
	"payonce/pipeline/report"
)

func newBudgetCommand(env environment) *cobra.Command {
	o := newOptions(env)
	cmd := &cobra.Command{
		Use:   "budget",
		Short: "Show the ceilings with what is settled, held and left",
		Long: "Show the ceilings of the runs, their jobs, the workspace and the account, with what is settled,\n" +
			"held and left under each. The limits are those that the runs were last started with, or those\n" +
			"given here. The account is asked for its free status; without an answer the journal alone is\n" +
			"shown. Sends no lookup." +
			exitHelp(exitDone, exitInternal, exitUsage, exitInterrupted, exitLocked),
		RunE: o.command(func(cmd *cobra.Command, w *pipeline.Work, _ []string) (report.Report, error) {
			budget := inspect.BudgetOptions{Budget: o.budget.value()}
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
	cmd.Flags().BoolVar(&o.offline, "offline", false, "do not read the account status")
	return cmd
}
