package v2

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"payonce/cost"
	"payonce/enrich"
	"payonce/io/iotest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const testKey = "sk_test_2f6c1e9a"

// noon is the time of tests by this machine's clock.
func noon() time.Time { return time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC) }

// seen is a request as it arrived.
type seen struct{ line, authorization, contentType, body string }

// stand stands in for the service. It notes the requests and answers all alike.
type stand struct {
	*testing.T
	url    string
	answer http.HandlerFunc

	mu       sync.Mutex
	requests []seen
}

func newStand(t *testing.T, answer http.HandlerFunc) *stand {
	s := &stand{T: t, answer: answer}
	server := httptest.NewUnstartedServer(s)
	server.Config.ErrorLog = iotest.QuietLogger()
	server.Start()
	t.Cleanup(server.Close)
	s.url = server.URL
	return s
}

func (s *stand) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		s.Errorf("the body of a request: %v", err)
	}
	s.mu.Lock()
	s.requests = append(s.requests, seen{r.Method + " " + r.RequestURI, r.Header.Get("Authorization"), r.Header.Get("Content-Type"), string(body)})
	s.mu.Unlock()
	s.answer(w, r)
}

// arrived returns the requests that arrived since it was last called.
func (s *stand) arrived() []seen {
	s.mu.Lock()
	defer s.mu.Unlock()
	requests := s.requests
	s.requests = nil
	return requests
}

func (s *stand) client() *Client {
	s.Helper()
	client, err := NewClient(Config{BaseURL: s.url + "/v2", Key: testKey, Now: noon})
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(client.Close)
	return client
}

// respond returns a handler that answers with a status, a body and headers.
func respond(status int, body string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func wantAnswered(t *testing.T, verdict enrich.Verdict) enrich.Answered {
	t.Helper()
	answered, ok := verdict.(enrich.Answered)
	if !ok {
		t.Fatalf("verdict %T %+v, want Answered", verdict, verdict)
	}
	return answered
}

func wantLost(t *testing.T, verdict enrich.Verdict) error {
	t.Helper()
	lost, ok := verdict.(enrich.Lost)
	if !ok {
		t.Fatalf("verdict %T %+v, want Lost", verdict, verdict)
	}
	return lost.Err
}

// companyJSON sends the call that tests send when it does not matter which.
func companyJSON(c *Client) enrich.Verdict {
	_, verdict := c.Company(context.Background(), "4711")
	return verdict
}

func costMeter(m int) cost.Meter { return cost.Meter(m) }

func decodeAnswer(t *testing.T, answered enrich.Answered) Answer {
	t.Helper()
	answer, err := DecodeAnswer(answered)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}
