package v1

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"payonce/enrich"
)

// A write that fails says by the bytes written whether the call has left.
func TestMCPWriteFails(t *testing.T) {
	for _, takes := range []int64{0, 1, 40} {
		t.Run(fmt.Sprint("takes ", takes, " bytes"), func(t *testing.T) {
			f := newFakeMCP(t)
			server := httptest.NewServer(f)
			defer server.Close()
			var mu sync.Mutex // a session that failed is ended beside the next call
			var dialled []*breakable
			client := dialMCP(t, server.URL, func(ctx context.Context, network, address string) (net.Conn, error) {
				conn, err := systemDialer()(ctx, network, address)
				b := &breakable{Conn: conn}
				b.left.Store(-1)
				mu.Lock()
				defer mu.Unlock()
				dialled = append(dialled, b)
				return b, err
			})
			wantAnswered(t, find(client))
			mu.Lock()
			for _, b := range dialled {
				b.left.Store(takes)
			}
			connections := len(dialled)
			mu.Unlock()
			verdict := find(client)
			if takes == 0 {
				wantNotSent(t, verdict)
			} else {
				wantLost(t, verdict)
			}
			if f.paid() != 1 || connections != 1 {
				t.Errorf("%d calls arrived over %d connections, want 1 over 1", f.paid(), connections)
			}
			wantAnswered(t, find(client))
		})
	}
}

// bare is a wire to an endpoint, without anything above it.
func bare(t *testing.T, f *fakeMCP, tools []string) *wire {
	t.Helper()
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	s, err := Config{BaseURL: server.URL, Key: testKey}.check()
	if err != nil {
		t.Fatal(err)
	}
	transport := newLookupTransport(systemDialer(), 0)
	t.Cleanup(transport.CloseIdleConnections)
	return &wire{settings: s, http: transport, tools: tools}
}

func post(t *testing.T, w *wire, e *exchange, body string) error {
	t.Helper()
	ctx := t.Context()
	if e != nil {
		ctx = e.on(ctx)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, w.mcp.String(), strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Mcp-Protocol-Version": protocolVersion,
	} {
		request.Header.Set(name, value)
	}
	response, err := w.RoundTrip(request)
	if err == nil {
		response.Body.Close()
	}
	return err
}

const rawCall = `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"service_enrich_contact","arguments":{}}}`

// Whatever the SDK does, or a later version of it: a tool is called by the one
// exchange that asks for it, and once.
func TestWireCallsAToolOnce(t *testing.T) {
	f := newFakeMCP(t)
	w := bare(t, f, paidTools())
	e := &exchange{tool: toolOf(enrich.EnrichContact)}
	if err := post(t, w, e, rawCall); err != nil || f.paid() != 1 {
		t.Fatalf("%d calls arrived (%v), want 1", f.paid(), err)
	}
	for name, refused := range map[string]struct {
		e    *exchange
		body string
	}{
		"again":                 {e, rawCall},
		"without an exchange":   {nil, rawCall},
		"of another tool":       {&exchange{tool: toolOf(enrich.FindPhone)}, rawCall},
		"of none":               {new(exchange), rawCall},
		"of a tool not allowed": {&exchange{tool: "other"}, strings.Replace(rawCall, "service_enrich_contact", "other", 1)},
		"in a list":             {&exchange{tool: toolOf(enrich.EnrichContact)}, "[" + rawCall + "]"},
		"an answer":             {&exchange{tool: toolOf(enrich.EnrichContact)}, `{"jsonrpc":"2.0","id":1,"result":{}}`},
		"another method":        {&exchange{tool: toolOf(enrich.EnrichContact)}, `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{}}`},
		"too long a message":    {&exchange{tool: toolOf(enrich.EnrichContact)}, rawCall + strings.Repeat(" ", maxCall)},
	} {
		if err := post(t, w, refused.e, refused.body); err == nil || len(f.seen()) != 1 {
			t.Errorf("%s: %d messages arrived (error %v), want it refused", name, len(f.seen()), err)
		}
	}
	for _, method := range []string{http.MethodGet, http.MethodPut} {
		request, err := http.NewRequestWithContext(e.on(t.Context()), method, w.mcp.String(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if response, err := w.RoundTrip(request); err == nil {
			response.Body.Close()
			t.Errorf("%s was sent", method)
		}
	}
}

// What the free calls go through cannot carry a paid one, even when asked to.
func TestFreeWireCallsNoPaidTool(t *testing.T) {
	f := newFakeMCP(t)
	w := bare(t, f, []string{statusTool})
	if err := post(t, w, &exchange{tool: toolOf(enrich.EnrichContact)}, rawCall); err == nil || len(f.seen()) != 0 {
		t.Errorf("the paid tool was called (%v)", err)
	}

	server := httptest.NewServer(f)
	defer server.Close()
	client, err := NewStatusClient(Config{BaseURL: server.URL, Transport: MCP, Key: testKey})
	if err != nil {
		t.Fatal(err)
	}
	session, err := client.mcp.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer session.end()
	for _, tool := range paidTools() {
		session.call(t.Context(), &exchange{tool: tool}, map[string]any{})
	}
	if _, err := session.sdk.CallTool(t.Context(), &mcp.CallToolParams{Name: paidTools()[0]}); err == nil || f.paid() != 0 {
		t.Errorf("%d paid calls arrived (%v), want none", f.paid(), err)
	}
}

// net/http and proxies repeat what is called idempotent and can be rewound.
func TestWireSendsWhatCannotBeRepeated(t *testing.T) {
	f := newFakeMCP(t)
	w := bare(t, f, paidTools())
	var sent *http.Request
	w.http = roundTripper(func(r *http.Request) (*http.Response, error) {
		sent = r
		return nil, errors.New("not today")
	})
	if err := post(t, w, &exchange{tool: toolOf(enrich.EnrichContact)}, rawCall); err == nil {
		t.Error("no error")
	}
	if sent.GetBody != nil {
		t.Error("the body can be rewound")
	}
	if body, err := io.ReadAll(sent.Body); err != nil || string(body) != rawCall {
		t.Errorf("body %q (%v)", body, err)
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
