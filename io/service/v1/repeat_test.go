package v1

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"payonce/enrich"
	"payonce/io/iotest"
	"payonce/io/service"
)

// The server reads the second lookup on a connection that it kept and drops it: what
// net/http sends again when it may.
func TestNoRepeatWhenAReusedConnectionIsDropped(t *testing.T) {
	overBoth(t, func(t *testing.T, e *endpoint) {
		client := e.client(t)
		wantAnswered(t, find(client))
		e.onLookup(func(w http.ResponseWriter, _ *http.Request, _ message) { iotest.Hijack(t, w).Close() })
		wantLost(t, find(client))
		from := e.arrivals.Seen()
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
			client := dialOver(t, e.transport, server.URL+"/api/v1", service.SystemDialer())
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
	if !strings.Contains(err.Error(), "which is not followed") {
		t.Errorf("error %q does not say that the redirect is not followed", err)
	}
	if strings.Contains(err.Error(), testKey) {
		t.Errorf("error %q holds the key", err)
	}
}
