package sandbox

import (
	"errors"

	"payonce/cost"
	"payonce/io/service/v1"
)

// RateCard returns the options that the service offers (specification v1,
// "Allowances and rate card").
func RateCard() cost.RateCard {
	rates := func(email, phone cost.Money) cost.Prices {
		return cost.Prices{v1.WorkEmail: email * cost.Cent, v1.BusinessPhone: phone * cost.Cent}
	}
	return cost.RateCard{Options: []cost.Option{
		{Name: "payg", Title: "Pay as you go", Prices: rates(15, 25)},
		{Name: "core", Title: "Core", MonthlyIncluded: 49 * cost.Dollar, Prices: rates(15, 25)},
		{Name: "growth", Title: "Growth", MonthlyIncluded: 149 * cost.Dollar, Prices: rates(12, 20)},
		{Name: "scale", Title: "Scale", MonthlyIncluded: 399 * cost.Dollar, Prices: rates(9, 16)},
	}}
}

// standard returns the option that is not a subscription: its rates are those of
// prepaid credit when a subscription ends.
func standard(card cost.RateCard) (cost.Option, error) {
	for _, option := range card.Options {
		if option.MonthlyIncluded == 0 {
			return option, nil
		}
	}
	return cost.Option{}, errors.New("the rate card has no option without a monthly included balance, so there are no standard rates")
}
