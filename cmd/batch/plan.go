package main

import (
	"context"

	"github.com/spf13/cobra"
)

func newPlanCommand(env environment) *cobra.Command {
	s := newSettings(env)
	cmd := &cobra.Command{
		Use:   "plan LIST",
		Short: "Show what a run would do and cost at most; sends no lookup",
		Long: "Read the list and the free account status, and show what a run would do and what it can\n" +
			"cost at most. A plan has no way to spend: its client can read the account status alone." +
			exitCodes(exitDone, exitInternal, exitUsage, exitRefused, exitInterrupted, exitLocked),
		Args: usageArgs(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.withSession(cmd, func(session *session) error { return planList(cmd.Context(), session, args[0]) })
		},
	}
	s.addJournalFlags(cmd.Flags())
	s.addServiceFlags(cmd.Flags())
	s.addListFlags(cmd.Flags())
	cmd.Flags().BoolVar(&s.offline, "offline", false, "do not read the account status; plan from the rate card alone")
	return cmd
}

func planList(ctx context.Context, s *session, path string) error {
	j, err := prepareJob(ctx, s, path)
	if err != nil {
		return err
	}
	if _, err := s.openExisting("plan"); err != nil {
		return err
	}
	if err := j.take(); err != nil {
		return err
	}
	if !s.offline {
		client, err := s.openStatus()
		if err != nil {
			return err
		}
		if err := j.readAccount(ctx, client); err != nil {
			return err
		}
	}
	plan, err := j.plan()
	if err != nil {
		return usageError{err}
	}
	if s.json {
		return printJSON(s.env.stdout, plan)
	}
	return plan.print(s.env.stdout)
}
