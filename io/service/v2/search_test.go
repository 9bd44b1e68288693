package v2

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"payonce/enrich"
)

// TestAPageIsNamedByWhatIsSent shows the names of pages. Journals have them, so they never change: another
// name would be asked for, and paid for, again.
func TestAPageIsNamedByWhatIsSent(t *testing.T) {
	filters := CompanyFilters{
		CompanyStatus: []int64{1, 2}, NumberOfEmployees: Range{GTE: "10", LTE: "50"}, CompanyIncorporation: Range{GTE: "2001-02-03"},
		NACE: []string{"J62.0"}, SICUnitedKingdom: []string{"1"}, LocationCountries: []string{"country_GB"}, FinancialDirectors: []int64{4},
		ForeignParents: "yes", InsightsRanking: Range{LTE: "9"}, URL: "u",
	}
	for _, test := range []struct {
		call  Call
		want  string
		field enrich.Field
	}{
		{
			ProspectingCall(filters, Paging{2, 25}),
			`prospecting {"page":2,"per_page":25,"filters":"{\"company_status\":[1,2],\"number_of_employees\":{\"gte\":10,\"lte\":50},` +
				`\"company_incorporation\":{\"gte\":\"2001-02-03\"},\"nace\":[\"J62.0\"],\"sic_code_gb\":[\"1\"],` +
				`\"location_countries\":[\"country_GB\"],\"financial_directors\":[4],\"foreign_parents\":\"yes\",\"insights_ranking\":{\"lte\":9},\"url\":\"u\"}"}`,
			FieldCompany,
		},
		{
			EmployeesCall(EmployeeFilters{Seniority: []int64{3}, JobTitle: []string{"chief"}, CompanyID: "42"}, Paging{1, 25}),
			`employees {"page":1,"per_page":25,"filters":"{\"seniority\":[3],\"job_title\":[\"chief\"],\"company_id\":42}"}`,
			FieldContact,
		},
		{
			PeopleCall(PeopleSearch{Domains: []string{"a.example"}, Seniorities: []string{"vp"}, Paging: Paging{11, 25}}),
			`enrich-employee-search {"domain_list":["a.example"],"employee_seniorities":["vp"],"page":11,"per_page":25}`,
			FieldContact,
		},
		{
			OverviewCall(CompanySearch{CountryCode: "DE", LEINumber: "5299", PhoneNumber: "+49 30", Person: "Ada", CompanyStatus: []int64{1}, Paging: Paging{2, 5}}),
			`overview {"country_code":"DE","lei_number":"5299","phone_number":"+49 30","person":"Ada","company_status":[1],"page":2,"per_page":5}`,
			FieldMatch,
		},
		{
			AutocompleteCall(PartialCompany{CountryCode: "DE", Name: "Acme", Email: "a@b.example", ProNetwork: "u"}),
			`autocomplete {"country_code":"DE","name":"Acme","email":"a@b.example","pro_network":"u"}`,
			FieldCompany,
		},
		{FinancialsCall("4711", 2024), `financials {"id":"4711","year":"2024"}`, FieldFinancials},
		{FinancialsCall("x-1", 0), `financials {"id":"x-1"}`, FieldFinancials},
	} {
		lookup, err := test.call.Lookup()
		want := enrich.Lookup{Identity: enrich.Identity{Search: test.want}, Fields: enrich.FieldsOf(test.field)}
		if diff := cmp.Diff(want, lookup); diff != "" || err != nil {
			t.Errorf("error %v (-want +got):\n%s", err, diff)
		}
		again := CallOf(lookup)
		if again.Check() != nil || again.Operation != test.call.Operation || string(again.Body) != string(test.call.Body) ||
			again.Path() != test.call.Path() || again.Query.Encode() != test.call.Query.Encode() || again.Reveal != (Reveal{}) {
			t.Errorf("the lookup of %s sends %s", test.call.Body, again.Body)
		}
	}
}

// TestOnlyPagesOfSearchesAreSentForAName gives Of names that nothing may be sent for.
func TestOnlyPagesOfSearchesAreSentForAName(t *testing.T) {
	company, contact := enrich.FieldsOf(FieldCompany), enrich.FieldsOf(FieldContact)
	for _, lookup := range []enrich.Lookup{
		{Identity: enrich.Identity{Search: "prospecting"}, Fields: company},
		{Identity: enrich.Identity{Search: "prospecting {"}, Fields: company},
		{Identity: enrich.Identity{Search: "prospecting {}"}, Fields: contact},
		{Identity: enrich.Identity{Search: "prospecting {}"}, Fields: company | contact},
		{Identity: enrich.Identity{Search: "company {}"}, Fields: company},
		{Identity: enrich.Identity{Search: `financials {"id":7}`}, Fields: enrich.FieldsOf(FieldFinancials)},
		{Identity: enrich.Identity{Search: `financials {"year":"2024"}`}, Fields: enrich.FieldsOf(FieldFinancials)},
		{Identity: enrich.Identity{Search: `financials {"id":"7","year":"2024"}`}, Fields: company},
		{Identity: enrich.Identity{Search: "watch-start {}"}, Fields: company},
		{Identity: enrich.Identity{Search: "unknown-operation {}"}, Fields: company},
	} {
		if call := CallOf(lookup); call.Check() == nil {
			t.Errorf("%v sends %s %s", lookup, call.Path(), call.Body)
		}
	}
	if _, err := CompanyCall("1").Lookup(); err == nil {
		t.Error("a company record is a page")
	}
	if _, err := ProspectingCall(CompanyFilters{}, Paging{Page: 11}).Lookup(); err == nil {
		t.Error("the page after the last one has a lookup")
	}
}

// TestFilterKindsAreThoseOfTheSpecification counts the filters by kind.
func TestFilterKindsAreThoseOfTheSpecification(t *testing.T) {
	counts := map[string]map[FilterKind]int{}
	for _, o := range Operations() {
		for _, kind := range FilterKinds(o) {
			if counts[o.String()] == nil {
				counts[o.String()] = map[FilterKind]int{}
			}
			counts[o.String()][kind]++
		}
	}
	want := map[string]map[FilterKind]int{
		"prospecting":            {TextsFilter: 29, NumbersFilter: 5, TextFilter: 3, SpanFilter: 14},
		"employees":              {TextsFilter: 2, NumbersFilter: 2, TextFilter: 2, OneIDFilter: 1},
		"enrich-employee-search": {TextsFilter: 4},
		"overview":               {NumbersFilter: 1, TextFilter: 10},
		"autocomplete":           {TextFilter: 7},
		"financials":             {NumbersFilter: 1, OneIDFilter: 1},
	}
	if diff := cmp.Diff(want, counts); diff != "" {
		t.Errorf("filters (-want +got):\n%s", diff)
	}
	if kinds := FilterKinds(OpEmployees); kinds["company_id"] != OneIDFilter || kinds["seniority"] != NumbersFilter || kinds["url"] != TextFilter {
		t.Errorf("the filters of employees are %v", kinds)
	}
}
