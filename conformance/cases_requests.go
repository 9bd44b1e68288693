package conformance

import (
	"encoding/json"

	"payonce/enrich"
	"payonce/sandbox"
	"payonce/sandbox/books"
	"payonce/service/v1"
)

const (
	findEmailPath = "/api/v1/contacts/find-work-email"
	findPhonePath = "/api/v1/contacts/find-phone"
	enrichPath    = "/api/v1/contacts/enrich"
	statusPath    = "/api/v1/account/status"
	openAPIPath   = "/api/v1/openapi.json"
)

// requestCases hold how a person is named and what is asked for.
func requestCases() []Case {
	profile := enrich.Identity{ProfileURL: "https://pro-network.example/in/ada-lovelace"}
	byDomain := enrich.Identity{FirstName: "Ada", LastName: "Lovelace", CompanyDomain: "acme.example"}
	byCompany := enrich.Identity{FirstName: "Ada", LastName: "Lovelace", CompanyName: "Acme Ltd"}
	cases := []Case{
		{Rule: Rule{"request/profile-url", "What the service does", "a profile URL alone names a person"}, Steps: []Step{
			Find{Who: profile, Fields: both, Want: matched(both), Charge: Charged{Free: both}},
		}},
		{Rule: Rule{"request/name-and-domain", "What the service does", "first name, last name and a company domain name a person"}, Steps: []Step{
			Find{Who: byDomain, Want: matched(email), Charge: Charged{Free: email}},
		}},
		{Rule: Rule{"request/name-and-company", "What the service does", "first name, last name and a company name name a person"}, Steps: []Step{
			Find{Who: byCompany, Fields: phone, Want: matched(phone), Charge: Charged{Free: phone}},
		}},
		{Rule: Rule{"request/profile-included", "POST /contacts/enrich", "include_profile asks for the profile's data too, whatever fields are wanted, and does not change the charge"}, Steps: []Step{
			Find{Fields: both, Profile: true, Want: Answered{Status: enrich.Matched, Returned: both, Profile: true}, Charge: Charged{Free: both}},
			Find{Profile: true, Want: Answered{Status: enrich.Matched, Returned: email, Profile: true}, Charge: Charged{Free: email}},
		}},
		{Rule: Rule{"request/profile-left-out", "POST /contacts/enrich", "without include_profile no profile comes back"}, Steps: []Step{
			Find{Fields: both, Want: matched(both), Charge: Charged{Free: both}},
		}},
		{Rule: Rule{"request/include-one-field", "POST /contacts/enrich", "an enrich for one field returns and charges that one"}, Over: v1.REST, Steps: []Step{
			Message{
				Path: enrichPath, Body: `{"pro_network_url":"https://pro-network.example/in/ada","include_email":true,"include_phone":false}`,
				Status: 200, Arrives: true, Charge: Charged{Free: email},
				Shows: members{"status": "matched", "operation": "contact_enrichment", "data.work_email": present{}, "data.business_phone": absent{}, "data.profile": absent{}},
			},
		}},
		{Rule: Rule{"request/input-condition", "Account status", "an operation's input_condition is read together with the endpoint's schema; what does not fulfil it is refused and free"}, Steps: []Step{
			Owner{Does: "set a condition", Do: func(b *books.Books) error {
				return b.SetInputCondition(enrich.FindWorkEmail, json.RawMessage(`{"required":["company_domain"]}`))
			}},
			Find{Who: byCompany, Want: refusal(sandbox.InvalidIdentifiers)},
			Status{Shows: members{"operations.work_email_lookup.input_condition.required.0": "company_domain", "operations.contact_enrichment.input_condition": absent{}}},
			Find{Who: byCompany, Want: Unsent{"input_condition"}},
			Find{Who: byDomain, Want: matched(email), Charge: Charged{Free: email}},
			Find{Who: byCompany, Fields: phone, Want: matched(phone), Charge: Charged{Free: phone}},
		}},
	}
	return append(cases, invalidRequestCases()...)
}

// invalidRequestCases hold that exactly one identifier pattern is supplied, in a body of
// the endpoint's schema. No client of ours would send these.
func invalidRequestCases() []Case {
	const invalid = "Errors"
	refused := func(name, section, text, path, body string) Case {
		return Case{Rule: Rule{name, section, text}, Over: v1.REST, Steps: []Step{
			Message{Path: path, Body: body, Status: 400, Arrives: true, Shows: members{
				"error.code": "invalid_identifiers", "error.retryable": false, "error.message": present{}, "request_id": present{},
			}},
		}}
	}
	const one = "What the service does"
	return []Case{
		refused("request/two-patterns", one, "a profile URL beside a name is refused", findEmailPath,
			`{"pro_network_url":"https://pro-network.example/in/ada","first_name":"Ada","last_name":"Lovelace","company_domain":"acme.example"}`),
		refused("request/two-companies", one, "a company domain beside a company name is refused", findEmailPath,
			`{"first_name":"Ada","last_name":"Lovelace","company_domain":"acme.example","company_name":"Acme"}`),
		refused("request/no-company", one, "a name without a company is refused", findPhonePath, `{"first_name":"Ada","last_name":"Lovelace"}`),
		refused("request/no-last-name", one, "a name without a last name is refused", findPhonePath, `{"first_name":"Ada","company_name":"Acme"}`),
		refused("request/nobody", one, "a body that names nobody is refused", findEmailPath, `{}`),
		refused("request/no-profile", invalid, "a profile URL that is none is refused", findEmailPath, `{"pro_network_url":"not a URL"}`),
		refused("request/wrong-type", invalid, "a member of another type is refused", findEmailPath, `{"pro_network_url":7}`),
		refused("request/unknown-member", "Assumptions", "a member that the endpoint does not know is refused", findEmailPath,
			`{"pro_network_url":"https://pro-network.example/in/ada","include_email":true}`),
		refused("request/flags-left-out", "POST /contacts/enrich", "include_email and include_phone are set explicitly", enrichPath,
			`{"pro_network_url":"https://pro-network.example/in/ada"}`),
		refused("request/no-json", "Endpoints", "a body that is no JSON is refused", findEmailPath, `pro_network_url=https://pro-network.example/in/ada`),
		{Rule: Rule{"request/content-type", "Endpoints", "a lookup's body is announced as JSON"}, Over: v1.REST, Steps: []Step{
			Message{
				Path: findEmailPath, Header: map[string]string{"Content-Type": "text/plain"}, Arrives: true, Status: 400,
				Body: `{"pro_network_url":"https://pro-network.example/in/ada"}`, Shows: members{"error.code": "invalid_identifiers"},
			},
		}},
	}
}
