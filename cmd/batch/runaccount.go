package main

import (
	"context"
	"fmt"

	"payonce/attempt"
	"payonce/checkpoint"
	"payonce/cost"
	"payonce/pipeline"
	"payonce/service"
)

// openAccount reads the account before the run. Nothing is in flight, so the
// snapshot is the new base of what the journal knows of the account, after it has
// settled what an earlier start lost.
func (j *job) openAccount(ctx context.Context, client *service.Client) error {
	if err := j.settleLeftovers(ctx, client); err != nil {
		return err
	}
	if err := j.readAccount(ctx, client.StatusClient); err != nil || !j.asked {
		return err
	}
	if err := j.journal.RememberAPIKey(j.apiKey); err != nil {
		return err
	}
	if j.reconciler(client.StatusClient).Pending() > 0 {
		// The base that could decide them is still needed. Free units that have gone
		// since are not counted on.
		_, err := j.monitor(client.StatusClient).Read(ctx)
		return asServiceIfRefused(ctx, err)
	}
	return j.journal.Rebase(j.account)
}

// settleLeftovers settles the lookups that an earlier start left in doubt, before
// anything new is sent, and surveys the list again with what is known then.
func (j *job) settleLeftovers(ctx context.Context, client *service.Client) error {
	reconciler := j.reconciler(client.StatusClient)
	pending := reconciler.Pending()
	if pending == 0 {
		return nil
	}
	fmt.Fprintf(j.env.stderr, "batch: an earlier start left %s in doubt: waiting for the account to settle, to see what was charged\n", counted(pending, "lookup"))
	findings, err := reconciler.Reconcile(ctx)
	if err != nil {
		return asServiceIfRefused(ctx, err)
	}
	fmt.Fprintln(j.env.stderr, "batch: "+describeFindings(findings))
	return j.take(ctx)
}

// monitor compares the account with the journal.
func (j *job) monitor(status *service.StatusClient) *pipeline.Monitor {
	monitor := &pipeline.Monitor{Status: status, Accountant: j.journal, Scope: checkpoint.ScopeAccount, Prices: j.quote.Prices}
	if !j.strict {
		monitor.Free = j.scope.Wanted
	}
	return monitor
}

// reconciler settles lost lookups by what the account shows.
func (j *job) reconciler(status *service.StatusClient) *pipeline.Reconciler {
	return &pipeline.Reconciler{Arbiter: j.journal, Status: status, SettleDelay: j.settleDelay, Now: j.env.now}
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
