package v2_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payonce/cost"
	"payonce/enrich"
	"payonce/io/service/v2"
)

// text writes amounts as "companies email_count".
func text(a cost.Amounts) string {
	var names []string
	for m, amount := range a {
		for range amount {
			names = append(names, v2.MeterName(cost.Meter(m)))
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
	var m v2.Modules
	got := map[string][2]string{}
	for _, o := range v2.Operations() {
		all, none := m.Hold(o, v2.RevealEverything()), m.Hold(o, v2.Reveal{})
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
	if one := m.Hold(v2.OpEnrichEmployee, v2.Reveal{Phone: true}); text(one) != "contacts phone_count" {
		t.Errorf("a call that reveals a phone holds %s", text(one))
	}
}

// TestAChargeIsOneUnitAndWhatWasReturned compares charges with holds.
func TestAChargeIsOneUnitAndWhatWasReturned(t *testing.T) {
	var m v2.Modules
	for _, test := range []struct {
		operation v2.Operation
		has       v2.Reveal
		want      string
	}{
		{v2.OpGetEmployee, v2.Reveal{}, "contacts"},
		{v2.OpGetEmployee, v2.Reveal{Email: true}, "contacts email_count"},
		{v2.OpEnrichEmployee, v2.RevealEverything(), "contacts email_count phone_count"},
		{v2.OpGetCompany, v2.Reveal{}, "companies"},
		{v2.OpWatchStart, v2.Reveal{}, "watch"},
		{v2.OpWatchStop, v2.Reveal{}, ""},
	} {
		charge := m.Charge(test.operation, test.has)
		if text(charge) != test.want {
			t.Errorf("%s with %+v is charged %q, want %q", test.operation, test.has, text(charge), test.want)
		}
		if !charge.Within(m.Hold(test.operation, test.has)) {
			t.Errorf("%s: the charge %s is beyond the hold", test.operation, text(charge))
		}
	}
	consumed := v2.Consumed(m.Charge(v2.OpEnrichEmployee, v2.RevealEverything()))
	if diff := cmp.Diff([]int64{0, 0, 1, 0, 0, 0, 0, 1, 1}, consumed); diff != "" {
		t.Errorf("consumed by meter (-want +got):\n%s", diff)
	}
}

// TestTheTariffHoldsWhatAnyOperationOfAFieldUses settles answers under holds of the tariff.
func TestTheTariffHoldsWhatAnyOperationOfAFieldUses(t *testing.T) {
	var m v2.Modules
	tariff := m.Tariff()
	names := []string{"usd", "companies", "contacts", "financials", "digital_insights", "ownership", "watch", "email_count", "phone_count"}
	var got []string
	for _, info := range tariff.Meters {
		got = append(got, info.Name)
	}
	if diff := cmp.Diff(names, got); diff != "" { // journals have their numbers
		t.Errorf("meters (-want +got):\n%s", diff)
	}
	free := cost.Prices{}
	for f := range v2.AllFields.Each() {
		free[f] = 0
	}
	rates := tariff.At(free)
	for fields, want := range map[enrich.Fields]string{
		enrich.FieldsOf(v2.FieldContact):                "contacts",
		enrich.FieldsOf(v2.FieldEmail):                  "contacts email_count",
		enrich.FieldsOf(v2.FieldContact, v2.FieldPhone): "contacts phone_count",
		enrich.FieldsOf(v2.FieldEmail, v2.FieldPhone):   "contacts email_count phone_count",
		v2.FieldContactData:                             "contacts email_count phone_count",
		enrich.FieldsOf(v2.FieldCompany):                "companies",
		enrich.FieldsOf(v2.FieldMatch):                  "companies",
		enrich.FieldsOf(v2.FieldFinancials):             "financials",
		enrich.FieldsOf(v2.FieldInsights):               "digital_insights",
		enrich.FieldsOf(v2.FieldOwnership):              "ownership",
	} {
		hold := cost.Hold{Fields: fields, Rates: rates}
		if got := text(hold.Amounts()); got != want {
			t.Errorf("fields %b hold %q, want %q", fields, got, want)
		}
		nothing := hold.Answered(enrich.Answered{Status: enrich.NotFound, Consumed: v2.Consumed(cost.Amounts{})})
		if nothing.Amounts != (cost.Amounts{}) || !hold.Follows(nothing, 0) {
			t.Errorf("fields %b: an answer that used nothing is charged %s", fields, text(nothing.Amounts))
		}
		// An answer without values used a unit all the same.
		empty := hold.Answered(enrich.Answered{Status: enrich.NotFound, Consumed: v2.Consumed(hold.Amounts())})
		if empty.Amounts != hold.Amounts() {
			t.Errorf("fields %b: an answer that used units is charged %s", fields, text(empty.Amounts))
		}
	}
	for f := range v2.AllFields.Each() {
		if rates[f].Uses.Only(rates[f].Varies) != rates[f].Uses || rates[f].Call == (cost.Amounts{}) {
			t.Errorf("field %d: a value uses %v for sure, and a call %v", f, rates[f].Uses, rates[f].Call)
		}
	}
}

// TestTheTariffCoversEveryCallForAField compares the hold of fields with the call that asks for them.
func TestTheTariffCoversEveryCallForAField(t *testing.T) {
	moved, err := v2.ParseModules(map[string]string{"autocomplete": "contacts", "enrich-url": "none", "insights-search": "companies"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []v2.Modules{{}, moved} {
		tariff := m.Tariff()
		for _, o := range v2.Operations() {
			for f := range o.Asked().Each() {
				rate := tariff.Rates[f]
				call := m.Hold(o, v2.Reveal{}).Only(cost.MetersOf(v2.Meters()...))
				if !call.Within(rate.Call.Plus(rate.Uses)) || !rate.Call.Within(call) {
					t.Errorf("%s uses %q for field %d, whose calls use %q and values %q", o, text(call), f, text(rate.Call), text(rate.Uses))
				}
			}
		}
	}
}

// TestModulesAreCorrectedByTheConfiguration moves operations to other modules.
func TestModulesAreCorrectedByTheConfiguration(t *testing.T) {
	m, err := v2.ParseModules(
		map[string]string{"autocomplete": "none", "overview": "contacts"},
		map[string]string{"companies": "company_data"},
	)
	if err != nil {
		t.Fatal(err)
	}
	for o, want := range map[v2.Operation]string{
		v2.OpAutocomplete: "", v2.OpOverview: "contacts", v2.OpGetCompany: "companies",
	} {
		if got := text(m.Hold(o, v2.RevealEverything())); got != want {
			t.Errorf("%s holds %q, want %q", o, got, want)
		}
	}
	if meter, found := m.MeterOf("company_data"); !found || meter != v2.MeterCompanies {
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
		if _, err := v2.ParseModules(wrong[0], wrong[1]); err == nil {
			t.Errorf("%v is accepted", wrong)
		}
	}
	if err := (v2.Modules{Operations: map[v2.Operation]cost.Meter{v2.OpOverview: v2.MeterEmails}}).Check(); err == nil {
		t.Error("an operation may count on a meter that is no module")
	}
}

// TestEveryPaidOperationHasAModule finds operations that would be free by mistake.
func TestEveryPaidOperationHasAModule(t *testing.T) {
	var m v2.Modules
	for _, o := range v2.Operations() {
		meter, counts := m.Meter(o)
		if counts != o.Paid() || counts && !slices.Contains(v2.Meters(), meter) {
			t.Errorf("%s counts on meter %d: %t", o, meter, counts)
		}
	}
}
