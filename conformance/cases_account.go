package conformance

import (
	"encoding/json"
	"errors"
	"strings"
	"time"

	"payonce/cost"
	"payonce/enrich"
	"payonce/sandbox"
	"payonce/sandbox/books"
	"payonce/service/v1"
)

const accountStatus = "Account status"

// accountCases hold the account status.
func accountCases() []Case {
	return []Case{
		{Rule: Rule{"account/members", accountStatus, "the status shows the key, the allowance, the balance, the budget, the readiness and the operations, under the names that are assumed"}, Steps: []Step{
			Status{Shows: members{
				"key_valid":                            true,
				"free_allowance.work_emails_remaining": 20, "free_allowance.business_phones_remaining": 5,
				"free_allowance.work_emails_reserved": 0, "free_allowance.business_phones_reserved": 0,
				"paid_balance.available_cents": 100000, "paid_balance.included_cents": 4900, "paid_balance.prepaid_cents": 95100, "paid_balance.reserved_cents": 0,
				"usage_budget.cap_cents": 100000, "usage_budget.spent_cents": 0, "usage_budget.reserved_cents": 0, "usage_budget.remaining_cents": 100000,
				"usage_budget.resets_at":          "2026-12-01T00:00:00Z",
				"lookup_readiness.email.can_call": true, "lookup_readiness.phone.can_call": true, "lookup_readiness.both.can_call": true,
				"lookup_readiness.email.reason":                   nil,
				"operations.contact_enrichment.available_on_plan": true, "operations.contact_enrichment.input_condition": absent{},
				"operations.work_email_lookup.available_on_plan": true, "operations.business_phone_lookup.available_on_plan": true,
			}},
		}},
		{Rule: Rule{"account/free", "GET /account/status", "the status is free, runs no lookup and buys nothing, however often it is read"}, Begin: begin(free(0, 0), balance(0, 15)), Steps: []Step{
			Status{},
			Status{},
			Status{},
			Status{Shows: members{"paid_balance.available_cents": 15, "usage_budget.spent_cents": 0}},
		}},
		{Rule: Rule{"account/when-exhausted", "GET /account/status", "the status can be read when everything is used up"}, Begin: begin(free(0, 0), plan("payg"), balance(0, 0), budget(0)), Steps: []Step{
			Find{Want: refusal(sandbox.FreeAllowanceExhausted)},
			Status{Shows: members{"key_valid": true, "paid_balance.available_cents": 0, "lookup_readiness.email.can_call": false}},
		}},
		{Rule: Rule{"account/one-workspace", "What the service does", "REST and MCP show and use one account"}, Begin: free(2, 2), Steps: []Step{
			Find{Over: v1.REST, Fields: both, Want: matched(both), Charge: Charged{Free: both}},
			Status{Over: v1.MCP, Shows: members{"free_allowance.work_emails_remaining": 1, "free_allowance.business_phones_remaining": 1}},
			Find{Over: v1.MCP, Fields: both, Who: someone(1), Want: matched(both), Charge: Charged{Free: both}},
			Status{Over: v1.REST, Shows: members{"free_allowance.work_emails_remaining": 0, "free_allowance.business_phones_remaining": 0}},
		}},
		{Rule: Rule{"account/follows-usage", accountStatus, "the status shows what lookups, and others in the workspace, have used"}, Begin: begin(free(0, 1), balance(4900, 0), budget(1000)), Steps: []Step{
			Find{Fields: both, Want: matched(both), Charge: Charged{Free: phone, Paid: paid(15, 0)}},
			Owner{Does: "spend elsewhere", Do: func(b *books.Books) error {
				_, err := b.SpendElsewhere(100 * cost.Cent)
				return err
			}},
			Status{Shows: members{
				"paid_balance.available_cents": 4785, "usage_budget.spent_cents": 115, "usage_budget.remaining_cents": 885,
				"free_allowance.business_phones_remaining": 0,
			}},
		}},
		{Rule: Rule{"account/no-reservation", accountStatus, "the status is a snapshot and reserves nothing: what it showed can be gone at the lookup"}, Begin: begin(free(0, 0), balance(0, 15)), Steps: []Step{
			Status{Shows: members{"lookup_readiness.email.can_call": true}},
			Owner{Does: "spend elsewhere", Do: func(b *books.Books) error {
				_, err := b.SpendElsewhere(10 * cost.Cent)
				return err
			}},
			Find{Want: refusal(sandbox.CreditsExhausted)},
		}},
	}
}

// readinessCases hold what the status says of the next lookup.
func readinessCases() []Case {
	ready := func(canCall bool, reason any, emailCents, phoneCents, bothCents any) members {
		shows := members{}
		for kind, cents := range map[string]any{"email": emailCents, "phone": phoneCents, "both": bothCents} {
			shows["lookup_readiness."+kind+".can_call"] = canCall
			shows["lookup_readiness."+kind+".reason"] = reason
			shows["lookup_readiness."+kind+".maximum_paid_charge_cents"] = cents
		}
		return shows
	}
	return []Case{
		{Rule: Rule{"readiness/free", accountStatus, "while a field is free its lookup costs at most nothing"}, Steps: []Step{Status{Shows: ready(true, nil, 0, 0, 0)}}},
		{Rule: Rule{"readiness/partly-free", accountStatus, "the most that both can cost counts what of either is free"}, Begin: free(1, 0), Steps: []Step{Status{Shows: ready(true, nil, 0, 25, 25)}}},
		{Rule: Rule{"readiness/paid", accountStatus, "without an allowance a lookup costs at most its rates"}, Begin: free(0, 0), Steps: []Step{Status{Shows: ready(true, nil, 15, 25, 40)}}},
		{Rule: Rule{"readiness/free-exhausted", accountStatus, "readiness names free_allowance_exhausted where nothing was ever bought"}, Begin: begin(free(0, 0), plan("payg"), balance(0, 0)), Steps: []Step{
			Status{Shows: ready(false, "free_allowance_exhausted", 15, 25, 40)},
		}},
		{Rule: Rule{"readiness/credits", accountStatus, "readiness names credits_exhausted where the balance does not cover the lookup"}, Begin: begin(free(0, 0), balance(14, 0)), Steps: []Step{
			Status{Shows: ready(false, "credits_exhausted", 15, 25, 40)},
		}},
		{Rule: Rule{"readiness/budget", accountStatus, "readiness names usage_budget_reached where the budget does not cover the lookup"}, Begin: begin(free(0, 0), budget(14)), Steps: []Step{
			Status{Shows: ready(false, "usage_budget_reached", 15, 25, 40)},
		}},
		{Rule: Rule{"readiness/one-kind", accountStatus, "readiness tells email, phone and both apart"}, Begin: begin(free(0, 0), balance(0, 20)), Steps: []Step{
			Status{Shows: members{
				"lookup_readiness.email.can_call": true, "lookup_readiness.phone.can_call": false, "lookup_readiness.both.can_call": false,
				"lookup_readiness.phone.reason": "credits_exhausted",
			}},
		}},
		{Rule: Rule{"readiness/no-price", accountStatus, "an operation without a price is not on the plan, cannot be called, and has no maximum"}, Steps: []Step{
			withoutPhonePrice(),
			Status{Shows: members{
				"operations.business_phone_lookup.available_on_plan": false, "operations.work_email_lookup.available_on_plan": true,
				"lookup_readiness.phone.can_call": false, "lookup_readiness.phone.reason": "operation_pricing_unavailable",
				"lookup_readiness.phone.maximum_paid_charge_cents": nil, "lookup_readiness.email.can_call": true,
			}},
		}},
		{Rule: Rule{"readiness/inactive", accountStatus, "an inactive workspace still shows its status, and that nothing can be called"}, Steps: []Step{
			state(books.Inactive),
			Status{Shows: ready(false, "workspace_inactive", 0, 0, 0)},
		}},
		{Rule: Rule{"readiness/attempts", accountStatus, "readiness names the attempt limit"}, Begin: func(c *sandbox.Config) { c.AttemptLimit = 1 }, Steps: []Step{
			Find{Want: matched(email), Charge: Charged{Free: email}},
			Status{Shows: ready(false, "attempt_limit_reached", 0, 0, 0)},
		}},
	}
}

func state(s books.State) Step {
	return Owner{Does: "make the workspace " + string(s), Do: func(b *books.Books) error { return b.SetState(s) }}
}

func withoutPhonePrice() Step {
	return Owner{Does: "take the phone's price away", Do: func(b *books.Books) error { return b.SetPrice(enrich.BusinessPhone, nil) }}
}

// keyCases hold the key and the workspace that it opens.
func keyCases() []Case {
	unauthorized := Status{Refused: "invalid_api_key", HTTP: 401}
	as := func(key string) Status {
		status := unauthorized
		status.As = key
		return status
	}
	return []Case{
		{Rule: Rule{"key/valid", "Authentication", "a key of the workspace opens status and lookups, without a session of any other kind"}, Steps: []Step{
			KeyMade{Name: "agent"},
			Status{As: "agent", Shows: members{"key_valid": true}},
			Find{As: "agent", Want: matched(email), Charge: Charged{Free: email}},
		}},
		{Rule: Rule{"key/invalid", "Authentication", "a key of nobody is refused with 401, by the status and by lookups, and nothing is charged"}, Steps: []Step{
			as(strangersKey),
			Find{As: strangersKey, Want: refusal(sandbox.InvalidAPIKey)},
		}},
		{Rule: Rule{"key/revoked", "States and transitions", "a key that the owner revoked is refused with 401; the others go on"}, Steps: []Step{
			KeyMade{Name: "agent"},
			Find{As: "agent", Want: matched(email), Charge: Charged{Free: email}},
			KeyEnded{Name: "agent"},
			as("agent"),
			Find{As: "agent", Who: someone(1), Want: refusal(sandbox.InvalidAPIKey)},
			Find{Who: someone(2), Want: matched(email), Charge: Charged{Free: email}},
		}},
		{Rule: Rule{"key/expired", "States and transitions", "a key that expired is refused with 401, from that moment on"}, Steps: []Step{
			KeyMade{Name: "agent"},
			KeyEnded{Name: "agent", Expires: time.Hour},
			Pass(time.Hour - time.Second),
			Find{As: "agent", Want: matched(email), Charge: Charged{Free: email}},
			Pass(time.Second),
			as("agent"),
			Find{As: "agent", Who: someone(1), Want: refusal(sandbox.InvalidAPIKey)},
		}},
		{Rule: Rule{"key/legacy", "Workspace key", "a legacy key without a workspace is valid and cannot show a balance"}, Steps: []Step{
			KeyMade{Name: "legacy", Key: books.NewKey{Legacy: true}},
			Status{As: "legacy", Shows: members{"key_valid": true, "free_allowance": absent{}, "paid_balance": absent{}, "usage_budget": absent{}, "lookup_readiness": absent{}}},
		}},
		{Rule: Rule{"key/shown-once", "Workspace key", "a key's value is shown at its creation and cannot be had again"}, Steps: []Step{
			Owner{Does: "look for a key's value", Do: valueIsGone},
		}},
		{Rule: Rule{"workspace/inactive", "Authentication", "an inactive workspace refuses lookups with 403"}, Steps: []Step{
			state(books.Inactive),
			Find{Want: refusal(sandbox.WorkspaceInactive)},
			state(books.Active),
			Find{Want: matched(email), Charge: Charged{Free: email}},
		}},
		{Rule: Rule{"workspace/restricted", "Authentication", "restricted access is refused with 403, by the status too"}, Steps: []Step{
			state(books.Restricted),
			Status{Refused: "access_restricted", HTTP: 403},
			Find{Want: refusal(sandbox.AccessRestricted)},
		}},
	}
}

// valueIsGone returns an error when the keys of a workspace tell the value of one.
func valueIsGone(b *books.Books) error {
	_, value, err := b.CreateKey(books.NewKey{Name: "agent"})
	if err != nil {
		return err
	}
	shown, err := json.Marshal(b.Keys())
	if err == nil && (value == "" || strings.Contains(string(shown), value)) {
		err = errors.New("the value is shown again")
	}
	return err
}
