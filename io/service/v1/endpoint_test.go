package v1

import (
	"io"
	"net/http"
	"sync/atomic"
	"testing"

	"payonce/io/iotest"
	"payonce/io/service"
)

// lookupHandler answers the request of a lookup. Over REST there is no message.
type lookupHandler = func(w http.ResponseWriter, r *http.Request, m message)

// endpoint is a service over one transport, for what holds over both. Every lookup gets
// the answer that the test sets.
type endpoint struct {
	transport Transport
	mcp       *fakeMCP
	answer    atomic.Pointer[lookupHandler]
	arrivals  iotest.Arrivals // of lookups
}

// overBoth runs a test against a service of each transport. It answers lookups with both
// fields until the test sets another answer.
func overBoth(t *testing.T, test func(t *testing.T, e *endpoint)) {
	for _, transport := range []Transport{REST, MCP} {
		t.Run(string(transport), func(t *testing.T) {
			e := &endpoint{transport: transport, mcp: newFakeMCP(t)}
			e.mcp.onCall(e.lookup)
			e.onLookup(e.found)
			test(t, e)
		})
	}
}

func (e *endpoint) onLookup(answer lookupHandler) { e.answer.Store(&answer) }

func (e *endpoint) lookup(w http.ResponseWriter, r *http.Request, m message) {
	e.arrivals.Add(r)
	(*e.answer.Load())(w, r, m)
}

func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if e.transport == MCP {
		e.mcp.ServeHTTP(w, r)
		return
	}
	_, _ = io.Copy(io.Discard, r.Body)
	e.lookup(w, r, message{})
}

// body returns the response to a lookup that found both fields.
func (e *endpoint) body(m message) string {
	if e.transport == MCP {
		return rpcResult(m.ID, toolResult(foundBoth))
	}
	return foundBoth
}

func (e *endpoint) found(w http.ResponseWriter, _ *http.Request, m message) {
	respondJSON(w, http.StatusOK, e.body(m))
}

// lookups returns how many requests of lookups have arrived, whatever came of them.
func (e *endpoint) lookups() int {
	if e.transport == MCP {
		return e.mcp.paid()
	}
	return len(e.arrivals.Seen())
}

// client returns a client of the endpoint, which is served for the test.
func (e *endpoint) client(t *testing.T) *Client {
	t.Helper()
	return dialOver(t, e.transport, serve(t, e.ServeHTTP).URL+"/api/v1", service.SystemDialer())
}
