package cost

import (
	"payonce/enrich"
)

// Offers says whether the workspace's plan has an operation, as far as the snapshot
// tells.
func (a Account) Offers(operation string) Optional[bool] {
	offered, known := a.Available[operation]
	return Optional[bool]{Value: offered, Known: known}
}

// PriceShown returns the price of a field as far as the snapshot shows it: the most
// that a lookup may cost once the field's free allowance is known to be used up.
func (a Account) PriceShown(f enrich.Field) Optional[Money] {
	most := a.Most[f]
	if usedUp := a.Free[f].Known && a.Free[f].Value <= 0; !usedUp || most.Value <= 0 {
		return Optional[Money]{}
	}
	return most
}

// PricesShown returns every price that the snapshot shows.
func (a Account) PricesShown() Prices {
	prices := Prices{}
	for f := range a.Most {
		if shown := a.PriceShown(enrich.Field(f)); shown.Known {
			prices[enrich.Field(f)] = shown.Value
		}
	}
	return prices
}

// HigherPrices returns, for each field, the most that a lookup of it may cost if that is more
// than the price in use, and zero otherwise. The account does not show it while a field is free. It
// shows whole cents, so a price with a fraction of a cent is shown as the next cent.
func (a Account) HigherPrices(inUse Prices) (higher enrich.ByField[Money]) {
	for f, price := range inUse {
		if most := a.Most[f]; most.Known && most.Value > price && !rounded(price, most.Value) {
			higher[f] = most.Value
		}
	}
	return higher
}
