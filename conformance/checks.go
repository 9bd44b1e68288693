package conformance

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"

	"payonce/conformance/rules"
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
		{rules.New("live/status", "GET /account/status", "the status is read with the key, and says that it is valid"), func(e *evidence) rules.View {
			if e.status != nil {
				return rules.Differ("%s", e.status)
			}
			return rules.Holds(e.first.Account.KeyValid == cost.Known(true), "key_valid: %s", shown(e.first.Account.KeyValid))
		}},
		{rules.New("live/status-names", "Assumptions", "the status has every member that is assumed"), func(e *evidence) rules.View {
			if e.status != nil {
				return rules.Untested("there is no status")
			}
			return namesView(e.first.Members)
		}},
		{rules.New("live/status-free", "GET /account/status", "reading the status costs nothing"), func(e *evidence) rules.View {
			if e.status != nil || e.again != nil {
				return rules.Untested("the status could not be read twice")
			}
			lost := moved(e.first.Account, e.second.Account)
			return rules.Holds(lost == movement{}, "between two readings the account lost %s", lost)
		}},
		{rules.New("live/invalid-key", "Authentication", "an invalid key is refused with 401"), func(e *evidence) rules.View {
			refused, ok := refusedStatus(e.unknownKey)
			if e.unknownKey != nil && !ok {
				return rules.Untested("%s", e.unknownKey)
			}
			return rules.Holds(ok && refused.HTTPStatus == 401, "%s", answerTo(e.unknownKey))
		}},
		{rules.New("live/invalid-key-code", "Assumptions", "the code of that refusal is invalid_api_key"), func(e *evidence) rules.View {
			refused, ok := refusedStatus(e.unknownKey)
			if !ok {
				return rules.Untested("the key was not refused")
			}
			return rules.Holds(refused.Code == string(books.InvalidAPIKey), "%s", refused.Code)
		}},
		{rules.New("live/one-workspace", "What the service does", "REST and MCP show one account"), func(e *evidence) rules.View {
			if e.again != nil || e.otherErr != nil {
				return rules.Untested("the status was not read over both: %s", errors.Join(e.again, e.otherErr))
			}
			lost := moved(e.second.Account, e.other.Account)
			return rules.Holds(lost == movement{}, "from one to the other the account lost %s", lost)
		}},
		{rules.New("live/input-conditions", accountStatus, "an input_condition is a JSON Schema that can be applied"), func(e *evidence) rules.View {
			for _, condition := range e.first.Conditions {
				if condition.Err != nil {
					return rules.Differ("%s: %s", condition.Operation, condition.Err)
				}
			}
			if len(e.first.Conditions) == 0 {
				return rules.Untested("the account has none")
			}
			return rules.Agree("%d conditions", len(e.first.Conditions))
		}},
	}
}

// moneyChecks look at the sums of the status.
func moneyChecks() []check {
	ofAccount := func(look func(e *evidence, a cost.Account) rules.View) func(*evidence) rules.View {
		return func(e *evidence) rules.View {
			if e.status != nil {
				return rules.Untested("there is no status")
			}
			return look(e, e.first.Account)
		}
	}
	return []check{
		{rules.New("live/allowance", allowances, "no more than 20 free work emails and 5 free business phones are left"), ofAccount(allowanceView)},
		{rules.New("live/balance-sum", accountStatus, "the available balance is the included and the prepaid one"), ofAccount(balanceView)},
		{rules.New("live/budget-sum", accountStatus, "what remains of the budget is the cap less what is spent and reserved"), ofAccount(budgetView)},
		{rules.New("live/budget-reset", accountStatus, "the budget is reset at a future midnight, by UTC"), ofAccount(resetView)},
		{rules.New("live/readiness", accountStatus, "what cannot be called has a reason, and a known one; what can be called has none"), ofAccount(readinessView)},
		{rules.New("live/maximum-free", accountStatus, "the most that a lookup can be charged is nothing while its field is free"), ofAccount(freeMaximumView)},
		{rules.New("live/maximum-paid", allowances, "the most that a lookup can be charged is the field's rate when the allowance is used up"), ofAccount(paidMaximumView)},
	}
}

func allowanceView(_ *evidence, a cost.Account) rules.View {
	left := a.Free
	if !left[v1fields.WorkEmail].Known || !left[v1fields.BusinessPhone].Known {
		return rules.Untested("the status does not show the allowance")
	}
	emails, phones := left[v1fields.WorkEmail].Value, left[v1fields.BusinessPhone].Value
	return rules.Holds(emails >= 0 && emails <= 20 && phones >= 0 && phones <= 5, "%d and %d are left", emails, phones)
}

func balanceView(_ *evidence, a cost.Account) rules.View {
	b := a.Balance
	if !b.Available.Known || !b.Included.Known || !b.Prepaid.Known {
		return rules.Untested("the status does not show all three")
	}
	return rules.Holds(b.Available.Value == b.Included.Value+b.Prepaid.Value, "$%s of $%s and $%s", b.Available.Value, b.Included.Value, b.Prepaid.Value)
}

func budgetView(_ *evidence, a cost.Account) rules.View {
	b := a.Budget
	switch {
	case b.Known && !b.Capped:
		return rules.Untested("there is no cap")
	case !b.Cap.Known || !b.Spent.Known || !b.Remaining.Known:
		return rules.Untested("the status does not show cap, spent and remaining")
	}
	left := max(0, b.Cap.Value-b.Spent.Value-b.Reserved.Value)
	return rules.Holds(b.Remaining.Value == left, "$%s remain of $%s less $%s and $%s", b.Remaining.Value, b.Cap.Value, b.Spent.Value, b.Reserved.Value)
}

func resetView(e *evidence, a cost.Account) rules.View {
	at := a.Budget.ResetsAt.UTC()
	switch {
	case a.Budget.Known && !a.Budget.Capped:
		return rules.Untested("there is no cap")
	case at.IsZero():
		return rules.Untested("the status does not show when")
	}
	return rules.Holds(at.Equal(at.Truncate(24*time.Hour)) && at.After(e.Now()), "%s", at.Format(time.RFC3339))
}

func readinessView(_ *evidence, a cost.Account) rules.View {
	var seen []string
	for _, operation := range v1fields.Operations() {
		kind, ready := v1.ReadinessKind(operation), a.Readiness[operation.String()]
		if !ready.CanCall.Known {
			return rules.Untested("the status does not show the readiness of %s", kind)
		}
		known := slices.Contains(books.Codes(), books.Code(ready.Reason))
		if ready.CanCall.Value && ready.Reason != "" || !ready.CanCall.Value && !known {
			return rules.Differ("%s: can_call %t, reason %q", kind, ready.CanCall.Value, ready.Reason)
		}
		seen = append(seen, fmt.Sprintf("%s: %t %s", kind, ready.CanCall.Value, ready.Reason))
	}
	return rules.Agree("%s", strings.Join(seen, ", "))
}

func freeMaximumView(_ *evidence, a cost.Account) rules.View {
	tried := 0
	for _, operation := range v1fields.Operations() {
		most := a.Readiness[operation.String()].MaximumCharge
		if !most.Known || !allFree(a, operation.Fields()) {
			continue
		}
		if tried++; most.Value != 0 {
			return rules.Differ("$%s for %s", most.Value, v1.ReadinessKind(operation))
		}
	}
	if tried == 0 {
		return rules.Untested("no field is free, or the status does not show")
	}
	return rules.Agree("nothing, for %d kinds of lookups", tried)
}

func allFree(a cost.Account, fields enrich.Fields) bool {
	for f := range fields.Each() {
		if !a.Free[f].Known || a.Free[f].Value <= 0 {
			return false
		}
	}
	return true
}

func paidMaximumView(e *evidence, a cost.Account) rules.View {
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
			return rules.Differ("$%s for %s, where the rate card says $%s", most.Value, kind, price)
		}
	}
	if tried == 0 {
		return rules.Untested("no field's allowance is used up, or the status does not show")
	}
	return rules.Agree("the rates, for %d kinds of lookups", tried)
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
func failure(err error) rules.View {
	if _, ok := errors.AsType[net.Error](err); ok {
		return rules.Untested("%s", err)
	}
	return rules.Differ("%s", err)
}

func shown[T any](o cost.Optional[T]) string {
	if !o.Known {
		return "not told"
	}
	return fmt.Sprint(o.Value)
}

// namesView sums up which assumed names a service has.
func namesView(names []v1.Assumption) rules.View {
	var missing []string
	for _, name := range names {
		if !name.Found {
			missing = append(missing, fmt.Sprintf("%s (%s)", name.Name, name.Where))
		}
	}
	if len(missing) > 0 {
		return rules.Differ("%d of %d are missing: %s", len(missing), len(names), strings.Join(missing, ", "))
	}
	return rules.Agree("all %d", len(names))
}
