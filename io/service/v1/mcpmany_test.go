package v1

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"payonce/enrich"
	"payonce/io/iotest"
	"payonce/io/service"
)

// misbehaviours are ways in which an endpoint can answer the call of a tool.
func misbehaviours(t *testing.T) []func(w http.ResponseWriter, r *http.Request, m message) {
	raw := func(response string) func(http.ResponseWriter, *http.Request, message) {
		return func(w http.ResponseWriter, _ *http.Request, _ message) {
			conn := iotest.Hijack(t, w)
			defer conn.Close()
			_, _ = io.WriteString(conn, response)
		}
	}
	says := func(status int, body string) func(http.ResponseWriter, *http.Request, message) {
		return func(w http.ResponseWriter, _ *http.Request, _ message) { respondJSON(w, status, body) }
	}
	return []func(http.ResponseWriter, *http.Request, message){
		found, found, found,
		raw(""), raw("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\nid: 1\ndata:\n\n"),
		raw("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99\r\nConnection: close\r\n\r\n{"),
		says(200, "garbage"), says(404, "session not found"), says(400, rpcError([]byte("null"), -32000)), says(500, ""), says(202, ""),
		says(429, errorBody("rate_limited", "true")), says(401, errorBody("invalid_api_key", "false")),
		func(w http.ResponseWriter, _ *http.Request, m message) { respondJSON(w, 200, rpcError(m.ID, -32603)) },
		func(w http.ResponseWriter, _ *http.Request, m message) {
			respondRPC(w, m.ID, toolFailure(serviceError(402, "credits_exhausted", "false")))
		},
	}
}

// Whatever an endpoint does to many calls at the same time, and wherever it forgets
// its sessions: a lookup arrives at most once, and the verdict agrees with the arrival.
func TestConcurrentMCPLookupsArriveAtMostOnce(t *testing.T) {
	ways := misbehaviours(t)
	rapid.Check(t, func(r *rapid.T) {
		const lookups = 8
		plan := rapid.SliceOfN(rapid.IntRange(0, len(ways)-1), lookups, lookups).Draw(r, "answers")
		restarts := rapid.SliceOfN(rapid.IntRange(0, 9), lookups, lookups).Draw(r, "restarts")
		f := newFakeMCP(t)
		f.stream = rapid.Bool().Draw(r, "stream")
		var mu sync.Mutex
		arrivals := make([]int, lookups)
		f.onCall(func(w http.ResponseWriter, request *http.Request, m message) {
			var arguments map[string]any
			var n int
			if json.Unmarshal(m.arguments, &arguments) != nil {
				t.Error("no arguments")
			}
			_, _ = fmt.Sscanf(fmt.Sprint(arguments["first_name"]), "person-%d", &n)
			mu.Lock()
			arrivals[n]++
			mu.Unlock()
			if restarts[n] == 0 {
				f.restart()
			}
			ways[plan[n]](w, request, m)
		})
		server := httptest.NewServer(f)
		defer server.Close()
		client := dialMCP(t, server.URL, service.SystemDialer())
		verdicts := make([]enrich.Verdict, lookups)
		var all sync.WaitGroup
		for n := range lookups {
			all.Go(func() {
				lookup := ada()
				lookup.Identity.FirstName = fmt.Sprint("person-", n)
				verdicts[n] = client.Find(context.Background(), lookup)
			})
		}
		all.Wait()
		client.Close()
		for n, verdict := range verdicts {
			if !agrees(verdict, arrivals[n]) {
				r.Errorf("lookup %d arrived %d times and ended as %T %+v", n, arrivals[n], verdict, verdict)
			}
		}
	})
}

// agrees reports whether a verdict can follow from that many arrivals at the tool.
func agrees(verdict enrich.Verdict, arrivals int) bool {
	switch v := verdict.(type) {
	case enrich.Answered:
		return arrivals == 1
	case enrich.NotSent:
		return arrivals == 0
	case enrich.Refused:
		return !v.Unsent && arrivals == 1 || v.HTTPStatus == http.StatusNotFound && arrivals == 0
	case enrich.Lost:
		return arrivals <= 1
	}
	return false
}
