package sandbox_test

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"payonce/cost"
	"payonce/io/sandbox"
	"payonce/io/service/v1"
)

// bearer adds a key to every request, and remembers the headers of the responses.
type bearer struct {
	key  string
	seen []http.Header
}

func (b *bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.key)
	response, err := http.DefaultTransport.RoundTrip(r)
	if err == nil {
		b.seen = append(b.seen, response.Header)
	}
	return response, err
}

// connect initializes a session of the SDK's own client.
func (w *workspace) connect(b *bearer) (*mcp.ClientSession, error) {
	b.key = w.key
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(w.t.Context(), &mcp.StreamableClientTransport{
		Endpoint: w.url + mcpPath, HTTPClient: &http.Client{Transport: b}, DisableStandaloneSSE: true, MaxRetries: -1,
	}, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err == nil {
		w.t.Cleanup(func() { _ = session.Close() })
	}
	return session, err
}

// TestTheSDKClientWorksWithEveryMCPMode: the SDK's client initializes, lists and calls, in each way that
// the endpoint can speak.
func TestTheSDKClientWorksWithEveryMCPMode(t *testing.T) {
	for name, speech := range map[string]sandbox.MCP{
		"JSON":                {},
		"events":              {EventStream: true},
		"JSON in a session":   {Sessions: true},
		"events in a session": {Sessions: true, EventStream: true},
	} {
		t.Run(name, func(t *testing.T) {
			config := everybody()
			config.MCP = speech
			w, b := open(t, config), &bearer{}
			session, err := w.connect(b)
			if err != nil {
				t.Fatal(err)
			}
			if v := session.InitializeResult().ProtocolVersion; v != "2025-11-25" {
				t.Errorf("negotiated %s", v)
			}
			if (session.ID() != "") != speech.Sessions {
				t.Errorf("the session's ID is %q", session.ID())
			}
			checkTools(t, session)
			arguments := json.RawMessage(adaBoth)
			result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "service_enrich_contact", Arguments: arguments})
			if err != nil || result.IsError || result.StructuredContent.(map[string]any)["status"] != "matched" {
				t.Fatalf("%+v %v", result, err)
			}
			status, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "service_account_status"})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(w.status(), status.StructuredContent); diff != "" {
				t.Errorf("status over REST and MCP (-REST +MCP):\n%s", diff)
			}
			if ledger := w.audited(); len(ledger.Charges) != 2 || ledger.Posts[enrichPath] != 1 {
				t.Errorf("ledger %+v", ledger)
			}
			for _, header := range b.seen {
				if header.Get("X-Sandbox") != "true" {
					t.Errorf("a response without X-Sandbox: %v", header)
				}
			}
		})
	}
}

func checkTools(t *testing.T, session *mcp.ClientSession) {
	t.Helper()
	list, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	access := map[string]any{"plans": []any{"payg", "core", "growth", "scale"}, "available": true}
	prices := map[string]any{"work_email_usd": "0.15", "business_phone_usd": "0.25"}
	want := map[string]mcp.Meta{
		"service_account_status":  {"service/access": access, "service/pricing": map[string]any{"free": true}},
		"service_find_work_email": {"service/access": access, "service/pricing": prices},
		"service_find_phone":      {"service/access": access, "service/pricing": prices},
		"service_enrich_contact":  {"service/access": access, "service/pricing": prices},
	}
	got := map[string]mcp.Meta{}
	for _, tool := range list.Tools {
		got[tool.Name] = tool.Meta
		if schema, _ := tool.InputSchema.(map[string]any); schema["type"] != "object" || tool.OutputSchema == nil {
			t.Errorf("the schemas of %s are %v and %v", tool.Name, tool.InputSchema, tool.OutputSchema)
		}
		if !strings.Contains(tool.Description, "SANDBOX") {
			t.Errorf("%s does not say that it is a sandbox: %s", tool.Name, tool.Description)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("tools (-want +got):\n%s", diff)
	}
}

// TestMCPResultsEqualRESTBodies: a result over MCP is the body of REST.
func TestMCPResultsEqualRESTBodies(t *testing.T) {
	for operation, tool := range tools() {
		body := ada
		if operation == "enrich" {
			body = adaBoth
		}
		config := everybody()
		config.Now = newClock().now
		overREST := askedOnce(t, config, transports()[0], "/api/v1/contacts/"+operation, body)
		overMCP := askedOnce(t, config, transports()[1], "/api/v1/contacts/"+operation, body)
		if diff := cmp.Diff(overREST.result, overMCP.result); diff != "" {
			t.Errorf("%s (-REST +MCP):\n%s", tool, diff)
		}
	}
}

func askedOnce(t *testing.T, config sandbox.Config, over transport, path, body string) answer {
	t.Helper()
	return over.must(open(t, config), path, body)
}

// TestInvalidMCPMessagesAreRefused: what is not a message to a tool is refused on HTTP's level or by
// JSON-RPC, and the ledger does not record it.
func TestInvalidMCPMessagesAreRefused(t *testing.T) {
	const list = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`
	header := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	call := func(name, arguments string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + name + `","arguments":` + arguments + `}}`
	}
	same := header("MCP-Protocol-Version", "2025-11-25")
	for _, test := range []struct {
		name, method, body string
		change             func(*http.Request)
		status             int
		want               string
	}{
		{"no key", "POST", list, header("Authorization", ""), 401, "invalid_api_key"},
		{"a wrong key", "POST", list, header("Authorization", "Bearer x"), 401, "invalid_api_key"},
		{"a wrong key for a stream", "GET", "", header("Authorization", "Bearer x"), 401, "invalid_api_key"},
		{"no version", "POST", list, header("MCP-Protocol-Version", ""), 400, "MCP-Protocol-Version: 2025-11-25"},
		{"an older version", "POST", list, header("MCP-Protocol-Version", "2025-06-18"), 400, "MCP-Protocol-Version: 2025-11-25"},
		{"a newer version", "POST", list, header("MCP-Protocol-Version", "2026-07-28"), 400, "MCP-Protocol-Version: 2025-11-25"},
		{"no JSON", "POST", "hello", same, 400, "malformed"},
		{"nothing", "POST", "", same, 400, "non-empty"},
		{"too long", "POST", strings.Repeat(" ", 20<<10) + list, same, 400, "too long"},
		{"another content type", "POST", list, header("Content-Type", "text/plain"), 415, "application/json"},
		{"no events accepted", "POST", list, header("Accept", "application/json"), 400, "text/event-stream"},
		{"an unknown tool", "POST", call("service_reverse_email", "{}"), same, 200, "unknown tool"},
		{"an unknown method", "POST", `{"jsonrpc":"2.0","id":"x-7","method":"tools/drop"}`, same, 200, `{"error":{"code":-32601,`},
		{"its call's ID", "POST", `{"jsonrpc":"2.0","id":"x-7","method":"tools/drop","params":{}}`, same, 200, `"id":"x-7","jsonrpc":"2.0"}`},
		{"an unknown notification", "POST", `{"jsonrpc":"2.0","method":"notifications/drop"}`, same, 400, "notifications/drop"},
		{"a call without params", "POST", `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`, same, 400, "params"},
		{"a stream", "GET", "", same, 405, ""},
		{"the end of a session", "DELETE", "", same, 405, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := open(t, everybody())
			r, err := w.send(test.method, mcpPath, test.body, header("Accept", "application/json, text/event-stream"), same, test.change)
			if err != nil {
				t.Fatal(err)
			}
			if r.code != test.status || !strings.Contains(r.text, test.want) {
				t.Errorf("%d %s, want %d with %q", r.code, r.text, test.status, test.want)
			}
			if (r.header.Get("WWW-Authenticate") != "") != (r.code == 401) {
				t.Errorf("headers %v", r.header)
			}
			if ledger := w.audited(); len(ledger.Arrivals) != 0 {
				t.Errorf("arrivals %v", ledger.Arrivals)
			}
		})
	}
}

// TestAnMCPFailureCarriesTheWholeServiceError compares the whole error of a failed tool.
func TestAnMCPFailureCarriesTheWholeServiceError(t *testing.T) {
	config := everybody()
	config.Faults = []sandbox.Fault{{Answer: sandbox.Refused, Code: sandbox.RateLimited, RetryAfter: 7100 * time.Millisecond}}
	w := open(t, config)
	a, err := askMCP(w, emailPath, ada)
	if err != nil {
		t.Fatal(err)
	}
	meta := a.body["result"].(map[string]any)["_meta"]
	want := map[string]any{"service/error": map[string]any{
		"code": "rate_limited", "retryable": true, "http_status": 429.0, "request_id": a.requestID, "retry_after": 8.0,
	}}
	if diff := cmp.Diff(want, meta); diff != "" || a.retryAfter != "8" || a.code != http.StatusOK {
		t.Errorf("%d, Retry-After %q (-want +got):\n%s", a.code, a.retryAfter, diff)
	}
}

// TestAnEndedMCPSessionIsUnknown: an ended session is unknown, and a new one can be opened.
func TestAnEndedMCPSessionIsUnknown(t *testing.T) {
	config := everybody()
	config.MCP.Sessions = true
	w, b := open(t, config), &bearer{}
	session, err := w.connect(b)
	if err != nil {
		t.Fatal(err)
	}
	w.EndSessions()
	withID := func(r *http.Request) { r.Header.Set("Mcp-Session-Id", session.ID()) }
	if a, err := askMCP(w, emailPath, ada, withID); err != nil || a.code != http.StatusNotFound {
		t.Errorf("%d %s %v, want 404", a.code, a.text, err)
	}
	if session, err = w.connect(b); err != nil {
		t.Fatal(err)
	}
	if a, err := askMCP(w, emailPath, ada, withID); err != nil || a.result == nil {
		t.Errorf("%d %s %v", a.code, a.text, err)
	}
	if ledger := w.audited(); len(ledger.Arrivals) != 1 {
		t.Errorf("arrivals %v", ledger.Arrivals)
	}
}

// TestPricesInForce: what the tools and the document say is what is charged.
func TestPricesInForce(t *testing.T) {
	config := everybody()
	config.Prices = cost.Prices{v1.WorkEmail: 9 * cost.Cent}
	w := open(t, config)
	r, err := w.rpc("tools/list", "{}")
	if err != nil {
		t.Fatal(err)
	}
	document, err := w.send(http.MethodGet, "/api/v1/openapi.json", "", func(r *http.Request) { r.Header.Del("Authorization") })
	if err != nil || document.code != http.StatusOK {
		t.Fatalf("%d %v", document.code, err)
	}
	paths := document.body["paths"].(map[string]any)
	available := map[string]bool{}
	for _, tool := range r.body["result"].(map[string]any)["tools"].([]any) {
		name := tool.(map[string]any)["name"].(string)
		meta := tool.(map[string]any)["_meta"].(map[string]any)
		available[name] = meta["service/access"].(map[string]any)["available"].(bool)
		for operation, of := range tools() {
			if of != name {
				continue
			}
			post := paths["/contacts/"+operation].(map[string]any)["post"].(map[string]any)
			want := []any{map[string]any{"work_email_usd": "0.09"}, meta["service/access"]}
			if diff := cmp.Diff(want, []any{meta["service/pricing"], post["x-service-access"]}); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
			if diff := cmp.Diff(meta["service/pricing"], post["x-service-pricing"]); diff != "" {
				t.Errorf("%s (-tool +document):\n%s", name, diff)
			}
		}
	}
	want := map[string]bool{
		"service_account_status": true, "service_find_work_email": true, "service_find_phone": false, "service_enrich_contact": false,
	}
	if !maps.Equal(available, want) {
		t.Errorf("available %v, want %v", slices.Sorted(maps.Keys(available)), want)
	}
}

// TestTheSDKClientDoesNotRepeatADroppedCall: the SDK's client learns of a dropped call, and does not
// repeat it.
func TestTheSDKClientDoesNotRepeatADroppedCall(t *testing.T) {
	config := everybody()
	config.Faults = []sandbox.Fault{{Answer: sandbox.Dropped, Happened: true, Max: 1}}
	w := open(t, config)
	session, err := w.connect(&bearer{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "service_find_work_email", Arguments: json.RawMessage(ada)}); err == nil {
		t.Errorf("a dropped call returned %+v", result)
	}
	if ledger := w.audited(); len(ledger.Arrivals) != 1 || len(ledger.Charges) != 1 {
		t.Errorf("arrivals %v, charges %v", ledger.Arrivals, ledger.Charges)
	}
}

// TestFaultsBreakEventStreamsToo: what breaks a JSON answer breaks a stream of events as well.
func TestFaultsBreakEventStreamsToo(t *testing.T) {
	for _, kind := range []sandbox.AnswerKind{sandbox.Dropped, sandbox.Truncated} {
		config := everybody()
		config.MCP.EventStream = true
		config.Faults = []sandbox.Fault{{Answer: kind, Happened: true}}
		w := open(t, config)
		a, err := askMCP(w, emailPath, ada)
		if !isBroken(err) || strings.HasSuffix(a.text, "\n\n") {
			t.Errorf("answer %d: %q %v", kind, a.text, err)
		}
		if kind == sandbox.Truncated && !strings.HasPrefix(a.text, "event: message\ndata: {") {
			t.Errorf("no half of an event: %q", a.text)
		}
		if ledger := w.audited(); len(ledger.Charges) != 1 || ledger.Arrivals[0].Transport != "mcp" {
			t.Errorf("charges %v", ledger.Charges)
		}
	}
}

// TestAClosedSandboxLeavesNoGoroutine: a closed sandbox leaves no goroutine, open sessions or not.
func TestAClosedSandboxLeavesNoGoroutine(t *testing.T) {
	for _, sessions := range []bool{false, true} {
		before := goleak.IgnoreCurrent()
		config := everybody()
		config.MCP.Sessions = sessions
		server, err := sandbox.New(config)
		if err != nil {
			t.Fatal(err)
		}
		front := httptest.NewServer(server.Handler())
		w := &workspace{Server: server, t: t, url: front.URL, key: config.Key}
		for range 3 {
			r, err := w.rpc("initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}`)
			if err != nil || (r.header.Get("Mcp-Session-Id") != "") != sessions {
				t.Fatalf("%d %v %v", r.code, r.header, err)
			}
		}
		if err := server.Close(); err != nil {
			t.Error(err)
		}
		front.Close()
		http.DefaultClient.CloseIdleConnections()
		goleak.VerifyNone(t, before)
	}
}
