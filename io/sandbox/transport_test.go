package sandbox_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path"
	"testing"

	"payonce/io/sandbox"
)

const mcpPath = "/mcp"

// answer is what a client learns from a lookup, on whatever transport.
type answer struct {
	response                // what came over HTTP
	result   map[string]any // the enrichment result; nil for a refusal
	// The refusal.
	errorCode  sandbox.ErrorCode
	retryable  bool
	status     int // that the refusal has or would have over REST
	requestID  string
	retryAfter string // the HTTP header
}

// transport is one of the ways to ask.
type transport struct {
	name string
	ask  func(w *workspace, path, body string, change ...func(*http.Request)) (answer, error)
}

func transports() []transport {
	return []transport{{"REST", askREST}, {"MCP", askMCP}}
}

// overBoth runs a test over both transports.
func overBoth(t *testing.T, test func(t *testing.T, over transport)) {
	for _, over := range transports() {
		t.Run(over.name, func(t *testing.T) { test(t, over) })
	}
}

// must asks and has to be answered.
func (over transport) must(w *workspace, path, body string) answer {
	w.t.Helper()
	a, err := over.ask(w, path, body)
	if err != nil {
		w.t.Fatalf("%s over %s: %v", path, over.name, err)
	}
	return a
}

func askREST(w *workspace, path, body string, change ...func(*http.Request)) (answer, error) {
	w.t.Helper()
	r, err := w.send(http.MethodPost, path, body, change...)
	a := answer{response: r, retryAfter: r.header.Get("Retry-After")}
	if err != nil {
		return a, err
	}
	refusal, refused := r.body["error"].(map[string]any)
	if !refused {
		a.result = r.body
		return a, nil
	}
	a.errorCode, a.status = r.errorCode(), r.code
	a.retryable, _ = refusal["retryable"].(bool)
	a.requestID, _ = r.body["request_id"].(string)
	return a, nil
}

// tools are the tools by the paths of their operations.
func tools() map[string]string {
	return map[string]string{
		"find-work-email": "service_find_work_email",
		"find-phone":      "service_find_phone",
		"enrich":          "service_enrich_contact",
	}
}

func askMCP(w *workspace, operation, body string, change ...func(*http.Request)) (answer, error) {
	w.t.Helper()
	if !json.Valid([]byte(body)) {
		body = fmt.Sprintf("%q", body) // what is not JSON cannot be asked over JSON-RPC
	}
	r, err := w.rpc("tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, tools()[path.Base(operation)], body), change...)
	a := answer{response: r, retryAfter: r.header.Get("Retry-After")}
	if err != nil {
		return a, err
	}
	result, _ := r.body["result"].(map[string]any)
	if result["isError"] != true {
		a.result, _ = result["structuredContent"].(map[string]any)
		return a, nil
	}
	meta, _ := result["_meta"].(map[string]any)
	failure, _ := meta["service/error"].(map[string]any)
	code, _ := failure["code"].(string)
	a.errorCode = sandbox.ErrorCode(code)
	a.retryable, _ = failure["retryable"].(bool)
	a.requestID, _ = failure["request_id"].(string)
	status, _ := failure["http_status"].(float64)
	a.status = int(status)
	return a, nil
}

// rpc sends one message to the MCP endpoint, as a client after initialization.
func (w *workspace) rpc(method, params string, change ...func(*http.Request)) (response, error) {
	w.t.Helper()
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, method, params)
	after := func(r *http.Request) {
		r.Header.Set("Accept", "application/json, text/event-stream")
		r.Header.Set("MCP-Protocol-Version", "2025-11-25")
	}
	return w.send(http.MethodPost, mcpPath, body, append([]func(*http.Request){after}, change...)...)
}
