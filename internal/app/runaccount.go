package app

import (
	"context"
	"errors"
	"fmt"

	"payonce/attempt"
	"payonce/checkpoint"
	"payonce/cost"
	"payonce/internal/problem"
	"payonce/internal/report"
	"payonce/pipeline/dispatch"
	"payonce/service/v1"
)

// openAccount reads the account before the run. Nothing is in flight, so the
// snapshot is the new base of what the journal knows of the account, after it has
// settled what an earlier start lost.
func (j *job) openAccount(ctx context.Context, client *v1.Client) error {
	if err := j.settleLeftovers(ctx, client); err != nil {
		return err
	}
	if err := j.readAccount(ctx, client.StatusClient); err != nil || !j.asked {
		return err
	}
	if err := j.session.place.RememberKey(); err != nil {
		return err
	}
	if j.session.journal().AwaitsAccount() {
		// The base that could decide is still needed. Free units that have gone
		// since are not counted on.
		_, err := j.readDrift(ctx, client.StatusClient)
		return err
	}
	j.tellUnknownUse(j.session.journal().Base(), j.account, j.session.journal().Totals(checkpoint.ScopeAccount))
	return j.session.journal().Rebase(j.account)
}

// tellUnknownUse tells what the account has lost between two snapshots that the journal,
// with its totals of the time between, knows nothing of. A journal that is older than what
// was bought with it cannot tell by itself: it would buy that again. An earlier start may
// have been a strict one.
func (j *job) tellUnknownUse(base, now cost.Account, totals cost.Totals) {
	drift := cost.DriftOf(base, now, totals, totals, j.of.Tariff, true)
	if drift.Zero() {
		return
	}
	j.session.note(fmt.Sprintf("since the last start the account lost $%s and %s that this journal knows nothing of: somebody else uses the workspace, "+
		"an included balance has expired, or the journal was restored from an older copy, and then what was bought since will be bought again",
		drift.Lost.Money(), report.Counts(report.FreeUnits(drift.Lost))))
}

// readDrift compares the account with the journal before anything is sent. An error is
// the journal's or the service's.
func (j *job) readDrift(ctx context.Context, status *v1.StatusClient) (cost.Drift, error) {
	drift, err := j.monitor(status).Read(ctx)
	if err == nil || errors.Is(err, checkpoint.ErrFailed) {
		return drift, err
	}
	return drift, problem.AsRefused(ctx, err)
}

// settleLeftovers settles the lookups that an earlier start left in doubt, and charges
// that may have been free, before anything new is sent. It surveys the list again with
// what is known then.
func (j *job) settleLeftovers(ctx context.Context, client *v1.Client) error {
	reconciler := j.session.reconciler(client.StatusClient)
	if !j.session.journal().AwaitsAccount() {
		return nil
	}
	if pending := reconciler.Pending(); pending > 0 {
		j.session.note(fmt.Sprintf("an earlier start left %s in doubt: waiting for the account to settle, to see what was charged", report.Counted(pending, "lookup")))
	}
	if err := j.settleDoubts(ctx, reconciler); err != nil {
		return err
	}
	return j.take(ctx)
}

// settleDoubts lets the account decide about the lookups in doubt, and tells what came of
// it. The snapshot becomes the new base, so what else the account has lost is told as well.
func (j *job) settleDoubts(ctx context.Context, reconciler *dispatch.Reconciler) error {
	base, totals := j.session.journal().Base(), j.session.journal().Totals(checkpoint.ScopeAccount)
	findings, err := reconciler.Reconcile(ctx)
	if err != nil {
		return problem.IfRefused(ctx, err)
	}
	if len(findings.Cases) > 0 || findings.Why != "" {
		j.session.note(describeFindings(findings))
	}
	j.tellUnknownUse(base, j.session.journal().Base(), totals)
	return nil
}

// monitor compares the account with the journal.
func (j *job) monitor(status *v1.StatusClient) *dispatch.Monitor {
	monitor := &dispatch.Monitor{Status: status, Accountant: j.session.journal(), Scope: checkpoint.ScopeAccount, Tariff: j.of.Tariff, Prices: j.prices.Quote.Prices}
	if !j.budget.Strict {
		monitor.Free = j.scope.Wanted
	}
	return monitor
}

// reconciler settles lost lookups by what the account shows.
func (s *session) reconciler(status *v1.StatusClient) *dispatch.Reconciler {
	service := s.work.Workspace.Service
	return &dispatch.Reconciler{
		Arbiter: s.journal(), Status: status, SettleDelay: service.SettleDelay, Exclusive: service.Exclusive, Now: s.work.Env.Now,
	}
}

// describeFindings sums up what became of lookups in doubt.
func describeFindings(findings attempt.Findings) string {
	counts := map[cost.Finding]int{}
	for _, c := range findings.Cases {
		counts[c.Finding]++
	}
	text := fmt.Sprintf("%d were not charged and may be asked again, %d were charged and their answers are lost, %d stay in doubt",
		counts[cost.NotCharged], counts[cost.Charged], counts[cost.Undecided])
	if findings.Why != "" {
		text += ": " + findings.Why
	}
	return text
}

// warnOfDelay warns when the account may be compared before the service has ended a lost call.
func (s *session) warnOfDelay() {
	service := s.work.Workspace.Service
	if service.SettleDelay < service.Timeout {
		s.note(fmt.Sprintf("the settle delay of %s is shorter than the time-out of %s: a lost lookup that the service still processes can be paid twice",
			service.SettleDelay, service.Timeout))
	}
}
