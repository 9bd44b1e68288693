package main

import (
	"encoding/csv"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"payonce/attempt"
	"payonce/cost"
	"payonce/enrich"
	"payonce/internal/flagvalue"
	"payonce/internal/report"
	"payonce/io/atomicfile"
)

// ledgerFlags say which attempts the ledger lists.
type ledgerFlags struct{ from, to flagvalue.Date }

func newLedgerCommand(env environment) *cobra.Command {
	s := newSettings(env)
	var period ledgerFlags
	cmd := &cobra.Command{
		Use:   "ledger",
		Short: "Export every attempt of a period for bookkeeping, as CSV",
		Long: "Export every attempt of a period as CSV: when it was sent, by which run and job, how it ended and\n" +
			"what it was charged. An attempt belongs to the period in which it got its outcome, so the charges\n" +
			"of all months add up to what the account was charged. Nobody's name and no result is in it.\n" +
			"With --json only the sums are printed." +
			exitCodes(exitDone, exitInternal, exitUsage, exitInterrupted, exitLocked),
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !period.to.End.IsZero() && !period.from.Start.Before(period.to.End) {
				return usagef("--from %s is not before --to %s", period.from.Text, period.to.Text)
			}
			return s.withJournal(cmd, "ledger", func(session *session) error { return session.exportLedger(period) })
		},
	}
	s.addJournalFlags(cmd.Flags())
	cmd.Flags().Var(&period.from, "from", "the first day, month or moment (UTC)")
	cmd.Flags().Var(&period.to, "to", "the last day or month, or the moment before which it ends (UTC)")
	cmd.Flags().StringVarP(&s.output, "output", "o", "", "write the ledger to this `FILE` (default standard output)")
	return cmd
}

// exportLedger writes the attempts and tells their sums.
func (s *session) exportLedger(period ledgerFlags) error {
	switch {
	case s.output != "":
		return s.ledgerToFile(period)
	case s.json:
		view, err := s.writeLedger(io.Discard, period)
		if err != nil {
			return err
		}
		return report.JSON(s.env.stdout, view)
	}
	_, err := s.writeLedger(s.env.stdout, period)
	return err
}

// ledgerToFile writes the ledger to a file, which appears whole or not at all.
func (s *session) ledgerToFile(period ledgerFlags) error {
	if err := s.checkLedgerTarget(); err != nil {
		return err
	}
	file, err := atomicfile.Create(s.output)
	if err != nil {
		return err
	}
	defer file.Discard()
	view, err := s.writeLedger(file, period)
	if err != nil {
		return err
	}
	if err := file.Commit(); err != nil {
		return err
	}
	view.Output = s.output
	return s.show(view)
}

// checkLedgerTarget refuses a file that cannot be written, or in whose place a ledger
// is never wanted: a list or the output of a run.
func (s *session) checkLedgerTarget() error {
	lists, err := s.recordedLists()
	if err != nil {
		return err
	}
	outputs, err := s.recordedOutputs()
	if err != nil {
		return err
	}
	return checkTarget("-o", s.output, slices.Concat(s.sources(nil), lists, outputs))
}

// ledgerColumns are the columns of the ledger. A price that was paid stands in its
// field's column; a field that the free allowance paid for costs nothing there.
var ledgerColumns = []string{
	"attempt", "begun", "ended", "run", "job", "operation", "identified_by", "state",
	"asked", "returned", "free_fields", "work_email_usd", "business_phone_usd", "charge_usd", "request_id", "reason",
}

func (s *session) writeLedger(w io.Writer, period ledgerFlags) (*report.Ledger, error) {
	view := &report.Ledger{From: given(period.from.Start), To: given(period.to.End)}
	var free [enrich.NumFields]int64
	var mayBeFree cost.Money
	out := csv.NewWriter(w)
	if err := out.Write(ledgerColumns); err != nil {
		return view, err
	}
	err := s.journal.Attempts(period.from.Start, period.to.End, func(e attempt.Entry) error {
		view.Attempts++
		view.Charged += e.Charge.Amount
		mayBeFree += e.Charge.Amount - e.Charge.Correct(e.MayBeFree, e.Prices).Amount
		for f := range e.Charge.Free.Each() {
			free[f]++
		}
		if e.Ended.IsZero() {
			view.Open++
		}
		return out.Write(ledgerRow(e))
	})
	if err != nil {
		return view, err
	}
	view.FreeUsed, view.ChargedLeast = report.ByField(free), report.Least(view.Charged, mayBeFree)
	out.Flush()
	return view, out.Error()
}

func ledgerRow(e attempt.Entry) []string {
	ended := ""
	if !e.Ended.IsZero() {
		ended = e.Ended.UTC().Format(time.RFC3339)
	}
	reason := e.Reason
	if e.MayBeFree != 0 {
		reason = "charged at most this: the free allowance may have paid " + e.MayBeFree.String()
	}
	paid := func(f enrich.Field) string {
		if !e.Charge.Paid.Has(f) {
			return ""
		}
		return e.Prices[f].String()
	}
	return []string{
		strconv.FormatUint(uint64(e.ID), 10), e.Begun.UTC().Format(time.RFC3339), ended, e.Run, e.Job,
		e.Operation.String(), e.Pattern, e.State.String(), e.Asked.String(), e.Returned.String(), e.Charge.Free.String(),
		paid(enrich.WorkEmail), paid(enrich.BusinessPhone), e.Charge.Amount.String(), e.RequestID, reason,
	}
}

// given returns nil for the zero time.
func given(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
