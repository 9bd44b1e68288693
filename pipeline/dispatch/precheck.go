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

// Service is what Precheck needs to know of the interface of an account.
type Service struct {
	Catalogue enrich.Catalogue
	// WantsMoney reports whether a code of the service refuses only what is not free.
	WantsMoney func(code string) bool
}

// Precheck says whether the account allows the lookups that a scan counted; nil
// when it does, or when the snapshot does not show it. Want of money stops a run here only
// when it stops all of its lookups: some may be free where others are not, and then the
// account's own ceilings decide about each, in its turn. When the budget is short, the run goes on
// without the expendable fields.
func Precheck(account cost.Account, lookups cost.Workload, expendable enrich.Fields, service Service) Stop {
	if account.KeyValid.Known && !account.KeyValid.Value {
		return ServiceRefused{Code: CodeKeyInvalid, Message: "the service calls the key invalid"}
	}
	var first Stop // of the refusals
	ends := false  // one of them is not for want of money
	goesOn := false
	for _, fields := range slices.Sorted(maps.Keys(lookups)) {
		if lookups[fields] == 0 {
			continue
		}
		kept := fields.Without(expendable)
		goesOn = goesOn || kept != 0 && kept != fields && refusal(account, service.Catalogue.Operation(kept)) == nil
		refused := refusal(account, service.Catalogue.Operation(fields))
		if refused == nil {
			goesOn = true
			continue
		}
		ends = ends || !service.WantsMoney(refused.Code)
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
// the snapshot does not show it.
func refusal(account cost.Account, operation string) *ServiceRefused {
	readiness := account.Readiness[operation]
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
	Field  string
	Price  cost.Money
	Source string // of the price
	Most   cost.Money
}

func (e *PriceTooLowError) Error() string {
	return fmt.Sprintf("the service may charge $%s for a %s, which costs $%s by %s", e.Most, e.Field, e.Price, e.Source)
}

// CheckPrices compares the prices in use with the most that the service says it may charge.
// A service with higher prices would break every ceiling.
func CheckPrices(account cost.Account, quote cost.Quote, catalogue enrich.Catalogue, wanted enrich.Fields) error {
	if _, err := quote.Prices.Total(wanted); err != nil {
		return cost.Named(err, catalogue)
	}
	higher := account.HigherPrices(quote.Prices)
	for f := range wanted.Each() {
		if most := higher[f]; most > 0 {
			return &PriceTooLowError{catalogue.Name(f), quote.Prices[f], quote.Sources[f], most}
		}
	}
	return nil
}
