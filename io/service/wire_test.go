package service

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

const (
	paidTool = "find_person"
	rawCall  = `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"find_person","arguments":{}}}`
)

// bare is a wire without anything above it, to an endpoint that counts what arrives.
type bare struct {
	wire
	address string
	arrived int
}

func newBare(t *testing.T, tools ...string) *bare {
	t.Helper()
	b := new(bare)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b.arrived++
		if body, err := io.ReadAll(r.Body); err != nil || string(body) != rawCall {
			t.Errorf("the body %q arrived (%v)", body, err)
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":3,"result":{}}`)
	}))
	t.Cleanup(server.Close)
	caller := Caller{Key: "sk_test_2f6c1e9a", UserAgent: "payonce", Timeout: 45 * time.Second, Now: time.Now}
	sender := NewSender(caller, SystemDialer(), 0)
	t.Cleanup(sender.Close)
	b.wire, b.address = wire{sender, tools}, server.URL
	return b
}

func (b *bare) send(t *testing.T, method string, c *MCPCall, body string) error {
	t.Helper()
	ctx := t.Context()
	if c != nil {
		ctx = c.on(ctx)
	}
	request, err := http.NewRequestWithContext(ctx, method, b.address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	response, err := b.RoundTrip(request)
	if err == nil {
		response.Body.Close()
	}
	return err
}

// Whatever the SDK does, or a later version of it: a tool is called by the one
// Call that asks for it, and once.
func TestWireCallsAToolOnce(t *testing.T) {
	b := newBare(t, paidTool, "find_phone")
	c := &MCPCall{Tool: paidTool}
	if err := b.send(t, http.MethodPost, c, rawCall); err != nil || b.arrived != 1 {
		t.Fatalf("%d calls arrived (%v), want 1", b.arrived, err)
	}
	for name, refused := range map[string]struct {
		c    *MCPCall
		body string
	}{
		"again":                 {c, rawCall},
		"without a Call":        {nil, rawCall},
		"of another tool":       {&MCPCall{Tool: "find_phone"}, rawCall},
		"of none":               {new(MCPCall), rawCall},
		"of a tool not allowed": {&MCPCall{Tool: "other"}, strings.Replace(rawCall, paidTool, "other", 1)},
		"in a list":             {&MCPCall{Tool: paidTool}, "[" + rawCall + "]"},
		"an answer":             {&MCPCall{Tool: paidTool}, `{"jsonrpc":"2.0","id":1,"result":{}}`},
		"another method":        {&MCPCall{Tool: paidTool}, `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{}}`},
		"a cancellation":        {&MCPCall{Tool: paidTool}, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}`},
		"too long a message":    {&MCPCall{Tool: paidTool}, rawCall + strings.Repeat(" ", maxCall)},
	} {
		if err := b.send(t, http.MethodPost, refused.c, refused.body); err == nil || b.arrived != 1 {
			t.Errorf("%s: %d messages arrived (error %v), want it refused", name, b.arrived, err)
		}
	}
	for _, method := range []string{http.MethodGet, http.MethodPut} {
		if err := b.send(t, method, &MCPCall{Tool: paidTool}, rawCall); err == nil || b.arrived != 1 {
			t.Errorf("%s was sent", method)
		}
	}
}

// What the free calls go through cannot carry a paid one, even when asked to.
func TestFreeWireCallsNoPaidTool(t *testing.T) {
	b := newBare(t, "account_status")
	if err := b.send(t, http.MethodPost, &MCPCall{Tool: paidTool}, rawCall); err == nil || b.arrived != 0 {
		t.Errorf("the paid tool was called (%v)", err)
	}
}
