package inspect

import (
	"slices"
	"testing"
	"time"

	"payonce/checkpoint/attempt"
	"payonce/cost"
	"payonce/enrich"
)

// TestTheLedgerNamesFieldsAsTheirAccountDoes has an interface with other fields than v1, and an account whose
// fields have the same names in another order.
func TestTheLedgerNamesFieldsAsTheirAccountDoes(t *testing.T) {
	first, other := enrich.Named("soil", "crop"), enrich.Named("crop", "rain", "soil")
	priced := first.NamesOf(first.All())
	columns := ledgerColumns(priced)
	rates := cost.AllowancePerField(other).At(cost.Prices{0: 7 * cost.Cent, 1: 5 * cost.Cent, 2: 3 * cost.Cent})
	hold := cost.Hold{Fields: other.All(), Rates: rates}
	row := ledgerRow(attempt.Entry{
		ID: 1, Begun: time.Unix(0, 0), Asked: other.All(), Returned: other.All(), Rates: rates,
		Charge: hold.Settle(enrich.FieldsOf(0, 1)), MayBeFree: enrich.FieldsOf(0),
	}, other, priced)
	if len(row) != len(columns) {
		t.Fatalf("%d cells for %d columns", len(row), len(columns))
	}
	for column, want := range map[string]string{
		"asked": "crop,rain,soil", "soil_usd": "", "crop_usd": "0.07", "charge_usd": "0.12",
		"reason": "charged at most this: the free allowance may have paid crop",
	} {
		if at := slices.Index(columns, column); at < 0 || row[at] != want {
			t.Errorf("%s: column %d of %q, want %q", column, at, row, want)
		}
	}
}
