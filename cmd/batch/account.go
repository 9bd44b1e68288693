package main

import (
	"context"

	"github.com/spf13/cobra"

	"payonce/internal/report"
)

func newAccountCommand(env environment) *cobra.Command {
	s := newSettings(env)
	cmd := &cobra.Command{
		Use:   "account",
		Short: "Show the free account status",
		Long: "Read the account status and show it. This is free and sends no lookup. What the service\n" +
			"does not tell is shown as unknown." +
			exitCodes(exitDone, exitInternal, exitUsage, exitRefused, exitInterrupted),
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.withSession(cmd, func(session *session) error { return session.showAccount(cmd.Context()) })
		},
	}
	s.addJournalFlags(cmd.Flags())
	s.addServiceFlags(cmd.Flags())
	return cmd
}

func (s *session) showAccount(ctx context.Context) error {
	client, err := s.openStatus()
	if err != nil {
		return err
	}
	account, err := client.Status(ctx)
	if err != nil {
		return asService(ctx, err)
	}
	return s.show(report.AccountOf(account))
}
