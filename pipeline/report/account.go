package report

import (
	"maps"
	"slices"
	"time"

	"payonce/cost"
	"payonce/enrich"
)

// Account is the account status as it is shown; null is unknown.
type Account struct {
	KeyValid  *bool                `json:"key_valid"`
	Free      Values[*int64]       `json:"free_allowance"`
	Available *cost.Money          `json:"available_usd"`
	Included  *cost.Money          `json:"included_usd"`
	Prepaid   *cost.Money          `json:"prepaid_usd"`
	Reserved  *cost.Money          `json:"reserved_usd"`
	Budget    UsageBudget          `json:"usage_budget"`
	Readiness map[string]Readiness `json:"readiness"`
	// Second is the account of the second interface, where the workspace has one.
	Second *UnitAccount `json:"v2,omitempty"`
	// Others are the accounts of further interfaces.
	Others []OtherAccount `json:"others,omitempty"`
	// Counted is the time whose emails and phones are counted.
	Counted TimeSpan `json:"-"`
}

// TimeSpan is a time from its beginning up to its end, which does not belong to it. An end that is zero is open.
type TimeSpan struct{ From, To time.Time }

// Within returns the span with the month of now as its beginning, and now as its end, where it has none.
func (s TimeSpan) Within(now time.Time) TimeSpan {
	now = now.UTC()
	if s.To.IsZero() {
		s.To = now
	}
	if s.From.IsZero() {
		s.From = time.Date(s.To.Year(), s.To.Month(), 1, 0, 0, 0, 0, time.UTC)
	}
	return s
}

// OtherAccount is what an interface shows of its account.
type OtherAccount struct {
	Interface string       `json:"interface"`
	KeyValid  *bool        `json:"key_valid"`
	Units     []UnitsShown `json:"units"`
}

// UnitsShown are the units of a meter; null is unknown.
type UnitsShown struct {
	Meter string `json:"meter"`
	Used  *int64 `json:"used"`
	Left  *int64 `json:"left"`
}

// OtherAccountOf shows the status of an account of an interface that counts units.
func OtherAccountOf(c enrich.Catalogue, t cost.Tariff, a cost.Account) OtherAccount {
	view := OtherAccount{Interface: c.Interface, KeyValid: Known(a.KeyValid), Units: []UnitsShown{}}
	for m, info := range t.Meters {
		if m != int(cost.USD) {
			view.Units = append(view.Units, UnitsShown{Meter: info.Name, Used: Known(a.Used[m]), Left: Known(a.Left[m])})
		}
	}
	return view
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

// AccountOf shows the status of an account of an interface that takes money.
func AccountOf(c enrich.Catalogue, a cost.Account) *Account {
	view := &Account{
		KeyValid: Known(a.KeyValid), Free: Values[*int64]{}, Readiness: map[string]Readiness{},
		Available: Known(a.Balance.Available), Included: Known(a.Balance.Included),
		Prepaid: Known(a.Balance.Prepaid), Reserved: Known(a.Balance.Reserved),
	}
	for f := range c.All().Each() {
		view.Free = append(view.Free, Value[*int64]{Name: c.Name(f), Value: Known(a.Free[f])})
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
		view.Readiness[kindOf(c, name)] = Readiness{CanCall: Known(r.CanCall), Reason: r.Reason, Maximum: Known(r.MaximumCharge)}
	}
	return view
}

// kindOf names the lookups of an operation by the fields that they return.
func kindOf(c enrich.Catalogue, operation string) string {
	for fields, name := range c.Operations {
		switch {
		case name != operation:
		case len(c.WordsOf(fields)) == 2:
			return "both"
		default:
			return c.Words(fields)
		}
	}
	return operation
}

func (v *Account) Render(p *Page) {
	if v.Readiness != nil { // else the workspace has the second interface alone
		v.renderFirst(p)
	}
	v.unitLines(func(name, text string) { p.Prosef(name, "%s", text) })
}

// unitLines calls add with the name and the text of each line about an account that counts units.
func (v *Account) unitLines(add func(name, text string)) {
	if v.Second != nil {
		v.Second.Lines(add)
	}
	for _, other := range v.Others {
		for _, units := range other.Units {
			add(other.Interface+" "+units.Meter, Textf("%s used, %s left", moduleNumber(units.Used), moduleNumber(units.Left)))
		}
	}
}

// renderFirst shows the account of the first interface.
func (v *Account) renderFirst(p *Page) {
	p.Entryf("key", "%s", map[bool]string{true: "valid", false: "not known to be valid"}[v.KeyValid != nil && *v.KeyValid])
	for _, one := range v.Free {
		if one.Value != nil {
			p.Entryf("free "+one.Name, "%d left", *one.Value)
		} else {
			p.Entryf("free "+one.Name, "unknown")
		}
	}
	p.Entryf("balance", "%s available (%s included, %s prepaid), %s reserved",
		Dollars(v.Available), Dollars(v.Included), Dollars(v.Prepaid), Dollars(v.Reserved))
	switch {
	case v.Budget.Capped == nil:
		p.Entryf("usage budget", "unknown")
	case !*v.Budget.Capped:
		p.Entryf("usage budget", "no cap")
	default:
		p.Entryf("usage budget", "%s remaining of %s; resets at %s", Dollars(v.Budget.Remaining), Dollars(v.Budget.Cap), v.Budget.ResetsAt)
	}
	for _, kind := range slices.Sorted(maps.Keys(v.Readiness)) {
		r := v.Readiness[kind]
		switch {
		case r.CanCall == nil:
			p.Entryf("lookup "+kind, "unknown")
		case *r.CanCall:
			p.Entryf("lookup "+kind, "ready, costs at most %s", Dollars(r.Maximum))
		default:
			p.Entryf("lookup "+kind, "not ready: %s", r.Reason)
		}
	}
}
