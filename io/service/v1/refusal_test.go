package v1

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payonce/enrich"
)

// refusalRow is a row of the table of refusals, the same over both transports.
type refusalRow struct {
	status    int
	code      string
	retryable string // JSON; "" leaves it out
	want      enrich.RefusalClass
}

func (r refusalRow) verdict() enrich.Refused {
	refused := enrich.Refused{Class: r.want, HTTPStatus: r.status, Pause: r.status == 429, Code: r.code, Message: "It did not work.", RequestID: "req_9"}
	if r.code == "" {
		refused.Code = fmt.Sprintf("http_%d", r.status)
	}
	return refused
}

func refusals() []refusalRow {
	return []refusalRow{
		// The codes that the specification and the assumptions name.
		{400, "invalid_identifiers", "false", enrich.InvalidInput},
		{400, "operation_pricing_unavailable", "false", enrich.StopRun},
		{401, "invalid_api_key", "false", enrich.StopRun},
		{402, "free_allowance_exhausted", "false", enrich.StopRun},
		{402, "credits_exhausted", "false", enrich.StopRun},
		{402, "usage_budget_reached", "false", enrich.StopRun},
		{403, "workspace_inactive", "false", enrich.StopRun},
		{403, "access_restricted", "false", enrich.StopRun},
		{409, "reservation_conflict", "true", enrich.TryAgain},
		{429, "rate_limited", "true", enrich.SlowDown},
		{429, "attempt_limit_reached", "false", enrich.StopRun},
		{500, "temporarily_unavailable", "true", enrich.TryAgain},
		{503, "temporarily_unavailable", "true", enrich.TryAgain},
		{500, "service_misconfigured", "false", enrich.StopRun},
		// The code decides, also without or against the flag and the status.
		{400, "operation_pricing_unavailable", "true", enrich.StopRun},
		{429, "attempt_limit_reached", "true", enrich.StopRun},
		{429, "attempt_limit_reached", "", enrich.StopRun},
		{429, "rate_limited", "", enrich.SlowDown},
		{429, "rate_limited", "false", enrich.SlowDown},
		{503, "rate_limited", "true", enrich.SlowDown},
		{503, "credits_exhausted", "true", enrich.StopRun},
		{409, "reservation_conflict", "", enrich.TryAgain},
		{409, "reservation_conflict", "false", enrich.StopRun},
		{503, "temporarily_unavailable", "", enrich.TryAgain},
		{503, "temporarily_unavailable", "false", enrich.StopRun},
		{404, "invalid_identifiers", "", enrich.InvalidInput},
		// Other codes: the flag, then the status.
		{400, "unknown_field", "false", enrich.InvalidInput},
		{400, "unknown_field", "true", enrich.InvalidInput},
		{401, "key_expired", "true", enrich.StopRun},
		{402, "something_new", "true", enrich.StopRun},
		{403, "something_new", "true", enrich.StopRun},
		{404, "no_such_operation", "false", enrich.StopRun},
		{408, "slow_request", "true", enrich.TryAgain},
		{408, "slow_request", "", enrich.StopRun},
		{409, "something_new", "true", enrich.TryAgain},
		{409, "something_new", "", enrich.TryAgain},
		{409, "something_new", "false", enrich.StopRun},
		{429, "something_new", "true", enrich.SlowDown},
		{429, "something_new", "", enrich.SlowDown},
		{429, "something_new", "false", enrich.StopRun},
		{502, "something_new", "true", enrich.TryAgain},
		{502, "something_new", "", enrich.StopRun},
		{502, "something_new", "false", enrich.StopRun},
		// No code: the flag, then the status.
		{500, "", "true", enrich.TryAgain},
		{500, "", "false", enrich.StopRun},
		{409, "", "false", enrich.StopRun},
		{429, "", "false", enrich.StopRun},
	}
}

func TestFindRefused(t *testing.T) {
	for _, test := range refusals() {
		t.Run(fmt.Sprintf("%d %s %s", test.status, test.code, test.retryable), func(t *testing.T) {
			client := clientOf(t, serve(t, respond(test.status, errorBody(test.code, test.retryable))))
			if diff := cmp.Diff(enrich.Verdict(test.verdict()), find(client)); diff != "" {
				t.Errorf("verdict (-want +got):\n%s", diff)
			}
		})
	}
}

func errorBody(code, retryable string) string {
	members := []string{`"message":"It did not work."`}
	if code != "" {
		members = append(members, fmt.Sprintf(`"code":%q`, code))
	}
	if retryable != "" {
		members = append(members, `"retryable":`+retryable)
	}
	return `{"error":{` + strings.Join(members, ",") + `},"request_id":"req_9"}`
}

// Without the service's own error body the HTTP status refuses alone, or the
// outcome is unknown.
func TestFindWithoutErrorBody(t *testing.T) {
	bodies := map[string]string{
		"empty":              "",
		"page":               "<html><h1>Forbidden</h1></html>",
		"other JSON":         `{"message":"no"}`,
		"error is a string":  `{"error":"no"}`,
		"code is a number":   `{"error":{"code":403,"status":"PERMISSION_DENIED"}}`,
		"code is empty":      `{"error":{"code":" ","retryable":"false"}}`,
		"null":               `null`,
		"cut off":            `{"error":{"code":"credits_exha`,
		"followed by a page": `{"error":{"code":"x"}}<html>`,
	}
	classes := map[int]enrich.RefusalClass{
		400: enrich.InvalidInput, 401: enrich.StopRun, 402: enrich.StopRun, 403: enrich.StopRun,
		409: enrich.TryAgain, 429: enrich.SlowDown,
	}
	statuses := []int{
		201, 202, 204, 206, 300, 304, 400, 401, 402, 403, 404, 405, 406, 407, 408, 409, 410, 411, 412, 413, 415, 421, 422, 425, 426, 428, 429,
		431, 451, 499, 500, 501, 502, 503, 504, 507, 520, 524, 599, 600, 999,
	}
	for name, body := range bodies {
		var answer atomic.Int64
		client := clientOf(t, serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(int(answer.Load()))
			_, _ = w.Write([]byte(body))
		}))
		for _, status := range statuses {
			t.Run(fmt.Sprintf("%d %s", status, name), func(t *testing.T) {
				answer.Store(int64(status))
				class, refused := classes[status]
				if !refused {
					wantLost(t, find(client))
					return
				}
				want := enrich.Refused{Class: class, HTTPStatus: status, Pause: status == 429, Code: fmt.Sprintf("http_%d", status)}
				if diff := cmp.Diff(enrich.Verdict(want), find(client)); diff != "" {
					t.Errorf("verdict (-want +got):\n%s", diff)
				}
			})
		}
	}
}

// TestAGatewaysErrorIsLost: a gateway that gave up waiting says so in an error body of
// its own; the service may have charged meanwhile.
func TestAGatewaysErrorIsLost(t *testing.T) {
	body := `{"error":{"code":"GatewayTimeout","message":"The gateway did not receive a response in time."}}`
	for _, status := range []int{408, 500, 502, 503, 504} {
		wantLost(t, find(clientOf(t, serve(t, respond(status, body)))))
	}
}

func TestFindRefusedWaits(t *testing.T) {
	for _, status := range []int{409, 429, 503} {
		client := clientOf(t, serve(t, respond(status, errorBody("x", "true"), "Retry-After", "17")))
		refused, ok := find(client).(enrich.Refused)
		if !ok || refused.RetryAfter != 17*time.Second {
			t.Errorf("HTTP %d: waits %s, want 17s", status, refused.RetryAfter)
		}
	}
}
