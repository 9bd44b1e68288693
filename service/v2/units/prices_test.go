package units_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"payonce/cost"
	"payonce/enrich"
	"payonce/service/v2/units"
	"payonce/service/v2/v2fields"
)

// TestRatesCostWhatTheirUnitsCost adds the prices of all that a contact can use up.
func TestRatesCostWhatTheirUnitsCost(t *testing.T) {
	prices, err := units.ParsePrices(map[string]string{"contacts": "0.05", "email_count": "0.02", "companies": "1"})
	if err != nil {
		t.Fatal(err)
	}
	want := units.Prices{units.Contacts: 5 * cost.Cent, units.Emails: 2 * cost.Cent, units.Companies: cost.Dollar}
	if diff := cmp.Diff(want, prices); diff != "" {
		t.Error(diff)
	}
	var m units.Modules
	plain := m.Tariff().At(cost.Prices{v2fields.Contact: 0, v2fields.Email: 0, v2fields.Phone: 0, v2fields.Ownership: 0})
	for fields, want := range map[enrich.Fields]cost.Money{
		enrich.FieldsOf(v2fields.Contact):                                 5 * cost.Cent,
		enrich.FieldsOf(v2fields.Email):                                   7 * cost.Cent,
		enrich.FieldsOf(v2fields.Contact, v2fields.Email, v2fields.Phone): 7 * cost.Cent,
		enrich.FieldsOf(v2fields.Ownership):                               0, // its unit has no price
	} {
		hold := cost.Hold{Fields: fields, Rates: prices.Rates(plain)}
		if got := hold.Money(); got != want {
			t.Errorf("fields %b hold %s, want %s", fields, got, want)
		}
		if unpriced := (cost.Hold{Fields: fields, Rates: plain}).Money(); unpriced != 0 {
			t.Errorf("fields %b hold %s without prices", fields, unpriced)
		}
	}
	amounts := prices.Priced(cost.Amounts{units.Companies: 3, units.Phones: 2})
	if amounts.Money() != 3*cost.Dollar || amounts[units.Companies] != 3 {
		t.Errorf("3 companies and 2 phones are %v", amounts)
	}
	for _, wrong := range []map[string]string{{"usd": "1"}, {"x": "1"}, {"companies": "much"}, {"companies": "-1"}} {
		if _, err := units.ParsePrices(wrong); err == nil {
			t.Errorf("%v is a price", wrong)
		}
	}
}

// TestEveryMeterThatIsUsedUpCanBeLimited names the meters.
func TestEveryMeterThatIsUsedUpCanBeLimited(t *testing.T) {
	for _, m := range units.Limited() {
		if found, ok := units.MeterNamed(units.Name(m)); !ok || found != m || units.CheckMeter(units.Name(m)) != nil {
			t.Errorf("%s is meter %d, %t", units.Name(m), found, ok)
		}
	}
	var m units.Modules
	for _, o := range v2fields.Operations() {
		for meter, amount := range m.Hold(o, units.Everything()) {
			if _, ok := units.MeterNamed(units.Name(cost.Meter(meter))); amount > 0 && !ok {
				t.Errorf("%s uses up %s, which cannot be limited", o, units.Name(cost.Meter(meter)))
			}
		}
	}
	if units.CheckMeter("usd") == nil || units.CheckModule("email_count") == nil || units.CheckModule("companies") != nil {
		t.Error("money is a meter, or an email a module, or companies none")
	}
}
