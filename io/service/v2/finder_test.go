package v2

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"payonce/cost"
	"payonce/enrich"
)

// TestLookupsBecomeTheCallOfTheirIdentity sends lookups of each field, about subjects that are named
// in each way.
func TestLookupsBecomeTheCallOfTheirIdentity(t *testing.T) {
	company := func(c enrich.Company) enrich.Identity {
		id, reason := c.Identify(enrich.ByID)
		if reason != "" {
			t.Fatal(reason)
		}
		return id
	}
	byID := company(enrich.Company{ID: "4711"})
	byWebsite := company(enrich.Company{Website: "https://www.acme.example/about"})
	ada := enrich.Identity{FirstName: "Ada", LastName: "Lovelace", CompanyDomain: "acme.example"}
	for _, test := range []struct {
		id     enrich.Identity
		fields enrich.Fields
		line   string // "" when it is not sent
		body   string
	}{
		{byID, enrich.FieldsOf(FieldCompany), "GET /v2/companies/4711", ""},
		{byID, enrich.FieldsOf(FieldFinancials), "GET /v2/financial/4711", ""},
		{byID, enrich.FieldsOf(FieldInsights), "GET /v2/digital-insights/4711", ""},
		{byID, enrich.FieldsOf(FieldOwnership), "GET /v2/ownership/4711", ""},
		{byWebsite, enrich.FieldsOf(FieldCompany), "POST /v2/enrichment/url", `{"url":"` + byWebsite.Company.Website + `"}`},
		{
			company(enrich.Company{Country: "us", State: "ca", RegistrationNumber: "C-7"}), enrich.FieldsOf(FieldCompany),
			"POST /v2/enrichment/company", `{"country_code":"US","registration_number":"C-7","state":"CA"}`,
		},
		{
			company(enrich.Company{Country: "DE", VATNumber: "DE 811"}), enrich.FieldsOf(FieldCompany),
			"POST /v2/enrichment/company", `{"country_code":"DE","vat_number":"DE 811"}`,
		},
		{
			company(enrich.Company{ProfileURL: "https://net.example/company/acme"}), enrich.FieldsOf(FieldCompany),
			"POST /v2/enrichment/company/linkedin", `{"linkedin":"https://net.example/company/acme"}`,
		},
		{
			ada, enrich.FieldsOf(FieldContact, FieldPhone), "POST /v2/enrichment/employee/contacts",
			`{"first_name":"Ada","last_name":"Lovelace","domain":"acme.example","reveal_email":false,"reveal_phone":true}`,
		},
		{
			ada, enrich.FieldsOf(FieldContact), "POST /v2/enrichment/employee/contacts",
			`{"first_name":"Ada","last_name":"Lovelace","domain":"acme.example","reveal_email":false,"reveal_phone":false}`,
		},
		{
			enrich.Identity{ProfileURL: "https://net.example/in/ada"},
			enrich.FieldsOf(FieldEmail),
			"POST /v2/enrichment/employee/linkedin", `{"linkedin":"https://net.example/in/ada","reveal_email":true,"reveal_phone":false}`,
		},
		{
			enrich.Identity{ProfileURL: "https://net.example/in/ada"},
			enrich.FieldsOf(FieldContact),
			"POST /v2/enrichment/employee/contacts", `{"pro_network":"https://net.example/in/ada","reveal_email":false,"reveal_phone":false}`,
		},
		{
			enrich.Identity{Email: "ada@acme.example"},
			enrich.FieldsOf(FieldContact, FieldPhone),
			"POST /v2/enrichment/employee/contacts", `{"email":"ada@acme.example","reveal_email":false,"reveal_phone":true}`,
		},
		{
			enrich.Identity{Email: "ada@acme.example"},
			enrich.FieldsOf(FieldEmail, FieldPhone),
			"POST /v2/enrichment/email", `{"email":"ada@acme.example","reveal_phone":true}`,
		},
		{
			company(enrich.Company{Name: "Acme", Country: "DE"}), enrich.FieldsOf(FieldMatch),
			"POST /v2/overview", `{"country_code":"DE","name":"Acme","per_page":5}`,
		},
		{
			company(enrich.Company{Name: "Acme", Country: "DE"}), enrich.FieldsOf(FieldCompany),
			"POST /v2/autocomplete", `{"country_code":"DE","name":"Acme"}`,
		},
		{
			company(enrich.Company{Name: "Acme", Country: "DE"}), enrich.FieldsOf(FieldInsights),
			"POST /v2/digital-insights", `{"name":"Acme"}`,
		},
		{
			company(enrich.Company{Country: "DE", RegistrationNumber: "HRB 7"}), enrich.FieldsOf(FieldOwnership),
			"POST /v2/ownership", `{"registration_number":"HRB 7"}`,
		},
		{company(enrich.Company{Country: "DE", VATNumber: "DE 811"}), enrich.FieldsOf(FieldOwnership), "", ""},
		{byID, enrich.FieldsOf(FieldMatch), "", ""},
		{byID, enrich.FieldsOf(FieldEmail), "", ""},
		{byWebsite, enrich.FieldsOf(FieldInsights), "", ""},
		{byWebsite, enrich.FieldsOf(FieldFinancials), "", ""},
		{byID, enrich.FieldsOf(FieldContact), "", ""},
		{ada, enrich.FieldsOf(FieldCompany), "", ""},
		{byID, enrich.FieldsOf(FieldCompany, FieldFinancials), "", ""},
		{byID, 0, "", ""},
	} {
		stand := newStand(t, respond(404, notFoundBody))
		verdict := Finder{Client: stand.client()}.Find(t.Context(), enrich.Lookup{Identity: test.id, Fields: test.fields})
		arrived := stand.arrived()
		if test.line == "" {
			refused, ok := verdict.(enrich.Refused)
			if !ok || !refused.Unsent || refused.Class != enrich.InvalidInput || len(arrived) > 0 {
				t.Errorf("%s, fields %b: %+v, %d requests", test.id, test.fields, verdict, len(arrived))
			}
			continue
		}
		wantAnswered(t, verdict)
		if len(arrived) != 1 {
			t.Fatalf("%s: %d requests", test.id, len(arrived))
		}
		if diff := cmp.Diff([2]string{test.line, test.body}, [2]string{arrived[0].line, arrived[0].body}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.id, diff)
		}
	}
}

// TestAnswersReportWhatTheirUnitsCostTheUser asks for a contact whose email has a price.
func TestAnswersReportWhatTheirUnitsCostTheUser(t *testing.T) {
	prices := Prices{MeterContacts: 5 * cost.Cent, MeterEmails: 2 * cost.Cent, MeterCompanies: cost.Dollar}
	for name, test := range map[string]struct {
		status int
		body   string
		prices Prices
		want   cost.Money
	}{
		"an email":  {200, employeeBody, prices, 7 * cost.Cent},
		"none":      {200, `{"id":"1"}`, prices, 5 * cost.Cent},
		"not found": {404, notFoundBody, prices, 0},
		"no prices": {200, `{"id":"1"}`, nil, 0},
	} {
		stand := newStand(t, respond(test.status, test.body))
		verdict := Finder{Client: stand.client(), Prices: test.prices}.Find(t.Context(), enrich.Lookup{
			Identity: enrich.Identity{ProfileURL: "https://net.example/in/ada"}, Fields: enrich.FieldsOf(FieldEmail),
		})
		answered, ok := verdict.(enrich.Answered)
		if !ok {
			t.Fatalf("%s: %+v", name, verdict)
		}
		if got := cost.Money(answered.Consumed[cost.USD]); got != test.want {
			t.Errorf("%s costs %s, want %s: consumed %v", name, got, test.want, answered.Consumed)
		}
	}
}
