package service

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"payonce/io/iotest"
)

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
func TestAFailedWriteIsLostOnceBytesWereWritten(t *testing.T) {
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
	var seen iotest.Arrivals
	answer := func(w http.ResponseWriter, r *http.Request) {
		seen.Add(r)
		_, _ = io.WriteString(w, "{}")
	}
	var dialled []*breakable
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := SystemDialer()(ctx, network, address)
		b := &breakable{Conn: conn}
		b.left.Store(-1)
		if !reused && len(dialled) == 0 {
			b.left.Store(takes)
		}
		dialled = append(dialled, b)
		return b, err
	}
	var c client
	if secure {
		c = overTLS(t, answer, dial)
	} else {
		server := httptest.NewServer(http.HandlerFunc(answer))
		t.Cleanup(server.Close)
		c = newClient(t, server.URL, dial)
	}
	if reused {
		c.wantResponse(t)
		dialled[0].left.Store(takes)
	}
	before := len(seen.Seen())
	if takes == 0 {
		_ = c.wantNotSent(t)
	} else {
		c.wantLost(t)
	}
	if again := len(seen.Seen()) - before; again != 0 || len(dialled) != 1 {
		t.Errorf("%d requests arrived over %d connections, want none over the first", again, len(dialled))
	}
}

// A request over TLS is sent over HTTP/1.1, which repeats nothing.
func TestPostOverTLS(t *testing.T) {
	overTLS(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "{}") }, SystemDialer()).wantResponse(t)
}

// roundTripper is a transport that a test sees the requests of.
type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
func (roundTripper) CloseIdleConnections()                               {}

// net/http and proxies repeat what is called idempotent and can be rewound.
func TestRequestsCannotBeRepeated(t *testing.T) {
	var sent *http.Request
	sender := &Sender{line{testCaller(), roundTripper(func(r *http.Request) (*http.Response, error) {
		sent = r
		return nil, errors.New("not today")
	})}}
	address, err := ParseAddress("base URL", "https://host", "https://api.example.com")
	if err != nil {
		t.Fatal(err)
	}
	rewindable, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address.String(), bytes.NewReader([]byte("other")))
	if err != nil {
		t.Fatal(err)
	}
	for name, send := range map[string]func(){
		"posted":  func() { _, _ = sender.Post(t.Context(), address, "x", []byte(testBody)) },
		"carried": func() { _, _ = sender.Carry(rewindable, []byte(testBody), new(Flight)) },
	} {
		send()
		if sent.GetBody != nil {
			t.Errorf("%s: the body can be rewound", name)
		}
		for _, header := range []string{"Idempotency-Key", "X-Idempotency-Key"} {
			if _, set := sent.Header[header]; set {
				t.Errorf("%s: the request has the header %s", name, header)
			}
		}
		if body, err := io.ReadAll(sent.Body); err != nil || string(body) != testBody {
			t.Errorf("%s: body %q (%v)", name, body, err)
		}
	}
}
