package v2

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
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
	free := map[Operation]string{
		OpMetrics: "/v2/metrics", OpContactMetrics: "/v2/metrics/contacts", OpWatched: "/v2/companies/watch",
		OpGetCallback: "/v2/companies/watch/callback",
	}
	for _, o := range Operations() {
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
