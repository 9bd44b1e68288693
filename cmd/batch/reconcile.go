package main

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"payonce/checkpoint/attempt"
	"payonce/configs"
	"payonce/pipeline"
	"payonce/pipeline/problem"
	"payonce/pipeline/report"
)

func newReconcileCommand(env environment) *cobra.Command {
	o := newOptions(env)
	vendor, acceptFailover, yes := "", false, false
	assume := configs.ChoiceFlag{Choices: []string{"charged", "not-charged"}}
	cmd := &cobra.Command{
		Use:   "reconcile [ATTEMPT...]",
		Args:  cobra.ArbitraryArgs,
		Short: "Settle lookups whose response was lost",
		Long: "Compare each account with the journal and settle the lookups whose response was lost. What an account of\n" +
			"v2 shows are the counters of its modules, and the emails and phones that it was given.\n" +
			"\n" +
			"Others may spend from the same account. So a lookup counts as not charged only when the account\n" +
			"lost too little for it; then it may be asked again. A lookup counts as charged only with\n" +
			"--exclusive, which declares that nothing else spends from the account; then its answer is lost.\n" +
			"Every other lookup stays in doubt. It keeps its hold and is not sent again until --assume decides\n" +
			"it, for the given attempts or for all. Sends no lookup.\n" +
			"\n" +
			"The database of a shared journal can lack what was recorded in it, after a failover or a restore. Then\n" +
			"--accept-failover compares the accounts with the journal, asks, and lets runs send lookups again." +
			exitHelp(exitDone, exitInternal, exitUsage, exitRefused, exitDoubt, exitInterrupted, exitApproval, exitLocked),
		RunE: func(cmd *cobra.Command, args []string) error {
			if acceptFailover && o.service.exclusive {
				return problem.Usagef("--accept-failover and --exclusive exclude each other: lookups that the database has lost spent from the account, too")
			}
			ids, err := parseAttempts(args, assume.Value)
			if err != nil {
				return err
			}
			w, err := o.work(cmd)
			if err != nil {
				return err
			}
			env.outliveReaders()
			var failover *report.Failover
			if acceptFailover {
				if failover, err = w.AcceptFailover(cmd.Context(), func(shown *report.Failover) error {
					return env.agreeToFailover(cmd.Context(), o, shown, yes)
				}); err != nil {
					return err
				}
			}
			found, err := w.Reconcile(cmd.Context(), pipeline.ReconcileOptions{
				Assume: assume.Value, Attempts: ids, Vendor: vendor, Reading: o.list.Value(cmd.Context(), env.stdin, env.now),
			})
			if err != nil {
				return err
			}
			found.Failover = failover
			found.Options = o.hints.Options(found)
			if err := unlessUnread(o.show(env.stdout, found)); err != nil || found.InDoubt == 0 {
				return err
			}
			return exitWith(exitDoubt)
		},
	}
	o.addJournalFlags(cmd.Flags())
	o.service.AddWait(cmd.Flags())
	o.service.AddService(cmd.Flags())
	o.addFormulasFlag(cmd.Flags())
	cmd.Flags().StringVar(&vendor, "vendor", "", "write the lookups in doubt to this CSV `FILE` for the service: times, request IDs of the answers before and after, what the account lost; no names")
	cmd.Flags().BoolVar(&acceptFailover, "accept-failover", false, "let runs send lookups again after a failover or a restore of the database")
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask before a failover is accepted")
	cmd.Flags().Var(&assume, "assume", "decide lookups in doubt that the account does not prove")
	return cmd
}

// agreeToFailover shows what a failover may have lost, and returns nil when somebody accepts it.
func (env environment) agreeToFailover(ctx context.Context, o *options, shown *report.Failover, yes bool) error {
	if err := o.showText(env.stderr, shown); err != nil {
		return err
	}
	switch {
	case yes:
		return nil
	case !env.canAsk:
		return problem.Unapproved("cannot_ask_failover", "the command asks before it accepts a failover, and this is not a terminal; nothing was changed")
	case env.confirm(ctx, "Let runs send lookups on this database? [y/N] "):
		return nil
	case ctx.Err() != nil:
		return ifInterrupted(ctx.Err(), "nothing was changed")
	}
	return problem.Unapproved("", "not confirmed; nothing was changed")
}

// parseAttempts reads the numbers of attempts, which only --assume takes.
func parseAttempts(args []string, assume string) ([]attempt.ID, error) {
	if len(args) > 0 && assume == "" {
		return nil, problem.Usagef("attempts are given to --assume charged or --assume not-charged; without it all are looked at")
	}
	var ids []attempt.ID
	for _, arg := range args {
		n, err := strconv.ParseUint(arg, 10, 64)
		if err != nil || n == 0 {
			return nil, problem.Usagef("%q is not an attempt; give its number as %q shows it", arg, "batch reconcile")
		}
		ids = append(ids, attempt.ID(n))
	}
	return ids, nil
}
