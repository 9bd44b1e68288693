package service

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"payonce/enrich"
)

func quiet() *log.Logger { return log.New(io.Discard, "", 0) }

// arrivals are the remote addresses of the requests that a server has seen.
type arrivals struct {
	mu   sync.Mutex
	from []string
}

// add counts an arrival and returns which one it is, from 1.
func (a *arrivals) add(r *http.Request) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.from = append(a.from, r.RemoteAddr)
	return len(a.from)
}

func (a *arrivals) seen() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.from)
}

// The server reads the second POST on a connection that it kept and drops it:
// what net/http sends again when it may.
func TestNoRepeatWhenAReusedConnectionIsDropped(t *testing.T) {
	var seen arrivals
	client := clientOf(t, serve(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if seen.add(r) > 1 {
			hijack(t, w).Close()
			return
		}
		_, _ = io.WriteString(w, foundBoth)
	}))
	wantAnswered(t, find(client))
	wantLost(t, find(client))
	from := seen.seen()
	if len(from) != 2 {
		t.Fatalf("%d requests arrived for 2 lookups", len(from))
	}
	if from[0] != from[1] {
		t.Error("the second lookup did not reuse the connection, so this test proves nothing")
	}
}

// The server closes the kept connection before the second POST. Whichever side
// is faster, a POST arrives at most once, and only an arrival is answered.
func TestNoRepeatWhenAnIdleConnectionIsClosed(t *testing.T) {
	for range 30 {
		var seen arrivals
		server := serve(t, func(w http.ResponseWriter, r *http.Request) {
			seen.add(r)
			_, _ = io.WriteString(w, foundBoth)
		})
		client := clientOf(t, server)
		wantAnswered(t, find(client))
		server.CloseClientConnections()
		verdict, second := find(client), len(seen.seen())-1
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
		for name, location := range map[string]string{
			"other path": "/other",
			"other host": elsewhere.URL + "/api/v1/contacts/enrich",
			"no URL":     "http://%zz/" + testKey,
			"none":       "",
		} {
			t.Run(fmt.Sprint(status, " ", name), func(t *testing.T) {
				var seen arrivals
				client := clientOf(t, serve(t, func(w http.ResponseWriter, r *http.Request) {
					seen.add(r)
					if r.URL.Path == "/other" {
						t.Error("the redirect was followed")
					}
					if location != "" {
						w.Header().Set("Location", location)
					}
					w.WriteHeader(status)
				}))
				err := wantLost(t, find(client))
				if n := len(seen.seen()); n != 1 {
					t.Errorf("%d requests arrived, want 1", n)
				}
				if name == "other host" && !strings.Contains(err.Error(), strings.TrimPrefix(elsewhere.URL, "http://")) {
					t.Errorf("error %q does not name the host", err)
				}
				if strings.Contains(err.Error(), testKey) {
					t.Errorf("error %q holds the key", err)
				}
			})
		}
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
