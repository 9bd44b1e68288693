package v1

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"payonce/enrich"
	"payonce/io/service"
)

// wantWait checks that a lookup was kept back, and for how long.
func wantWait(t *testing.T, verdict enrich.Verdict, want time.Duration) {
	t.Helper()
	refused, ok := verdict.(enrich.Refused)
	if !ok || refused.Class != enrich.SlowDown || !refused.Unsent || refused.RetryAfter != want {
		t.Errorf("verdict %+v, want one that is not sent for %s", verdict, want)
	}
}

// A gateway that answers in the service's place may have let the lookup through. Its
// Retry-After binds the next one all the same.
func TestNothingIsSentWithinTheWaitOfALostResponse(t *testing.T) {
	for _, status := range []int{http.StatusBadGateway, http.StatusServiceUnavailable} {
		overBoth(t, func(t *testing.T, e *endpoint) {
			e.onLookup(respondAs(status, "<html>maintenance</html>", "Retry-After", "120", "Date", ""))
			inMemory(t, e.transport, e, func(client *Client) {
				wantLost(t, find(client))
				e.onLookup(e.found)
				wantWait(t, find(client), 2*time.Minute)
				<-time.After(119 * time.Second)
				wantWait(t, find(client), time.Second)
				if n := e.lookups(); n != 1 {
					t.Errorf("%d lookups arrived within the wait, want 1", n)
				}
				<-time.After(time.Second)
				wantAnswered(t, find(client))
			})
		})
	}
}

// Whatever makes a response prove nothing, the wait that it asks for is known.
func TestALostResponseTellsTheWait(t *testing.T) {
	for name, handler := range map[string]http.HandlerFunc{
		"page of a gateway":       respond(http.StatusBadGateway, "<html>", "Retry-After", "17"),
		"no result":               respond(http.StatusOK, "{}", "Retry-After", "17"),
		"redirect":                respond(http.StatusFound, "", "Retry-After", "17", "Location", "/elsewhere"),
		"page that broke off":     respond(http.StatusServiceUnavailable, "<html>", "Retry-After", "17", "Content-Length", "1000"),
		"answer that broke off":   respond(http.StatusOK, "{", "Retry-After", "17", "Content-Length", "1000"),
		"page that is too long":   respond(http.StatusServiceUnavailable, strings.Repeat("x", service.MaxBody+1), "Retry-After", "17"),
		"page with the day of it": respond(http.StatusGatewayTimeout, "", "Retry-After", "Fri, 20 Nov 2026 10:00:17 GMT", "Date", "Fri, 20 Nov 2026 10:00:00 GMT"),
	} {
		lost, ok := find(clientOf(t, serve(t, handler))).(enrich.Lost)
		if !ok || lost.RetryAfter != 17*time.Second {
			t.Errorf("%s: %+v, want it lost and to wait 17s", name, lost)
		}
	}
}

func TestMCPALostResponseTellsTheWait(t *testing.T) {
	for name, text := range map[string]string{
		"error of the protocol": `"error":{"code":-32603,"message":"internal"}`,
		"no result":             `"other":{}`,
		"unclear result":        `"result":{"isError":"perhaps"}`,
		"no enrichment result":  `"result":{"structuredContent":{}}`,
	} {
		f := newFakeMCP(t)
		f.onCall(func(w http.ResponseWriter, _ *http.Request, m message) {
			w.Header().Set("Retry-After", "17")
			respondJSON(w, http.StatusOK, `{"jsonrpc":"2.0","id":`+string(m.ID)+`,`+text+`}`)
		})
		lost, ok := find(mcpClient(t, f)).(enrich.Lost)
		if !ok || lost.RetryAfter != 17*time.Second {
			t.Errorf("%s: %+v, want it lost and to wait 17s", name, lost)
		}
	}
	f := newFakeMCP(t)
	f.onCall(respondAs(http.StatusBadGateway, "<html>", "Retry-After", "17", "Content-Length", "1000"))
	if lost, ok := find(mcpClient(t, f)).(enrich.Lost); !ok || lost.RetryAfter != 17*time.Second {
		t.Errorf("page that broke off: %+v, want it lost and to wait 17s", lost)
	}
}

// respondAs is respond for the endpoint's calls.
func respondAs(status int, body string, header ...string) func(http.ResponseWriter, *http.Request, message) {
	return func(w http.ResponseWriter, r *http.Request, _ message) { respond(status, body, header...)(w, r) }
}

// A gateway that asks to wait before there is a session is waited for.
func TestMCPWaitsForASession(t *testing.T) {
	for _, method := range []string{"initialize", "notifications/initialized", "tools/list"} {
		f := newFakeMCP(t)
		f.on(method, func(w http.ResponseWriter, _ *http.Request, _ message) {
			w.Header().Set("Retry-After", "17")
			http.Error(w, "maintenance", http.StatusServiceUnavailable)
		})
		wantWait(t, find(mcpClient(t, f)), 17*time.Second)
		if f.paid() != 0 {
			t.Errorf("%s: %d calls arrived, want none", method, f.paid())
		}
	}
}
