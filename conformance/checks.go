package conformance

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"

	"payonce/cost"
	"payonce/enrich"
	"payonce/sandbox/books"
	"payonce/service/v1"
	"payonce/service/v1/v1fields"
)

// freeChecks returns what can be tried without spending.
func freeChecks() []check {
	return slices.Concat(statusChecks(), moneyChecks(), publishedChecks())
}

func statusChecks() []check {
	return []check{
		{Rule{"live/status", "GET /account/status", "the status is read with the key, and says that it is valid"}, func(e *evidence) view {
			if e.status != nil {
				return differs("%s", e.status)
			}
			return holds(e.first.Account.KeyValid == cost.Known(true), "key_valid: %s", shown(e.first.Account.KeyValid))
		}},
		{Rule{"live/status-names", "Assumptions", "the status has every member that is assumed"}, func(e *evidence) view {
			if e.status != nil {
				return untested("there is no status")
			}
			return namesView(e.first.Members)
		}},
		{Rule{"live/status-free", "GET /account/status", "reading the status costs nothing"}, func(e *evidence) view {
			if e.status != nil || e.again != nil {
				return untested("the status could not be read twice")
			}
			lost := moved(e.first.Account, e.second.Account)
			return holds(lost == movement{}, "between two readings the account lost %s", lost)
		}},
		{Rule{"live/invalid-key", "Authentication", "a key of nobody is refused with 401"}, func(e *evidence) view {
			refused, ok := refusedStatus(e.stranger)
			if e.stranger != nil && !ok {
				return untested("%s", e.stranger)
			}
			return holds(ok && refused.HTTPStatus == 401, "%s", answerTo(e.stranger))
		}},
		{Rule{"live/invalid-key-code", "Assumptions", "the code of that refusal is invalid_api_key"}, func(e *evidence) view {
			refused, ok := refusedStatus(e.stranger)
			if !ok {
				return untested("the key was not refused")
			}
			return holds(refused.Code == string(books.InvalidAPIKey), "%s", refused.Code)
		}},
		{Rule{"live/one-workspace", "What the service does", "REST and MCP show one account"}, func(e *evidence) view {
			if e.again != nil || e.otherErr != nil {
				return untested("the status was not read over both: %s", errors.Join(e.again, e.otherErr))
			}
			lost := moved(e.second.Account, e.other.Account)
			return holds(lost == movement{}, "from one to the other the account lost %s", lost)
		}},
		{Rule{"live/input-conditions", accountStatus, "an input_condition is a JSON Schema that can be applied"}, func(e *evidence) view {
			for _, condition := range e.first.Conditions {
				if condition.Err != nil {
					return differs("%s: %s", condition.Operation, condition.Err)
				}
			}
			if len(e.first.Conditions) == 0 {
				return untested("the account has none")
			}
			return agrees("%d conditions", len(e.first.Conditions))
		}},
	}
}

// moneyChecks look at the sums of the status.
func moneyChecks() []check {
	ofAccount := func(look func(e *evidence, a cost.Account) view) func(*evidence) view {
		return func(e *evidence) view {
			if e.status != nil {
				return untested("there is no status")
			}
			return look(e, e.first.Account)
		}
	}
	return []check{
		{Rule{"live/allowance", allowances, "no more than 20 free work emails and 5 free business phones are left"}, ofAccount(allowanceView)},
		{Rule{"live/balance-sum", accountStatus, "the available balance is the included and the prepaid one"}, ofAccount(balanceView)},
		{Rule{"live/budget-sum", accountStatus, "what remains of the budget is the cap less what is spent and reserved"}, ofAccount(budgetView)},
		{Rule{"live/budget-reset", accountStatus, "the budget is reset at a future midnight, by UTC"}, ofAccount(resetView)},
		{Rule{"live/readiness", accountStatus, "what cannot be called has a reason, and a known one; what can be called has none"}, ofAccount(readinessView)},
		{Rule{"live/maximum-free", accountStatus, "the most that a lookup can be charged is nothing while its field is free"}, ofAccount(freeMaximumView)},
		{Rule{"live/maximum-paid", allowances, "the most that a lookup can be charged is the field's rate when the allowance is used up"}, ofAccount(paidMaximumView)},
	}
}

func allowanceView(_ *evidence, a cost.Account) view {
	left := a.Free
	if !left[v1fields.WorkEmail].Known || !left[v1fields.BusinessPhone].Known {
		return untested("the status does not tell the allowance")
	}
	emails, phones := left[v1fields.WorkEmail].Value, left[v1fields.BusinessPhone].Value
	return holds(emails >= 0 && emails <= 20 && phones >= 0 && phones <= 5, "%d and %d are left", emails, phones)
}

func balanceView(_ *evidence, a cost.Account) view {
	b := a.Balance
	if !b.Available.Known || !b.Included.Known || !b.Prepaid.Known {
		return untested("the status does not tell all three")
	}
	return holds(b.Available.Value == b.Included.Value+b.Prepaid.Value, "$%s of $%s and $%s", b.Available.Value, b.Included.Value, b.Prepaid.Value)
}

func budgetView(_ *evidence, a cost.Account) view {
	b := a.Budget
	switch {
	case b.Known && !b.Capped:
		return untested("there is no cap")
	case !b.Cap.Known || !b.Spent.Known || !b.Remaining.Known:
		return untested("the status does not tell cap, spent and remaining")
	}
	left := max(0, b.Cap.Value-b.Spent.Value-b.Reserved.Value)
	return holds(b.Remaining.Value == left, "$%s remain of $%s less $%s and $%s", b.Remaining.Value, b.Cap.Value, b.Spent.Value, b.Reserved.Value)
}

func resetView(e *evidence, a cost.Account) view {
	at := a.Budget.ResetsAt.UTC()
	switch {
	case a.Budget.Known && !a.Budget.Capped:
		return untested("there is no cap")
	case at.IsZero():
		return untested("the status does not tell when")
	}
	return holds(at.Equal(at.Truncate(24*time.Hour)) && at.After(e.Now()), "%s", at.Format(time.RFC3339))
}

func readinessView(_ *evidence, a cost.Account) view {
	var seen []string
	for _, operation := range v1fields.Operations() {
		kind, ready := v1.ReadinessKind(operation), a.Readiness[operation.String()]
		if !ready.CanCall.Known {
			return untested("the status does not tell the readiness of %s", kind)
		}
		known := slices.Contains(books.Codes(), books.Code(ready.Reason))
		if ready.CanCall.Value && ready.Reason != "" || !ready.CanCall.Value && !known {
			return differs("%s: can_call %t, reason %q", kind, ready.CanCall.Value, ready.Reason)
		}
		seen = append(seen, fmt.Sprintf("%s: %t %s", kind, ready.CanCall.Value, ready.Reason))
	}
	return agrees("%s", strings.Join(seen, ", "))
}

func freeMaximumView(_ *evidence, a cost.Account) view {
	tried := 0
	for _, operation := range v1fields.Operations() {
		most := a.Readiness[operation.String()].MaximumCharge
		if !most.Known || !allFree(a, operation.Fields()) {
			continue
		}
		if tried++; most.Value != 0 {
			return differs("$%s for %s", most.Value, v1.ReadinessKind(operation))
		}
	}
	if tried == 0 {
		return untested("no field is free, or the status does not tell")
	}
	return agrees("nothing, for %d kinds of lookups", tried)
}

func allFree(a cost.Account, fields enrich.Fields) bool {
	for f := range fields.Each() {
		if !a.Free[f].Known || a.Free[f].Value <= 0 {
			return false
		}
	}
	return true
}

func paidMaximumView(e *evidence, a cost.Account) view {
	tried := 0
	for _, operation := range v1fields.Operations() {
		kind, most, price := v1.ReadinessKind(operation), a.Readiness[operation.String()].MaximumCharge, cost.Money(0)
		known := most.Known
		for f := range operation.Fields().Each() {
			known = known && a.Free[f] == cost.Known(int64(0))
			price += e.Prices[f]
		}
		if !known {
			continue
		}
		if tried++; most.Value != price {
			return differs("$%s for %s, where the rate card says $%s", most.Value, kind, price)
		}
	}
	if tried == 0 {
		return untested("no field's allowance is used up, or the status does not tell")
	}
	return agrees("the rates, for %d kinds of lookups", tried)
}

// refusedStatus returns the refusal that a status call met.
func refusedStatus(err error) (*v1.StatusError, bool) {
	var refused *v1.StatusError
	return refused, errors.As(err, &refused)
}

func answerTo(err error) string {
	if refused, ok := refusedStatus(err); ok {
		return fmt.Sprintf("HTTP %d %s", refused.HTTPStatus, refused.Code)
	}
	return "the status was shown"
}

// failure is what follows from an error: nothing for the rule when the network is at
// fault.
func failure(err error) view {
	if _, ok := errors.AsType[net.Error](err); ok {
		return untested("%s", err)
	}
	return differs("%s", err)
}

func shown[T any](o cost.Optional[T]) string {
	if !o.Known {
		return "not told"
	}
	return fmt.Sprint(o.Value)
}

// namesView sums up which assumed names a service has.
func namesView(names []v1.Assumption) view {
	var missing []string
	for _, name := range names {
		if !name.Found {
			missing = append(missing, fmt.Sprintf("%s (%s)", name.Name, name.Where))
		}
	}
	if len(missing) > 0 {
		return differs("%d of %d are missing: %s", len(missing), len(names), strings.Join(missing, ", "))
	}
	return agrees("all %d", len(names))
}
