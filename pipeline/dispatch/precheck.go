package dispatch

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"payonce/cost"
	"payonce/enrich"
)

// StatusReader reads the account status. It has no method that spends.
type StatusReader interface {
	Status(ctx context.Context) (cost.Account, error)
}

// Precheck says whether the account allows the lookups that a survey counted; nil
// when it does, or when the snapshot does not tell. Want of money stops a run here only
// when it stops all of its lookups: some may be free where others are not, and then the
// account's own ceilings decide about each, in its turn. wantsMoney reports whether a code
// of the service refuses only what is not free.
func Precheck(
	account cost.Account, lookups map[enrich.Operation]int64, short ShortBudget,
	wantsMoney func(code string) bool,
) Stop {
	if account.KeyValid.Known && !account.KeyValid.Value {
		return ServiceRefused{Code: CodeKeyInvalid, Message: "the service calls the key invalid"}
	}
	var first Stop // of the refusals
	ends := false  // one of them is not for want of money
	goesOn := short == EmailOnly && lookups[enrich.EnrichContact] > 0 &&
		refusal(account, enrich.FindWorkEmail) == nil
	for _, operation := range slices.Sorted(maps.Keys(lookups)) {
		if lookups[operation] == 0 {
			continue
		}
		refused := refusal(account, operation)
		if refused == nil {
			goesOn = true
			continue
		}
		ends = ends || !wantsMoney(refused.Code)
		if first == nil {
			first = *refused
		}
	}
	if goesOn && !ends {
		return nil
	}
	return first
}

// refusal returns why the account does not allow an operation, nil when it does or when
// the snapshot does not tell.
func refusal(account cost.Account, operation enrich.Operation) *ServiceRefused {
	readiness := account.ReadinessOf(operation)
	code := cmp.Or(readiness.Reason, CodeNotReady)
	if offers := account.Offers(operation); offers.Known && !offers.Value {
		return &ServiceRefused{Code: code, Message: fmt.Sprintf("the workspace's plan does not offer %s", operation)}
	}
	if readiness.CanCall.Known && !readiness.CanCall.Value {
		return &ServiceRefused{Code: code, Message: fmt.Sprintf("the service does not allow %s now", operation)}
	}
	return nil
}

// PriceTooLowError says that the service may charge more for a field than the price in use.
type PriceTooLowError struct {
	Field  enrich.Field
	Price  cost.Money
	Source string // of the price
	Most   cost.Money
}

func (e *PriceTooLowError) Error() string {
	return fmt.Sprintf("the service may charge $%s for a %s, which costs $%s by %s", e.Most, e.Field, e.Price, e.Source)
}

// CheckPrices compares the prices in use with the most that the service says it may charge.
// A service with higher prices would break every ceiling.
func CheckPrices(account cost.Account, quote cost.Quote, wanted enrich.Fields) error {
	if _, err := quote.Prices.Total(wanted); err != nil {
		return err
	}
	higher := account.HigherPrices(quote.Prices)
	for f := range wanted.Each() {
		if most := higher[f]; most > 0 {
			return &PriceTooLowError{f, quote.Prices[f], quote.Sources[f], most}
		}
	}
	return nil
}
