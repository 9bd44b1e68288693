package v2_test

import (
	"testing"

	"payonce/cost"
	"payonce/enrich"
	"payonce/io/service/v2"
)

// TestAnEmployeeIsAskedForByIDWithAllContactData holds what the operation can reveal: it cannot be told to reveal less.
func TestAnEmployeeIsAskedForByIDWithAllContactData(t *testing.T) {
	id := enrich.Identity{ContactID: "4711"}
	call := v2.CallOf(enrich.Lookup{Identity: id, Fields: v2.FieldContactData})
	if err := call.Check(); err != nil || call.Operation != v2.OpGetEmployee || call.Path() != "employees/4711" || call.Reveal != v2.RevealEverything() {
		t.Fatalf("%+v, %v", call, err)
	}
	var rates cost.Amounts
	prices := cost.Prices{v2.FieldContact: 0, v2.FieldEmail: 0, v2.FieldPhone: 0}
	hold := cost.Hold{Fields: v2.FieldContactData, Rates: v2.Tariff(v2.Modules{}).At(prices)}
	rates[v2.MeterContacts], rates[v2.MeterEmails], rates[v2.MeterPhones] = 1, 1, 1
	if got := hold.Amounts(); got != rates || got != (v2.Modules{}).Hold(v2.OpGetEmployee, v2.Reveal{}) {
		t.Errorf("the lookup holds %v, its call can use %v", got, (v2.Modules{}).Hold(v2.OpGetEmployee, v2.Reveal{}))
	}
	for fields := enrich.Fields(1); fields <= v2.AllFields; fields++ {
		isWhole, isContact := fields == v2.FieldContactData, fields.Without(v2.FieldContactData) == 0
		if v2.Patterns(fields).Has(enrich.ByContactID) != isContact {
			t.Errorf("%s can be asked for by the id of a person: %t", v2.Catalogue().Names(fields), !isContact)
		}
		if call := v2.CallOf(enrich.Lookup{Identity: id, Fields: fields}); (call.Check() == nil) != isWhole {
			t.Errorf("a call for %s by the id of a person: %v", v2.Catalogue().Names(fields), call.Check())
		}
		if fields == v2.AllFields {
			break
		}
	}
}
