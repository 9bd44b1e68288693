package v1

import (
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/service"
)

// decodeAccount reads an account status (specification v1, "Account status"). The
// specification leaves the names of most members open, so what is not there, or
// is not what it should be, is unknown and never zero.
func (s settings) decodeAccount(status service.Object) cost.Account {
	free, _ := status.Object("free_allowance")
	available := decodeAvailable(status)
	account := cost.Account{
		KeyValid:  status.Bool("key_valid"),
		Balance:   decodeBalance(status),
		Budget:    decodeBudget(status),
		Readiness: s.decodeReadiness(status, available),
		Available: available,
	}
	for f := range account.Most {
		account.Most[f] = account.Readiness[Catalogue().Operation(enrich.FieldsOf(enrich.Field(f)))].MaximumCharge
	}
	account.Free[WorkEmail] = free.Integer("work_emails_remaining")
	account.Free[BusinessPhone] = free.Integer("business_phones_remaining")
	account.FreeReserved[WorkEmail] = free.Integer("work_emails_reserved")
	account.FreeReserved[BusinessPhone] = free.Integer("business_phones_reserved")
	return account
}

func decodeBalance(status service.Object) cost.Balance {
	paid, _ := status.Object("paid_balance")
	balance := cost.Balance{
		Available: paid.Cents("available_cents"),
		Included:  paid.Cents("included_cents"),
		Prepaid:   paid.Cents("prepaid_cents"),
		Reserved:  paid.Cents("reserved_cents"),
	}
	if !balance.Available.Known && balance.Included.Known && balance.Prepaid.Known {
		balance.Available = cost.Known(balance.Included.Value + balance.Prepaid.Value)
	}
	return balance
}

func decodeBudget(status service.Object) cost.Budget {
	if status.IsNull("usage_budget") {
		return cost.Budget{Known: true}
	}
	usage, ok := status.Object("usage_budget")
	return cost.Budget{
		Known:     ok,
		Capped:    ok,
		Cap:       usage.Cents("cap_cents"),
		Spent:     usage.Cents("spent_cents"),
		Reserved:  usage.Cents("reserved_cents"),
		Remaining: usage.Cents("remaining_cents"),
		ResetsAt:  usage.Time("resets_at"),
	}
}

// CodePricingUnavailable is the service's code for an operation without a price; adding
// credit cannot enable it (specification v1, "Errors").
const CodePricingUnavailable = "operation_pricing_unavailable"

// CodeBudgetReached is the service's code for a lookup that the monthly budget does not cover.
const CodeBudgetReached = "usage_budget_reached"

// ReadinessKind returns the name that the account status gives to an operation when it
// speaks of its readiness.
func ReadinessKind(operation Operation) string {
	switch operation {
	case FindWorkEmail:
		return "email"
	case FindPhone:
		return "phone"
	default:
		return "both"
	}
}

// byOperation returns what a status says by the service's names of operations, by those
// of Operation. Other names stay as they are.
func byOperation[T any](named map[string]T, nameOf func(Operation) string) map[string]T {
	for _, operation := range Operations() {
		if value, found := named[nameOf(operation)]; found {
			delete(named, nameOf(operation))
			named[operation.String()] = value
		}
	}
	return named
}

// decodeReadiness reads the readiness of the operations. One that the plan does not offer
// has no price.
func (s settings) decodeReadiness(status service.Object, available map[string]bool) map[string]cost.Readiness {
	kinds, _ := status.Object("lookup_readiness")
	readiness := make(map[string]cost.Readiness, len(kinds))
	for kind := range kinds {
		if ready, ok := kinds.Object(kind); ok {
			readiness[kind] = cost.Readiness{
				CanCall:       ready.Bool("can_call"),
				Reason:        s.Plain(ready.Text("reason"), maxMessage),
				MaximumCharge: ready.Cents("maximum_paid_charge_cents"),
			}
		}
	}
	readiness = byOperation(readiness, ReadinessKind)
	for _, operation := range Operations() {
		name := operation.String()
		if offered, shown := available[name]; shown && !offered {
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
	case "free_allowance_exhausted", "credits_exhausted", CodeBudgetReached:
		return true
	}
	return false
}

func decodeAvailable(status service.Object) map[string]bool {
	operations, _ := status.Object("operations")
	available := make(map[string]bool, len(operations))
	for name := range operations {
		operation, _ := operations.Object(name)
		if onPlan := operation.Bool("available_on_plan"); onPlan.Known {
			available[name] = onPlan.Value
		}
	}
	return byOperation(available, Operation.ResultName)
}
