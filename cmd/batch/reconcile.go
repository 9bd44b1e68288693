package main

import (
	"strconv"

	"github.com/spf13/cobra"

	"payonce/checkpoint/attempt"
	"payonce/configs"
	"payonce/pipeline"
	"payonce/pipeline/problem"
)

func newReconcileCommand(env environment) *cobra.Command {
	o := newOptions(env)
	vendor := ""
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
			"it, for the given attempts or for all. Sends no lookup." +
			exitHelp(exitDone, exitInternal, exitUsage, exitRefused, exitDoubt, exitInterrupted, exitLocked),
		RunE: func(cmd *cobra.Command, args []string) error {
			ids, err := parseAttempts(args, assume.Value)
			if err != nil {
				return err
			}
			w, err := o.work(cmd)
			if err != nil {
				return err
			}
			env.outliveReaders()
			found, err := w.Reconcile(cmd.Context(), pipeline.ReconcileOptions{
				Assume: assume.Value, Attempts: ids, Vendor: vendor, Reading: o.list.Value(cmd.Context(), env.stdin, env.now),
			})
			if err != nil {
				return err
			}
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
	cmd.Flags().Var(&assume, "assume", "decide lookups in doubt that the account does not prove")
	return cmd
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
