package report

import (
	"maps"
	"slices"
	"time"

	"payonce/cost"
	"payonce/internal/report/modules"
	"payonce/service/v1/v1fields"
)

// Account is the account status as it is shown; null is unknown.
type Account struct {
	KeyValid  *bool                `json:"key_valid"`
	Free      map[string]*int64    `json:"free_allowance"`
	Available *cost.Money          `json:"available_usd"`
	Included  *cost.Money          `json:"included_usd"`
	Prepaid   *cost.Money          `json:"prepaid_usd"`
	Reserved  *cost.Money          `json:"reserved_usd"`
	Budget    UsageBudget          `json:"usage_budget"`
	Readiness map[string]Readiness `json:"readiness"`
	// Second is the account of the second interface, where the workspace has one.
	Second *modules.Account `json:"v2,omitempty"`
}

// UsageBudget is the budget of the account's month.
type UsageBudget struct {
	Capped    *bool       `json:"capped"`
	Cap       *cost.Money `json:"cap_usd"`
	Spent     *cost.Money `json:"spent_usd"`
	Remaining *cost.Money `json:"remaining_usd"`
	ResetsAt  string      `json:"resets_at,omitempty"`
}

// Readiness says whether a kind of lookup can be sent now.
type Readiness struct {
	CanCall *bool       `json:"can_call"`
	Reason  string      `json:"reason,omitempty"`
	Maximum *cost.Money `json:"maximum_charge_usd"`
}

// AccountOf shows an account status.
func AccountOf(a cost.Account) *Account {
	view := &Account{
		KeyValid: Known(a.KeyValid), Free: map[string]*int64{}, Readiness: map[string]Readiness{},
		Available: Known(a.Balance.Available), Included: Known(a.Balance.Included),
		Prepaid: Known(a.Balance.Prepaid), Reserved: Known(a.Balance.Reserved),
	}
	for f := range catalogue().All().Each() {
		view.Free[catalogue().Name(f)] = Known(a.Free[f])
	}
	if a.Budget.Known {
		view.Budget = UsageBudget{
			Capped: &a.Budget.Capped, Cap: Known(a.Budget.Cap),
			Spent: Known(a.Budget.Spent), Remaining: Known(a.Budget.Remaining),
		}
		if !a.Budget.ResetsAt.IsZero() {
			view.Budget.ResetsAt = a.Budget.ResetsAt.UTC().Format(time.RFC3339)
		}
	}
	for name, r := range a.Readiness {
		view.Readiness[kindOf(name)] = Readiness{CanCall: Known(r.CanCall), Reason: r.Reason, Maximum: Known(r.MaximumCharge)}
	}
	return view
}

// kindOf names the lookups of an operation by the fields that they return.
func kindOf(operation string) string {
	switch operation {
	case v1fields.FindWorkEmail.String():
		return "email"
	case v1fields.FindPhone.String():
		return "phone"
	case v1fields.EnrichContact.String():
		return "both"
	}
	return operation
}

func (v *Account) render(p *page) {
	if v.Readiness != nil { // else the workspace has the second interface alone
		v.renderFirst(p)
	}
	if v.Second != nil {
		v.Second.Lines(func(name, text string) { p.prose(name, "%s", text) })
	}
}

// renderFirst shows the account of the first interface.
func (v *Account) renderFirst(p *page) {
	p.entry("key", "%s", map[bool]string{true: "valid", false: "not known to be valid"}[v.KeyValid != nil && *v.KeyValid])
	for f := range catalogue().All().Each() {
		if units := v.Free[catalogue().Name(f)]; units != nil {
			p.entry("free "+catalogue().Name(f), "%d left", *units)
		} else {
			p.entry("free "+catalogue().Name(f), "unknown")
		}
	}
	p.entry("balance", "%s available (%s included, %s prepaid), %s reserved",
		Dollars(v.Available), Dollars(v.Included), Dollars(v.Prepaid), Dollars(v.Reserved))
	switch {
	case v.Budget.Capped == nil:
		p.entry("usage budget", "unknown")
	case !*v.Budget.Capped:
		p.entry("usage budget", "no cap")
	default:
		p.entry("usage budget", "%s remaining of %s; resets at %s", Dollars(v.Budget.Remaining), Dollars(v.Budget.Cap), v.Budget.ResetsAt)
	}
	for _, kind := range slices.Sorted(maps.Keys(v.Readiness)) {
		r := v.Readiness[kind]
		switch {
		case r.CanCall == nil:
			p.entry("lookup "+kind, "unknown")
		case *r.CanCall:
			p.entry("lookup "+kind, "ready, costs at most %s", Dollars(r.Maximum))
		default:
			p.entry("lookup "+kind, "not ready: %s", r.Reason)
		}
	}
}
