package v1

import (
	"payonce/cost"
	"payonce/enrich"
)

// decodeAccount reads an account status (specification v1, "Account status"). The
// specification leaves the names of most members open, so what is not there, or
// is not what it should be, is unknown and never zero.
func (s settings) decodeAccount(status object) cost.Account {
	free, _ := status.object("free_allowance")
	available := decodeAvailable(status)
	account := cost.Account{
		KeyValid:  status.boolean("key_valid"),
		Balance:   decodeBalance(status),
		Budget:    decodeBudget(status),
		Readiness: s.decodeReadiness(status, available),
		Available: available,
	}
	account.Free[enrich.WorkEmail] = free.integer("work_emails_remaining")
	account.Free[enrich.BusinessPhone] = free.integer("business_phones_remaining")
	account.FreeReserved[enrich.WorkEmail] = free.integer("work_emails_reserved")
	account.FreeReserved[enrich.BusinessPhone] = free.integer("business_phones_reserved")
	return account
}

func decodeBalance(status object) cost.Balance {
	paid, _ := status.object("paid_balance")
	balance := cost.Balance{
		Available: paid.cents("available_cents"),
		Included:  paid.cents("included_cents"),
		Prepaid:   paid.cents("prepaid_cents"),
		Reserved:  paid.cents("reserved_cents"),
	}
	if !balance.Available.Known && balance.Included.Known && balance.Prepaid.Known {
		balance.Available = cost.Known(balance.Included.Value + balance.Prepaid.Value)
	}
	return balance
}

func decodeBudget(status object) cost.Budget {
	if status.isNull("usage_budget") {
		return cost.Budget{Known: true}
	}
	usage, ok := status.object("usage_budget")
	return cost.Budget{
		Known:     ok,
		Capped:    ok,
		Cap:       usage.cents("cap_cents"),
		Spent:     usage.cents("spent_cents"),
		Reserved:  usage.cents("reserved_cents"),
		Remaining: usage.cents("remaining_cents"),
		ResetsAt:  usage.time("resets_at"),
	}
}

// CodePricingUnavailable is the service's code for an operation without a price; adding
// credit cannot enable it (specification v1, "Errors").
const CodePricingUnavailable = "operation_pricing_unavailable"

// ReadinessKind returns the name that the account status gives to an operation when it
// speaks of its readiness.
func ReadinessKind(operation enrich.Operation) string {
	switch operation {
	case enrich.FindWorkEmail:
		return "email"
	case enrich.FindPhone:
		return "phone"
	default:
		return "both"
	}
}

// byOperation returns what a status says by the service's names of operations, by those
// of enrich.Operation. Other names stay as they are.
func byOperation[T any](named map[string]T, nameOf func(enrich.Operation) string) map[string]T {
	for _, operation := range enrich.Operations() {
		if value, found := named[nameOf(operation)]; found {
			delete(named, nameOf(operation))
			named[operation.String()] = value
		}
	}
	return named
}

// decodeReadiness reads the readiness of the operations. One that the plan does not offer
// has no price.
func (s settings) decodeReadiness(status object, available map[string]bool) map[string]cost.Readiness {
	kinds, _ := status.object("lookup_readiness")
	readiness := make(map[string]cost.Readiness, len(kinds))
	for kind := range kinds {
		if ready, ok := kinds.object(kind); ok {
			readiness[kind] = cost.Readiness{
				CanCall:       ready.boolean("can_call"),
				Reason:        s.plain(ready.text("reason"), maxMessage),
				MaximumCharge: ready.cents("maximum_paid_charge_cents"),
			}
		}
	}
	readiness = byOperation(readiness, ReadinessKind)
	for _, operation := range enrich.Operations() {
		name := operation.String()
		if offered, told := available[name]; told && !offered {
			ready := readiness[name]
			ready.Reason = CodePricingUnavailable
			readiness[name] = ready
		}
	}
	return readiness
}

// WantsMoney reports whether a code of the service refuses only lookups that are not free
// (specification v1, "Errors").
func WantsMoney(code string) bool {
	switch code {
	case "free_allowance_exhausted", "credits_exhausted", "usage_budget_reached":
		return true
	}
	return false
}

func decodeAvailable(status object) map[string]bool {
	operations, _ := status.object("operations")
	available := make(map[string]bool, len(operations))
	for name := range operations {
		operation, _ := operations.object(name)
		if onPlan := operation.boolean("available_on_plan"); onPlan.Known {
			available[name] = onPlan.Value
		}
	}
	return byOperation(available, enrich.Operation.ResultName)
}
