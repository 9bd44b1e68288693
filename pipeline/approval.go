package pipeline

import (
	"context"

	"payonce/cost"
	"payonce/pipeline/dispatch"
	"payonce/pipeline/problem"
	"payonce/pipeline/report"
)

// ask asks before anything is spent: always unless the user said yes, and then too when the
// run can spend more than the approval threshold and what was approved does not cover it.
// Where nobody can be asked, nothing is sent. The start then keeps to what was approved, even
// when others take the free allowance that the plan counted on, or when a ceiling renews at
// midnight.
func (j *job) ask(ctx context.Context, plan *report.Plan, yes bool, approver Approver) error {
	if j.Lookups() == 0 {
		return nil
	}
	missing := j.unapproved(plan.Possible)
	if missing && !approver.CanAsk() {
		return problem.Unapproved("approval_missing", "the run can spend $%s, more than the approval threshold of $%s, and this is not a terminal to confirm at; nothing was sent",
			plan.Possible, *j.Budget.Threshold).With(plan.Possible)
	}
	if missing || !yes {
		var beyond *cost.Money
		if missing {
			beyond = j.Budget.Threshold
		}
		j.approval.Since = j.now()
		confirmed := approver.Confirm(ctx, Question{
			Lookups: j.Lookups(), Covered: plan.Covered(), Possible: plan.Possible, Beyond: beyond,
		})
		j.approval.Approved = j.now()
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case !confirmed && missing:
			return problem.Unapproved("", "not approved; nothing was sent")
		case !confirmed:
			return problem.Unapproved("", "not confirmed; nothing was sent")
		}
		j.KeepTo(plan.Possible)
		return j.lookAgain(ctx)
	}
	if j.Budget.Threshold != nil {
		approved := *j.Budget.Threshold
		if j.Budget.Approved != nil {
			approved = max(approved, *j.Budget.Approved)
		}
		j.KeepTo(approved)
	}
	return nil
}

// lookAgain compares the account with what it was before somebody was asked, who may have
// taken hours: free units that are gone are not counted on, and a higher price refuses.
func (j *job) lookAgain(ctx context.Context) error {
	for _, account := range j.Accounts {
		if account.Journal == nil {
			continue // nothing is asked of it
		}
		drift, err := account.Drift(ctx)
		if err != nil {
			return err
		}
		if higher, ok := account.Monitor().StopOf(drift).(dispatch.PriceHigher); ok {
			return problem.Usagef("the account shows $%s for a %s by now, and the plan counted with $%s; nothing was sent",
				higher.Shown, account.Catalogue.Name(higher.Field), higher.InUse)
		}
	}
	return nil
}

// unapproved reports whether somebody has to approve a run that can spend so much.
func (j *job) unapproved(possible cost.Money) bool {
	threshold, approved := j.Budget.Threshold, j.Budget.Approved
	return threshold != nil && possible > *threshold && (approved == nil || possible > *approved)
}

// keepToApproved makes what was approved a ceiling of this start where there is no threshold
// that it lifts. The plan shows it then among the others.
func (j *job) keepToApproved() {
	if j.Budget.Threshold == nil && j.Budget.Approved != nil {
		j.KeepTo(*j.Budget.Approved)
	}
}
