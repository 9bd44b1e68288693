package conformance

import (
	"net/http"

	"payonce/sandbox"
	"payonce/service/v1"
)

const mcpEndpoint = "MCP endpoint"

// call is a tools/call of a tool.
func call(tool, arguments string) string {
	return `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + arguments + `}}`
}

const (
	initializeBody = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"conformance","version":"1"}}}`
	initialized    = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	listTools      = `{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}`
	adaArguments   = `{"first_name":"Ada","last_name":"Lovelace","company_domain":"acme.example"}`
)

// opened are the first two steps of the sequence.
func opened() []Step {
	return []Step{
		Message{
			Body: initializeBody, Header: map[string]string{"MCP-Protocol-Version": ""}, Session: true, Status: 200,
			Shows: members{"jsonrpc": "2.0", "id": 1, "result.protocolVersion": "2025-11-25", "result.capabilities.tools": present{}, "result.serverInfo.name": present{}},
		},
		Message{Body: initialized, Status: 202},
	}
}

// inSession plays steps after the first two.
func inSession(steps ...Step) []Step { return append(opened(), steps...) }

// mcpCases hold the sequence and the tools.
func mcpCases() []Case {
	return []Case{
		{Rule: Rule{"mcp/sequence", mcpEndpoint, "initialize answers with the negotiated version, and the notification after it with 202"}, Over: v1.MCP, Steps: opened()},
		{Rule: Rule{"mcp/other-version", "Versioning", "the version is negotiated at initialize: whatever a client offers, the one implemented mode is answered"}, Over: v1.MCP, Steps: []Step{
			Message{
				Body:   `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{},"clientInfo":{"name":"old","version":"1"}}}`,
				Header: map[string]string{"MCP-Protocol-Version": ""}, Status: 200, Shows: members{"result.protocolVersion": "2025-11-25"},
			},
		}},
		{Rule: Rule{"mcp/discovery", mcpEndpoint, "tools/list names the free status tool and the data tools, with access and pricing, and performs no lookup"}, Over: v1.MCP, Steps: inSession(
			Message{Body: listTools, Status: 200, Shows: members{
				"result.tools.0.name": "service_account_status", "result.tools.0._meta.service/access": present{},
				"result.tools.1.name": "service_find_work_email", "result.tools.2.name": "service_find_phone", "result.tools.3.name": "service_enrich_contact",
				"result.tools.1.inputSchema.type": "object", "result.tools.1._meta.service/access.available": true,
				"result.tools.1._meta.service/pricing.work_email_usd": "0.15", "result.tools.3._meta.service/pricing.business_phone_usd": "0.25",
			}},
		)},
		{Rule: Rule{"mcp/status-tool", mcpEndpoint, "the status tool takes no arguments, is free, and gives the status object"}, Over: v1.MCP, Steps: inSession(
			Message{Body: listTools, Status: 200, Shows: members{
				"result.tools.0.name": "service_account_status", "result.tools.0.inputSchema.additionalProperties": false, "result.tools.0.inputSchema.properties": absent{},
			}},
			Message{Body: call("service_account_status", "{}"), Status: 200, Shows: members{
				"result.isError": absent{}, "result.structuredContent.key_valid": true, "result.structuredContent.free_allowance.work_emails_remaining": 20,
			}},
		)},
		{Rule: Rule{"mcp/data-tools", mcpEndpoint, "a data tool takes the body of its REST operation and gives its result"}, Over: v1.MCP, Steps: inSession(
			Message{Body: call("service_find_work_email", adaArguments), Status: 200, Arrives: true, Charge: Charged{Free: email}, Shows: members{
				"result.structuredContent.object": "enrichment_result", "result.structuredContent.status": "matched", "result.structuredContent.data.work_email": present{},
			}},
			Message{Body: call("service_find_phone", adaArguments), Status: 200, Arrives: true, Charge: Charged{Free: phone}, Shows: members{
				"result.structuredContent.data.business_phone": present{}, "result.structuredContent.data.work_email": absent{},
			}},
			Message{
				Body:   call("service_enrich_contact", `{"pro_network_url":"https://pro-network.example/in/ada","include_email":true,"include_phone":true,"include_profile":false}`),
				Status: 200, Arrives: true, Charge: Charged{Free: both}, Shows: members{"result.structuredContent.operation": "contact_enrichment"},
			},
		)},
		{Rule: Rule{"mcp/session-reopened", mcpEndpoint, "when the service has ended a session, the lookup in it is refused without a charge, and the next one begins a new session"}, Over: v1.MCP, Begin: func(c *sandbox.Config) { c.MCP.Sessions = true }, Steps: []Step{
			Find{Who: someone(1), Want: matched(email), Charge: Charged{Free: email}},
			SessionsEnded{},
			Find{Who: someone(2), Want: SessionOver{}},
			Find{Who: someone(3), Want: matched(email), Charge: Charged{Free: email}},
		}},
	}
}

// mcpFailureCases hold what the endpoint refuses.
func mcpFailureCases() []Case {
	unauthorized := members{"error.code": "invalid_api_key"}
	noVersion := map[string]string{"MCP-Protocol-Version": ""}
	return []Case{
		{Rule: Rule{"mcp/key-needed", mcpEndpoint, "every message carries the key, the first one too"}, Over: v1.MCP, Steps: []Step{
			Message{As: noKey, Body: initializeBody, Header: noVersion, Status: 401, Shows: unauthorized},
			Message{As: strangersKey, Body: listTools, Status: 401, Shows: unauthorized},
			Message{As: noKey, Body: call("service_find_work_email", adaArguments), Status: 401, Shows: unauthorized},
		}},
		{Rule: Rule{"mcp/version-needed", mcpEndpoint, "after initialization every message carries the negotiated version"}, Over: v1.MCP, Steps: inSession(
			Message{Body: listTools, Header: noVersion, Status: 400},
			Message{Body: call("service_find_work_email", adaArguments), Header: noVersion, Status: 400},
			Message{Body: call("service_find_work_email", adaArguments), Header: map[string]string{"MCP-Protocol-Version": "2024-11-05"}, Status: 400},
		)},
		{Rule: Rule{"mcp/failed-tool", "Errors", "a failed data tool says so, with the code, the HTTP status, whether to retry and the request ID beside the result"}, Over: v1.MCP, Steps: inSession(
			Message{Body: call("service_find_work_email", `{"first_name":"Ada"}`), Status: 200, Arrives: true, Shows: members{
				"result.isError": true, "result.structuredContent": absent{}, "error": absent{},
				"result._meta.service/error.code": "invalid_identifiers", "result._meta.service/error.http_status": 400,
				"result._meta.service/error.retryable": false, "result._meta.service/error.request_id": present{},
			}},
		)},
		{Rule: Rule{"mcp/protocol-error", "Errors", "a tool that there is none of is a JSON-RPC error; what is no call of the interface is refused; nothing is looked up"}, Over: v1.MCP, Steps: inSession(
			Message{Body: call("service_find_everything", "{}"), Status: 200, Shows: members{"error.code": -32602, "result": absent{}}},
			Message{Body: `{"jsonrpc":"2.0","id":9,"method":"tools/buy","params":{}}`, Status: 200, Shows: members{"error.code": -32601, "id": 9.0, "result": absent{}}},
			Message{Body: `{"jsonrpc":"2.0","id":`, Status: 400},
		)},
		{Rule: Rule{"mcp/restricted-tool", "Errors", "the status tool fails as the data tools do"}, Over: v1.MCP, Steps: inSession(
			state("restricted"),
			Message{Body: call("service_account_status", "{}"), Status: 200, Shows: members{
				"result.isError": true, "result._meta.service/error.code": string(sandbox.AccessRestricted), "result._meta.service/error.http_status": http.StatusForbidden,
			}},
		)},
	}
}
