package conformance

import (
	"time"

	"payonce/cost"
	"payonce/enrich"
	"payonce/io/sandbox"
)

// errorCasesV1 hold every row of the error table, as it comes about by itself where it
// can.
func errorCasesV1() []Case {
	cases := []Case{
		{Rule: ruleOf("error/invalid-identifiers"), Steps: []Step{
			Find{Who: enrich.Identity{ProfileURL: "ftp://pro-network.example/"}, Want: refusal(sandbox.InvalidIdentifiers)},
			Find{Want: matched(email), Charge: Charged{Free: email}},
		}},
		{Rule: ruleOf("error/no-price"), Begin: free(0, 0), Steps: []Step{
			withoutPhonePrice(),
			Find{Fields: phone, Want: refusal(sandbox.PricingUnavailable)},
			Find{Fields: both, Want: refusal(sandbox.PricingUnavailable)},
			buy(1000 * cost.Dollar),
			Find{Fields: phone, Want: refusal(sandbox.PricingUnavailable)},
			Find{Want: matched(email), Charge: Charged{Paid: paid(15, 0)}},
		}},
		{Rule: ruleOf("error/free-exhausted"), Begin: begin(free(1, 1), plan("payg"), balance(0, 0)), Steps: []Step{
			Find{Want: matched(email), Charge: Charged{Free: email}},
			Find{Who: someone(1), Want: refusal(sandbox.FreeAllowanceExhausted)},
			Find{Who: someone(1), Fields: both, Want: refusal(sandbox.FreeAllowanceExhausted)},
			Find{Fields: phone, Want: matched(phone), Charge: Charged{Free: phone}},
		}},
		{Rule: ruleOf("error/credits-exhausted"), Begin: begin(free(0, 0), balance(0, 39)), Steps: []Step{
			Find{Fields: both, Want: refusal(sandbox.CreditsExhausted)},
			buy(25 * cost.Dollar),
			Find{Fields: both, Want: matched(both), Charge: Charged{Paid: paid(15, 25), Prepaid: 40 * cost.Cent}},
		}},
		{Rule: ruleOf("error/conflict"), Begin: begin(free(0, 0), balance(0, 20), func(c *sandbox.Config) { c.ReservationConflicts = true }), Steps: []Step{
			Underway{Fields: email},
			Find{Want: refusal(sandbox.ReservationConflict)},
			Ended{},
			Find{Want: matched(email), Charge: Charged{Paid: paid(15, 0), Prepaid: 15 * cost.Cent}},
		}},
		{Rule: ruleOf("error/rate-limited-without-wait"), Steps: []Step{
			Faulty{Answer: sandbox.Refused, Code: sandbox.RateLimited},
			Find{Want: refusal(sandbox.RateLimited)},
		}},
		{Rule: ruleOf("error/rate-limited-date"), Steps: []Step{
			Faulty{Answer: sandbox.Refused, Code: sandbox.RateLimited, RetryAfter: 90 * time.Second, RetryDate: true},
			Find{Want: Refused{Class: enrich.SlowDown, HTTP: 429, Code: "rate_limited", Retryable: true, RetryAfter: 90 * time.Second, AsDate: true}},
		}},
		{Rule: ruleOf("error/unavailable-with-wait"), Steps: []Step{
			Faulty{Answer: sandbox.Refused, Code: sandbox.TemporarilyUnavailable, RetryAfter: 5 * time.Second},
			Find{Want: refusal(sandbox.TemporarilyUnavailable).after(5 * time.Second)},
		}},
	}
	return append(cases, forcedErrorCases()...)
}

// forcedErrorCases hold the rows that the case has to bring about.
func forcedErrorCases() []Case {
	var cases []Case
	for _, row := range []struct {
		name string
		code sandbox.ErrorCode
	}{
		{"error/unavailable", sandbox.TemporarilyUnavailable},
		{"error/misconfigured", sandbox.ServiceMisconfigured},
		{"error/conflict-forced", sandbox.ReservationConflict},
		{"error/inactive", sandbox.WorkspaceInactive},
		{"error/restricted", sandbox.AccessRestricted},
		{"error/budget-forced", sandbox.UsageBudgetReached},
	} {
		cases = append(cases, Case{Rule: ruleOf(row.name), Steps: []Step{
			Faulty{Answer: sandbox.Refused, Code: row.code},
			Find{Fields: both, Want: refusal(row.code)},
			Faulty{},
			Find{Fields: both, Want: matched(both), Charge: Charged{Free: both}},
		}})
	}
	return cases
}

// budgetCases hold the monthly paid-usage budget.
func budgetCases() []Case {
	nextMonth := time.Date(2026, time.December, 1, 0, 0, 0, 0, time.UTC)
	setBudget := func(does string, limit *cost.Money) Step {
		return Owner{Does: does, Do: func(b *sandbox.Ledger) error { return b.SetBudget(limit) }}
	}
	raised := 35 * cost.Cent
	return []Case{
		{Rule: ruleOf("budget/none"), Begin: begin(free(0, 0), uncapped), Steps: []Step{
			Status{Shows: members{"usage_budget": nil}},
			Find{Want: matched(email), Charge: Charged{Paid: paid(15, 0)}},
			Status{Shows: members{"usage_budget": nil, "lookup_readiness.email.can_call": true}},
		}},
		{Rule: ruleOf("budget/zero"), Begin: begin(free(1, 0), budget(0)), Steps: []Step{
			Status{Shows: members{"usage_budget.cap_cents": 0, "usage_budget.remaining_cents": 0}},
			Find{Want: matched(email), Charge: Charged{Free: email}},
			Find{Who: someone(1), Want: refusal(sandbox.UsageBudgetReached)},
		}},
		{Rule: ruleOf("budget/reached"), Begin: begin(free(0, 0), budget(20)), Steps: []Step{
			Find{Want: matched(email), Charge: Charged{Paid: paid(15, 0)}},
			Status{Shows: members{"usage_budget.spent_cents": 15, "usage_budget.remaining_cents": 5}},
			Find{Who: someone(1), Want: refusal(sandbox.UsageBudgetReached)},
			buy(100 * cost.Dollar),
			Find{Who: someone(1), Want: refusal(sandbox.UsageBudgetReached)},
			setBudget("raise the budget", &raised),
			Find{Who: someone(1), Want: matched(email), Charge: Charged{Paid: paid(15, 0)}},
		}},
		{Rule: ruleOf("budget/paid-only"), Begin: begin(free(1, 0), knows(email), budget(40)), Steps: []Step{
			Find{Fields: both, Want: partial(email, "business_phone"), Charge: Charged{Free: email}},
			Status{Shows: members{"usage_budget.spent_cents": 0, "usage_budget.remaining_cents": 40}},
		}},
		{Rule: ruleOf("budget/reset"), Begin: begin(free(0, 0), budget(20)), Steps: []Step{
			Find{Want: matched(email), Charge: Charged{Paid: paid(15, 0)}},
			Reach(nextMonth.Add(-time.Second)),
			Find{Who: someone(1), Want: refusal(sandbox.UsageBudgetReached)},
			Reach(nextMonth),
			Status{Shows: members{"usage_budget.spent_cents": 0, "usage_budget.remaining_cents": 20, "usage_budget.resets_at": "2027-01-01T00:00:00Z"}},
			Find{Who: someone(1), Want: matched(email), Charge: Charged{Paid: paid(15, 0)}},
		}},
		{Rule: ruleOf("budget/others"), Begin: begin(free(0, 0), budget(20)), Steps: []Step{
			Owner{Does: "spend elsewhere", Do: func(b *sandbox.Ledger) error {
				_, err := b.SpendElsewhere(10 * cost.Cent)
				return err
			}},
			Find{Want: refusal(sandbox.UsageBudgetReached)},
		}},
	}
}
