package service

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"go.uber.org/goleak"

	"payonce/enrich"
	"payonce/io/iotest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	testKey  = "sk_test_2f6c1e9a"
	testBody = `{"last_name":"Lovelace"}`
)

func testCaller() Caller {
	return Caller{Key: testKey, UserAgent: "payonce", Timeout: 45 * time.Second, Now: time.Now}
}

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
	server.Config.ErrorLog = iotest.QuietLogger()
	server.StartTLS()
	t.Cleanup(server.Close)
	c := newClient(t, server.URL, dial)
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	c.transport.(*http.Transport).TLSClientConfig = &tls.Config{RootCAs: roots}
	return c
}
