package sandbox

import (
	"time"

	"payonce/cost"
	"payonce/enrich"
)

// status is the account status (specification v1, "Account status"). What is left
// is net of reservations and rounded down to whole cents; what is spent, reserved
// or to be charged is rounded up.
type status struct {
	KeyValid        bool                 `json:"key_valid"`
	FreeAllowance   freeAllowance        `json:"free_allowance"`
	PaidBalance     paidBalance          `json:"paid_balance"`
	UsageBudget     *usageBudget         `json:"usage_budget"`
	LookupReadiness map[string]readiness `json:"lookup_readiness"`
	Operations      map[string]operation `json:"operations"`
}

type freeAllowance struct {
	WorkEmailsRemaining     int64 `json:"work_emails_remaining"`
	BusinessPhonesRemaining int64 `json:"business_phones_remaining"`
	WorkEmailsReserved      int64 `json:"work_emails_reserved"`
	BusinessPhonesReserved  int64 `json:"business_phones_reserved"`
}

type paidBalance struct {
	AvailableCents int64 `json:"available_cents"`
	IncludedCents  int64 `json:"included_cents"`
	PrepaidCents   int64 `json:"prepaid_cents"`
	ReservedCents  int64 `json:"reserved_cents"`
}

type usageBudget struct {
	CapCents       int64     `json:"cap_cents"`
	SpentCents     int64     `json:"spent_cents"`
	ReservedCents  int64     `json:"reserved_cents"`
	RemainingCents int64     `json:"remaining_cents"`
	ResetsAt       time.Time `json:"resets_at"`
}

type readiness struct {
	CanCall                bool       `json:"can_call"`
	Reason                 *ErrorCode `json:"reason"`
	MaximumPaidChargeCents *int64     `json:"maximum_paid_charge_cents"` // null without a price
}

type operation struct {
	AvailableOnPlan bool `json:"available_on_plan"`
}

func centsDown(m cost.Money) int64 { return int64(m / cost.Cent) }
func centsUp(m cost.Money) int64   { return int64((m + cost.Cent - 1) / cost.Cent) }

// status returns the account as it is now. It reserves nothing.
func (b *books) status() status {
	b.mu.Lock()
	defer b.mu.Unlock()
	now, a := b.now(), &b.account
	return status{
		KeyValid:      true,
		FreeAllowance: a.freeAllowance(),
		PaidBalance:   a.paidBalance(),
		UsageBudget:   a.usageBudget(now),
		LookupReadiness: map[string]readiness{
			"email": b.readiness(enrich.FieldsOf(enrich.WorkEmail), now),
			"phone": b.readiness(enrich.FieldsOf(enrich.BusinessPhone), now),
			"both":  b.readiness(enrich.AllFields, now),
		},
		Operations: map[string]operation{
			operationName(enrich.FindWorkEmail): {a.sells(enrich.FieldsOf(enrich.WorkEmail))},
			operationName(enrich.FindPhone):     {a.sells(enrich.FieldsOf(enrich.BusinessPhone))},
			operationName(enrich.EnrichContact): {a.sells(enrich.AllFields)},
		},
	}
}

func (a *account) freeAllowance() freeAllowance {
	return freeAllowance{
		WorkEmailsRemaining:     a.left.free[enrich.WorkEmail] - a.heldFree[enrich.WorkEmail],
		BusinessPhonesRemaining: a.left.free[enrich.BusinessPhone] - a.heldFree[enrich.BusinessPhone],
		WorkEmailsReserved:      a.heldFree[enrich.WorkEmail],
		BusinessPhonesReserved:  a.heldFree[enrich.BusinessPhone],
	}
}

func (a *account) paidBalance() paidBalance {
	included := a.includedAvailable()
	return paidBalance{
		AvailableCents: centsDown(a.available()),
		IncludedCents:  centsDown(included),
		PrepaidCents:   centsDown(a.available() - included),
		ReservedCents:  centsUp(a.held),
	}
}

func (a *account) usageBudget(now time.Time) *usageBudget {
	if !a.budget.capped {
		return nil
	}
	return &usageBudget{
		CapCents:       centsDown(a.budget.limit),
		SpentCents:     centsUp(a.budget.spent[monthOf(now)]),
		ReservedCents:  centsUp(a.held),
		RemainingCents: centsDown(a.remaining(now)),
		ResetsAt:       monthOf(now).end(),
	}
}

// sells reports whether all of the fields have a price.
func (a *account) sells(fields enrich.Fields) bool {
	_, err := a.prices.Total(fields)
	return err == nil
}

// readiness says what a lookup of the fields would meet now. The rolling window
// is not part of it: it passes by itself.
func (b *books) readiness(fields enrich.Fields, now time.Time) readiness {
	hold, code := b.account.quote(fields, now)
	if code == "" && b.attemptsUsedUp(now) {
		code = AttemptLimitReached
	}
	r := readiness{CanCall: code == ""}
	if code != "" {
		r.Reason = &code
	}
	if code != PricingUnavailable {
		maximum := centsUp(hold.Amount())
		r.MaximumPaidChargeCents = &maximum
	}
	return r
}
