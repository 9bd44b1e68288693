package conformance

import (
	"net/http"

	"payonce/io/service/v1"
)

// restCases hold the REST interface itself.
func restCases() []Case {
	const person = `{"pro_network_url":"https://pro-network.example/in/ada"}`
	unauthorized := members{"error.code": "invalid_api_key", "error.retryable": false, "error.message": present{}, "request_id": present{}}
	nothing := members{"error.code": present{}}
	return []Case{
		{Rule: ruleOf("rest/key-needed"), Over: v1.REST, Steps: []Step{
			Message{Method: http.MethodGet, Path: statusPath, As: noKey, Status: 401, Shows: unauthorized},
			Message{Path: findEmailPath, As: noKey, Body: person, Status: 401, Shows: unauthorized, Arrives: true},
			Message{Path: findEmailPath, As: noKey, Header: map[string]string{"Authorization": "Basic c2FuZGJveC1rZXk6"}, Body: person, Status: 401, Shows: unauthorized, Arrives: true},
		}},
		{Rule: ruleOf("rest/prefix"), Over: v1.REST, Steps: []Step{
			Message{Method: http.MethodGet, Path: "/account/status", Status: 404, Shows: nothing},
			Message{Method: http.MethodGet, Path: "/api/v9/account/status", Status: 404, Shows: nothing},
			Message{Path: "/contacts/find-work-email", Body: person, Status: 404, Shows: nothing},
			Message{Method: http.MethodGet, Path: statusPath, Status: 200, Shows: members{"key_valid": true}},
		}},
		{Rule: ruleOf("rest/methods"), Over: v1.REST, Steps: []Step{
			Message{Path: statusPath, Body: `{}`, Status: 405, Headers: map[string]string{"Allow": "GET, HEAD"}},
			Message{Method: http.MethodGet, Path: findEmailPath, Status: 405, Headers: map[string]string{"Allow": "POST"}},
		}},
		{Rule: ruleOf("rest/three-lookups"), Over: v1.REST, Steps: []Step{
			Message{Path: findEmailPath, Body: person, Status: 200, Arrives: true, Charge: Charged{Free: email}, Shows: members{"data.work_email": present{}, "data.business_phone": absent{}}},
			Message{Path: findPhonePath, Body: person, Status: 200, Arrives: true, Charge: Charged{Free: phone}, Shows: members{"data.work_email": absent{}, "data.business_phone": present{}}},
			Message{Path: enrichPath, Body: `{"pro_network_url":"https://pro-network.example/in/ada","include_email":true,"include_phone":true}`, Status: 200, Arrives: true, Charge: Charged{Free: both}},
		}},
		{Rule: ruleOf("key/no-administration"), Over: v1.REST, Steps: []Step{
			Message{Path: "/api/v1/checkouts", Body: `{"deposit_usd":"25.00"}`, Status: 404, Shows: nothing},
			Message{Path: "/api/v1/keys", Body: `{"name":"other"}`, Status: 404, Shows: nothing},
			Message{Method: http.MethodPut, Path: "/api/v1/budget", Body: `{"usd":null}`, Status: 404, Shows: nothing},
		}},
	}
}
