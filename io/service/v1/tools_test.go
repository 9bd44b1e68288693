package v1

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payonce/cost"
	"payonce/enrich"
	"payonce/io/service"
)

// closedSchema returns an input schema that allows the members and no others.
func closedSchema(required []string, members ...string) string {
	properties := map[string]any{}
	for _, member := range members {
		properties[member] = map[string]any{}
	}
	text, _ := json.Marshal(map[string]any{
		"type": "object", "properties": properties, "required": append([]string{}, required...), "additionalProperties": false,
	})
	return string(text)
}

func everyMember() []string { return DefaultNames().bodyOf(EnrichContact) }

// Tools are looked at before the first paid call.
func TestMCPToolsAreChecked(t *testing.T) {
	all := everyMember()
	without := func(names ...string) []string {
		return slices.DeleteFunc(slices.Clone(all), func(name string) bool { return slices.Contains(names, name) })
	}
	tests := []struct {
		name, tools string
		code        string // "" when the lookup is sent
		says        string
	}{
		{"open", toolList(openSchema), "", ""},
		{"closed", toolList(closedSchema(nil, all...)), "", ""},
		{"more than is sent", toolList(closedSchema(nil, append(all, "locale")...)), "", ""},
		{"no schema", toolList(`null`), "", ""},
		{"schema that cannot be applied", toolList(`{"$ref":"https://example.com/schema"}`), "", ""},
		{"tool missing", `{"tools":[{"name":"service_find_phone","inputSchema":{}}]}`, "mcp_tool_changed", "no tool service_enrich_contact"},
		{"no tools", `{"tools":[]}`, "mcp_tool_changed", "no tool"},
		{"tools of other types", `{"tools":[1,null,"x",{"name":7},{}]}`, "mcp_tool_changed", "no tool"},
		{"requires something else", toolList(closedSchema([]string{"purpose"}, append(all, "purpose")...)), "mcp_tool_changed", "requires purpose"},
		{"names have changed", toolList(closedSchema(nil, "firstName", "lastName", "include_email", "include_phone", "include_profile")), "mcp_tool_changed", "does not allow"},
		{"no profile switch", toolList(closedSchema(nil, without("include_profile")...)), "mcp_tool_changed", "does not allow include_profile"},
		{"by domain no more", toolList(closedSchema(nil, without("company_domain")...)), "input_schema", ""},
		{"by profile alone", toolList(closedSchema(nil, without("first_name")...)), "input_schema", ""},
		{"a stricter value", toolList(`{"properties":{"first_name":{"minLength":4}}}`), "input_schema", `first_name does not fulfil properties/first_name/minLength`},
		{"one member that is not as it should be", strings.Replace(toolList(openSchema), `"inputSchema"`, `"annotations":7,"icons":"x","inputSchema"`, 1), "", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := newFakeMCP(t)
			f.tools = test.tools
			verdict := find(mcpClient(t, f))
			if test.code == "" {
				wantAnswered(t, verdict)
				return
			}
			refused, ok := verdict.(enrich.Refused)
			class := map[string]enrich.RefusalClass{"mcp_tool_changed": enrich.StopRun, "input_schema": enrich.InvalidInput}[test.code]
			if !ok || refused.Code != test.code || refused.Class != class || !refused.Unsent || !strings.Contains(refused.Message, test.says) {
				t.Errorf("verdict %+v, want %s with %q", verdict, test.code, test.says)
			}
			if strings.Contains(refused.Message, "Ada") {
				t.Errorf("message %q holds a value", refused.Message)
			}
			if f.paid() != 0 {
				t.Errorf("%d calls arrived, want none", f.paid())
			}
		})
	}
}

func TestMCPToolsInPages(t *testing.T) {
	f := newFakeMCP(t)
	var all struct {
		Tools []json.RawMessage `json:"tools"`
	}
	if err := json.Unmarshal([]byte(toolList(openSchema)), &all); err != nil {
		t.Fatal(err)
	}
	page := 0
	f.on("tools/list", func(w http.ResponseWriter, _ *http.Request, m message) {
		want := fmt.Sprintf(`{"cursor":"page %d"}`, page)
		if page == 0 {
			want = `{}`
		}
		if string(m.Params) != want {
			t.Errorf("page %d was asked for with %s", page, m.Params)
		}
		next := fmt.Sprintf(`,"nextCursor":"page %d"`, page+1)
		if page == len(all.Tools)-1 {
			next = ""
		}
		respondRPC(w, m.ID, fmt.Sprintf(`{"tools":[%s]%s}`, all.Tools[page], next))
		page++
	})
	wantAnswered(t, find(mcpClient(t, f)))
	if page != len(all.Tools) {
		t.Errorf("%d pages were read, want %d", page, len(all.Tools))
	}
}

func TestMCPEndlessTools(t *testing.T) {
	for name, tools := range map[string]string{"of tools": strings.Repeat(`{"name":"x"},`, 100) + `{"name":"x"}`, "of nothing": ""} {
		f := newFakeMCP(t)
		f.on("tools/list", func(w http.ResponseWriter, _ *http.Request, m message) {
			respondRPC(w, m.ID, `{"tools":[`+tools+`],"nextCursor":"more"}`)
		})
		err := wantNotSent(t, find(mcpClient(t, f)))
		if !strings.Contains(err.Error(), "does not end") || len(f.seen()) > 55 {
			t.Errorf("%s: %v after %d messages", name, err, len(f.seen()))
		}
	}
}

func TestMCPProtocolVersion(t *testing.T) {
	for _, version := range []string{"2024-11-05", "2025-06-18", "2026-07-28", "3000-01-01", "", "\u001b[31m"} {
		f := newFakeMCP(t)
		f.on("initialize", func(w http.ResponseWriter, _ *http.Request, m message) {
			text, _ := json.Marshal(version)
			respondRPC(w, m.ID, `{"protocolVersion":`+string(text)+`,"capabilities":{},"serverInfo":{"name":"x","version":"1"}}`)
		})
		f.on("notifications/initialized", func(w http.ResponseWriter, _ *http.Request, _ message) { w.WriteHeader(http.StatusAccepted) })
		server := serve(t, func(w http.ResponseWriter, r *http.Request) {
			r.Header.Set("Mcp-Protocol-Version", map[bool]string{true: service.MCPVersion}[r.Header.Get("Mcp-Protocol-Version") != ""])
			f.ServeHTTP(w, r)
		})
		client := dialMCP(t, server.URL, service.SystemDialer())
		refused, ok := find(client).(enrich.Refused)
		if !ok || refused.Class != enrich.StopRun || refused.Code != "mcp_protocol_version" || !refused.Unsent {
			t.Errorf("%q: verdict %+v, want a stop", version, refused)
		}
		if _, err := client.Status(t.Context()); err == nil || !strings.Contains(err.Error(), "of MCP and this program") || strings.Contains(err.Error(), "\u001b") {
			t.Errorf("%q: status error %v", version, err)
		}
	}
}

func TestTools(t *testing.T) {
	f := newFakeMCP(t)
	f.tools = strings.Replace(toolList(closedSchema(nil, everyMember()...)), `{"tools":[`, `{"tools":[{"name":"service_company_search"},`, 1)
	server := serve(t, f.ServeHTTP)
	for _, transport := range []Transport{REST, MCP} {
		client, err := NewStatusClient(Config{BaseURL: server.URL + "/api/v1", Transport: transport, Key: testKey})
		if err != nil {
			t.Fatal(err)
		}
		tools, err := client.Tools(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"service_company_search", "service_account_status"}, tools.Others); diff != "" {
			t.Errorf("other tools (-want +got):\n%s", diff)
		}
		offer := tools.Operations[EnrichContact]
		want := Offer{
			Name:   "service_enrich_contact",
			Access: Access{Plans: []string{"payg", "core"}, Available: cost.Known(true)},
			Prices: cost.Prices{WorkEmail: 15 * cost.Cent, BusinessPhone: 25 * cost.Cent},
		}
		offer.input = nil
		if diff := cmp.Diff(want, offer, cmp.AllowUnexported(Offer{})); diff != "" {
			t.Errorf("offer (-want +got):\n%s", diff)
		}
		for _, assumed := range tools.Check(Names{}) {
			if !assumed.Found {
				t.Errorf("%s was not found in %s", assumed.Name, assumed.Where)
			}
		}
		for _, assumed := range tools.Check(Names{FirstName: "given_name"}) {
			if assumed.Found == (assumed.Name == "given_name") {
				t.Errorf("%s found in %s: %t", assumed.Name, assumed.Where, assumed.Found)
			}
		}
	}
}
