package cost_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"payonce/cost"
	"payonce/enrich"
)

func TestPricesShownExcludeFieldsWithFreeUnitsLeft(t *testing.T) {
	most := enrich.ByField[cost.Optional[cost.Money]]{email: cost.Known(12 * cost.Cent), phone: cost.Known(20 * cost.Cent)}
	usedUp, left := cost.Known(int64(0)), cost.Known(int64(1))
	tests := []struct {
		name    string
		account cost.Account
		want    cost.Prices
	}{
		{"both used up", cost.Account{Free: enrich.ByField[cost.Optional[int64]]{usedUp, usedUp}, Most: most}, cost.Prices{email: 12 * cost.Cent, phone: 20 * cost.Cent}},
		{"a free unit left", cost.Account{Free: enrich.ByField[cost.Optional[int64]]{left, usedUp}, Most: most}, cost.Prices{phone: 20 * cost.Cent}},
		{"the allowance is unknown", cost.Account{Free: enrich.ByField[cost.Optional[int64]]{{}, usedUp}, Most: most}, cost.Prices{phone: 20 * cost.Cent}},
		{"no readiness", cost.Account{Free: enrich.ByField[cost.Optional[int64]]{usedUp, usedUp}}, cost.Prices{}},
		{
			"zero is not a price",
			cost.Account{Free: enrich.ByField[cost.Optional[int64]]{usedUp, usedUp}, Most: enrich.ByField[cost.Optional[cost.Money]]{cost.Known(cost.Money(0))}},
			cost.Prices{},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, tt.account.PricesShown()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestHigherPrices(t *testing.T) {
	most := enrich.ByField[cost.Optional[cost.Money]]{email: cost.Known(12 * cost.Cent), phone: cost.Known(cost.Money(0))} // free, so nothing shows
	tests := []struct {
		name    string
		account cost.Account
		inUse   cost.Prices
		want    enrich.ByField[cost.Money]
	}{
		{"higher", cost.Account{Most: most}, cost.Prices{email: 9 * cost.Cent, phone: cost.Cent}, enrich.ByField[cost.Money]{12 * cost.Cent, 0}},
		{"the same", cost.Account{Most: most}, cost.Prices{email: 12 * cost.Cent}, enrich.ByField[cost.Money]{}},
		{"lower", cost.Account{Most: most}, cost.Prices{email: 15 * cost.Cent}, enrich.ByField[cost.Money]{}},
		{"not in use", cost.Account{Most: most}, cost.Prices{}, enrich.ByField[cost.Money]{}},
		{"rounded up", cost.Account{Most: most}, cost.Prices{email: 11*cost.Cent + cost.Cent/4}, enrich.ByField[cost.Money]{}},
		{"more than rounded up", cost.Account{Most: most}, cost.Prices{email: 10*cost.Cent + cost.Cent/4}, enrich.ByField[cost.Money]{12 * cost.Cent, 0}},
		{"nothing shows", cost.Account{}, cost.Prices{email: cost.Cent}, enrich.ByField[cost.Money]{}},
	}
	for _, tt := range tests {
		if got := tt.account.HigherPrices(tt.inUse); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}
