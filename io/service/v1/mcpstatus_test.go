package v1

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"payonce/io/iotest"
)

func TestMCPStatus(t *testing.T) {
	bothWays(t, func(t *testing.T, f *fakeMCP) {
		f.onCall(func(w http.ResponseWriter, _ *http.Request, m message) {
			respondRPC(w, m.ID, toolResult(`{"key_valid":true,"paid_balance":{"available_cents":4900}}`))
		})
		account, err := mcpClient(t, f).Status(t.Context())
		if err != nil || !account.KeyValid.Value || account.Balance.Available.Value.String() != "49.00" {
			t.Errorf("account %+v, %v", account, err)
		}
		want := []string{"initialize", "notifications/initialized", "tools/list", "tools/call service_account_status", "DELETE"}
		if !slices.Equal(f.seen(), want) {
			t.Errorf("messages %q, want %q", f.seen(), want)
		}
	})
}

func TestMCPStatusErrors(t *testing.T) {
	failed := func(serviceError string) func(http.ResponseWriter, *http.Request, message) {
		return func(w http.ResponseWriter, _ *http.Request, m message) {
			respondRPC(w, m.ID, toolFailure(serviceError))
		}
	}
	says := func(status int, body string) func(http.ResponseWriter, *http.Request, message) {
		return func(w http.ResponseWriter, _ *http.Request, _ message) { respondJSON(w, status, body) }
	}
	for name, test := range map[string]struct {
		method string
		answer func(http.ResponseWriter, *http.Request, message)
		status int // of the *StatusError; -1 for another error
		want   string
	}{
		"tool says 401":       {"tools/call", failed(serviceError(401, "invalid_api_key", "false")), 401, "HTTP 401"},
		"tool says 403":       {"tools/call", failed(serviceError(403, "workspace_inactive", "false")), 403, "HTTP 403"},
		"tool says nothing":   {"tools/call", failed(`{}`), 0, "account status: tool_failed: It did not work."},
		"endpoint says 401":   {"initialize", says(401, "no"), 401, "HTTP 401"},
		"call says 401":       {"tools/call", says(401, errorBody("invalid_api_key", "false")), 401, "invalid_api_key"},
		"list says 403":       {"tools/list", says(403, ""), 403, "HTTP 403"},
		"nothing there":       {"initialize", says(404, "<html>"), -1, "HTTP 404 of the MCP endpoint"},
		"the service's 404":   {"initialize", says(404, errorBody("not_found", "false")), -1, "HTTP 404 of the MCP endpoint"},
		"no such tool":        {"tools/list", func(w http.ResponseWriter, _ *http.Request, m message) { respondRPC(w, m.ID, `{"tools":[]}`) }, -1, "no tool service_account_status"},
		"error of JSON-RPC":   {"tools/call", func(w http.ResponseWriter, _ *http.Request, m message) { respondJSON(w, 200, rpcError(m.ID, -32603)) }, -1, "JSON-RPC error -32603"},
		"refused by JSON-RPC": {"tools/call", func(w http.ResponseWriter, _ *http.Request, m message) { respondJSON(w, 200, rpcError(m.ID, -32601)) }, -1, "mcp_method_not_found"},
		"invalid parameters":  {"tools/call", func(w http.ResponseWriter, _ *http.Request, m message) { respondJSON(w, 200, rpcError(m.ID, -32602)) }, -1, "JSON-RPC error -32602"},
		"no status":           {"tools/call", func(w http.ResponseWriter, _ *http.Request, m message) { respondRPC(w, m.ID, `{"content":[]}`) }, 200, "not an account status"},
		"dropped":             {"tools/call", func(w http.ResponseWriter, _ *http.Request, _ message) { iotest.Hijack(t, w).Close() }, -1, "no response"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFakeMCP(t)
			f.on(test.method, test.answer)
			_, err := mcpClient(t, f).Status(t.Context())
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Fatalf("error %v, want %q", err, test.want)
			}
			var got *StatusError
			if errors.As(err, &got) != (test.status >= 0) || got != nil && got.HTTPStatus != test.status {
				t.Errorf("error %#v, want HTTP status %d", err, test.status)
			}
		})
	}
}
