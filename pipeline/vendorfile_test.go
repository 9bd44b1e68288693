package pipeline

import (
	"slices"
	"testing"
	"time"

	"payonce/checkpoint/attempt"
	"payonce/cost"
	"payonce/pipeline/provider"
	"payonce/pipeline/provider/providerv1"
	"payonce/pipeline/provider/providerv2"
)

// TestTheFileForTheServiceNamesWhatTheAccountHas compares what each interface's account lost with the columns: money and
// free units of the first interface, and units by the names of the modules of the second one.
func TestTheFileForTheServiceNamesWhatTheAccountHas(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 22, 10, 31, 0, 0, time.UTC)
	second := providerv2.Provider{}.Interface()
	meter := func(name string) int {
		return slices.IndexFunc(second.Tariff.Meters, func(m cost.MeterInfo) bool { return m.Name == name })
	}
	units := attempt.Movement{From: at, To: at.Add(time.Second)}
	units.Lost[meter("contacts")], units.Lost[meter("email_count")], units.Booked[meter("contacts")] = 88, 17, 50
	money := attempt.Movement{From: at, To: at, Lost: cost.OfMoney(cost.Dollar), Booked: cost.OfMoney(15 * cost.Cent)}
	money.Lost[1] = 3
	for name, test := range map[string]struct {
		of   provider.Interface
		lost attempt.Movement
		want []string
	}{
		"units of modules": {second, units, []string{
			"", "", "", "0 companies, 88 contacts, 0 financials, 0 digital_insights, 0 ownership, 0 watch, 17 email_count, 0 phone_count",
			"0 companies, 50 contacts, 0 financials, 0 digital_insights, 0 ownership, 0 watch, 0 email_count, 0 phone_count",
		}},
		"money and free units":  {providerv1.Provider{}.Interface(), money, []string{"1.00", "0.15", "3 work_email, 0 business_phone", "", ""}},
		"nothing that is known": {second, attempt.Movement{From: at, Lost: cost.OfMoney(cost.MaxMoney)}, []string{"", "", "", "", ""}},
	} {
		if got := movementColumns(test.of, test.lost)[2:]; !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
	if got, want := len(movementColumns(second, units)), len(vendorColumns)-9; got != want {
		t.Errorf("%d columns of %d", got, want)
	}
}
