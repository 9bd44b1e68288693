package main

import "github.com/spf13/cobra"

func newWatchCommand(env environment) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "watch",
		Short: "Watch companies for changes",
		Long:  "Watch companies for changes of chosen fields, and receive the service's notifications of them.",
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(
		newWatchAddCommand(env), newWatchRemoveCommand(env), newWatchListCommand(env), newWatchFieldsCommand(env), newWatchEventsCommand(env),
		newWatchPollCommand(env), newWatchRefreshCommand(env), newWatchReceiveCommand(env), newWatchCallbackCommand(env),
	)
	return cmd
}
