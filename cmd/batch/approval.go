package main

import (
	"bufio"
	"context"
	"fmt"
	"strings"

	"payonce/checkpoint"
	"payonce/cost"
	"payonce/internal/report"
	"payonce/pipeline/dispatch"
	"payonce/service/v1"
)

// ask asks before anything is spent: always but with --yes, and with it too when the
// run can spend more than the approval threshold and --approve does not cover it.
// Where nobody can be asked, nothing is sent. The start is then kept to what was
// agreed to, even when others take the free allowance that the plan counted on, or
// when a ceiling begins anew at midnight.
func (j *job) ask(ctx context.Context, status *v1.StatusClient, plan *report.Plan) error {
	if j.counts.Lookup == 0 {
		return nil
	}
	missing := j.unapproved(plan.Possible)
	if missing && !j.env.canAsk {
		return usagef("the run can spend $%s, more than --approval-threshold %s, and nobody can be asked here: "+
			"look at the plan, then give --approve %s; nothing was sent",
			plan.Possible, j.approvalThreshold.String(), plan.Possible)
	}
	if missing || !j.yes {
		question := fmt.Sprintf("Send %s and spend at most $%s? [y/N] ", report.Lookups(j.counts.Lookup), plan.Possible)
		if missing {
			question = fmt.Sprintf("This is more than the approval threshold of $%s.\n", j.approvalThreshold.String()) + question
		}
		confirmed := j.confirm(ctx, question)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case !confirmed:
			return usagef("not confirmed; nothing was sent")
		}
		j.keepTo(plan.Possible)
		return j.lookAgain(ctx, status)
	}
	if j.approvalThreshold.Amount != nil {
		j.keepTo(max(*j.approvalThreshold.Amount, j.approve.OrZero()))
	}
	return nil
}

// lookAgain compares the account with what it was before somebody was asked, who may have
// taken hours: free units that are gone are not counted on, and a higher price refuses.
func (j *job) lookAgain(ctx context.Context, status *v1.StatusClient) error {
	drift, err := j.readDrift(ctx, status)
	if err != nil {
		return err
	}
	if higher, ok := j.monitor(status).StopOf(drift).(dispatch.PriceHigher); ok {
		return usagef("the account shows $%s for a %s by now, and the plan counted with $%s; nothing was sent", higher.Shown, higher.Field, higher.InUse)
	}
	return nil
}

// unapproved reports whether somebody has to approve a run that can spend so much.
func (j *job) unapproved(possible cost.Money) bool {
	threshold, approved := j.approvalThreshold.Amount, j.approve.Amount
	return threshold != nil && possible > *threshold && (approved == nil || possible > *approved)
}

// keepToApprove makes --approve a ceiling of this start where there is no threshold
// that it lifts. The plan shows it then among the others.
func (j *job) keepToApprove() {
	if j.approvalThreshold.Amount == nil && j.approve.Amount != nil {
		j.keepTo(*j.approve.Amount)
	}
}

// keepTo makes what was agreed to a ceiling of this start: so much beyond what the
// run has come to.
func (j *job) keepTo(allowed cost.Money) {
	totals := j.totals(checkpoint.RunScope(j.name))
	limit := (totals.Settled + totals.Held).Plus(allowed)
	j.approved = &limit
}

// confirm asks a question and waits for a line, or for an interrupt.
func (s *settings) confirm(ctx context.Context, question string) bool {
	fmt.Fprint(s.env.stderr, question)
	answer := make(chan string, 1)
	go func() {
		line, err := bufio.NewReader(s.env.stdin).ReadString('\n')
		if err != nil {
			fmt.Fprintln(s.env.stderr) // nobody ended the question's line
		}
		answer <- strings.ToLower(strings.TrimSpace(line))
	}()
	select {
	case <-ctx.Done():
		fmt.Fprintln(s.env.stderr)
		return false
	case text := <-answer:
		return text == "y" || text == "yes"
	}
}
