package v2_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"payonce/cost"
	"payonce/enrich"
	"payonce/io/service/v2"
)

// TestRatesCostWhatTheirUnitsCost adds the prices of all that a contact can use up.
func TestRatesCostWhatTheirUnitsCost(t *testing.T) {
	prices, err := v2.ParsePrices(map[string]string{"contacts": "0.05", "email_count": "0.02", "companies": "1"})
	if err != nil {
		t.Fatal(err)
	}
	want := v2.Prices{v2.MeterContacts: 5 * cost.Cent, v2.MeterEmails: 2 * cost.Cent, v2.MeterCompanies: cost.Dollar}
	if diff := cmp.Diff(want, prices); diff != "" {
		t.Error(diff)
	}
	var m v2.Modules
	plain := m.Tariff().At(cost.Prices{v2.FieldContact: 0, v2.FieldEmail: 0, v2.FieldPhone: 0, v2.FieldOwnership: 0})
	for fields, want := range map[enrich.Fields]cost.Money{
		enrich.FieldsOf(v2.FieldContact):                               5 * cost.Cent,
		enrich.FieldsOf(v2.FieldEmail):                                 7 * cost.Cent,
		enrich.FieldsOf(v2.FieldContact, v2.FieldEmail, v2.FieldPhone): 7 * cost.Cent,
		enrich.FieldsOf(v2.FieldOwnership):                             0, // its unit has no price
	} {
		hold := cost.Hold{Fields: fields, Rates: prices.Rates(plain)}
		if got := hold.Money(); got != want {
			t.Errorf("fields %b hold %s, want %s", fields, got, want)
		}
		if unpriced := (cost.Hold{Fields: fields, Rates: plain}).Money(); unpriced != 0 {
			t.Errorf("fields %b hold %s without prices", fields, unpriced)
		}
	}
	amounts := prices.Priced(cost.Amounts{v2.MeterCompanies: 3, v2.MeterPhones: 2})
	if amounts.Money() != 3*cost.Dollar || amounts[v2.MeterCompanies] != 3 {
		t.Errorf("3 companies and 2 phones are %v", amounts)
	}
	for _, wrong := range []map[string]string{{"usd": "1"}, {"x": "1"}, {"companies": "much"}, {"companies": "-1"}} {
		if _, err := v2.ParsePrices(wrong); err == nil {
			t.Errorf("%v is a price", wrong)
		}
	}
}

// TestEveryMeterThatIsUsedUpCanBeLimited names the meters.
func TestEveryMeterThatIsUsedUpCanBeLimited(t *testing.T) {
	for _, m := range v2.LimitedMeters() {
		if found, ok := v2.MeterNamed(v2.MeterName(m)); !ok || found != m || v2.CheckMeter(v2.MeterName(m)) != nil {
			t.Errorf("%s is meter %d, %t", v2.MeterName(m), found, ok)
		}
	}
	var m v2.Modules
	for _, o := range v2.Operations() {
		for meter, amount := range m.Hold(o, v2.RevealEverything()) {
			if _, ok := v2.MeterNamed(v2.MeterName(cost.Meter(meter))); amount > 0 && !ok {
				t.Errorf("%s uses up %s, which cannot be limited", o, v2.MeterName(cost.Meter(meter)))
			}
		}
	}
	if v2.CheckMeter("usd") == nil || v2.CheckModule("email_count") == nil || v2.CheckModule("companies") != nil {
		t.Error("money is a meter, or an email a module, or companies none")
	}
}
