// This file says when a run that a limit stopped can go on without a person.

package jobs

import (
	"strings"
	"time"

	"payonce/cost"
	"payonce/io/service/v1"
	"payonce/pipeline"
	"payonce/pipeline/dispatch"
	"payonce/pipeline/provider"
)

// waitsUntil returns when a run can go on that began at a time. It is zero when the run came to its end, when its own
// ceiling is reached, and when a person has to act.
//
// Limits of a day or a month are looked at from the beginning of the run. So a run that reached a ceiling just
// before midnight and ended after it goes on at once, and not a day later.
func waitsUntil(ended *pipeline.RunEnded, began time.Time) time.Time {
	switch stop := ended.Stop.(type) {
	case dispatch.CeilingReached:
		if stop.Ceiling.Name == cost.UsageBudget {
			return renewalOf(ended, began)
		}
		return provider.Renewal(stop.Ceiling.Period, began)
	case dispatch.ServiceRefused:
		if stop.Code == v1.CodeBudgetReached {
			return renewalOf(ended, began)
		}
		return stop.Until
	}
	return time.Time{}
}

// renewalOf returns when the account's monthly budget begins again.
func renewalOf(ended *pipeline.RunEnded, began time.Time) time.Time {
	if resets := ended.BudgetResets; resets.After(began) {
		return resets
	}
	return provider.Renewal(cost.Month, began) // the account does not say
}

// needsCredit reports whether a run stopped because the account has no more of something. It does not get more
// by itself.
func needsCredit(ended *pipeline.RunEnded) bool {
	if refused, ok := ended.Stop.(dispatch.ServiceRefused); ok {
		return refused.Module != "" && refused.Until.IsZero()
	}
	stop, ok := ended.Stop.(dispatch.CeilingReached)
	if !ok || stop.Ceiling.Period != cost.Ever {
		return false
	}
	switch stop.Ceiling.Name {
	case cost.UsageBudget, provider.CeilingMaxSpend, provider.CeilingMaxLookups, provider.CeilingApproval:
		return false
	}
	return !strings.HasPrefix(stop.Ceiling.Name, provider.CeilingMaxUnits+" ") // which the name of the meter follows
}
