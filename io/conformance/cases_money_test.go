package conformance

import (
	"time"

	"payonce/cost"
	"payonce/io/sandbox"
	"payonce/io/service/v1"
)

// chargeCases hold how the free allowance is used.
func chargeCases() []Case {
	return []Case{
		{Rule: ruleOf("allowance/start"), Steps: []Step{
			Status{Shows: members{"free_allowance.work_emails_remaining": 20, "free_allowance.business_phones_remaining": 5}},
		}},
		{Rule: ruleOf("allowance/per-field"), Begin: free(1, 0), Steps: []Step{
			Find{Fields: both, Want: matched(both), Charge: Charged{Free: email, Paid: paid(0, 25)}},
			Find{Fields: both, Who: someone(1), Want: matched(both), Charge: Charged{Paid: paid(15, 25)}},
		}},
		{Rule: ruleOf("allowance/missing-keeps"), Begin: begin(free(1, 1), knows(phone)), Steps: []Step{
			Find{Fields: both, Want: partial(phone, "work_email"), Charge: Charged{Free: phone}},
			Status{Shows: members{"free_allowance.work_emails_remaining": 1, "free_allowance.business_phones_remaining": 0}},
		}},
		{Rule: ruleOf("allowance/all-then-paid"), Begin: free(2, 0), Steps: []Step{
			Find{Who: someone(1), Want: matched(email), Charge: Charged{Free: email}},
			Find{Who: someone(2), Want: matched(email), Charge: Charged{Free: email}},
			Find{Who: someone(3), Want: matched(email), Charge: Charged{Paid: paid(15, 0)}},
		}},
		{Rule: ruleOf("allowance/asked-twice-charged-twice"), Begin: free(1, 0), Steps: []Step{
			Find{Want: matched(email), Charge: Charged{Free: email}},
			Find{Want: matched(email), Charge: Charged{Paid: paid(15, 0)}},
		}},
		{Rule: ruleOf("allowance/kept-at-purchase"), Begin: begin(free(1, 0), plan("payg"), balance(0, 0)), Steps: []Step{
			buy(25 * cost.Dollar),
			Find{Want: matched(email), Charge: Charged{Free: email}},
			Find{Who: someone(1), Want: matched(email), Charge: Charged{Paid: paid(15, 0), Prepaid: 15 * cost.Cent}},
		}},
		{Rule: ruleOf("allowance/no-card"), Begin: begin(plan("payg"), balance(0, 0)), Steps: []Step{
			Find{Fields: both, Want: matched(both), Charge: Charged{Free: both}},
		}},
		{Rule: ruleOf("allowance/others"), Begin: free(1, 0), Steps: []Step{
			Owner{Does: "let others use the allowance", Do: func(b *sandbox.Ledger) error {
				_, err := b.UseElsewhere(sandbox.FieldUnits{v1.WorkEmail: 1})
				return err
			}},
			Find{Want: matched(email), Charge: Charged{Paid: paid(15, 0)}},
		}},
	}
}

// rateCases hold the rate card.
func rateCases() []Case {
	option := func(name string, included int64, emailCents, phoneCents int64) Case {
		prepaid := cost.Money(0)
		if included == 0 {
			prepaid = cost.Cents(emailCents + phoneCents)
		}
		return Case{Rule: ruleOf("rate/" + name), Begin: begin(plan(name), free(0, 0), balance(included, 2500)), Steps: []Step{
			Find{Fields: both, Want: matched(both), Charge: Charged{Paid: paid(emailCents, phoneCents), Prepaid: prepaid}},
			Status{Shows: members{
				"lookup_readiness.email.maximum_paid_charge_cents": emailCents, "lookup_readiness.phone.maximum_paid_charge_cents": phoneCents,
				"lookup_readiness.both.maximum_paid_charge_cents": emailCents + phoneCents,
			}},
		}}
	}
	return []Case{
		option("payg", 0, 15, 25),
		option("core", 4900, 15, 25),
		option("growth", 14900, 12, 20),
		option("scale", 39900, 9, 16),
	}
}

// balanceCases hold the order in which money is used.
func balanceCases() []Case {
	nextMonth := Reach(time.Date(2026, time.December, 1, 0, 0, 0, 0, time.UTC))
	return []Case{
		{Rule: ruleOf("balance/included-first"), Begin: begin(free(0, 0), balance(30, 2500)), Steps: []Step{
			Find{Who: someone(1), Want: matched(email), Charge: Charged{Paid: paid(15, 0)}},
			Find{Who: someone(2), Want: matched(email), Charge: Charged{Paid: paid(15, 0)}},
			Find{Who: someone(3), Want: matched(email), Charge: Charged{Paid: paid(15, 0), Prepaid: 15 * cost.Cent}},
		}},
		{Rule: ruleOf("balance/split"), Begin: begin(free(0, 0), balance(10, 2500)), Steps: []Step{
			Find{Want: matched(email), Charge: Charged{Paid: paid(15, 0), Prepaid: 5 * cost.Cent}},
		}},
		{Rule: ruleOf("balance/expires"), Begin: begin(free(0, 0), balance(4900, 2500)), Steps: []Step{
			Find{Want: matched(email), Charge: Charged{Paid: paid(15, 0)}},
			Status{Shows: members{"paid_balance.included_cents": 4885, "paid_balance.prepaid_cents": 2500, "paid_balance.available_cents": 7385}},
			nextMonth,
			Status{Shows: members{"paid_balance.included_cents": 4900, "paid_balance.prepaid_cents": 2500, "paid_balance.available_cents": 7400}},
		}},
		{Rule: ruleOf("balance/not-before-renewal"), Begin: begin(free(0, 0), balance(30, 2500)), Steps: []Step{
			Reach(time.Date(2026, time.November, 30, 23, 59, 59, 0, time.UTC)),
			Find{Want: matched(email), Charge: Charged{Paid: paid(15, 0)}},
		}},
		{Rule: ruleOf("balance/reserved-out"), Begin: begin(free(1, 0), balance(4900, 100), budget(1000)), Steps: []Step{
			Underway{Fields: both},
			Status{Shows: members{
				"free_allowance.work_emails_remaining": 0, "free_allowance.work_emails_reserved": 1,
				"paid_balance.available_cents": 4975, "paid_balance.included_cents": 4875, "paid_balance.prepaid_cents": 100, "paid_balance.reserved_cents": 25,
				"usage_budget.reserved_cents": 25, "usage_budget.spent_cents": 0, "usage_budget.remaining_cents": 975,
			}},
			Ended{},
			Status{Shows: members{"free_allowance.work_emails_remaining": 1, "paid_balance.available_cents": 5000, "usage_budget.remaining_cents": 1000}},
		}},
		{Rule: ruleOf("balance/exact"), Begin: begin(free(0, 0), balance(0, 15)), Steps: []Step{
			Find{Want: matched(email), Charge: Charged{Paid: paid(15, 0), Prepaid: 15 * cost.Cent}},
			Find{Who: someone(1), Want: refusal(sandbox.CreditsExhausted)},
		}},
	}
}

// buy is the purchase of prepaid credit, confirmed at once.
func buy(amount cost.Money) Step {
	return Owner{Does: "buy prepaid credit", Do: func(b *sandbox.Ledger) error {
		payment, err := b.Checkout(sandbox.Order{Deposit: amount})
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
	order := func(o sandbox.Order) func(*sandbox.Ledger) error {
		return func(b *sandbox.Ledger) error {
			_, err := b.Checkout(o)
			return err
		}
	}
	return []Case{
		{Rule: ruleOf("billing/minimum-deposit"), Begin: begin(plan("payg"), balance(0, 0)), Steps: []Step{
			Owner{Does: "buy less than the minimum", Refused: true, Do: order(sandbox.Order{Deposit: 25*cost.Dollar - cost.Cent})},
			Status{Shows: members{"paid_balance.available_cents": 0}},
			buy(25 * cost.Dollar),
			Status{Shows: members{"paid_balance.available_cents": 2500, "paid_balance.prepaid_cents": 2500}},
		}},
		{Rule: ruleOf("billing/unconfirmed"), Begin: begin(free(0, 0), plan("payg"), balance(0, 0)), Steps: []Step{
			Owner{Does: "check out", Do: order(sandbox.Order{Deposit: 25 * cost.Dollar, ConfirmAfter: &hour})},
			Status{Shows: members{"paid_balance.available_cents": 0}},
			Find{Want: refusal(sandbox.FreeAllowanceExhausted)},
			Pass(hour),
			Status{Shows: members{"paid_balance.available_cents": 2500}},
			Find{Want: matched(email), Charge: Charged{Paid: paid(15, 0), Prepaid: 15 * cost.Cent}},
		}},
		{Rule: ruleOf("billing/large-deposit"), Begin: begin(free(0, 0), plan("payg"), balance(0, 0)), Steps: []Step{
			buy(1000 * cost.Dollar),
			Find{Fields: both, Want: matched(both), Charge: Charged{Paid: paid(15, 25), Prepaid: 40 * cost.Cent}},
		}},
		{Rule: ruleOf("billing/subscription-ends"), Begin: begin(free(0, 0), plan("growth"), balance(14900, 2500)), Steps: []Step{
			Find{Want: matched(email), Charge: Charged{Paid: paid(12, 0)}},
			Owner{Does: "end the subscription", Do: (*sandbox.Ledger).EndSubscription},
			Status{Shows: members{"paid_balance.included_cents": 0, "paid_balance.prepaid_cents": 2500}},
			Find{Who: someone(1), Want: matched(email), Charge: Charged{Paid: paid(15, 0), Prepaid: 15 * cost.Cent}},
		}},
		{Rule: ruleOf("billing/subscribe"), Begin: begin(free(0, 0), plan("payg"), balance(0, 2500)), Steps: []Step{
			Owner{Does: "subscribe", Do: order(sandbox.Order{Plan: "scale", ConfirmAfter: new(time.Duration)})},
			Status{Shows: members{"paid_balance.included_cents": 39900, "paid_balance.prepaid_cents": 2500}},
			Find{Fields: both, Want: matched(both), Charge: Charged{Paid: paid(9, 16)}},
		}},
		{Rule: ruleOf("billing/no-top-up"), Begin: begin(free(0, 0), balance(0, 15)), Steps: []Step{
			Find{Want: matched(email), Charge: Charged{Paid: paid(15, 0), Prepaid: 15 * cost.Cent}},
			Find{Who: someone(1), Want: refusal(sandbox.CreditsExhausted)},
			Status{Shows: members{"paid_balance.available_cents": 0}},
			Find{Who: someone(1), Want: refusal(sandbox.CreditsExhausted)},
		}},
	}
}
