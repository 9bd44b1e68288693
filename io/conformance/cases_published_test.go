package conformance

import (
	"errors"
	"fmt"
	"net/http"

	"payonce/cost"
	"payonce/io/sandbox"
	"payonce/io/service/v1"
)

// publishedCases hold what the service publishes of itself.
func publishedCases() []Case {
	return []Case{
		{Rule: ruleOf("published/no-key"), Over: v1.REST, Steps: []Step{
			Message{Method: http.MethodGet, Path: openAPIPath, As: noKey, Status: 200, Shows: members{"openapi": present{}, "paths": present{}}},
		}},
		{Rule: ruleOf("published/rate-card"), Steps: []Step{
			Publishes{Want: func(d v1.Description) error { return sameCard(d.Card, sandbox.RateCard()) }},
		}},
		{Rule: ruleOf("published/schemas"), Steps: []Step{
			Publishes{Want: allAssumed},
		}},
		{Rule: ruleOf("published/tools"), Steps: []Step{
			Publishes{Tools: true, Want: func(d v1.Description) error {
				for operation, offer := range d.Operations {
					if offer.InputError != nil {
						return fmt.Errorf("the input of %s: %w", operation, offer.InputError)
					}
				}
				if len(d.Operations) != 3 {
					return fmt.Errorf("%d lookups are described, want 3", len(d.Operations))
				}
				return nil
			}},
		}},
		{Rule: ruleOf("published/pricing"), Begin: plan("growth"), Steps: []Step{
			Publishes{Want: offers(paid(12, 20), true)},
			Publishes{Tools: true, Want: offers(paid(12, 20), true)},
			withoutPhonePrice(),
			Publishes{Want: offers(paid(12, 0), false)},
			Publishes{Tools: true, Want: offers(paid(12, 0), false)},
		}},
	}
}

// allAssumed says which assumed names a description does not have.
func allAssumed(d v1.Description) error {
	var problems []error
	for _, name := range d.Check(v1.DefaultNames()) {
		if !name.Found {
			problems = append(problems, fmt.Errorf("%s is not among %s", name.Name, name.Where))
		}
	}
	return errors.Join(problems...)
}

// offers wants prices, and whether the phone is sold.
func offers(prices cost.Prices, phone bool) func(v1.Description) error {
	return func(d v1.Description) error {
		for operation, offer := range d.Operations {
			available := phone || operation == v1.FindWorkEmail
			if !samePrices(offer.Prices, prices) || offer.Access.Available != cost.Known(available) {
				return fmt.Errorf("%s is offered at %v, available %+v; want %v, %t", operation, offer.Prices, offer.Access.Available, prices, available)
			}
		}
		return nil
	}
}
