package main

import (
	"github.com/spf13/cobra"

	"payonce/cmd/batch/exit"
	"payonce/cmd/batch/usage"
	"payonce/internal/app"
	"payonce/internal/inspect"
	"payonce/internal/report"
)

func newAccountCommand(env environment) *cobra.Command {
	o := newOptions(env)
	cmd := &cobra.Command{
		Use:   "account",
		Short: "Show the free account status",
		Long: "Read the account status and show it. This is free and sends no lookup. What the service\n" +
			"does not show is listed as unknown." +
			exit.Help(exit.Done, exit.Internal, exit.Usage, exit.Refused, exit.Interrupted),
		Args: usage.Args(cobra.NoArgs),
		RunE: o.command(func(cmd *cobra.Command, w *app.Work, _ []string) (report.Report, error) {
			return inspect.Account(cmd.Context(), w)
		}),
	}
	o.addJournalFlags(cmd.Flags())
	o.service.AddService(cmd.Flags())
	return cmd
}
