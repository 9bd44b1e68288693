package sandbox

import (
	"encoding/json"
	"time"

	"payonce/cost"
	"payonce/enrich"
	"payonce/io/service/v1"
)

// AccountStatus is the account status (specification v1, "Account status"). What is left
// is net of reservations and rounded down to whole cents; what is spent, reserved
// or to be charged is rounded up. A key without a workspace is shown nothing of it.
type AccountStatus struct {
	KeyValid bool `json:"key_valid"`
	*workspaceStatus
	Operations map[string]operation `json:"operations"`
}

// workspaceStatus is the part of the status that needs a workspace.
type workspaceStatus struct {
	FreeAllowance   freeAllowance        `json:"free_allowance"`
	PaidBalance     paidBalance          `json:"paid_balance"`
	UsageBudget     *usageBudget         `json:"usage_budget"`
	LookupReadiness map[string]readiness `json:"lookup_readiness"`
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
	AvailableOnPlan bool            `json:"available_on_plan"`
	InputCondition  json.RawMessage `json:"input_condition,omitempty"`
}

func centsDown(m cost.Money) int64 { return int64(m / cost.Cent) }
func centsUp(m cost.Money) int64   { return int64((m + cost.Cent - 1) / cost.Cent) }

// Status returns the account as a key gets to see it now, or why it does not. It
// reserves nothing.
func (l *Ledger) Status(id string) (AccountStatus, ErrorCode) {
	now := l.lock()
	defer l.mu.Unlock()
	code := l.closed(id, now)
	if code == InvalidAPIKey || code == AccessRestricted {
		return AccountStatus{}, code
	}
	status := AccountStatus{KeyValid: true, Operations: map[string]operation{}}
	for _, o := range v1.Operations() {
		status.Operations[o.ResultName()] = operation{l.account.sells(o.Fields()), l.conditions[o]}
	}
	if key, err := l.ring.find(id); err == nil && !key.Legacy {
		status.workspaceStatus = l.workspaceStatus(code, now)
	}
	return status, ""
}

func (l *Ledger) workspaceStatus(code ErrorCode, now time.Time) *workspaceStatus {
	a := &l.account
	return &workspaceStatus{
		FreeAllowance: a.freeAllowance(),
		PaidBalance:   a.paidBalance(),
		UsageBudget:   a.usageBudget(now),
		LookupReadiness: map[string]readiness{
			"email": l.readiness(enrich.FieldsOf(v1.WorkEmail), code, now),
			"phone": l.readiness(enrich.FieldsOf(v1.BusinessPhone), code, now),
			"both":  l.readiness(v1.AllFields, code, now),
		},
	}
}

func (a *account) freeAllowance() freeAllowance {
	return freeAllowance{
		WorkEmailsRemaining:     a.free[v1.WorkEmail] - a.heldFree[v1.WorkEmail],
		BusinessPhonesRemaining: a.free[v1.BusinessPhone] - a.heldFree[v1.BusinessPhone],
		WorkEmailsReserved:      a.heldFree[v1.WorkEmail],
		BusinessPhonesReserved:  a.heldFree[v1.BusinessPhone],
	}
}

func (a *account) paidBalance() paidBalance {
	return paidBalance{
		AvailableCents: centsDown(a.left.total()),
		IncludedCents:  centsDown(a.left.included),
		PrepaidCents:   centsDown(a.left.prepaid),
		ReservedCents:  centsUp(a.reserved),
	}
}

func (a *account) usageBudget(now time.Time) *usageBudget {
	if a.budget.limit == nil {
		return nil
	}
	return &usageBudget{
		CapCents:       centsDown(*a.budget.limit),
		SpentCents:     centsUp(a.budget.spent[monthOf(now)]),
		ReservedCents:  centsUp(a.reserved),
		RemainingCents: centsDown(a.remaining(now)),
		ResetsAt:       monthOf(now).end(),
	}
}

// sells reports whether all of the fields have a price.
func (a *account) sells(fields enrich.Fields) bool {
	_, err := a.prices.Total(fields)
	return err == nil
}

// readiness says what a lookup of the fields would meet now, or the code of a
// workspace that is closed. The rolling window is not part of it: it passes by
// itself.
func (l *Ledger) readiness(fields enrich.Fields, closed ErrorCode, now time.Time) readiness {
	hold, code := l.account.quote(fields, now)
	r := readiness{}
	if code != PricingUnavailable {
		maximum := centsUp(hold.Money())
		r.MaximumPaidChargeCents = &maximum
	}
	switch {
	case closed != "":
		code = closed
	case code == "" && l.attemptsUsedUp(now):
		code = AttemptLimitReached
	}
	if code != "" {
		r.Reason = &code
	}
	r.CanCall = code == ""
	return r
}
