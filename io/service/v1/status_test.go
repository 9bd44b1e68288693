package v1

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payonce/cost"
	"payonce/enrich"
	"payonce/io/service"
)

func statusOf(t *testing.T, handler http.HandlerFunc) (cost.Account, error) {
	t.Helper()
	client, err := NewStatusClient(Config{BaseURL: serve(t, handler).URL + "/api/v1/", Key: testKey})
	if err != nil {
		t.Fatal(err)
	}
	return client.Status(t.Context())
}

func TestStatusErrors(t *testing.T) {
	tests := []struct {
		name    string
		handler http.HandlerFunc
		want    StatusError
		refused bool
		says    string
	}{
		{
			"invalid key", respond(401, `{"error":{"code":"invalid_api_key","message":"Key revoked.","retryable":false},"request_id":"req_2"}`),
			StatusError{BaseURL, 401, "invalid_api_key", "Key revoked.", "req_2"},
			true, "HTTP 401",
		},
		{"401 without a body", respond(401, ""), StatusError{BaseURL, 401, "http_401", "", ""}, true, "HTTP 401"},
		{"workspace inactive", respond(403, errorBody("workspace_inactive", "false")), StatusError{BaseURL, 403, "workspace_inactive", "It did not work.", "req_9"}, true, "HTTP 403 workspace_inactive"},
		{"not there", respond(404, "<html>"), StatusError{BaseURL, 404, "http_404", "", ""}, false, "HTTP 404"},
		{"rate limited", respond(429, errorBody("rate_limited", "true")), StatusError{BaseURL, 429, "rate_limited", "It did not work.", "req_9"}, false, "rate_limited"},
		{"unavailable", respond(503, errorBody("temporarily_unavailable", "true")), StatusError{BaseURL, 503, "temporarily_unavailable", "It did not work.", "req_9"}, false, "503"},
		{"error body with 200", respond(200, errorBody("service_misconfigured", "false")), StatusError{BaseURL, 200, "service_misconfigured", "It did not work.", "req_9"}, false, "service_misconfigured"},
		{"page with 200", respond(200, "<html>"), StatusError{BaseURL, 200, "http_200", "the response is not an account status", ""}, false, "not an account status"},
		{"no content", respond(204, ""), StatusError{BaseURL, 204, "http_204", "", ""}, false, "204"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := statusOf(t, test.handler)
			var got *StatusError
			if !errors.As(err, &got) {
				t.Fatalf("error %v is not a StatusError", err)
			}
			if diff := cmp.Diff(test.want, *got); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
			if got.Refused() != test.refused {
				t.Errorf("refused is %t, want %t", got.Refused(), test.refused)
			}
			if !strings.Contains(err.Error(), test.says) {
				t.Errorf("error %q does not say %q", err, test.says)
			}
		})
	}
}

func TestStatusFollowsNoRedirect(t *testing.T) {
	elsewhere := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("the redirect was followed") })
	host := strings.TrimPrefix(elsewhere.URL, "http://")
	for _, status := range []int{301, 302, 303, 307, 308} {
		_, err := statusOf(t, respond(status, "", "Location", elsewhere.URL+"/private"))
		var got *StatusError
		if !errors.As(err, &got) || got.HTTPStatus != status || got.Refused() {
			t.Errorf("HTTP %d: error %v", status, err)
		}
		if text := err.Error(); !strings.Contains(text, host) || got.Address != BaseURL || strings.Contains(text, "private") {
			t.Errorf("HTTP %d: error %q; want the host and no more", status, err)
		}
	}
}

func TestStatusUnreachable(t *testing.T) {
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	client, err := NewStatusClient(Config{BaseURL: closed.URL, Key: testKey})
	if err != nil {
		t.Fatal(err)
	}
	_, err = client.Status(context.Background())
	var refused *StatusError
	if err == nil || errors.As(err, &refused) || !strings.Contains(err.Error(), "cannot be reached") {
		t.Errorf("error %v, want one that says that the service cannot be reached", err)
	}
}

func TestStatusBroken(t *testing.T) {
	for name, handler := range map[string]http.HandlerFunc{
		"cut off":        respond(200, `{"key_valid":true}`, "Content-Length", "100"),
		"over the limit": respond(200, `{"key_valid":true}`+strings.Repeat(" ", service.MaxBody)),
		"dropped":        reset(t),
	} {
		t.Run(name, func(t *testing.T) {
			account, err := statusOf(t, handler)
			if err == nil {
				t.Fatalf("account %+v, want an error", account)
			}
		})
	}
}

// The free call may be given up by whoever asked for it.
func TestStatusEndsWithItsContext(t *testing.T) {
	overBoth(t, func(t *testing.T, e *endpoint) {
		e.onLookup(func(_ http.ResponseWriter, r *http.Request, _ message) { <-r.Context().Done() })
		inMemory(t, e.transport, e, func(client *Client) {
			ctx, cancel := context.WithCancel(context.Background())
			time.AfterFunc(time.Second, cancel)
			if _, err := client.Status(ctx); !errors.Is(err, context.Canceled) {
				t.Errorf("error %v, want the cancellation", err)
			}
			ends := func(ctx context.Context, after time.Duration) {
				start := time.Now()
				if _, err := client.Status(ctx); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != after {
					t.Errorf("error %v after %s, want a deadline after %s", err, time.Since(start), after)
				}
			}
			within, cancel := context.WithTimeout(context.Background(), time.Second)
			defer cancel()
			ends(within, time.Second)
			ends(context.Background(), defaultTimeout)
		})
	})
}

// A service that repeats the key wherever it can does not get it into an error.
func TestNoErrorHoldsTheKey(t *testing.T) {
	echo := func(status int, location string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			key := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
			w.Header().Set("Location", strings.ReplaceAll(location, "KEY", key))
			w.Header().Set("Retry-After", key)
			w.WriteHeader(status)
			_, _ = io.WriteString(w, `{"error":{"code":"`+key+`","message":"`+strings.Repeat(key, 30)+`"},"request_id":"`+key+`"}`)
		}
	}
	for _, status := range []int{200, 202, 301, 307, 400, 401, 403, 404, 429, 500, 599} {
		for _, location := range []string{"", "https://KEY/KEY?KEY", "https://KEY:KEY@example.com", "http://%zz/KEY"} {
			handler := echo(status, location)
			if _, err := statusOf(t, handler); err == nil || strings.Contains(err.Error(), testKey) {
				t.Errorf("HTTP %d to %q: status error %v", status, location, err)
			}
			switch verdict := find(clientOf(t, serve(t, handler))).(type) {
			case enrich.Refused:
				if text := verdict.Code + verdict.Message + verdict.RequestID; strings.Contains(text, testKey) {
					t.Errorf("HTTP %d: refusal %+v holds the key", status, verdict)
				}
			case enrich.Lost:
				if strings.Contains(verdict.Err.Error(), testKey) {
					t.Errorf("HTTP %d to %q: error %q holds the key", status, location, verdict.Err)
				}
			default:
				t.Errorf("HTTP %d: verdict %T", status, verdict)
			}
		}
	}
}
