package conformance

import (
	"time"

	"payonce/cost"
	"payonce/enrich"
	"payonce/sandbox"
	"payonce/sandbox/books"
)

const allowances = "Allowances and rate card"

// chargeCases hold how the free allowance is used.
func chargeCases() []Case {
	return []Case{
		{Rule: Rule{"allowance/start", allowances, "an account starts with 20 free work emails and 5 free business phones"}, Steps: []Step{
			Status{Shows: members{"free_allowance.work_emails_remaining": 20, "free_allowance.business_phones_remaining": 5}},
		}},
		{Rule: Rule{"allowance/per-field", allowances, "the allowance is per returned field, not per call: one call can use a unit of one and pay for the other"}, Begin: free(1, 0), Steps: []Step{
			Find{Fields: both, Want: matched(both), Charge: Charged{Free: email, Paid: paid(0, 25)}},
			Find{Fields: both, Who: someone(1), Want: matched(both), Charge: Charged{Paid: paid(15, 25)}},
		}},
		{Rule: Rule{"allowance/missing-keeps", allowances, "a requested field that is missing uses none of the allowance"}, Begin: begin(free(1, 1), knows(phone)), Steps: []Step{
			Find{Fields: both, Want: partial(phone, "work_email"), Charge: Charged{Free: phone}},
			Status{Shows: members{"free_allowance.work_emails_remaining": 1, "free_allowance.business_phones_remaining": 0}},
		}},
		{Rule: Rule{"allowance/all-then-paid", allowances, "every free unit is used before money is"}, Begin: free(2, 0), Steps: []Step{
			Find{Who: someone(1), Want: matched(email), Charge: Charged{Free: email}},
			Find{Who: someone(2), Want: matched(email), Charge: Charged{Free: email}},
			Find{Who: someone(3), Want: matched(email), Charge: Charged{Paid: paid(15, 0)}},
		}},
		{Rule: Rule{"allowance/asked-twice-charged-twice", "What the service does", "a repeated lookup is charged again: there is no idempotency"}, Begin: free(1, 0), Steps: []Step{
			Find{Want: matched(email), Charge: Charged{Free: email}},
			Find{Want: matched(email), Charge: Charged{Paid: paid(15, 0)}},
		}},
		{Rule: Rule{"allowance/kept-at-purchase", allowances, "free results unused at a purchase are kept and used first"}, Begin: begin(free(1, 0), plan("payg"), balance(0, 0)), Steps: []Step{
			buy(25 * cost.Dollar),
			Find{Want: matched(email), Charge: Charged{Free: email}},
			Find{Who: someone(1), Want: matched(email), Charge: Charged{Paid: paid(15, 0), Prepaid: 15 * cost.Cent}},
		}},
		{Rule: Rule{"allowance/no-card", allowances, "the free allowance can be used without any payment"}, Begin: begin(plan("payg"), balance(0, 0)), Steps: []Step{
			Find{Fields: both, Want: matched(both), Charge: Charged{Free: both}},
		}},
		{Rule: Rule{"allowance/others", "What the service does", "the allowance is the workspace's: what somebody else uses is gone"}, Begin: free(1, 0), Steps: []Step{
			Owner{Does: "let others use the allowance", Do: func(b *books.Books) error {
				_, err := b.UseElsewhere(books.Units{enrich.WorkEmail: 1})
				return err
			}},
			Find{Want: matched(email), Charge: Charged{Paid: paid(15, 0)}},
		}},
	}
}

// rateCases hold the rate card.
func rateCases() []Case {
	option := func(name, text string, included int64, emailCents, phoneCents int64) Case {
		prepaid := cost.Money(0)
		if included == 0 {
			prepaid = cost.Cents(emailCents + phoneCents)
		}
		return Case{Rule: Rule{"rate/" + name, allowances, text}, Begin: begin(plan(name), free(0, 0), balance(included, 2500)), Steps: []Step{
			Find{Fields: both, Want: matched(both), Charge: Charged{Paid: paid(emailCents, phoneCents), Prepaid: prepaid}},
			Status{Shows: members{
				"lookup_readiness.email.maximum_paid_charge_cents": emailCents, "lookup_readiness.phone.maximum_paid_charge_cents": phoneCents,
				"lookup_readiness.both.maximum_paid_charge_cents": emailCents + phoneCents,
			}},
		}}
	}
	return []Case{
		option("payg", "pay as you go: 0.15 an email, 0.25 a phone, out of prepaid credit", 0, 15, 25),
		option("core", "Core: 0.15 an email, 0.25 a phone", 4900, 15, 25),
		option("growth", "Growth: 0.12 an email, 0.20 a phone", 14900, 12, 20),
		option("scale", "Scale: 0.09 an email, 0.16 a phone", 39900, 9, 16),
	}
}

// balanceCases hold the order in which money is used.
func balanceCases() []Case {
	nextMonth := Reach(time.Date(2026, time.December, 1, 0, 0, 0, 0, time.UTC))
	return []Case{
		{Rule: Rule{"balance/included-first", allowances, "the included balance is used before prepaid credit"}, Begin: begin(free(0, 0), balance(30, 2500)), Steps: []Step{
			Find{Who: someone(1), Want: matched(email), Charge: Charged{Paid: paid(15, 0)}},
			Find{Who: someone(2), Want: matched(email), Charge: Charged{Paid: paid(15, 0)}},
			Find{Who: someone(3), Want: matched(email), Charge: Charged{Paid: paid(15, 0), Prepaid: 15 * cost.Cent}},
		}},
		{Rule: Rule{"balance/split", allowances, "what the included balance does not cover is taken from prepaid credit"}, Begin: begin(free(0, 0), balance(10, 2500)), Steps: []Step{
			Find{Want: matched(email), Charge: Charged{Paid: paid(15, 0), Prepaid: 5 * cost.Cent}},
		}},
		{Rule: Rule{"balance/expires", allowances, "the included balance expires at renewal and begins anew; prepaid credit carries forward"}, Begin: begin(free(0, 0), balance(4900, 2500)), Steps: []Step{
			Find{Want: matched(email), Charge: Charged{Paid: paid(15, 0)}},
			Status{Shows: members{"paid_balance.included_cents": 4885, "paid_balance.prepaid_cents": 2500, "paid_balance.available_cents": 7385}},
			nextMonth,
			Status{Shows: members{"paid_balance.included_cents": 4900, "paid_balance.prepaid_cents": 2500, "paid_balance.available_cents": 7400}},
		}},
		{Rule: Rule{"balance/not-before-renewal", allowances, "until the renewal the included balance stays"}, Begin: begin(free(0, 0), balance(30, 2500)), Steps: []Step{
			Reach(time.Date(2026, time.November, 30, 23, 59, 59, 0, time.UTC)),
			Find{Want: matched(email), Charge: Charged{Paid: paid(15, 0)}},
		}},
		{Rule: Rule{"balance/reserved-out", "Account status", "balance, allowance and budget are shown after reservations"}, Begin: begin(free(1, 0), balance(4900, 100), budget(1000)), Steps: []Step{
			Underway{Fields: both},
			Status{Shows: members{
				"free_allowance.work_emails_remaining": 0, "free_allowance.work_emails_reserved": 1,
				"paid_balance.available_cents": 4975, "paid_balance.included_cents": 4875, "paid_balance.prepaid_cents": 100, "paid_balance.reserved_cents": 25,
				"usage_budget.reserved_cents": 25, "usage_budget.spent_cents": 0, "usage_budget.remaining_cents": 975,
			}},
			Ended{},
			Status{Shows: members{"free_allowance.work_emails_remaining": 1, "paid_balance.available_cents": 5000, "usage_budget.remaining_cents": 1000}},
		}},
		{Rule: Rule{"balance/exact", "Errors", "a lookup that the balance just covers is answered"}, Begin: begin(free(0, 0), balance(0, 15)), Steps: []Step{
			Find{Want: matched(email), Charge: Charged{Paid: paid(15, 0), Prepaid: 15 * cost.Cent}},
			Find{Who: someone(1), Want: refusal(sandbox.CreditsExhausted)},
		}},
	}
}

// buy is the purchase of prepaid credit, confirmed at once.
func buy(amount cost.Money) Step {
	return Owner{Does: "buy prepaid credit", Do: func(b *books.Books) error {
		payment, err := b.Checkout(books.Order{Deposit: amount})
		if err != nil {
			return err
		}
		_, err = b.Confirm(payment.ID)
		return err
	}}
}

// billingCases hold purchases and subscriptions.
func billingCases() []Case {
	hour := time.Hour
	order := func(o books.Order) func(*books.Books) error {
		return func(b *books.Books) error {
			_, err := b.Checkout(o)
			return err
		}
	}
	return []Case{
		{Rule: Rule{"billing/minimum-deposit", allowances, "prepaid credit is bought for 25.00 or more"}, Begin: begin(plan("payg"), balance(0, 0)), Steps: []Step{
			Owner{Does: "buy less than the minimum", Refused: true, Do: order(books.Order{Deposit: 25*cost.Dollar - cost.Cent})},
			Status{Shows: members{"paid_balance.available_cents": 0}},
			buy(25 * cost.Dollar),
			Status{Shows: members{"paid_balance.available_cents": 2500, "paid_balance.prepaid_cents": 2500}},
		}},
		{Rule: Rule{"billing/unconfirmed", allowances, "a checkout alone moves nothing; the confirmation does, in the same workspace and for the keys there are"}, Begin: begin(free(0, 0), plan("payg"), balance(0, 0)), Steps: []Step{
			Owner{Does: "check out", Do: order(books.Order{Deposit: 25 * cost.Dollar, ConfirmAfter: &hour})},
			Status{Shows: members{"paid_balance.available_cents": 0}},
			Find{Want: refusal(sandbox.FreeAllowanceExhausted)},
			Pass(hour),
			Status{Shows: members{"paid_balance.available_cents": 2500}},
			Find{Want: matched(email), Charge: Charged{Paid: paid(15, 0), Prepaid: 15 * cost.Cent}},
		}},
		{Rule: Rule{"billing/large-deposit", allowances, "a large deposit does not lower the rates"}, Begin: begin(free(0, 0), plan("payg"), balance(0, 0)), Steps: []Step{
			buy(1000 * cost.Dollar),
			Find{Fields: both, Want: matched(both), Charge: Charged{Paid: paid(15, 25), Prepaid: 40 * cost.Cent}},
		}},
		{Rule: Rule{"billing/subscription-ends", allowances, "when a subscription ends its included balance is gone, and prepaid credit is used at the standard rates"}, Begin: begin(free(0, 0), plan("growth"), balance(14900, 2500)), Steps: []Step{
			Find{Want: matched(email), Charge: Charged{Paid: paid(12, 0)}},
			Owner{Does: "end the subscription", Do: (*books.Books).EndSubscription},
			Status{Shows: members{"paid_balance.included_cents": 0, "paid_balance.prepaid_cents": 2500}},
			Find{Who: someone(1), Want: matched(email), Charge: Charged{Paid: paid(15, 0), Prepaid: 15 * cost.Cent}},
		}},
		{Rule: Rule{"billing/subscribe", allowances, "a subscription brings its included balance and its rates"}, Begin: begin(free(0, 0), plan("payg"), balance(0, 2500)), Steps: []Step{
			Owner{Does: "subscribe", Do: order(books.Order{Plan: "scale", ConfirmAfter: new(time.Duration)})},
			Status{Shows: members{"paid_balance.included_cents": 39900, "paid_balance.prepaid_cents": 2500}},
			Find{Fields: both, Want: matched(both), Charge: Charged{Paid: paid(9, 16)}},
		}},
		{Rule: Rule{"billing/no-top-up", allowances, "nothing is bought by itself: neither a lookup nor a status call tops up"}, Begin: begin(free(0, 0), balance(0, 15)), Steps: []Step{
			Find{Want: matched(email), Charge: Charged{Paid: paid(15, 0), Prepaid: 15 * cost.Cent}},
			Find{Who: someone(1), Want: refusal(sandbox.CreditsExhausted)},
			Status{Shows: members{"paid_balance.available_cents": 0}},
			Find{Who: someone(1), Want: refusal(sandbox.CreditsExhausted)},
		}},
	}
}
