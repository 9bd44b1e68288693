package v1

import (
	"context"
	"fmt"
	"net"
	"net/http/httptest"
	"sync"
	"testing"

	"payonce/io/service"
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
				conn, err := service.SystemDialer()(ctx, network, address)
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

// What the free calls go through cannot carry a paid one, even when asked to.
func TestFreeSessionCallsNoPaidTool(t *testing.T) {
	f := newFakeMCP(t)
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
	defer session.End()
	for _, tool := range paidTools() {
		session.Call(t.Context(), &service.MCPCall{Tool: tool}, map[string]any{})
	}
	if f.paid() != 0 {
		t.Errorf("%d paid calls arrived, want none", f.paid())
	}
}
