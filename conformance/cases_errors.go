package conformance

import (
	"time"

	"payonce/cost"
	"payonce/enrich"
	"payonce/sandbox"
	"payonce/sandbox/books"
)

const errorTable = "Errors"

// errorCases hold every row of the error table, as it comes about by itself where it
// can.
func errorCases() []Case {
	cases := []Case{
		{Rule: Rule{"error/invalid-identifiers", errorTable, "identifiers that name nobody are refused with 400, and that lookup alone is at fault"}, Steps: []Step{
			Find{Who: enrich.Identity{ProfileURL: "ftp://pro-network.example/"}, Want: refusal(sandbox.InvalidIdentifiers)},
			Find{Want: matched(email), Charge: Charged{Free: email}},
		}},
		{Rule: Rule{"error/no-price", errorTable, "an operation without a price is refused with 400, and credit cannot enable it"}, Begin: free(0, 0), Steps: []Step{
			withoutPhonePrice(),
			Find{Fields: phone, Want: refusal(sandbox.PricingUnavailable)},
			Find{Fields: both, Want: refusal(sandbox.PricingUnavailable)},
			buy(1000 * cost.Dollar),
			Find{Fields: phone, Want: refusal(sandbox.PricingUnavailable)},
			Find{Want: matched(email), Charge: Charged{Paid: paid(15, 0)}},
		}},
		{Rule: Rule{"error/free-exhausted", errorTable, "without a purchase, a field whose allowance is used up is refused with 402; the other field goes on"}, Begin: begin(free(1, 1), plan("payg"), balance(0, 0)), Steps: []Step{
			Find{Want: matched(email), Charge: Charged{Free: email}},
			Find{Who: someone(1), Want: refusal(sandbox.FreeAllowanceExhausted)},
			Find{Who: someone(1), Fields: both, Want: refusal(sandbox.FreeAllowanceExhausted)},
			Find{Fields: phone, Want: matched(phone), Charge: Charged{Free: phone}},
		}},
		{Rule: Rule{"error/credits-exhausted", errorTable, "without the credit for all that is asked, a lookup is refused with 402; added credit, once confirmed, enables it"}, Begin: begin(free(0, 0), balance(0, 39)), Steps: []Step{
			Find{Fields: both, Want: refusal(sandbox.CreditsExhausted)},
			buy(25 * cost.Dollar),
			Find{Fields: both, Want: matched(both), Charge: Charged{Paid: paid(15, 25), Prepaid: 40 * cost.Cent}},
		}},
		{Rule: Rule{"error/conflict", errorTable, "where only the reservations of others stand in the way, 409 says that it can be tried again"}, Begin: begin(free(0, 0), balance(0, 20), func(c *sandbox.Config) { c.ReservationConflicts = true }), Steps: []Step{
			Underway{Fields: email},
			Find{Want: refusal(sandbox.ReservationConflict)},
			Ended{},
			Find{Want: matched(email), Charge: Charged{Paid: paid(15, 0), Prepaid: 15 * cost.Cent}},
		}},
		{Rule: Rule{"error/rate-limited-without-wait", errorTable, "429 may come without Retry-After"}, Steps: []Step{
			Faulty{Answer: sandbox.Refused, Code: sandbox.RateLimited},
			Find{Want: refusal(sandbox.RateLimited)},
		}},
		{Rule: Rule{"error/rate-limited-date", errorTable, "Retry-After may be a date"}, Steps: []Step{
			Faulty{Answer: sandbox.Refused, Code: sandbox.RateLimited, RetryAfter: 90 * time.Second, RetryDate: true},
			Find{Want: Refused{Class: enrich.SlowDown, HTTP: 429, Code: "rate_limited", Retryable: true, RetryAfter: 90 * time.Second, AsDate: true}},
		}},
		{Rule: Rule{"error/unavailable-with-wait", errorTable, "a passing failure may say when to come again"}, Steps: []Step{
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
		name, text string
		code       sandbox.ErrorCode
	}{
		{"error/unavailable", "a temporary failure is a 5xx that can be tried again", sandbox.TemporarilyUnavailable},
		{"error/misconfigured", "a failure of the configuration is a 5xx that cannot be tried again", sandbox.ServiceMisconfigured},
		{"error/conflict-forced", "409 and its code say that it can be tried again", sandbox.ReservationConflict},
		{"error/inactive", "403 of an inactive workspace is final", sandbox.WorkspaceInactive},
		{"error/restricted", "403 of restricted access is final", sandbox.AccessRestricted},
		{"error/budget-forced", "402 of the budget is final", sandbox.UsageBudgetReached},
	} {
		cases = append(cases, Case{Rule: Rule{row.name, errorTable, row.text + "; nothing is charged, and the lookup can be sent again afterwards"}, Steps: []Step{
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
		return Owner{Does: does, Do: func(b *books.Books) error { return b.SetBudget(limit) }}
	}
	raised := 35 * cost.Cent
	return []Case{
		{Rule: Rule{"budget/none", limits, "a budget of null is no cap"}, Begin: begin(free(0, 0), uncapped), Steps: []Step{
			Status{Shows: members{"usage_budget": nil}},
			Find{Want: matched(email), Charge: Charged{Paid: paid(15, 0)}},
			Status{Shows: members{"usage_budget": nil, "lookup_readiness.email.can_call": true}},
		}},
		{Rule: Rule{"budget/zero", limits, "a budget of zero permits no paid usage; what is free goes on"}, Begin: begin(free(1, 0), budget(0)), Steps: []Step{
			Status{Shows: members{"usage_budget.cap_cents": 0, "usage_budget.remaining_cents": 0}},
			Find{Want: matched(email), Charge: Charged{Free: email}},
			Find{Who: someone(1), Want: refusal(sandbox.UsageBudgetReached)},
		}},
		{Rule: Rule{"budget/reached", limits, "a lookup that would exceed the budget is refused; a top-up does not change that, a raised budget does"}, Begin: begin(free(0, 0), budget(20)), Steps: []Step{
			Find{Want: matched(email), Charge: Charged{Paid: paid(15, 0)}},
			Status{Shows: members{"usage_budget.spent_cents": 15, "usage_budget.remaining_cents": 5}},
			Find{Who: someone(1), Want: refusal(sandbox.UsageBudgetReached)},
			buy(100 * cost.Dollar),
			Find{Who: someone(1), Want: refusal(sandbox.UsageBudgetReached)},
			setBudget("raise the budget", &raised),
			Find{Who: someone(1), Want: matched(email), Charge: Charged{Paid: paid(15, 0)}},
		}},
		{Rule: Rule{"budget/paid-only", limits, "free results and missing fields do not count towards the budget"}, Begin: begin(free(1, 0), knows(email), budget(40)), Steps: []Step{
			Find{Fields: both, Want: partial(email, "business_phone"), Charge: Charged{Free: email}},
			Status{Shows: members{"usage_budget.spent_cents": 0, "usage_budget.remaining_cents": 40}},
		}},
		{Rule: Rule{"budget/reset", limits, "the budget begins anew with the month, by UTC"}, Begin: begin(free(0, 0), budget(20)), Steps: []Step{
			Find{Want: matched(email), Charge: Charged{Paid: paid(15, 0)}},
			Reach(nextMonth.Add(-time.Second)),
			Find{Who: someone(1), Want: refusal(sandbox.UsageBudgetReached)},
			Reach(nextMonth),
			Status{Shows: members{"usage_budget.spent_cents": 0, "usage_budget.remaining_cents": 20, "usage_budget.resets_at": "2027-01-01T00:00:00Z"}},
			Find{Who: someone(1), Want: matched(email), Charge: Charged{Paid: paid(15, 0)}},
		}},
		{Rule: Rule{"budget/others", limits, "what others in the workspace spend counts towards the budget"}, Begin: begin(free(0, 0), budget(20)), Steps: []Step{
			Owner{Does: "spend elsewhere", Do: func(b *books.Books) error {
				_, err := b.SpendElsewhere(10 * cost.Cent)
				return err
			}},
			Find{Want: refusal(sandbox.UsageBudgetReached)},
		}},
	}
}
