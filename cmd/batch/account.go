package main

import (
	"github.com/spf13/cobra"

	"payonce/pipeline"
	"payonce/pipeline/inspect"
	"payonce/pipeline/report"
)

func newAccountCommand(env environment) *cobra.Command {
	o := newOptions(env)
	cmd := &cobra.Command{
		Use:   "account",
		Short: "Show the free account status",
		Long: "Read the account status and show it. This is free and sends no lookup. What the service\n" +
			"does not show is listed as unknown." +
			exitHelp(exitDone, exitInternal, exitUsage, exitRefused, exitInterrupted),
		RunE: o.command(func(cmd *cobra.Command, w *pipeline.Work, _ []string) (report.Report, error) {
			return inspect.Account(cmd.Context(), w)
		}),
	}
	o.addJournalFlags(cmd.Flags())
	o.service.AddService(cmd.Flags())
	return cmd
}
