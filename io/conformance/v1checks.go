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
	"payonce/io/sandbox"
	"payonce/io/service/v1"
)

// freeChecksV1 returns what can be tried without spending.
func freeChecksV1() []checkV1 {
	return slices.Concat(statusChecks(), moneyChecks(), publishedChecks())
}

func statusChecks() []checkV1 {
	return []checkV1{
		{newRule("live/status", "GET /account/status", "the status is read with the key, and says that it is valid"), func(e *evidenceV1) View {
			if e.status != nil {
				return differ("%s", e.status)
			}
			return holds(e.first.Account.KeyValid == cost.Known(true), "key_valid: %s", shownV1(e.first.Account.KeyValid))
		}},
		{newRule("live/status-names", "Assumptions", "the status has every member that is assumed"), func(e *evidenceV1) View {
			if e.status != nil {
				return untested("there is no status")
			}
			return namesView(e.first.Members)
		}},
		{newRule("live/status-free", "GET /account/status", "reading the status costs nothing"), func(e *evidenceV1) View {
			if e.status != nil || e.again != nil {
				return untested("the status could not be read twice")
			}
			lost := moved(e.first.Account, e.second.Account)
			return holds(lost == movement{}, "between two readings the account lost %s", lost)
		}},
		{newRule("live/invalid-key", "Authentication", "an invalid key is refused with 401"), func(e *evidenceV1) View {
			refused, ok := refusedStatus(e.unknownKey)
			if e.unknownKey != nil && !ok {
				return untested("%s", e.unknownKey)
			}
			return holds(ok && refused.HTTPStatus == 401, "%s", answerTo(e.unknownKey))
		}},
		{newRule("live/invalid-key-code", "Assumptions", "the code of that refusal is invalid_api_key"), func(e *evidenceV1) View {
			refused, ok := refusedStatus(e.unknownKey)
			if !ok {
				return untested("the key was not refused")
			}
			return holds(refused.Code == string(sandbox.InvalidAPIKey), "%s", refused.Code)
		}},
		{newRule("live/one-workspace", "What the service does", "REST and MCP show one account"), func(e *evidenceV1) View {
			if e.again != nil || e.otherErr != nil {
				return untested("the status was not read over both: %s", errors.Join(e.again, e.otherErr))
			}
			lost := moved(e.second.Account, e.other.Account)
			return holds(lost == movement{}, "from one to the other the account lost %s", lost)
		}},
		{newRule("live/input-conditions", accountStatus, "an input_condition is a JSON Schema that can be applied"), func(e *evidenceV1) View {
			for _, condition := range e.first.Conditions {
				if condition.Err != nil {
					return differ("%s: %s", condition.Operation, condition.Err)
				}
			}
			if len(e.first.Conditions) == 0 {
				return untested("the account has none")
			}
			return agree("%d conditions", len(e.first.Conditions))
		}},
	}
}

// moneyChecks look at the sums of the status.
func moneyChecks() []checkV1 {
	ofAccount := func(look func(e *evidenceV1, a cost.Account) View) func(*evidenceV1) View {
		return func(e *evidenceV1) View {
			if e.status != nil {
				return untested("there is no status")
			}
			return look(e, e.first.Account)
		}
	}
	return []checkV1{
		{newRule("live/allowance", allowances, "no more than 20 free work emails and 5 free business phones are left"), ofAccount(allowanceView)},
		{newRule("live/balance-sum", accountStatus, "the available balance is the included and the prepaid one"), ofAccount(balanceView)},
		{newRule("live/budget-sum", accountStatus, "what remains of the budget is the cap less what is spent and reserved"), ofAccount(budgetView)},
		{newRule("live/budget-reset", accountStatus, "the budget is reset at a future midnight, by UTC"), ofAccount(resetView)},
		{newRule("live/readiness", accountStatus, "what cannot be called has a reason, and a known one; what can be called has none"), ofAccount(readinessView)},
		{newRule("live/maximum-free", accountStatus, "the most that a lookup can be charged is nothing while its field is free"), ofAccount(freeMaximumView)},
		{newRule("live/maximum-paid", allowances, "the most that a lookup can be charged is the field's rate when the allowance is used up"), ofAccount(paidMaximumView)},
	}
}

func allowanceView(_ *evidenceV1, a cost.Account) View {
	left := a.Free
	if !left[v1.WorkEmail].Known || !left[v1.BusinessPhone].Known {
		return untested("the status does not show the allowance")
	}
	emails, phones := left[v1.WorkEmail].Value, left[v1.BusinessPhone].Value
	return holds(emails >= 0 && emails <= 20 && phones >= 0 && phones <= 5, "%d and %d are left", emails, phones)
}

func balanceView(_ *evidenceV1, a cost.Account) View {
	b := a.Balance
	if !b.Available.Known || !b.Included.Known || !b.Prepaid.Known {
		return untested("the status does not show all three")
	}
	return holds(b.Available.Value == b.Included.Value+b.Prepaid.Value, "$%s of $%s and $%s", b.Available.Value, b.Included.Value, b.Prepaid.Value)
}

func budgetView(_ *evidenceV1, a cost.Account) View {
	b := a.Budget
	switch {
	case b.Known && !b.Capped:
		return untested("there is no cap")
	case !b.Cap.Known || !b.Spent.Known || !b.Remaining.Known:
		return untested("the status does not show cap, spent and remaining")
	}
	left := max(0, b.Cap.Value-b.Spent.Value-b.Reserved.Value)
	return holds(b.Remaining.Value == left, "$%s remain of $%s less $%s and $%s", b.Remaining.Value, b.Cap.Value, b.Spent.Value, b.Reserved.Value)
}

func resetView(e *evidenceV1, a cost.Account) View {
	at := a.Budget.ResetsAt.UTC()
	switch {
	case a.Budget.Known && !a.Budget.Capped:
		return untested("there is no cap")
	case at.IsZero():
		return untested("the status does not show when")
	}
	return holds(at.Equal(at.Truncate(24*time.Hour)) && at.After(e.Now()), "%s", at.Format(time.RFC3339))
}

func readinessView(_ *evidenceV1, a cost.Account) View {
	var seen []string
	for _, operation := range v1.Operations() {
		kind, ready := v1.ReadinessKind(operation), a.Readiness[operation.String()]
		if !ready.CanCall.Known {
			return untested("the status does not show the readiness of %s", kind)
		}
		known := slices.Contains(sandbox.ErrorCodes(), sandbox.ErrorCode(ready.Reason))
		if ready.CanCall.Value && ready.Reason != "" || !ready.CanCall.Value && !known {
			return differ("%s: can_call %t, reason %q", kind, ready.CanCall.Value, ready.Reason)
		}
		seen = append(seen, fmt.Sprintf("%s: %t %s", kind, ready.CanCall.Value, ready.Reason))
	}
	return agree("%s", strings.Join(seen, ", "))
}

func freeMaximumView(_ *evidenceV1, a cost.Account) View {
	tried := 0
	for _, operation := range v1.Operations() {
		most := a.Readiness[operation.String()].MaximumCharge
		if !most.Known || !allFree(a, operation.Fields()) {
			continue
		}
		if tried++; most.Value != 0 {
			return differ("$%s for %s", most.Value, v1.ReadinessKind(operation))
		}
	}
	if tried == 0 {
		return untested("no field is free, or the status does not show")
	}
	return agree("nothing, for %d kinds of lookups", tried)
}

func allFree(a cost.Account, fields enrich.Fields) bool {
	for f := range fields.Each() {
		if !a.Free[f].Known || a.Free[f].Value <= 0 {
			return false
		}
	}
	return true
}

func paidMaximumView(e *evidenceV1, a cost.Account) View {
	tried := 0
	for _, operation := range v1.Operations() {
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
			return differ("$%s for %s, where the rate card says $%s", most.Value, kind, price)
		}
	}
	if tried == 0 {
		return untested("no field's allowance is used up, or the status does not show")
	}
	return agree("the rates, for %d kinds of lookups", tried)
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
func failure(err error) View {
	if _, ok := errors.AsType[net.Error](err); ok {
		return untested("%s", err)
	}
	return differ("%s", err)
}

func shownV1[T any](o cost.Optional[T]) string {
	if !o.Known {
		return "not told"
	}
	return fmt.Sprint(o.Value)
}

// namesView sums up which assumed names a service has.
func namesView(names []v1.Assumption) View {
	var missing []string
	for _, name := range names {
		if !name.Found {
			missing = append(missing, fmt.Sprintf("%s (%s)", name.Name, name.Where))
		}
	}
	if len(missing) > 0 {
		return differ("%d of %d are missing: %s", len(missing), len(names), strings.Join(missing, ", "))
	}
	return agree("all %d", len(names))
}
