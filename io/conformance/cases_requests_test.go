package conformance

import (
	"encoding/json"

	"payonce/enrich"
	"payonce/io/sandbox"
	"payonce/io/service/v1"
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
		{Rule: ruleOf("request/profile-url"), Steps: []Step{
			Find{Who: profile, Fields: both, Want: matched(both), Charge: Charged{Free: both}},
		}},
		{Rule: ruleOf("request/name-and-domain"), Steps: []Step{
			Find{Who: byDomain, Want: matched(email), Charge: Charged{Free: email}},
		}},
		{Rule: ruleOf("request/name-and-company"), Steps: []Step{
			Find{Who: byCompany, Fields: phone, Want: matched(phone), Charge: Charged{Free: phone}},
		}},
		{Rule: ruleOf("request/profile-included"), Steps: []Step{
			Find{Fields: both, Profile: true, Want: Answered{Status: enrich.Matched, Returned: both, Profile: true}, Charge: Charged{Free: both}},
			Find{Profile: true, Want: Answered{Status: enrich.Matched, Returned: email, Profile: true}, Charge: Charged{Free: email}},
		}},
		{Rule: ruleOf("request/profile-left-out"), Steps: []Step{
			Find{Fields: both, Want: matched(both), Charge: Charged{Free: both}},
		}},
		{Rule: ruleOf("request/include-one-field"), Over: v1.REST, Steps: []Step{
			Message{
				Path: enrichPath, Body: `{"pro_network_url":"https://pro-network.example/in/ada","include_email":true,"include_phone":false}`,
				Status: 200, Arrives: true, Charge: Charged{Free: email},
				Shows: members{"status": "matched", "operation": "contact_enrichment", "data.work_email": present{}, "data.business_phone": absent{}, "data.profile": absent{}},
			},
		}},
		{Rule: ruleOf("request/input-condition"), Steps: []Step{
			Owner{Does: "set a condition", Do: func(b *sandbox.Ledger) error {
				return b.SetInputCondition(v1.FindWorkEmail, json.RawMessage(`{"required":["company_domain"]}`))
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
	refused := func(name, path, body string) Case {
		return Case{Rule: ruleOf(name), Over: v1.REST, Steps: []Step{
			Message{Path: path, Body: body, Status: 400, Arrives: true, Shows: members{
				"error.code": "invalid_identifiers", "error.retryable": false, "error.message": present{}, "request_id": present{},
			}},
		}}
	}
	return []Case{
		refused("request/two-patterns", findEmailPath,
			`{"pro_network_url":"https://pro-network.example/in/ada","first_name":"Ada","last_name":"Lovelace","company_domain":"acme.example"}`),
		refused("request/two-companies", findEmailPath,
			`{"first_name":"Ada","last_name":"Lovelace","company_domain":"acme.example","company_name":"Acme"}`),
		refused("request/no-company", findPhonePath, `{"first_name":"Ada","last_name":"Lovelace"}`),
		refused("request/no-last-name", findPhonePath, `{"first_name":"Ada","company_name":"Acme"}`),
		refused("request/nobody", findEmailPath, `{}`),
		refused("request/no-profile", findEmailPath, `{"pro_network_url":"not a URL"}`),
		refused("request/wrong-type", findEmailPath, `{"pro_network_url":7}`),
		refused("request/unknown-member", findEmailPath,
			`{"pro_network_url":"https://pro-network.example/in/ada","include_email":true}`),
		refused("request/flags-left-out", enrichPath,
			`{"pro_network_url":"https://pro-network.example/in/ada"}`),
		refused("request/no-json", findEmailPath, `pro_network_url=https://pro-network.example/in/ada`),
		{Rule: ruleOf("request/content-type"), Over: v1.REST, Steps: []Step{
			Message{
				Path: findEmailPath, Header: map[string]string{"Content-Type": "text/plain"}, Arrives: true, Status: 400,
				Body: `{"pro_network_url":"https://pro-network.example/in/ada"}`, Shows: members{"error.code": "invalid_identifiers"},
			},
		}},
	}
}
