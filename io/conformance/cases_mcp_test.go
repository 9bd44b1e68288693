package conformance

import (
	"net/http"

	"payonce/io/sandbox"
	"payonce/io/service/v1"
)

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
		{Rule: ruleOf("mcp/sequence"), Over: v1.MCP, Steps: opened()},
		{Rule: ruleOf("mcp/other-version"), Over: v1.MCP, Steps: []Step{
			Message{
				Body:   `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{},"clientInfo":{"name":"old","version":"1"}}}`,
				Header: map[string]string{"MCP-Protocol-Version": ""}, Status: 200, Shows: members{"result.protocolVersion": "2025-11-25"},
			},
		}},
		{Rule: ruleOf("mcp/discovery"), Over: v1.MCP, Steps: inSession(
			Message{Body: listTools, Status: 200, Shows: members{
				"result.tools.0.name": "service_account_status", "result.tools.0._meta.service/access": present{},
				"result.tools.1.name": "service_find_work_email", "result.tools.2.name": "service_find_phone", "result.tools.3.name": "service_enrich_contact",
				"result.tools.1.inputSchema.type": "object", "result.tools.1._meta.service/access.available": true,
				"result.tools.1._meta.service/pricing.work_email_usd": "0.15", "result.tools.3._meta.service/pricing.business_phone_usd": "0.25",
			}},
		)},
		{Rule: ruleOf("mcp/status-tool"), Over: v1.MCP, Steps: inSession(
			Message{Body: listTools, Status: 200, Shows: members{
				"result.tools.0.name": "service_account_status", "result.tools.0.inputSchema.additionalProperties": false, "result.tools.0.inputSchema.properties": absent{},
			}},
			Message{Body: call("service_account_status", "{}"), Status: 200, Shows: members{
				"result.isError": absent{}, "result.structuredContent.key_valid": true, "result.structuredContent.free_allowance.work_emails_remaining": 20,
			}},
		)},
		{Rule: ruleOf("mcp/data-tools"), Over: v1.MCP, Steps: inSession(
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
		{Rule: ruleOf("mcp/session-reopened"), Over: v1.MCP, Begin: func(c *sandbox.Config) { c.MCP.Sessions = true }, Steps: []Step{
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
		{Rule: ruleOf("mcp/key-needed"), Over: v1.MCP, Steps: []Step{
			Message{As: noKey, Body: initializeBody, Header: noVersion, Status: 401, Shows: unauthorized},
			Message{As: unknownKey, Body: listTools, Status: 401, Shows: unauthorized},
			Message{As: noKey, Body: call("service_find_work_email", adaArguments), Status: 401, Shows: unauthorized},
		}},
		{Rule: ruleOf("mcp/version-needed"), Over: v1.MCP, Steps: inSession(
			Message{Body: listTools, Header: noVersion, Status: 400},
			Message{Body: call("service_find_work_email", adaArguments), Header: noVersion, Status: 400},
			Message{Body: call("service_find_work_email", adaArguments), Header: map[string]string{"MCP-Protocol-Version": "2024-11-05"}, Status: 400},
		)},
		{Rule: ruleOf("mcp/failed-tool"), Over: v1.MCP, Steps: inSession(
			Message{Body: call("service_find_work_email", `{"first_name":"Ada"}`), Status: 200, Arrives: true, Shows: members{
				"result.isError": true, "result.structuredContent": absent{}, "error": absent{},
				"result._meta.service/error.code": "invalid_identifiers", "result._meta.service/error.http_status": 400,
				"result._meta.service/error.retryable": false, "result._meta.service/error.request_id": present{},
			}},
		)},
		{Rule: ruleOf("mcp/protocol-error"), Over: v1.MCP, Steps: inSession(
			Message{Body: call("service_find_everything", "{}"), Status: 200, Shows: members{"error.code": -32602, "result": absent{}}},
			Message{Body: `{"jsonrpc":"2.0","id":9,"method":"tools/buy","params":{}}`, Status: 200, Shows: members{"error.code": -32601, "id": 9.0, "result": absent{}}},
			Message{Body: `{"jsonrpc":"2.0","id":`, Status: 400},
		)},
		{Rule: ruleOf("mcp/restricted-tool"), Over: v1.MCP, Steps: inSession(
			state("restricted"),
			Message{Body: call("service_account_status", "{}"), Status: 200, Shows: members{
				"result.isError": true, "result._meta.service/error.code": string(sandbox.AccessRestricted), "result._meta.service/error.http_status": http.StatusForbidden,
			}},
		)},
	}
}
