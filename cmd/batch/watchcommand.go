package main

import "github.com/spf13/cobra"

func newWatchCommand(env environment) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "watch",
		Short: "Watch companies for changes",
		Long: "Watch companies for changes of chosen fields: start and end the watching, record changes, and ask again for\n" +
			"companies that have changed." +
			exitHelp(exitDone, exitInternal, exitUsage, exitCeiling, exitRefused, exitDoubt, exitInterrupted, exitApproval, exitLocked),
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(
		newWatchAddCommand(env), newWatchRemoveCommand(env), newWatchListCommand(env), newWatchFieldsCommand(env), newWatchEventsCommand(env),
		newWatchPollCommand(env), newWatchRefreshCommand(env), newWatchReceiveCommand(env), newWatchCallbackCommand(env),
	)
	return cmd
}
