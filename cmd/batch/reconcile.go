package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"payonce/attempt"
	"payonce/cost"
	"payonce/enrich"
	"payonce/internal/flagvalue"
	"payonce/internal/report"
	"payonce/pipeline/dispatch"
	"payonce/pipeline/survey"
)

func newReconcileCommand(env environment) *cobra.Command {
	s := newSettings(env)
	assume := flagvalue.Choice{Choices: []string{"charged", "not-charged"}}
	cmd := &cobra.Command{
		Use:   "reconcile [ATTEMPT...]",
		Short: "Settle lookups whose response was lost",
		Long: "Compare the account with the journal and settle the lookups whose response was lost.\n" +
			"\n" +
			"Others may spend from the same account. So a lookup counts as not charged only when the account\n" +
			"lost too little for it; then it may be asked again. A lookup counts as charged only with\n" +
			"--exclusive, which declares that nobody else spends from the account; then its answer is lost.\n" +
			"Every other lookup stays in doubt. It keeps its hold and is not sent again until --assume decides\n" +
			"it, for the given attempts or for all. Sends no lookup." +
			exitCodes(exitDone, exitInternal, exitUsage, exitRefused, exitDoubt, exitInterrupted, exitLocked),
		RunE: func(cmd *cobra.Command, args []string) error {
			ids, err := parseAttempts(args, assume.Value)
			if err != nil {
				return err
			}
			return s.withJournal(cmd, "reconcile", func(session *session) error {
				return session.reconcile(cmd.Context(), assume.Value, ids)
			})
		},
	}
	s.addJournalFlags(cmd.Flags())
	s.addServiceFlags(cmd.Flags())
	cmd.Flags().Var(&assume, "assume", "decide by your word what the account does not prove")
	return cmd
}

// parseAttempts reads the numbers of attempts, which only --assume takes.
func parseAttempts(args []string, assume string) ([]attempt.ID, error) {
	if len(args) > 0 && assume == "" {
		return nil, usagef("attempts are given to --assume charged or --assume not-charged; without it all are looked at")
	}
	var ids []attempt.ID
	for _, arg := range args {
		n, err := strconv.ParseUint(arg, 10, 64)
		if err != nil || n == 0 {
			return nil, usagef("%q is no attempt; give its number as %q shows it", arg, "batch reconcile")
		}
		ids = append(ids, attempt.ID(n))
	}
	return ids, nil
}

// reconcile settles what the account proves, then what the user assumes.
func (s *session) reconcile(ctx context.Context, assume string, ids []attempt.ID) error {
	outliveReaders()
	doubts := s.journal.Doubts()
	for _, id := range ids {
		if !s.stillInDoubt(id) {
			return usagef("attempt %d is not in doubt; %q shows those that are", id, "batch reconcile")
		}
	}
	view := &report.Reconciliation{Cases: []report.Case{}}
	findings := map[attempt.ID]string{}
	if s.journal.AwaitsAccount() {
		if err := s.lookAtAccount(ctx, view, findings); err != nil {
			return err
		}
	}
	if err := s.assume(assume, ids, findings); err != nil {
		return err
	}
	rows := s.rowsOf(ctx, doubts)
	for _, d := range doubts {
		view.Cases = append(view.Cases, report.Case{
			Attempt: d.ID, Run: d.Run, Row: rows[d.ID], Person: d.Identity.String(), Fields: d.Hold.Fields.String(),
			Sent: d.Begun.UTC(), Cause: d.Cause, Held: d.Hold.Amount(),
			Finding: cmp.Or(findings[d.ID], undecidedText),
		})
	}
	view.InDoubt, view.Held = s.journal.InDoubt("")
	if err := unlessUnread(s.show(view)); err != nil {
		return err
	}
	if view.InDoubt > 0 {
		return stopError{exitDoubt}
	}
	return nil
}

// lookAtAccount lets the journal decide by the account.
func (s *session) lookAtAccount(ctx context.Context, view *report.Reconciliation, findings map[attempt.ID]string) error {
	status, err := s.openStatus()
	if err != nil {
		return err
	}
	if err := s.journal.CheckAPIKey(s.apiKey, s.sameWorkspace); err != nil {
		return err
	}
	fmt.Fprintln(s.env.stderr, "batch: waiting for the account to settle")
	reconciler := &dispatch.Reconciler{Arbiter: s.journal, Status: status, SettleDelay: s.settleDelay, Exclusive: s.exclusive, Now: s.env.now}
	found, err := reconciler.Reconcile(ctx)
	if err != nil {
		return asServiceIfRefused(ctx, err)
	}
	if len(found.Cases) > 0 { // the account was read
		if err := s.journal.RememberAPIKey(s.apiKey); err != nil {
			return err
		}
	}
	view.Why = found.Why
	view.Evidence = &report.Evidence{Free: report.ByField(found.Unexplained.Free), Money: found.Unexplained.Money}
	for _, c := range found.Cases {
		if c.Decidable {
			findings[c.ID] = findingText(c)
		}
	}
	return nil
}

// stillInDoubt reports whether the outcome of an attempt is unknown.
func (s *session) stillInDoubt(id attempt.ID) bool {
	return slices.ContainsFunc(s.journal.Doubts(), func(d attempt.Doubt) bool { return d.ID == id })
}

// assume decides what is still in doubt by the user's word.
func (s *session) assume(assume string, ids []attempt.ID, findings map[attempt.ID]string) error {
	if assume == "" {
		return nil
	}
	var open []attempt.ID // the account has decided the others
	for _, d := range s.journal.Doubts() {
		if len(ids) == 0 || slices.Contains(ids, d.ID) {
			open = append(open, d.ID)
		}
	}
	if err := s.journal.Assume(assume == "charged", open...); err != nil {
		return usageError{err}
	}
	for _, id := range open {
		findings[id] = "assumed " + assume
	}
	return nil
}

// undecidedText says that neither this look at the account nor an earlier one
// decided a lookup.
const undecidedText = "undecided: the account does not prove it"

func findingText(c attempt.Case) string {
	switch c.Finding {
	case cost.Charged:
		return "charged: " + c.Fields.String() + ", the answer is lost"
	case cost.NotCharged:
		return "not charged: may be asked again"
	default:
		return undecidedText
	}
}

// rowsOf finds the rows of doubts in the lists of their runs. Those of a list that
// cannot be read any more, or does not hold the person, are left out.
func (s *session) rowsOf(ctx context.Context, doubts []attempt.Doubt) map[attempt.ID]int64 {
	byRun := map[string][]attempt.Doubt{}
	for _, d := range doubts {
		byRun[d.Run] = append(byRun[d.Run], d)
	}
	rows := map[attempt.ID]int64{}
	for run, doubts := range byRun {
		found, err := s.rowsInRun(ctx, run, doubts)
		if err != nil {
			continue // the list is gone, or is another one by now
		}
		for i, row := range found {
			rows[doubts[i].ID] = row
		}
	}
	return rows
}

// rowsInRun returns the rows of doubts in the list of their run, 0 for none.
func (s *session) rowsInRun(ctx context.Context, name string, doubts []attempt.Doubt) (rows []int64, err error) {
	run, err := s.findRun(name)
	if err != nil {
		return nil, err
	}
	read := *s.settings // what the run brings holds for its list alone
	own := &session{settings: &read, listIn: s.listIn}
	defer func() { err = errors.Join(err, own.close()) }()
	j, err := recallJob(own, run)
	if err != nil {
		return nil, err
	}
	people := make([]enrich.Identity, len(doubts))
	for i, d := range doubts {
		people[i] = d.Identity
	}
	return survey.RowsOf(ctx, j.scope, j.list, people)
}
