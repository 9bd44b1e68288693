package cost_test

import (
	"strings"
	"testing"

	"payonce/cost"
	"payonce/enrich"
)

func TestPricesTotal(t *testing.T) {
	onlyEmail := cost.Prices{email: 15 * cost.Cent}
	tests := []struct {
		name    string
		prices  cost.Prices
		fields  enrich.Fields
		want    cost.Money
		unknown string // the field whose price is missing
	}{
		{"nothing", nil, 0, 0, ""},
		{"one", standard(), enrich.FieldsOf(phone), 25 * cost.Cent, ""},
		{"both", standard(), allFields, 40 * cost.Cent, ""},
		{"the other one is unknown", onlyEmail, enrich.FieldsOf(email), 15 * cost.Cent, ""},
		{"unknown", onlyEmail, enrich.FieldsOf(phone), 0, "business_phone"},
		{"one of two unknown", onlyEmail, allFields, 0, "business_phone"},
		{"no prices", nil, enrich.FieldsOf(email), 0, "work_email"},
		{"zero is a known price", cost.Prices{email: 0}, enrich.FieldsOf(email), 0, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := tt.prices.Total(tt.fields)
			if got != tt.want || (err != nil) != (tt.unknown != "") {
				t.Fatalf("%s, error %v, want %s", got, err, tt.want)
			}
			if err != nil && !strings.Contains(err.Error(), tt.unknown) {
				t.Errorf("the error does not name %s: %v", tt.unknown, err)
			}
		})
	}
}

func TestPricesOf(t *testing.T) {
	prices := cost.Prices{email: 0}
	if got, known := prices.Of(email); got != 0 || !known {
		t.Errorf("email: %s, %t", got, known)
	}
	if _, known := prices.Of(phone); known {
		t.Error("the price of a phone is known")
	}
}

func TestRateCardOption(t *testing.T) {
	card := cost.RateCard{Options: []cost.Option{{Name: "payg"}, {Name: "core", MonthlyIncluded: 49 * cost.Dollar}}}
	if got, err := card.Option("core"); err != nil || got.MonthlyIncluded != 49*cost.Dollar {
		t.Errorf("%+v, error %v", got, err)
	}
	_, err := card.Option("scale")
	if err == nil {
		t.Fatal("an option that is not there was found")
	}
	for _, name := range []string{"scale", "payg", "core"} {
		if !strings.Contains(err.Error(), `"`+name+`"`) {
			t.Errorf("the error does not name %s: %v", name, err)
		}
	}
}
