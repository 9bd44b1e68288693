package cost

import (
	"slices"
	"time"

	"payonce/enrich"
)

// Optional is a value that the service may have left out. A value that it left out is unknown,
// not zero.
type Optional[T any] struct {
	Value T
	Known bool
}

// Known returns an optional that holds value.
func Known[T any](value T) Optional[T] { return Optional[T]{Value: value, Known: true} }

// Account is a snapshot of the account status (specification v1, "Account
// status"). It is advisory: others may use the workspace too.
type Account struct {
	// ReadAt is when the service made the snapshot, by the service's clock where it tells.
	ReadAt   time.Time
	KeyValid Optional[bool]
	// Free is what is left of the free allowance, in returned fields, net of
	// reservations; FreeReserved is what the service holds for calls under way.
	Free         enrich.ByField[Optional[int64]]
	FreeReserved enrich.ByField[Optional[int64]]
	// Left is what is left of the meters that are neither money nor a free allowance, and
	// Reserved what the service holds of them for calls under way.
	Left     ByMeter[Optional[int64]] `json:",omitzero"`
	Reserved ByMeter[Optional[int64]] `json:",omitzero"`
	// Used is what a period has used of such meters. A new total changes what is left, and not this.
	Used ByMeter[Optional[int64]] `json:",omitzero"`
	// OtherUsed are the counters of modules on which no operation is assumed to count, by the service's names.
	OtherUsed map[string]int64 `json:",omitzero"`
	Balance   Balance
	Budget    Budget
	// Most is the most that a lookup of one field alone may cost now.
	Most enrich.ByField[Optional[Money]] `json:",omitzero"`
	// Readiness and Available are by enrich.Catalogue.Operation. Available says which
	// operations the plan offers.
	Readiness map[string]Readiness
	Available map[string]bool
}

// Balance is the paid balance, net of reservations.
type Balance struct {
	Available, Included, Prepaid, Reserved Optional[Money]
}

// Budget is the workspace's monthly cap on paid usage. Known says whether the
// status spoke of it at all, and Capped whether there is a cap.
type Budget struct {
	Known     bool
	Capped    bool
	Cap       Optional[Money]
	Spent     Optional[Money]
	Reserved  Optional[Money]
	Remaining Optional[Money]
	ResetsAt  time.Time // UTC; zero when not given
}

// Readiness says whether an operation could be called now.
type Readiness struct {
	CanCall       Optional[bool]
	Reason        string // the service's code for a refusal; "" when it allows the operation
	MaximumCharge Optional[Money]
}

// left returns what an account has left of a meter.
func (t Tariff) left(a Account, m Meter) Optional[int64] {
	if m == USD {
		return Optional[int64]{int64(a.Balance.Available.Value), a.Balance.Available.Known}
	}
	if f, found := t.fieldOf(m); found {
		return a.Free[f]
	}
	return a.Left[m]
}

// between returns amounts of a meter in two snapshots whose difference is what was used in between. Counters of
// what was used go before what is left, which a new total changes too.
func (t Tariff) between(base, now Account, m Meter) (before, after Optional[int64]) {
	if then, used := base.Used[m], now.Used[m]; then.Known && used.Known {
		return Known(-then.Value), Known(-used.Value)
	}
	return t.left(base, m), t.left(now, m)
}

// reservationsKnown reports whether an account shows how much money, and how much of every free allowance,
// is reserved for calls under way.
func (t Tariff) reservationsKnown(a Account) bool {
	for m := range t.Shown().Each() {
		known := true
		if f, found := t.fieldOf(m); found {
			known = a.FreeReserved[f].Known
		}
		if m == USD {
			known = a.Balance.Reserved.Known || a.Budget.Reserved.Known
		}
		if !known {
			return false
		}
	}
	return true
}

// Gained reports whether a snapshot shows credit that an earlier one did not have. What
// the service reserves counts as credit, because it may give it back.
func (a Account) Gained(earlier Account) bool {
	return grew(earlier.credit(), a.credit())
}

// credit returns the balance with what is reserved of it.
func (a Account) credit() Optional[Money] {
	reserved := a.Balance.Reserved
	if !reserved.Known {
		reserved = a.Budget.Reserved
	}
	return Optional[Money]{a.Balance.Available.Value + reserved.Value, a.Balance.Available.Known && reserved.Known}
}

// Idle reports whether the service holds nothing for calls under way, as far as
// the status tells.
func (a Account) Idle() bool {
	for _, reserved := range slices.Concat(a.FreeReserved[:], a.Reserved[:]) {
		if reserved.Value != 0 {
			return false
		}
	}
	return a.Balance.Reserved.Value == 0 && a.Budget.Reserved.Value == 0
}

// The names of the ceilings that the account itself sets.
const (
	AccountBalance = "account balance"
	UsageBudget    = "usage budget" // monthly
)

// Ceilings returns the ceilings that an account itself sets, by its snapshot. A value that the
// snapshot leaves out sets no ceiling. Only the service's refusal then shows the limit. A free
// allowance sets none: when it is used up, money pays.
func (t Tariff) Ceilings(a Account, scope string) []Ceiling {
	ceilings := a.Ceilings(scope)
	for m, info := range t.Meters {
		if left := a.Left[m]; left.Known {
			ceilings = append(ceilings, Ceiling{Name: info.Name, Scope: scope, Meter: Meter(m), Limit: left.Value})
		}
	}
	return ceilings
}

// Ceilings returns the ceilings on money that the account itself sets.
func (a Account) Ceilings(scope string) []Ceiling {
	var ceilings []Ceiling
	if a.Balance.Available.Known {
		ceilings = append(ceilings, SpendCeiling(AccountBalance, scope, a.Balance.Available.Value))
	}
	if a.Budget.Capped && a.Budget.Remaining.Known {
		ceilings = append(ceilings, SpendCeiling(UsageBudget, scope, a.Budget.Remaining.Value))
	}
	return ceilings
}

// FreeLeft returns the free allowance of the snapshot; what it does not tell
// counts as used up.
func (a Account) FreeLeft() Allowances {
	var left Allowances
	for f, units := range a.Free {
		left[f] = units.Value
	}
	return left
}
