package v1

import (
	"fmt"
	"net/http"
	"strings"
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
		client := clientOf(t, serve(t, func(w http.ResponseWriter, r *http.Request) {
			var status int
			_, _ = fmt.Sscan(r.Header.Get("User-Agent"), &status)
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
		}))
		for _, status := range statuses {
			t.Run(fmt.Sprintf("%d %s", status, name), func(t *testing.T) {
				client.lookups.(*restLookups).userAgent = fmt.Sprint(status) // tells the server what to return
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

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	inTwoMinutes := now.Add(2 * time.Minute).Format(http.TimeFormat)
	tests := []struct {
		name, value, date string
		want              time.Duration
	}{
		{"absent", "", "", 0},
		{"seconds", "60", "", time.Minute},
		{"spaces", " 60 ", "", time.Minute},
		{"zero", "0", "", 0},
		{"negative", "-5", "", 0},
		{"sign", "+5", "", 0},
		{"fraction", "1.5", "", 0},
		{"words", "soon", "", 0},
		{"a day", "86400", "", 24 * time.Hour},
		{"a month", "2592000", "", 30 * 24 * time.Hour},
		{"more than a duration holds", "9223372036854775807", "", maxRetryAfter},
		{"more than an integer holds", "99999999999999999999999", "", maxRetryAfter},
		{"date by the clock", inTwoMinutes, "", 2 * time.Minute},
		{"date by the response's date", inTwoMinutes, now.Add(time.Minute).Format(http.TimeFormat), time.Minute},
		{"date with an unreadable response's date", inTwoMinutes, "today", 2 * time.Minute},
		{"date in the past", inTwoMinutes, now.Add(time.Hour).Format(http.TimeFormat), 0},
		{"date in the far future", "Fri, 31 Dec 9999 23:59:59 GMT", "", maxRetryAfter},
		{"unreadable date", "Fri, 32 Dec 2026 23:59:59 GMT", "", 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			header := http.Header{}
			header.Set("Retry-After", test.value)
			header.Set("Date", test.date)
			if got := retryAfter(header, now); got != test.want {
				t.Errorf("waits %s, want %s", got, test.want)
			}
			// A gateway adds its own to that of the service: the longer one counts.
			header.Add("Retry-After", "2")
			if got, want := retryAfter(header, now), max(test.want, 2*time.Second); got != want {
				t.Errorf("with a second one it waits %s, want %s", got, want)
			}
		})
	}
}

// What the service says is shown on one line, cut, and without the key.
func TestRefusalTextIsPlain(t *testing.T) {
	s := settings{key: testKey}
	tests := []struct {
		name, text string
		limit      int
		want       string
	}{
		{"plain", "No credit.", 20, "No credit."},
		{"lines", "No\r\ncredit.\t", 20, "No  credit."},
		{"terminal escapes", "\x1b[31mNo\x07 \u202ecredit.\u0000", 20, "[31mNo credit."},
		{"cut", "0123456789", 4, "0123"},
		{"cut before a character", "012é", 4, "012"},
		{"invalid UTF-8", "a\xffb", 20, "a\uFFFDb"},
		{"key", "key " + testKey + " is bad", 40, "key [key] is bad"},
		{"key in parts", "key sk_test_\x002f6c\u200b1e9a", 40, "key [key]"},
		{"key at the cut", "0123 " + testKey, 8, "0123 [ke"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := s.plain(test.text, test.limit); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// A key that is no secret does not change the service's codes.
func TestShortKeyLeavesCodesAlone(t *testing.T) {
	const code = "invalid_api_key"
	if got := (settings{key: "key"}).plain(code, maxName); got != code {
		t.Errorf("got %q, want %q", got, code)
	}
}
