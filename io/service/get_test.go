package service

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"payonce/enrich"
	"payonce/io/iotest"
)

// send sends a paid request of a method without a body.
func (c client) send(t *testing.T, method string) (Response, enrich.Verdict) {
	return c.Send(t.Context(), c.address, Request{Method: method, Path: "companies/1"})
}

// paidMethods are methods that net/http repeats on its own when there is no body, and others.
func paidMethods() []string {
	return []string{http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodPut, http.MethodDelete, http.MethodPost}
}

// TestALostGetIsNotSentAgain drops the second request on a connection that was kept, after the
// server has read it. net/http sends a GET again in this case.
func TestALostGetIsNotSentAgain(t *testing.T) {
	for _, method := range paidMethods() {
		t.Run(method, func(t *testing.T) {
			var seen iotest.Arrivals
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if seen.Add(r) == 2 {
					iotest.Hijack(t, w).Close()
					return
				}
				_, _ = io.WriteString(w, "{}")
			}))
			t.Cleanup(server.Close)
			c := newClient(t, server.URL, SystemDialer())
			if said, verdict := c.send(t, method); verdict != nil || said.Status != http.StatusOK {
				t.Fatalf("HTTP %d, verdict %+v; want a response", said.Status, verdict)
			}
			if _, verdict := c.send(t, method); !isLost(verdict) {
				t.Errorf("verdict %T %+v, want Lost", verdict, verdict)
			}
			from := seen.Seen()
			if len(from) != 2 {
				t.Fatalf("%d requests arrived for 2 that were sent", len(from))
			}
			if from[0] != from[1] {
				t.Error("the second request did not reuse the connection, so this test proves nothing")
			}
		})
	}
}

// TestAGetOnAClosedConnectionArrivesAtMostOnce closes the connection that was kept. Whichever side
// is faster, a request arrives at most once, and only an arrival is answered.
func TestAGetOnAClosedConnectionArrivesAtMostOnce(t *testing.T) {
	for range 30 {
		var seen iotest.Arrivals
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			seen.Add(r)
			_, _ = io.WriteString(w, "{}")
		}))
		c := newClient(t, server.URL, SystemDialer())
		if _, verdict := c.send(t, http.MethodGet); verdict != nil {
			t.Fatalf("verdict %+v, want a response", verdict)
		}
		server.CloseClientConnections()
		_, verdict := c.send(t, http.MethodGet)
		switch second := len(seen.Seen()) - 1; {
		case verdict == nil && second != 1, verdict != nil && second != 0:
			t.Errorf("%T after %d arrivals", verdict, second)
		}
		server.Close()
	}
}

// TestAGetIsSentWithoutABody reads what a GET writes to its connection.
func TestAGetIsSentWithoutABody(t *testing.T) {
	heard := make(chan string, 1)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			heard <- err.Error()
			return
		}
		defer conn.Close()
		buffer := make([]byte, 4096)
		n, _ := conn.Read(buffer)
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
		heard <- string(buffer[:n])
	}()
	c := newClient(t, "http://"+listener.Addr().String()+"/v2", SystemDialer())
	query := url.Values{"year": {"2024"}, "fields": {"a b", "c"}}
	if _, verdict := c.Send(t.Context(), c.address, Request{Method: http.MethodGet, Path: "financial/1", Query: query}); verdict != nil {
		t.Fatalf("verdict %+v, want a response", verdict)
	}
	text := <-heard
	if !strings.HasPrefix(text, "GET /v2/financial/1?fields=a+b&fields=c&year=2024 HTTP/1.1\r\n") || !strings.HasSuffix(text, "\r\n\r\n") {
		t.Errorf("the request is\n%s", text)
	}
	for _, header := range []string{"Transfer-Encoding", "Content-Length", "Content-Type", "Idempotency-Key"} {
		if strings.Contains(text, header+":") {
			t.Errorf("the request has the header %s:\n%s", header, text)
		}
	}
}

// TestAResponseOverTheSizeLimitIsLost reads responses of the limit, and longer ones.
func TestAResponseOverTheSizeLimitIsLost(t *testing.T) {
	for _, test := range []struct {
		length, limit int64
		lost          bool
	}{{100, 100, false}, {101, 100, true}, {MaxBody, 0, false}, {MaxBody + 1, 0, true}, {MaxBody + 1, 2 * MaxBody, false}} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.CopyN(w, zeros{}, test.length)
		}))
		c := newClient(t, server.URL, SystemDialer())
		said, verdict := c.Send(t.Context(), c.address, Request{Method: http.MethodGet, Path: "x", Limit: test.limit})
		if isLost(verdict) != test.lost || !test.lost && int64(len(said.Body)) != test.length {
			t.Errorf("%d bytes with the limit %d: %d bytes came, verdict %v", test.length, test.limit, len(said.Body), verdict)
		}
		server.Close()
	}
}

// zeros yields zeros without end.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

// TestTheAuthorizationHeaderHasTheConfiguredScheme sends requests with both schemes.
func TestTheAuthorizationHeaderHasTheConfiguredScheme(t *testing.T) {
	for scheme, want := range map[string]string{"": "Bearer " + testKey, "Token": "Token " + testKey} {
		caller := testCaller()
		caller.Scheme = scheme
		if err := caller.Check(); err != nil {
			t.Error(err)
		}
		header := http.Header{}
		caller.sign(header)
		if got := header.Get("Authorization"); got != want {
			t.Errorf("scheme %q: Authorization %q, want %q", scheme, got, want)
		}
	}
	caller := testCaller()
	caller.Scheme = "Token\r\nX: y"
	if caller.Check() == nil {
		t.Error("a scheme with a line break is accepted")
	}
}

// TestAReaderSendsEveryMethodButPost sends each method but POST, each in a connection of its own.
func TestAReaderSendsEveryMethodButPost(t *testing.T) {
	var got []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = append(got, fmt.Sprint(r.Method, " ", r.URL, " ", r.Header.Get("Content-Type"), " ", string(body), " ", r.Close))
		_, _ = io.WriteString(w, "[]")
	}))
	t.Cleanup(server.Close)
	c := newClient(t, server.URL, SystemDialer())
	reader := NewReader(testCaller(), SystemDialer())
	for _, ask := range []Request{
		{Method: http.MethodGet, Path: "a", Query: url.Values{"page": {"2"}}},
		{Method: http.MethodPut, Path: "b", Body: []byte(`{"fields":[]}`)},
		{Method: http.MethodDelete, Path: "c"},
	} {
		if said, err := reader.Send(t.Context(), c.address, ask); err != nil || string(said.Body) != "[]" {
			t.Errorf("%s: %q, error %v", ask.Method, said.Body, err)
		}
	}
	if _, err := reader.Send(t.Context(), c.address, Request{Method: http.MethodPost, Path: "d"}); err == nil {
		t.Error("a POST was sent as a free request")
	}
	want := `[GET /a?page=2   true PUT /b application/json {"fields":[]} true DELETE /c   true]`
	if fmt.Sprint(got) != want {
		t.Errorf("got  %v\nwant %s", got, want)
	}
}
