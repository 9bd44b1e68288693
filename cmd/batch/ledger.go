package main

import (
	"io"

	"github.com/spf13/cobra"

	"payonce/configs"
	"payonce/pipeline/inspect"
	"payonce/pipeline/problem"
	"payonce/pipeline/report"
)

// ledgerFlags say which attempts the ledger lists.
type ledgerFlags struct{ from, to configs.DateFlag }

func newLedgerCommand(env environment) *cobra.Command {
	o := newOptions(env)
	var period ledgerFlags
	cmd := &cobra.Command{
		Use:   "ledger",
		Short: "Export every attempt of a period for bookkeeping, as CSV",
		Long: "Export every attempt of a period as CSV: when it was sent, by which run and job, how it ended and\n" +
			"what it was charged. An attempt belongs to the period in which it got its outcome, so the charges\n" +
			"of all months add up to what the account was charged. Nobody's name and no result is in it.\n" +
			"With --json only the sums are printed." +
			exitHelp(exitDone, exitInternal, exitUsage, exitInterrupted, exitLocked),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !period.to.End.IsZero() && !period.from.Start.Before(period.to.End) {
				return problem.Usagef("--from %s is not before --to %s", period.from.Text, period.to.Text)
			}
			return exportLedger(cmd, o, inspect.Period{From: period.from.Start, To: period.to.End})
		},
	}
	o.addJournalFlags(cmd.Flags())
	o.addFormulasFlag(cmd.Flags())
	cmd.Flags().Var(&period.from, "from", "the first day, month or moment (UTC)")
	cmd.Flags().Var(&period.to, "to", "the last day or month, or the moment before which it ends (UTC)")
	cmd.Flags().StringVarP(&o.output.path, "output", "o", "", "write the ledger to this `FILE` (default standard output)")
	return cmd
}

// exportLedger writes the attempts and shows their sums.
func exportLedger(cmd *cobra.Command, o *options, period inspect.Period) error {
	w, err := o.work(cmd)
	if err != nil {
		return err
	}
	if path := o.output.path; path != "" {
		ledger, err := inspect.LedgerFile(cmd.Context(), w, period, path, o.sources())
		if err != nil {
			return err
		}
		return o.show(o.env.stdout, ledger)
	}
	if !o.json {
		_, err := inspect.Ledger(cmd.Context(), w, period, o.env.stdout)
		return err
	}
	ledger, err := inspect.Ledger(cmd.Context(), w, period, io.Discard)
	if err != nil {
		return err
	}
	return report.WriteJSON(o.env.stdout, ledger)
}
