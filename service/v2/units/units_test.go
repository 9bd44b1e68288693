package units_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payonce/cost"
	"payonce/enrich"
	"payonce/service/v2/units"
	"payonce/service/v2/v2fields"
)

// text writes amounts as "companies email_count".
func text(a cost.Amounts) string {
	var names []string
	for m, amount := range a {
		for range amount {
			names = append(names, units.Name(cost.Meter(m)))
		}
	}
	return strings.Join(names, " ")
}

// TestHoldsCoverAllThatACallCanUse lists the holds of all operations: with everything revealed,
// and with nothing.
func TestHoldsCoverAllThatACallCanUse(t *testing.T) {
	const both = "contacts email_count phone_count"
	want := map[string][2]string{
		"prospecting": {"companies", "companies"}, "overview": {"companies", "companies"},
		"autocomplete": {"companies", "companies"}, "company": {"companies", "companies"},
		"enrich-url": {"companies", "companies"}, "enrich-company": {"companies", "companies"},
		"enrich-company-profile": {"companies", "companies"},
		"employees":              {"contacts", "contacts"}, "enrich-employee-search": {"contacts", "contacts"},
		"employee":                {both, both}, // it cannot be told to leave something out
		"enrich-email":            {both, "contacts email_count"},
		"enrich-employee-profile": {both, "contacts"}, "enrich-employee": {both, "contacts"},
		"financials":      {"financials", "financials"},
		"insights-search": {"digital_insights", "digital_insights"}, "insights": {"digital_insights", "digital_insights"},
		"ownership-search": {"ownership", "ownership"}, "ownership": {"ownership", "ownership"},
		"watch-start": {"watch", "watch"},
	}
	var m units.Modules
	got := map[string][2]string{}
	for _, o := range v2fields.Operations() {
		all, none := m.Hold(o, units.Everything()), m.Hold(o, units.Reveal{})
		if !o.Paid() {
			if all != (cost.Amounts{}) || none != (cost.Amounts{}) {
				t.Errorf("the free operation %s holds %s", o, text(all))
			}
			continue
		}
		got[o.String()] = [2]string{text(all), text(none)}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("holds (-want +got):\n%s", diff)
	}
	if one := m.Hold(v2fields.EnrichEmployee, units.Reveal{Phone: true}); text(one) != "contacts phone_count" {
		t.Errorf("a call that reveals a phone holds %s", text(one))
	}
}

// TestAChargeIsOneUnitAndWhatWasReturned compares charges with holds.
func TestAChargeIsOneUnitAndWhatWasReturned(t *testing.T) {
	var m units.Modules
	for _, test := range []struct {
		operation v2fields.Operation
		has       units.Reveal
		want      string
	}{
		{v2fields.GetEmployee, units.Reveal{}, "contacts"},
		{v2fields.GetEmployee, units.Reveal{Email: true}, "contacts email_count"},
		{v2fields.EnrichEmployee, units.Everything(), "contacts email_count phone_count"},
		{v2fields.GetCompany, units.Reveal{}, "companies"},
		{v2fields.WatchStart, units.Reveal{}, "watch"},
		{v2fields.WatchStop, units.Reveal{}, ""},
	} {
		charge := m.Charge(test.operation, test.has)
		if text(charge) != test.want {
			t.Errorf("%s with %+v is charged %q, want %q", test.operation, test.has, text(charge), test.want)
		}
		if !charge.Within(m.Hold(test.operation, test.has)) {
			t.Errorf("%s: the charge %s is beyond the hold", test.operation, text(charge))
		}
	}
	consumed := units.Consumed(m.Charge(v2fields.EnrichEmployee, units.Everything()))
	if diff := cmp.Diff([]int64{0, 0, 1, 0, 0, 0, 0, 1, 1}, consumed); diff != "" {
		t.Errorf("consumed by meter (-want +got):\n%s", diff)
	}
}

// TestTheTariffHoldsWhatAnyOperationOfAFieldUses settles answers under holds of the tariff.
func TestTheTariffHoldsWhatAnyOperationOfAFieldUses(t *testing.T) {
	var m units.Modules
	tariff := m.Tariff()
	names := []string{"usd", "companies", "contacts", "financials", "digital_insights", "ownership", "watch", "email_count", "phone_count"}
	var got []string
	for _, info := range tariff.Meters {
		got = append(got, info.Name)
	}
	if diff := cmp.Diff(names, got); diff != "" { // journals have their numbers
		t.Errorf("meters (-want +got):\n%s", diff)
	}
	for f, want := range map[enrich.Field]string{
		v2fields.Contact: "contacts email_count phone_count", v2fields.Company: "companies",
		v2fields.Financials: "financials", v2fields.Insights: "digital_insights", v2fields.Ownership: "ownership",
	} {
		fields := enrich.FieldsOf(f)
		hold := cost.Hold{Fields: fields, Rates: m.Rates(fields, units.Everything())}
		if got := text(hold.Amounts()); got != want {
			t.Errorf("field %d holds %q, want %q", f, got, want)
		}
		if varies := cost.MetersOf(units.Emails, units.Phones); hold.Rates[f].Varies&^varies != 0 {
			t.Errorf("field %d varies in %b", f, hold.Rates[f].Varies)
		}
		nothing := hold.Answered(enrich.Answered{Status: enrich.NotFound, Consumed: units.Consumed(cost.Amounts{})})
		if nothing.Amounts != (cost.Amounts{}) || !hold.Follows(nothing, 0) {
			t.Errorf("field %d: an answer that used nothing is charged %s", f, text(nothing.Amounts))
		}
		// An answer without values used a unit all the same.
		empty := hold.Answered(enrich.Answered{Status: enrich.NotFound, Consumed: units.Consumed(hold.Amounts())})
		if empty.Amounts != hold.Amounts() {
			t.Errorf("field %d: an answer that used units is charged %s", f, text(empty.Amounts))
		}
	}
	contact := enrich.FieldsOf(v2fields.Contact)
	for _, test := range []struct {
		reveal     units.Reveal
		operations []v2fields.Operation
		want       string
	}{
		{units.Reveal{}, nil, "contacts email_count phone_count"}, // the record by its ID reveals everything
		{units.Reveal{}, []v2fields.Operation{v2fields.EnrichEmployee, v2fields.EnrichEmployeeProfile}, "contacts"},
		{units.Reveal{Phone: true}, []v2fields.Operation{v2fields.EnrichEmployee}, "contacts phone_count"},
		{units.Reveal{}, []v2fields.Operation{v2fields.EnrichEmployee, v2fields.EnrichEmail}, "contacts email_count"},
	} {
		rates := m.Rates(contact, test.reveal, test.operations...)
		if got := text(rates[v2fields.Contact].Uses); got != test.want {
			t.Errorf("%v revealing %+v: the rate is %q, want %q", test.operations, test.reveal, got, test.want)
		}
	}
}

// TestModulesAreCorrectedByTheConfiguration moves operations to other modules.
func TestModulesAreCorrectedByTheConfiguration(t *testing.T) {
	m, err := units.ParseModules(
		map[string]string{"autocomplete": "none", "overview": "contacts"},
		map[string]string{"companies": "company_data"},
	)
	if err != nil {
		t.Fatal(err)
	}
	for o, want := range map[v2fields.Operation]string{
		v2fields.Autocomplete: "", v2fields.Overview: "contacts", v2fields.GetCompany: "companies",
	} {
		if got := text(m.Hold(o, units.Everything())); got != want {
			t.Errorf("%s holds %q, want %q", o, got, want)
		}
	}
	if meter, found := m.MeterOf("company_data"); !found || meter != units.Companies {
		t.Errorf("company_data is meter %d, %t", meter, found)
	}
	if _, found := m.MeterOf("companies"); found {
		t.Error("the assumed codename is found although another is given")
	}
	for _, wrong := range [][2]map[string]string{
		{{"metrics": "companies"}, nil},
		{{"no-such": "companies"}, nil},
		{{"overview": "watches"}, nil},
		{{"overview": "email_count"}, nil},
		{nil, {"nothing": "x"}},
		{nil, {"companies": "contacts"}},
		{nil, {"companies": ""}},
	} {
		if _, err := units.ParseModules(wrong[0], wrong[1]); err == nil {
			t.Errorf("%v is accepted", wrong)
		}
	}
	if err := (units.Modules{Operations: map[v2fields.Operation]cost.Meter{v2fields.Overview: units.Emails}}).Check(); err == nil {
		t.Error("an operation may count on a meter that is no module")
	}
}

// TestEveryPaidOperationHasAModule finds operations that would be free by mistake.
func TestEveryPaidOperationHasAModule(t *testing.T) {
	var m units.Modules
	for _, o := range v2fields.Operations() {
		meter, counts := m.Meter(o)
		if counts != o.Paid() || counts && !slices.Contains(units.Meters(), meter) {
			t.Errorf("%s counts on meter %d: %t", o, meter, counts)
		}
	}
}
