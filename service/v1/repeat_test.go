package v1

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"payonce/enrich"
)

func quiet() *log.Logger { return log.New(io.Discard, "", 0) }

// The server reads the second lookup on a connection that it kept and drops it: what
// net/http sends again when it may.
func TestNoRepeatWhenAReusedConnectionIsDropped(t *testing.T) {
	overBoth(t, func(t *testing.T, e *endpoint) {
		client := e.client(t)
		wantAnswered(t, find(client))
		e.onLookup(func(w http.ResponseWriter, _ *http.Request, _ message) { hijack(t, w).Close() })
		wantLost(t, find(client))
		from := e.arrivals.seen()
		if len(from) != 2 || e.lookups() != 2 {
			t.Fatalf("%d requests arrived for 2 lookups", e.lookups())
		}
		if from[0] != from[1] {
			t.Error("the second lookup did not reuse the connection, so this test proves nothing")
		}
	})
}

// The server closes the kept connection before the second lookup. Whichever side is
// faster, a lookup arrives at most once, and only an arrival is answered.
func TestNoRepeatWhenAnIdleConnectionIsClosed(t *testing.T) {
	for range 30 {
		overBoth(t, func(t *testing.T, e *endpoint) {
			server := serve(t, e.ServeHTTP)
			client := dialOver(t, e.transport, server.URL+"/api/v1", systemDialer())
			wantAnswered(t, find(client))
			server.CloseClientConnections()
			verdict, second := find(client), e.lookups()-1
			switch verdict.(type) {
			case enrich.Answered:
				if second != 1 {
					t.Errorf("answered after %d arrivals, want 1", second)
				}
			case enrich.Lost, enrich.NotSent:
				if second != 0 {
					t.Errorf("%T after %d arrivals, want 0", verdict, second)
				}
			default:
				t.Errorf("verdict %T %+v", verdict, verdict)
			}
		})
	}
}

// breakable is a connection that stops taking bytes once it is broken.
type breakable struct {
	net.Conn
	left atomic.Int64 // bytes that it still takes; negative for no bound
}

func (b *breakable) Write(p []byte) (int, error) {
	left := b.left.Load()
	if left < 0 || left > int64(len(p)) {
		return b.Conn.Write(p)
	}
	n, _ := b.Conn.Write(p[:left])
	b.left.Store(0)
	return n, errors.New("broken pipe")
}

// A write that fails says by the bytes written whether the request has left.
func TestWriteFails(t *testing.T) {
	for _, secure := range []bool{false, true} {
		for _, reused := range []bool{false, true} {
			if secure && !reused {
				continue // the handshake writes first
			}
			for _, takes := range []int64{0, 1, 40} {
				name := fmt.Sprintf("TLS %t, reused %t, takes %d bytes", secure, reused, takes)
				t.Run(name, func(t *testing.T) { testWriteFails(t, secure, reused, takes) })
			}
		}
	}
}

func testWriteFails(t *testing.T, secure, reused bool, takes int64) {
	var seen arrivals
	answer := func(w http.ResponseWriter, r *http.Request) {
		seen.add(r)
		_, _ = io.WriteString(w, foundBoth)
	}
	var dialled []*breakable
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := systemDialer()(ctx, network, address)
		b := &breakable{Conn: conn}
		b.left.Store(-1)
		if !reused && len(dialled) == 0 {
			b.left.Store(takes)
		}
		dialled = append(dialled, b)
		return b, err
	}
	var client *Client
	if secure {
		client = tlsPair(t, answer, dial)
	} else {
		client = dialClient(t, serve(t, answer).URL, dial)
	}
	if reused {
		wantAnswered(t, find(client))
		dialled[0].left.Store(takes)
	}
	before := len(seen.seen())
	if verdict := find(client); takes == 0 {
		wantNotSent(t, verdict)
	} else {
		wantLost(t, verdict)
	}
	if again := len(seen.seen()) - before; again != 0 || len(dialled) != 1 {
		t.Errorf("%d requests arrived over %d connections, want none over the first", again, len(dialled))
	}
}

func TestNoRepeatByRedirect(t *testing.T) {
	elsewhere := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("the redirect to another host was followed") })
	for _, status := range []int{301, 302, 303, 307, 308} {
		for name, redirect := range map[string]struct{ location, host string }{
			"other path": {"/other", ""},
			"other host": {elsewhere.URL + "/api/v1/contacts/enrich", strings.TrimPrefix(elsewhere.URL, "http://")},
			"no URL":     {"http://%zz/" + testKey, ""},
			"none":       {"", ""},
		} {
			t.Run(fmt.Sprint(status, " ", name), func(t *testing.T) {
				overBoth(t, func(t *testing.T, e *endpoint) {
					testNoRepeatByRedirect(t, e, status, redirect.location, redirect.host)
				})
			})
		}
	}
}

// testNoRepeatByRedirect redirects a lookup; the error has to name the host, if there is one.
func testNoRepeatByRedirect(t *testing.T, e *endpoint, status int, location, host string) {
	e.onLookup(func(w http.ResponseWriter, r *http.Request, _ message) {
		if r.URL.Path != map[Transport]string{REST: "/api/v1/contacts/enrich", MCP: "/mcp"}[e.transport] {
			t.Error("the redirect was followed")
		}
		if location != "" {
			w.Header().Set("Location", location)
		}
		w.WriteHeader(status)
	})
	err := wantLost(t, find(e.client(t)))
	if n := e.lookups(); n != 1 {
		t.Errorf("%d requests arrived, want 1", n)
	}
	if !strings.Contains(err.Error(), host) {
		t.Errorf("error %q does not name %s", err, host)
	}
	if e.transport == MCP && !strings.Contains(err.Error(), "--mcp-url") {
		t.Errorf("error %q does not name --mcp-url", err)
	}
	if strings.Contains(err.Error(), testKey) {
		t.Errorf("error %q holds the key", err)
	}
}

// net/http and proxies repeat what is called idempotent and can be rewound.
func TestLookupRequestCannotBeRepeated(t *testing.T) {
	s, err := Config{BaseURL: "https://api.example.com", Key: testKey}.check()
	if err != nil {
		t.Fatal(err)
	}
	q, err := s.question(ada())
	if err != nil {
		t.Fatal(err)
	}
	request, err := s.lookupRequest(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	if request.GetBody != nil {
		t.Error("the body can be rewound")
	}
	for _, name := range []string{"Idempotency-Key", "X-Idempotency-Key"} {
		if _, set := request.Header[name]; set {
			t.Errorf("the request has the header %s", name)
		}
	}
}
