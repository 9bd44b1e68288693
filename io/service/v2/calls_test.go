package v2

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// tagsOf returns the names of the members of a struct, by the kinds of their values.
func tagsOf(value any) map[string][]string {
	names := map[string][]string{}
	for _, field := range reflect.VisibleFields(reflect.TypeOf(value)) {
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if field.Anonymous {
			continue
		}
		kind := strings.TrimPrefix(field.Type.String(), "v2.")
		if options != "omitempty" && options != "omitzero" {
			kind += ", always sent"
		}
		names[kind] = append(names[kind], name)
		slices.Sort(names[kind])
	}
	return names
}

// TestFiltersAreThoseOfTheSpecification lists the names of filters a second time.
func TestFiltersAreThoseOfTheSpecification(t *testing.T) {
	want := map[string][]string{
		"[]int64": {"activity_type", "company_status", "company_type", "financial_directors", "legal_form"},
		"Range": {
			"company_incorporation", "financial_employee_profit", "financial_exports", "financial_liabilities", "financial_profit",
			"financial_turnover", "insights_ranking", "number_of_employees", "yoy_ebitda", "yoy_exports", "yoy_liabilities",
			"yoy_profit", "yoy_staff", "yoy_turnover",
		},
		"[]string": {
			"advance_companies", "financial_currency", "industry_focus", "insights_technologies", "insights_visits", "isic",
			"location_countries", "location_regions", "location_type", "location_zip", "nace", "sic_code_anz", "sic_code_be",
			"sic_code_ca", "sic_code_de", "sic_code_dk", "sic_code_fr", "sic_code_gb", "sic_code_ie", "sic_code_it", "sic_code_lu",
			"sic_code_mx", "sic_code_nl", "sic_code_no", "sic_code_se", "sic_code_sg", "sic_code_us", "trading_activity",
			"website_keywords",
		},
		"string": {"foreign_parents", "ownership_accounts", "url"},
	}
	if diff := cmp.Diff(want, tagsOf(CompanyFilters{})); diff != "" {
		t.Errorf("filters of companies (-want +got):\n%s", diff)
	}
	want = map[string][]string{
		"string": {"full_name", "url"}, "[]string": {"advance", "job_title"}, "[]int64": {"department", "seniority"}, "ID": {"company_id"},
	}
	if diff := cmp.Diff(want, tagsOf(EmployeeFilters{})); diff != "" {
		t.Errorf("filters of employees (-want +got):\n%s", diff)
	}
}

// TestBodiesAreThoseOfTheSpecification lists the members of the other bodies a second time.
func TestBodiesAreThoseOfTheSpecification(t *testing.T) {
	for _, test := range []struct {
		body any
		want map[string][]string
	}{
		{CompanySearch{}, map[string][]string{
			"int": {"page", "per_page"}, "[]int64": {"company_status"},
			"string": {
				"country_code", "lei_number", "name", "person", "phone_number", "pro_network", "registration_number", "state",
				"vat_number", "website",
			},
		}},
		{CompanyNumbers{}, map[string][]string{
			"string, always sent": {"country_code"}, "string": {"registration_number", "state", "vat_number"},
		}},
		{PartialCompany{}, map[string][]string{
			"string": {"country_code", "email", "name", "pro_network", "registration_number", "vat_number", "website"},
		}},
		{PartialContact{}, map[string][]string{
			"string": {"company_name", "domain", "email", "first_name", "last_name", "pro_network"},
		}},
		{PeopleSearch{}, map[string][]string{
			"int":      {"page", "per_page"},
			"[]string": {"company_locations", "domain_list", "employee_locations", "employee_seniorities"},
		}},
	} {
		if diff := cmp.Diff(test.want, tagsOf(test.body)); diff != "" {
			t.Errorf("%T (-want +got):\n%s", test.body, diff)
		}
	}
}

// TestNumericIdentifiersAndBoundsAreWrittenAsNumbers writes and reads texts that are numbers, or nearly.
func TestNumericIdentifiersAndBoundsAreWrittenAsNumbers(t *testing.T) {
	for text, want := range map[string][2]string{
		"12": {`12`, `12`}, "-1": {`-1`, `-1`}, "0": {`0`, `0`}, "007": {`"007"`, `"007"`}, "1.5": {`"1.5"`, `1.5`}, "1e3": {`"1e3"`, `1e3`},
		"": {`""`, `""`}, "a": {`"a"`, `"a"`}, "2001-01-01": {`"2001-01-01"`, `"2001-01-01"`}, "null": {`"null"`, `"null"`},
		"99999999999999999999": {`"99999999999999999999"`, `99999999999999999999`}, "1 2": {`"1 2"`, `"1 2"`},
	} {
		id, err := json.Marshal(ID(text))
		bound, boundErr := json.Marshal(Bound(text))
		if got := [2]string{string(id), string(bound)}; got != want || err != nil || boundErr != nil {
			t.Errorf("%q is written as %q, want %q", text, got, want)
		}
		var readID ID
		var readBound Bound
		if json.Unmarshal(id, &readID) != nil || json.Unmarshal(bound, &readBound) != nil || string(readID) != text || string(readBound) != text {
			t.Errorf("%q is read as %q and %q", text, readID, readBound)
		}
	}
}

// TestACallReportsTheMostUnitsItCanUse looks at what a call says before it is sent.
func TestACallReportsTheMostUnitsItCanUse(t *testing.T) {
	var modules Modules
	for _, test := range []struct {
		call Call
		want []int64
	}{
		{CompanyCall("1"), []int64{0, 1, 0, 0, 0, 0, 0, 0, 0}},
		{EmployeeCall("1"), []int64{0, 0, 1, 0, 0, 0, 0, 1, 1}},
		{ContactByEmailCall("a@b.example", false), []int64{0, 0, 1, 0, 0, 0, 0, 1, 0}},
		{ContactCall(PartialContact{Email: "a@b.example"}, Reveal{Phone: true}), []int64{0, 0, 1, 0, 0, 0, 0, 0, 1}},
		{ContactByProfileCall("p", Reveal{}), []int64{0, 0, 1, 0, 0, 0, 0, 0, 0}},
		{WatchStartCall("1", nil), []int64{0, 0, 0, 0, 0, 0, 1, 0, 0}},
	} {
		if diff := cmp.Diff(test.want, Consumed(modules.Hold(test.call.Operation, test.call.Reveal))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.call.Operation, diff)
		}
		if err := test.call.Check(); err != nil {
			t.Errorf("%s: %v", test.call.Operation, err)
		}
	}
}

// FuzzCheckID: an identifier that is accepted stays one segment of a path.
func FuzzCheckID(f *testing.F) {
	for _, id := range []string{"1", "a-b", "..", "1/2", "%2e%2e", "", "é", "a b", "?", "1#2"} {
		f.Add(id)
	}
	f.Fuzz(func(t *testing.T, id string) {
		call := CompanyCall(id)
		if call.Check() != nil {
			return
		}
		if path := call.Path(); path != "companies/"+id || strings.ContainsAny(id, "/?#% \\") || id == ".." || id == "." {
			t.Errorf("%q is accepted", id)
		}
		if call.Operation != OpGetCompany {
			t.Error(call.Operation)
		}
	})
}
