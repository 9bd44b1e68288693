package v2

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"payonce/service/v2/v2fields"
)

// TestInspectSendsOnlyFreeReads: every other operation is refused and nothing is sent.
func TestInspectSendsOnlyFreeReads(t *testing.T) {
	var arrived []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		arrived = append(arrived, r.Method+" "+r.URL.RequestURI())
		w.WriteHeader(http.StatusTeapot)
		_, _ = io.WriteString(w, "as it came")
	}))
	defer server.Close()
	client, err := NewStatusClient(Config{BaseURL: server.URL + "/v2", Key: "key"})
	if err != nil {
		t.Fatal(err)
	}
	free := map[v2fields.Operation]string{
		v2fields.Metrics: "/v2/metrics", v2fields.ContactMetrics: "/v2/metrics/contacts", v2fields.Watched: "/v2/companies/watch",
		v2fields.GetCallback: "/v2/companies/watch/callback",
	}
	for _, o := range v2fields.Operations() {
		arrived = nil
		shown, err := client.Inspect(t.Context(), o, url.Values{"page": {"1"}})
		if path, isFree := free[o]; isFree {
			if err != nil || shown.HTTPStatus != http.StatusTeapot || string(shown.Body) != "as it came" ||
				len(arrived) != 1 || arrived[0] != "GET "+path+"?page=1" {
				t.Errorf("%s: %+v, %v, %q", o, shown, err, arrived)
			}
			continue
		}
		if err == nil || len(arrived) > 0 {
			t.Errorf("%s is sent: %q, %v", o, arrived, err)
		}
	}
}
