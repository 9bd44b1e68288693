package conformance

import (
	"encoding/json"
	"errors"
	"strings"
	"time"

	"payonce/cost"
	"payonce/io/sandbox"
	"payonce/io/service/v1"
)

// accountCases hold the account status.
func accountCases() []Case {
	return []Case{
		{Rule: ruleOf("account/members"), Steps: []Step{
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
		{Rule: ruleOf("account/free"), Begin: begin(free(0, 0), balance(0, 15)), Steps: []Step{
			Status{},
			Status{},
			Status{},
			Status{Shows: members{"paid_balance.available_cents": 15, "usage_budget.spent_cents": 0}},
		}},
		{Rule: ruleOf("account/when-exhausted"), Begin: begin(free(0, 0), plan("payg"), balance(0, 0), budget(0)), Steps: []Step{
			Find{Want: refusal(sandbox.FreeAllowanceExhausted)},
			Status{Shows: members{"key_valid": true, "paid_balance.available_cents": 0, "lookup_readiness.email.can_call": false}},
		}},
		{Rule: ruleOf("account/one-workspace"), Begin: free(2, 2), Steps: []Step{
			Find{Over: v1.REST, Fields: both, Want: matched(both), Charge: Charged{Free: both}},
			Status{Over: v1.MCP, Shows: members{"free_allowance.work_emails_remaining": 1, "free_allowance.business_phones_remaining": 1}},
			Find{Over: v1.MCP, Fields: both, Who: someone(1), Want: matched(both), Charge: Charged{Free: both}},
			Status{Over: v1.REST, Shows: members{"free_allowance.work_emails_remaining": 0, "free_allowance.business_phones_remaining": 0}},
		}},
		{Rule: ruleOf("account/follows-usage"), Begin: begin(free(0, 1), balance(4900, 0), budget(1000)), Steps: []Step{
			Find{Fields: both, Want: matched(both), Charge: Charged{Free: phone, Paid: paid(15, 0)}},
			Owner{Does: "spend elsewhere", Do: func(b *sandbox.Ledger) error {
				_, err := b.SpendElsewhere(100 * cost.Cent)
				return err
			}},
			Status{Shows: members{
				"paid_balance.available_cents": 4785, "usage_budget.spent_cents": 115, "usage_budget.remaining_cents": 885,
				"free_allowance.business_phones_remaining": 0,
			}},
		}},
		{Rule: ruleOf("account/no-reservation"), Begin: begin(free(0, 0), balance(0, 15)), Steps: []Step{
			Status{Shows: members{"lookup_readiness.email.can_call": true}},
			Owner{Does: "spend elsewhere", Do: func(b *sandbox.Ledger) error {
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
		{Rule: ruleOf("readiness/free"), Steps: []Step{Status{Shows: ready(true, nil, 0, 0, 0)}}},
		{Rule: ruleOf("readiness/partly-free"), Begin: free(1, 0), Steps: []Step{Status{Shows: ready(true, nil, 0, 25, 25)}}},
		{Rule: ruleOf("readiness/paid"), Begin: free(0, 0), Steps: []Step{Status{Shows: ready(true, nil, 15, 25, 40)}}},
		{Rule: ruleOf("readiness/free-exhausted"), Begin: begin(free(0, 0), plan("payg"), balance(0, 0)), Steps: []Step{
			Status{Shows: ready(false, "free_allowance_exhausted", 15, 25, 40)},
		}},
		{Rule: ruleOf("readiness/credits"), Begin: begin(free(0, 0), balance(14, 0)), Steps: []Step{
			Status{Shows: ready(false, "credits_exhausted", 15, 25, 40)},
		}},
		{Rule: ruleOf("readiness/budget"), Begin: begin(free(0, 0), budget(14)), Steps: []Step{
			Status{Shows: ready(false, "usage_budget_reached", 15, 25, 40)},
		}},
		{Rule: ruleOf("readiness/one-kind"), Begin: begin(free(0, 0), balance(0, 20)), Steps: []Step{
			Status{Shows: members{
				"lookup_readiness.email.can_call": true, "lookup_readiness.phone.can_call": false, "lookup_readiness.both.can_call": false,
				"lookup_readiness.phone.reason": "credits_exhausted",
			}},
		}},
		{Rule: ruleOf("readiness/no-price"), Steps: []Step{
			withoutPhonePrice(),
			Status{Shows: members{
				"operations.business_phone_lookup.available_on_plan": false, "operations.work_email_lookup.available_on_plan": true,
				"lookup_readiness.phone.can_call": false, "lookup_readiness.phone.reason": "operation_pricing_unavailable",
				"lookup_readiness.phone.maximum_paid_charge_cents": nil, "lookup_readiness.email.can_call": true,
			}},
		}},
		{Rule: ruleOf("readiness/inactive"), Steps: []Step{
			state(sandbox.Inactive),
			Status{Shows: ready(false, "workspace_inactive", 0, 0, 0)},
		}},
		{Rule: ruleOf("readiness/attempts"), Begin: func(c *sandbox.Config) { c.AttemptLimit = 1 }, Steps: []Step{
			Find{Want: matched(email), Charge: Charged{Free: email}},
			Status{Shows: ready(false, "attempt_limit_reached", 0, 0, 0)},
		}},
	}
}

func state(s sandbox.State) Step {
	return Owner{Does: "make the workspace " + string(s), Do: func(b *sandbox.Ledger) error { return b.SetState(s) }}
}

func withoutPhonePrice() Step {
	return Owner{Does: "take the phone's price away", Do: func(b *sandbox.Ledger) error { return b.SetPrice(v1.BusinessPhone, nil) }}
}

// keyCasesV1 hold the key and the workspace that it opens.
func keyCasesV1() []Case {
	unauthorized := Status{Refused: "invalid_api_key", HTTP: 401}
	as := func(key string) Status {
		status := unauthorized
		status.As = key
		return status
	}
	return []Case{
		{Rule: ruleOf("key/valid"), Steps: []Step{
			KeyMade{Name: "agent"},
			Status{As: "agent", Shows: members{"key_valid": true}},
			Find{As: "agent", Want: matched(email), Charge: Charged{Free: email}},
		}},
		{Rule: ruleOf("key/invalid"), Steps: []Step{
			as(unknownKey),
			Find{As: unknownKey, Want: refusal(sandbox.InvalidAPIKey)},
		}},
		{Rule: ruleOf("key/revoked"), Steps: []Step{
			KeyMade{Name: "agent"},
			Find{As: "agent", Want: matched(email), Charge: Charged{Free: email}},
			KeyEnded{Name: "agent"},
			as("agent"),
			Find{As: "agent", Who: someone(1), Want: refusal(sandbox.InvalidAPIKey)},
			Find{Who: someone(2), Want: matched(email), Charge: Charged{Free: email}},
		}},
		{Rule: ruleOf("key/expired"), Steps: []Step{
			KeyMade{Name: "agent"},
			KeyEnded{Name: "agent", Expires: time.Hour},
			Pass(time.Hour - time.Second),
			Find{As: "agent", Want: matched(email), Charge: Charged{Free: email}},
			Pass(time.Second),
			as("agent"),
			Find{As: "agent", Who: someone(1), Want: refusal(sandbox.InvalidAPIKey)},
		}},
		{Rule: ruleOf("key/legacy"), Steps: []Step{
			KeyMade{Name: "legacy", Key: sandbox.NewKey{Legacy: true}},
			Status{As: "legacy", Shows: members{"key_valid": true, "free_allowance": absent{}, "paid_balance": absent{}, "usage_budget": absent{}, "lookup_readiness": absent{}}},
		}},
		{Rule: ruleOf("key/shown-once"), Steps: []Step{
			Owner{Does: "look for a key's value", Do: valueIsGone},
		}},
		{Rule: ruleOf("workspace/inactive"), Steps: []Step{
			state(sandbox.Inactive),
			Find{Want: refusal(sandbox.WorkspaceInactive)},
			state(sandbox.Active),
			Find{Want: matched(email), Charge: Charged{Free: email}},
		}},
		{Rule: ruleOf("workspace/restricted"), Steps: []Step{
			state(sandbox.Restricted),
			Status{Refused: "access_restricted", HTTP: 403},
			Find{Want: refusal(sandbox.AccessRestricted)},
		}},
	}
}

// valueIsGone returns an error when the keys of a workspace tell the value of one.
func valueIsGone(b *sandbox.Ledger) error {
	_, value, err := b.CreateKey(sandbox.NewKey{Name: "agent"})
	if err != nil {
		return err
	}
	shown, err := json.Marshal(b.Keys())
	if err == nil && (value == "" || strings.Contains(string(shown), value)) {
		err = errors.New("the value is shown again")
	}
	return err
}
