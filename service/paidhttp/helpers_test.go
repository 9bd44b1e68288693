package paidhttp

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"payonce/enrich"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	testKey  = "sk_test_2f6c1e9a"
	testBody = `{"last_name":"Lovelace"}`
)

func testCaller() Caller {
	return Caller{Key: testKey, UserAgent: "payonce", Timeout: 45 * time.Second, Now: time.Now}
}

func quiet() *log.Logger { return log.New(io.Discard, "", 0) }

// client sends the same paid request again and again.
type client struct {
	*Sender
	address Address
}

func newClient(t *testing.T, address string, dial Dialer) client {
	t.Helper()
	parsed, err := ParseAddress("base URL", "https://host", address)
	if err != nil {
		t.Fatal(err)
	}
	sender := NewSender(testCaller(), dial, 0)
	t.Cleanup(sender.Close)
	return client{sender, parsed}
}

func (c client) post(t *testing.T) (Response, enrich.Verdict) {
	return c.Post(t.Context(), c.address, "contacts/enrich", []byte(testBody))
}

func (c client) wantResponse(t *testing.T) {
	t.Helper()
	if said, verdict := c.post(t); verdict != nil || said.Status != http.StatusOK {
		t.Fatalf("HTTP %d, verdict %+v; want a response", said.Status, verdict)
	}
}

func (c client) wantNotSent(t *testing.T) error {
	t.Helper()
	_, verdict := c.post(t)
	notSent, ok := verdict.(enrich.NotSent)
	if !ok {
		t.Fatalf("verdict %T %+v, want NotSent", verdict, verdict)
	}
	return notSent.Err
}

func (c client) wantLost(t *testing.T) {
	t.Helper()
	if _, verdict := c.post(t); !isLost(verdict) {
		t.Fatalf("verdict %T %+v, want Lost", verdict, verdict)
	}
}

func isLost(verdict enrich.Verdict) bool {
	_, lost := verdict.(enrich.Lost)
	return lost
}

// overTLS starts a server that offers HTTP/2 and returns a client that trusts it.
func overTLS(t *testing.T, handler http.HandlerFunc, dial Dialer) client {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor != 1 {
			t.Errorf("the request came over %s, want HTTP/1.1", r.Proto)
		}
		handler(w, r)
	}))
	server.EnableHTTP2 = true
	server.Config.ErrorLog = quiet()
	server.StartTLS()
	t.Cleanup(server.Close)
	c := newClient(t, server.URL, dial)
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	c.transport.(*http.Transport).TLSClientConfig = &tls.Config{RootCAs: roots}
	return c
}

// hijack takes the connection of a request over from the server.
func hijack(t *testing.T, w http.ResponseWriter) net.Conn {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		t.Errorf("hijack: %v", err)
	}
	return conn
}

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
