package v1

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"payonce/enrich"
	"payonce/io/iotest"
	"payonce/io/service"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const testKey = "sk_test_2f6c1e9a"

const foundBoth = `{"object":"enrichment_result","operation":"contact_enrichment","request_id":"req_1","status":"matched",
	"data":{"full_name":"Ada Lovelace","work_email":"ada@example.com","business_phone":"+44 20 7946 0000","phone_type":"unknown"},
	"unresolved_fields":[],"grounding":{"retrieved_at":"2026-11-20T10:00:00Z","source_provenance":"not_available"}}`

// ada is the lookup that tests send when it does not matter which.
func ada() enrich.Lookup {
	return enrich.Lookup{
		Identity: enrich.Identity{FirstName: "Ada", LastName: "Lovelace", CompanyDomain: "example.com"},
		Fields:   AllFields,
	}
}

func serve(t *testing.T, handler http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server
}

// respond returns a handler that always gives the same response.
func respond(status int, body string, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
}

func dialOver(t *testing.T, transport Transport, baseURL string, dial service.Dialer) *Client {
	t.Helper()
	client, err := NewClient(Config{BaseURL: baseURL, Transport: transport, Key: testKey, Dial: dial})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client
}

func dialClient(t *testing.T, baseURL string, dial service.Dialer) *Client {
	t.Helper()
	return dialOver(t, REST, baseURL, dial)
}

func clientOf(t *testing.T, server *httptest.Server) *Client {
	t.Helper()
	return dialClient(t, server.URL+"/api/v1", service.SystemDialer())
}

func find(client *Client) enrich.Verdict { return client.Find(context.Background(), ada()) }

func wantAnswered(t *testing.T, verdict enrich.Verdict) Answer {
	t.Helper()
	answered, ok := verdict.(enrich.Answered)
	if !ok {
		t.Fatalf("verdict %T %+v, want Answered", verdict, verdict)
	}
	answer, err := DecodeAnswer(answered)
	if err != nil || answer.Returned() != answered.Returned {
		t.Fatalf("the answer %+v is decoded as %+v, error %v", answered, answer, err)
	}
	return answer
}

func wantLost(t *testing.T, verdict enrich.Verdict) error {
	t.Helper()
	lost, ok := verdict.(enrich.Lost)
	if !ok {
		t.Fatalf("verdict %T %+v, want Lost", verdict, verdict)
	}
	return lost.Err
}

func wantNotSent(t *testing.T, verdict enrich.Verdict) error {
	t.Helper()
	notSent, ok := verdict.(enrich.NotSent)
	if !ok {
		t.Fatalf("verdict %T %+v, want NotSent", verdict, verdict)
	}
	return notSent.Err
}

// inMemory runs use with a client of a service in memory, on synctest's clock. The default
// time-out holds. handler has to return when its request's context ends.
func inMemory(t *testing.T, transport Transport, handler http.Handler, use func(*Client)) {
	synctest.Test(t, func(t *testing.T) {
		network := iotest.NewMemoryNetwork()
		server := &http.Server{Handler: handler, ReadHeaderTimeout: time.Hour}
		served := make(chan struct{})
		go func() {
			defer close(served)
			_ = server.Serve(network)
		}()
		client := dialOver(t, transport, "http://localhost/api/v1", network.Dial)
		use(client)
		client.Close()
		_ = network.Close()
		<-served
		_ = server.Shutdown(context.Background())
	})
}
