package v1

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payonce/enrich"
	"payonce/io/service"
)

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
func TestIncompleteMCPFailuresAreClassified(t *testing.T) {
	refused := func(class enrich.RefusalClass, status int, code string) enrich.Verdict {
		return enrich.Refused{Class: class, HTTPStatus: status, Pause: status == 429, Code: code, Message: "It did not work."}
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
func TestMCPParametersRefusedByHTTPStatusRejectTheLookup(t *testing.T) {
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
		"at most a century": {"", failed + `,"retry_after":9223372036854775807}`, service.MaxRetryAfter},
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

// A status that says no by itself says more than the error of JSON-RPC in its body.
func TestAnMCPHTTPStatusDecidesBeforeTheJSONRPCError(t *testing.T) {
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
