package service

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payonce/enrich"
)

// The sequence of the specification, with all that it sends.
func TestMCPSequence(t *testing.T) {
	f := newFakeMCP(t)
	client := mcpClient(t, f)
	wantAnswered(t, find(client))
	wantAnswered(t, find(client))
	client.Close()
	want := []string{
		"initialize", "notifications/initialized", "tools/list",
		"tools/call service_enrich_contact", "tools/call service_enrich_contact", "DELETE",
	}
	if diff := cmp.Diff(want, f.seen()); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
	bodies := []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"clientInfo":{"name":"payonce","version":"unknown"},"protocolVersion":"2025-11-25","capabilities":{}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized","params":{}}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"service_enrich_contact","arguments":{"company_domain":"example.com","first_name":"Ada",` +
			`"include_email":true,"include_phone":true,"include_profile":false,"last_name":"Lovelace"}}}`,
	}
	for i, body := range bodies {
		if diff := cmp.Diff(body, f.requests[i].Body); diff != "" {
			t.Errorf("message %d (-want +got):\n%s", i, diff)
		}
	}
	// The whole set of headers: one that calls the request idempotent lets net/http
	// and proxies send it again.
	header := f.requests[3].Header
	header.Del("Content-Length")
	wantHeader := http.Header{
		"Accept": {"application/json, text/event-stream"}, "Authorization": {"Bearer " + testKey}, "Content-Type": {"application/json"},
		"Mcp-Protocol-Version": {"2025-11-25"}, "Mcp-Session-Id": {"session-1"}, "User-Agent": {"payonce"},
	}
	if diff := cmp.Diff(wantHeader, header); diff != "" {
		t.Errorf("header (-want +got):\n%s", diff)
	}
}

func TestMCPCallsTheNarrowestTool(t *testing.T) {
	for fields, want := range map[enrich.Fields]string{
		enrich.FieldsOf(enrich.WorkEmail):     "tools/call service_find_work_email",
		enrich.FieldsOf(enrich.BusinessPhone): "tools/call service_find_phone",
		enrich.AllFields:                      "tools/call service_enrich_contact",
	} {
		f := newFakeMCP(t)
		lookup := ada()
		lookup.Fields = fields
		wantAnswered(t, mcpClient(t, f).Find(t.Context(), lookup))
		if got := f.seen()[3]; got != want {
			t.Errorf("%s: %s, want %s", fields, got, want)
		}
	}
}

// What the pipeline sees does not depend on the transport.
func TestMCPAnswersAsREST(t *testing.T) {
	for name, result := range map[string]string{
		"found":     foundBoth,
		"not found": `{"object":"enrichment_result","status":"not_found","data":null,"unresolved_fields":["person"]}`,
		"profile":   `{"object":"enrichment_result","status":"partial","data":{"full_name":"Ada","profile":{"big": 12345678901234567890, "a":"<&>"}}}`,
	} {
		want := find(clientOf(t, serve(t, respond(http.StatusOK, result))))
		bothWays(t, func(t *testing.T, f *fakeMCP) {
			f.onCall(func(w http.ResponseWriter, _ *http.Request, m message) {
				respondRPC(w, m.ID, toolResult(strings.ReplaceAll(result, "\n", " ")))
			})
			if diff := cmp.Diff(want, find(mcpClient(t, f))); diff != "" {
				t.Errorf("%s: verdict (-REST +MCP):\n%s", name, diff)
			}
		})
	}
}

// An answer that was paid for is not thrown away over what stands around it.
func TestMCPAnsweredLeniently(t *testing.T) {
	text := strings.ReplaceAll(foundBoth, `"`, `\"`)
	text = strings.Join(strings.Fields(text), " ")
	for name, result := range map[string]string{
		"unknown kind of content": `{"content":[{"type":"hologram","x":1}],"structuredContent":` + foundBoth + `}`,
		"no content":              `{"structuredContent":` + foundBoth + `}`,
		"content is no list":      `{"content":"none","structuredContent":` + foundBoth + `}`,
		"text alone":              `{"content":[{"type":"image"},{"type":"text","text":"` + text + `"}]}`,
		"structured is null":      `{"content":[{"type":"text","text":"` + text + `"}],"structuredContent":null}`,
		"isError null":            `{"isError":null,"structuredContent":` + foundBoth + `}`,
		"isError false":           `{"isError":false,"structuredContent":` + foundBoth + `}`,
		"asks for input":          `{"resultType":"input_required","inputRequests":{},"structuredContent":` + foundBoth + `}`,
	} {
		t.Run(name, func(t *testing.T) {
			f := newFakeMCP(t)
			f.onCall(func(w http.ResponseWriter, _ *http.Request, m message) { respondRPC(w, m.ID, result) })
			client := mcpClient(t, f)
			if answer := wantAnswered(t, find(client)); answer.WorkEmail != "ada@example.com" {
				t.Errorf("answer %+v", answer)
			}
			f.onCall(found)
			wantAnswered(t, find(client)) // whatever the SDK made of the first
			if f.paid() != 2 {
				t.Errorf("%d calls arrived for 2 lookups", f.paid())
			}
		})
	}
	t.Run("no content type", func(t *testing.T) {
		f := newFakeMCP(t)
		f.onCall(func(w http.ResponseWriter, _ *http.Request, m message) {
			w.Header()["Content-Type"] = nil
			_, _ = io.WriteString(w, rpcResult(m.ID, toolResult(foundBoth)))
		})
		wantAnswered(t, find(mcpClient(t, f)))
	})
}

// Every row of the table of refusals, as the failure of a tool.
func TestMCPFindRefused(t *testing.T) {
	for _, test := range refusals() {
		t.Run(fmt.Sprintf("%d %s %s", test.status, test.code, test.retryable), func(t *testing.T) {
			bothWays(t, func(t *testing.T, f *fakeMCP) {
				f.onCall(func(w http.ResponseWriter, _ *http.Request, m message) {
					respondRPC(w, m.ID, toolFailure(serviceError(test.status, test.code, test.retryable)))
				})
				if diff := cmp.Diff(enrich.Verdict(test.verdict()), find(mcpClient(t, f))); diff != "" {
					t.Errorf("verdict (-want +got):\n%s", diff)
				}
				if f.paid() != 1 {
					t.Errorf("%d calls arrived, want 1", f.paid())
				}
			})
		})
	}
}

func serviceError(status int, code, retryable string) string {
	members := []string{fmt.Sprintf(`"http_status":%d`, status), `"request_id":"req_9"`}
	if code != "" {
		members = append(members, fmt.Sprintf(`"code":%q`, code))
	}
	if retryable != "" {
		members = append(members, `"retryable":`+retryable)
	}
	return `{` + strings.Join(members, ",") + `}`
}

// A tool's failure that does not give what it should.
func TestMCPFailureWithoutAll(t *testing.T) {
	refused := func(class enrich.RefusalClass, status int, code string) enrich.Verdict {
		return enrich.Refused{Class: class, HTTPStatus: status, Code: code, Message: "It did not work."}
	}
	tests := []struct {
		name, serviceError string
		want               enrich.Verdict // nil for Lost
	}{
		{"code of the service alone", `{"code":"credits_exhausted"}`, refused(enrich.StopRun, 0, "credits_exhausted")},
		{"passing code alone", `{"code":"temporarily_unavailable"}`, refused(enrich.TryAgain, 0, "temporarily_unavailable")},
		{"retryable alone", `{"retryable":true}`, refused(enrich.TryAgain, 0, "tool_failed")},
		{"final alone", `{"retryable":false}`, refused(enrich.StopRun, 0, "tool_failed")},
		{"status that refuses alone", `{"http_status":402}`, refused(enrich.StopRun, 402, "http_402")},
		{"status in a string", `{"http_status":"429"}`, refused(enrich.SlowDown, 429, "http_429")},
		{"status of a success", `{"http_status":200,"code":"credits_exhausted"}`, refused(enrich.StopRun, 0, "credits_exhausted")},
		{"status beyond all", `{"http_status":999,"code":"rate_limited"}`, refused(enrich.SlowDown, 0, "rate_limited")},
		{"unknown code alone", `{"code":"something_new"}`, nil},
		{"status of a fault alone", `{"http_status":500}`, nil},
		{"unknown code with a fault", `{"code":"GatewayTimeout","http_status":504}`, nil},
		{"nothing", `{}`, nil},
		{"null", `null`, nil},
		{"text", `"credits_exhausted"`, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := newFakeMCP(t)
			f.onCall(func(w http.ResponseWriter, _ *http.Request, m message) {
				respondRPC(w, m.ID, toolFailure(test.serviceError))
			})
			verdict := find(mcpClient(t, f))
			if test.want == nil {
				wantLost(t, verdict)
				return
			}
			if diff := cmp.Diff(test.want, verdict); diff != "" {
				t.Errorf("verdict (-want +got):\n%s", diff)
			}
		})
	}
}

// isError comes first: a result beside it does not count, and nor does the error of a
// result that is none.
func TestMCPErrorComesFirst(t *testing.T) {
	f := newFakeMCP(t)
	f.onCall(func(w http.ResponseWriter, _ *http.Request, m message) {
		respondRPC(w, m.ID, `{"isError":true,"structuredContent":`+foundBoth+`,"_meta":{"service/error":{"code":"credits_exhausted","http_status":402}}}`)
	})
	if refused, ok := find(mcpClient(t, f)).(enrich.Refused); !ok || refused.Code != "credits_exhausted" {
		t.Errorf("verdict %+v, want the refusal", refused)
	}
	f.onCall(func(w http.ResponseWriter, _ *http.Request, m message) {
		respondJSON(w, 200, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32603},"result":%s}`, m.ID, toolResult(foundBoth)))
	})
	wantLost(t, find(mcpClient(t, f)))
	f.onCall(func(w http.ResponseWriter, _ *http.Request, m message) {
		respondRPC(w, m.ID, `{"_meta":{"service/error":{"code":"credits_exhausted","http_status":402}}}`)
	})
	wantLost(t, find(mcpClient(t, f)))
	f.onCall(func(w http.ResponseWriter, _ *http.Request, m message) {
		respondRPC(w, m.ID, `{"isError":"yes","structuredContent":`+foundBoth+`}`)
	})
	wantLost(t, find(mcpClient(t, f)))
}

// Only errors of the protocol that come before a tool runs are refusals.
func TestMCPErrorsOfTheProtocol(t *testing.T) {
	for code, want := range map[int]enrich.Refused{
		-32700: {Class: enrich.StopRun, Code: "mcp_parse_error"},
		-32600: {Class: enrich.StopRun, Code: "mcp_invalid_request"},
		-32601: {Class: enrich.StopRun, Code: "mcp_method_not_found"},
		-32602: {}, // also what servers say of a result that does not fit the tool's output schema
		-32603: {}, -32000: {}, -32001: {}, -32099: {}, 0: {}, 1: {}, 402: {},
	} {
		for _, status := range []int{http.StatusOK, http.StatusInternalServerError} {
			t.Run(fmt.Sprint(code, " ", status), func(t *testing.T) {
				bothWays(t, func(t *testing.T, f *fakeMCP) {
					f.onCall(func(w http.ResponseWriter, _ *http.Request, m message) { respondJSON(w, status, rpcError(m.ID, code)) })
					client := mcpClient(t, f)
					verdict := find(client)
					if want.Code == "" {
						wantLost(t, verdict)
						return
					}
					want.HTTPStatus, want.Message = status, "It did not work."
					if diff := cmp.Diff(enrich.Verdict(want), verdict); diff != "" {
						t.Errorf("verdict (-want +got):\n%s", diff)
					}
				})
			})
		}
	}
	t.Run("without an ID", func(t *testing.T) {
		f := newFakeMCP(t)
		f.onCall(func(w http.ResponseWriter, _ *http.Request, m message) {
			respondJSON(w, 200, rpcError([]byte("null"), -32700))
		})
		if refused, ok := find(mcpClient(t, f)).(enrich.Refused); !ok || refused.Code != "mcp_parse_error" {
			t.Errorf("verdict %+v, want a parse error", refused)
		}
	})
}

// Parameters that the endpoint itself refuses, by its HTTP status, have not come to a
// tool: that is the fault of the one lookup.
func TestMCPInvalidParametersAtTheDoor(t *testing.T) {
	f := newFakeMCP(t)
	f.onCall(func(w http.ResponseWriter, _ *http.Request, m message) { respondJSON(w, 400, rpcError(m.ID, -32602)) })
	refused, ok := find(mcpClient(t, f)).(enrich.Refused)
	if !ok || refused.Class != enrich.InvalidInput || refused.Code != "mcp_invalid_params" || refused.HTTPStatus != 400 {
		t.Errorf("verdict %+v, want invalid parameters", refused)
	}
}

// What the endpoint itself says to a call before it is JSON-RPC means the same as
// over REST, but for what is said about a session.
func TestMCPRefusedByTheEndpoint(t *testing.T) {
	for _, test := range refusals() {
		f := newFakeMCP(t)
		f.onCall(func(w http.ResponseWriter, _ *http.Request, _ message) {
			respondJSON(w, test.status, errorBody(test.code, test.retryable))
		})
		if diff := cmp.Diff(enrich.Verdict(test.verdict()), find(mcpClient(t, f))); diff != "" {
			t.Errorf("%d %s: verdict (-want +got):\n%s", test.status, test.code, diff)
		}
	}
	classes := map[int]enrich.RefusalClass{
		400: enrich.TryAgain, 401: enrich.StopRun, 402: enrich.StopRun, 403: enrich.StopRun, 404: enrich.TryAgain,
		409: enrich.TryAgain, 429: enrich.SlowDown,
	}
	for _, status := range []int{202, 204, 206, 300, 304, 400, 401, 402, 403, 404, 405, 406, 408, 409, 410, 413, 415, 421, 425, 429, 500, 502, 503, 504, 599} {
		for name, body := range map[string]string{"empty": "", "page": "<html>", "JSON-RPC error of the server": rpcError([]byte("3"), -32000)} {
			t.Run(fmt.Sprint(status, " ", name), func(t *testing.T) {
				f := newFakeMCP(t)
				f.onCall(func(w http.ResponseWriter, _ *http.Request, _ message) {
					w.Header().Set("Retry-After", "17")
					respondJSON(w, status, body)
				})
				verdict := find(mcpClient(t, f))
				class, refuses := classes[status]
				refused, isRefused := verdict.(enrich.Refused)
				if !refuses {
					wantLost(t, verdict)
				} else if !isRefused || refused.Class != class || refused.HTTPStatus != status || refused.RetryAfter != 17*time.Second {
					t.Errorf("verdict %+v, want %s", verdict, class)
				}
				if f.paid() != 1 {
					t.Errorf("%d calls arrived, want 1", f.paid())
				}
			})
		}
	}
}

func TestMCPRetryAfterIsSeen(t *testing.T) {
	const failed = `{"code":"rate_limited","retryable":true,"http_status":429`
	for name, test := range map[string]struct {
		header, failure string
		want            time.Duration
	}{
		"header":            {"17", failed + `}`, 17 * time.Second},
		"beside the error":  {"", failed + `,"retry_after":18}`, 18 * time.Second},
		"the longer one":    {"17", failed + `,"retry_after":18}`, 18 * time.Second},
		"at most a century": {"", failed + `,"retry_after":9223372036854775807}`, maxRetryAfter},
		"negative":          {"", failed + `,"retry_after":-1}`, 0},
		"none":              {"", failed + `}`, 0},
	} {
		bothWays(t, func(t *testing.T, f *fakeMCP) {
			f.onCall(func(w http.ResponseWriter, _ *http.Request, m message) {
				if test.header != "" {
					w.Header().Set("Retry-After", test.header)
				}
				respondRPC(w, m.ID, toolFailure(test.failure))
			})
			refused, ok := find(mcpClient(t, f)).(enrich.Refused)
			if !ok || refused.Class != enrich.SlowDown || refused.RetryAfter != test.want {
				t.Errorf("%s: %+v, want to wait %s", name, refused, test.want)
			}
		})
	}
}

// Endpoints word the end of a session in more than one way.
func TestMCPEndOfASession(t *testing.T) {
	for status, codes := range map[int][]int{404: {-32600, -32602, -32001, -32000}, 400: {-32600, -32000}} {
		for _, code := range codes {
			for _, id := range []string{"3", "null", `"server-error"`} {
				f := newFakeMCP(t)
				f.onCall(func(w http.ResponseWriter, _ *http.Request, _ message) {
					respondJSON(w, status, rpcError([]byte(id), code))
				})
				client := mcpClient(t, f)
				if refused, ok := find(client).(enrich.Refused); !ok || refused.Class != enrich.TryAgain || refused.Code != "mcp_session_ended" {
					t.Errorf("%d %d: verdict %+v, want to try again", status, code, refused)
				}
				f.onCall(found)
				wantAnswered(t, find(client))
				if f.sessions != 2 {
					t.Errorf("%d %d: %d sessions, want 2", status, code, f.sessions)
				}
			}
		}
	}
}

// A session that the server has forgotten, as after a restart, is begun again for
// the next lookup; the one that met it was not run and may be asked again.
func TestMCPSessionsAreReopened(t *testing.T) {
	bothWays(t, func(t *testing.T, f *fakeMCP) {
		client := mcpClient(t, f)
		// Two sessions are idle, and both are forgotten.
		both := make(chan struct{})
		f.onCall(func(w http.ResponseWriter, r *http.Request, m message) {
			both <- struct{}{}
			found(w, r, m)
		})
		verdicts := make(chan enrich.Verdict, 2)
		for range 2 {
			go func() { verdicts <- find(client) }()
		}
		<-both
		<-both
		wantAnswered(t, <-verdicts)
		wantAnswered(t, <-verdicts)
		f.onCall(found)
		f.restart()
		refused, ok := find(client).(enrich.Refused)
		if !ok || refused.Class != enrich.TryAgain || refused.Code != "mcp_session_ended" {
			t.Fatalf("verdict %+v, want to try again", refused)
		}
		wantAnswered(t, find(client))
		if f.paid() != 4 || f.sessions != 3 {
			t.Errorf("%d calls in %d sessions, want 4 in 3", f.paid(), f.sessions)
		}
	})
}

// A response that cannot be used ends its own session and no other.
func TestMCPLossKeepsToItself(t *testing.T) {
	f := newFakeMCP(t)
	release := make(chan struct{})
	arrived := make(chan struct{})
	f.onCall(func(w http.ResponseWriter, r *http.Request, m message) {
		if m.tool == toolOf(enrich.EnrichContact) {
			respondJSON(w, http.StatusOK, "garbage")
			return
		}
		close(arrived)
		<-release
		found(w, r, m)
	})
	client := mcpClient(t, f)
	answered := make(chan enrich.Verdict)
	go func() {
		lookup := ada()
		lookup.Fields = enrich.FieldsOf(enrich.WorkEmail)
		answered <- client.Find(context.Background(), lookup)
	}()
	<-arrived
	wantLost(t, find(client))
	close(release)
	wantAnswered(t, <-answered)
	if f.paid() != 2 {
		t.Errorf("%d calls arrived for 2 lookups", f.paid())
	}
}

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

// An endpoint without sessions has none to have ended: its 404 proves nothing.
func TestMCPWithoutSessions(t *testing.T) {
	f := newFakeMCP(t)
	f.on(methodInitialize, func(w http.ResponseWriter, _ *http.Request, m message) {
		respondRPC(w, m.ID, `{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"fake","version":"1"}}`)
	})
	client := mcpClient(t, f)
	wantAnswered(t, find(client))
	f.onCall(func(w http.ResponseWriter, _ *http.Request, _ message) { http.Error(w, "no", http.StatusNotFound) })
	wantLost(t, find(client))
	client.Close()
	if slices.Contains(f.seen(), "DELETE") {
		t.Error("a session that there was none of was ended")
	}
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
		"tool says 401":       {methodCallTool, failed(serviceError(401, "invalid_api_key", "false")), 401, "SERVICE_API_KEY"},
		"tool says 403":       {methodCallTool, failed(serviceError(403, "workspace_inactive", "false")), 403, "owner"},
		"tool says nothing":   {methodCallTool, failed(`{}`), 0, "account status: tool_failed: It did not work."},
		"endpoint says 401":   {methodInitialize, says(401, "no"), 401, "SERVICE_API_KEY"},
		"call says 401":       {methodCallTool, says(401, errorBody("invalid_api_key", "false")), 401, "invalid_api_key"},
		"list says 403":       {methodListTools, says(403, ""), 403, "owner"},
		"nothing there":       {methodInitialize, says(404, "<html>"), -1, "--mcp-url"},
		"the service's 404":   {methodInitialize, says(404, errorBody("not_found", "false")), -1, "--mcp-url"},
		"no such tool":        {methodListTools, func(w http.ResponseWriter, _ *http.Request, m message) { respondRPC(w, m.ID, `{"tools":[]}`) }, -1, "no tool service_account_status"},
		"error of JSON-RPC":   {methodCallTool, func(w http.ResponseWriter, _ *http.Request, m message) { respondJSON(w, 200, rpcError(m.ID, -32603)) }, -1, "JSON-RPC error -32603"},
		"refused by JSON-RPC": {methodCallTool, func(w http.ResponseWriter, _ *http.Request, m message) { respondJSON(w, 200, rpcError(m.ID, -32601)) }, -1, "mcp_method_not_found"},
		"invalid parameters":  {methodCallTool, func(w http.ResponseWriter, _ *http.Request, m message) { respondJSON(w, 200, rpcError(m.ID, -32602)) }, -1, "JSON-RPC error -32602"},
		"no status":           {methodCallTool, func(w http.ResponseWriter, _ *http.Request, m message) { respondRPC(w, m.ID, `{"content":[]}`) }, 200, "no account status; check --mcp-url"},
		"dropped":             {methodCallTool, func(w http.ResponseWriter, _ *http.Request, _ message) { hijack(t, w).Close() }, -1, "no response"},
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

// A status that says no by itself says more than the error of JSON-RPC in its body.
func TestMCPStatusBeforeTheProtocol(t *testing.T) {
	for status, want := range map[int]enrich.RefusalClass{401: enrich.StopRun, 409: enrich.TryAgain, 429: enrich.SlowDown} {
		f := newFakeMCP(t)
		f.onCall(func(w http.ResponseWriter, _ *http.Request, m message) {
			respondJSON(w, status, rpcError(m.ID, -32600))
		})
		if refused, ok := find(mcpClient(t, f)).(enrich.Refused); !ok || refused.Class != want || refused.Code != fmt.Sprint("http_", status) {
			t.Errorf("HTTP %d: verdict %+v, want %s", status, refused, want)
		}
	}
}

// A lookup that is under way when the client is closed goes on, and ends its session.
func TestMCPCloseWhileUnderWay(t *testing.T) {
	for name, answer := range map[string]func(http.ResponseWriter, *http.Request, message){
		"answered": found,
		"lost":     func(w http.ResponseWriter, _ *http.Request, _ message) { respondJSON(w, 200, "garbage") },
	} {
		f := newFakeMCP(t)
		arrived, release := make(chan struct{}), make(chan struct{})
		f.onCall(func(w http.ResponseWriter, r *http.Request, m message) {
			close(arrived)
			<-release
			answer(w, r, m)
		})
		ended := make(chan struct{})
		server := serve(t, func(w http.ResponseWriter, r *http.Request) {
			f.ServeHTTP(w, r)
			if r.Method == http.MethodDelete {
				close(ended)
			}
		})
		client := dialMCP(t, server.URL, systemDialer())
		verdict := make(chan enrich.Verdict)
		go func() { verdict <- find(client) }()
		<-arrived
		client.Close()
		close(release)
		if name == "answered" {
			wantAnswered(t, <-verdict)
		} else {
			wantLost(t, <-verdict)
		}
		<-ended
	}
}
