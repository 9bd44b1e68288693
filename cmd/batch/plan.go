package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
)

func newPlanCommand(env environment) *cobra.Command {
	_, cmd := newPlan(env)
	return cmd
}

// newPlan returns the command and the settings that its flags set.
func newPlan(env environment) (*settings, *cobra.Command) {
	s := newSettings(env)
	s.unbound = true
	cmd := &cobra.Command{
		Use:   "plan LIST...",
		Short: "Show what a run would do and cost at most; sends no lookup",
		Long: "Read the list, the free account status and what the service publishes, and show what a run would\n" +
			"do and what it can cost at most. A plan has no way to spend: its client can read these alone.\n\n" +
			"Prices come from --rate-card or the option of --rate-option, else from the service's OpenAPI\n" +
			"document, else from the account status, else from the built-in rate card. What they say differently\n" +
			"is shown; a service that is dearer than the price that counts refuses the run.\n\n" +
			"--out keeps the plan, so that somebody can look at it and \"batch run --plan\" runs it." +
			exitCodes(exitDone, exitInternal, exitUsage, exitRefused, exitInterrupted, exitLocked),
		Args: usageArgs(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.withSession(cmd, func(session *session) error { return planList(cmd, session, args) })
		},
	}
	s.addJournalFlags(cmd.Flags())
	s.addServiceFlags(cmd.Flags())
	s.addListFlags(cmd.Flags())
	s.addPriceFlags(cmd.Flags())
	s.addCeilingFlags(cmd.Flags())
	cmd.Flags().BoolVar(&s.offline, "offline", false, "do not call the service, which need not be named; plan from the rate card alone")
	cmd.Flags().StringVar(&s.keepAs, "out", "", "keep the plan in this `FILE` for run --plan")
	cmd.Flags().Var(&s.sample, "sample", "propose a paid sample of the first N persons")
	return s, cmd
}

func planList(cmd *cobra.Command, s *session, list []string) error {
	if err := s.checkKeep(list); err != nil {
		return err
	}
	ctx := cmd.Context()
	j, err := prepareJob(s, list)
	if err != nil {
		return err
	}
	if _, err := s.openExisting(ctx, "plan"); err != nil {
		return err
	}
	if err := j.take(ctx); err != nil {
		return err
	}
	if err := j.readService(ctx); err != nil {
		return err
	}
	plan, err := j.plan()
	if err != nil {
		return usageError{err}
	}
	if s.keepAs != "" {
		if err := j.keepPlan(cmd.Flags(), plan); err != nil {
			return err
		}
	}
	if s.sample.N != nil {
		if plan.Sample, err = j.proposeSample(ctx, cmd.Flags(), list); err != nil {
			return err
		}
	}
	if err := s.show(plan); err != nil || s.json {
		return err
	}
	return s.tellKept()
}

// readService reads what is free of the service, unless the plan is made offline, and
// chooses the prices.
func (j *job) readService(ctx context.Context) error {
	if j.offline {
		return j.choosePrices()
	}
	client, err := j.openStatus()
	if err != nil {
		return err
	}
	return j.readAccount(ctx, client)
}

// checkKeep refuses a file that a plan cannot be kept in, before anything is read.
func (s *settings) checkKeep(list []string) error {
	switch {
	case s.keepAs == "":
		return nil
	case s.maxSpend.Amount == nil:
		return usagef("a plan that is kept needs --max-spend USD, the most that its run may spend")
	case !s.hasService():
		return usagef("a plan that is kept names the service of its run: give --base-url URL or set SERVICE_BASE_URL")
	}
	return checkTarget("--out", s.keepAs, s.sources(list))
}

// tellKept says how a plan that was kept is run.
func (s *settings) tellKept() error {
	if s.keepAs == "" {
		return nil
	}
	_, err := fmt.Fprintf(s.env.stdout, "\nKept in %s. To run it: batch run --plan %s\n", s.keepAs, shellWord(s.keepAs))
	return err
}
