package sandbox_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"payonce/cost"
	"payonce/sandbox"
)

// admin calls the admin interface and returns the status and the body.
func admin(t *testing.T, url, token, method, call, body string) (int, string) {
	t.Helper()
	request, err := http.NewRequest(method, url+call, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text)
}

func TestAdminCalls(t *testing.T) {
	server, err := sandbox.New(sandbox.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	web := httptest.NewServer(server.AdminHandler("token"))
	defer web.Close()
	for _, c := range []struct {
		token, method, call, body string
		want                      int
	}{
		{"wrong", "GET", "/books", "", http.StatusUnauthorized},
		{"", "POST", "/revoke-key", "", http.StatusUnauthorized},
		{"token", "POST", "/faults", "lost-after:at=1\nrate_limited:at=2\n", http.StatusNoContent},
		{"token", "POST", "/faults", "frobnicate", http.StatusBadRequest},
		{"token", "POST", "/faults", "", http.StatusBadRequest},
		{"token", "DELETE", "/faults", "", http.StatusNoContent},
		{"token", "POST", "/spend?usd=1.50", "", http.StatusNoContent},
		{"token", "POST", "/spend?usd=many", "", http.StatusBadRequest},
		{"token", "POST", "/budget?usd=7", "", http.StatusNoContent},
		{"token", "GET", "/audit", "", http.StatusNoContent},
		{"token", "GET", "/nothing", "", http.StatusNotFound},
		{"token", "POST", "/revoke-key", "", http.StatusNoContent},
	} {
		if got, text := admin(t, web.URL, c.token, c.method, c.call, c.body); got != c.want {
			t.Errorf("%s %s gives %d (%s), want %d", c.method, c.call, got, text, c.want)
		}
	}
	if got := server.Books().SpentElsewhere; got != 150*cost.Cent {
		t.Errorf("somebody else spent %s, want 1.50", got)
	}
	_, text := admin(t, web.URL, "token", "GET", "/books", "")
	var books sandbox.Snapshot
	if err := json.Unmarshal([]byte(text), &books); err != nil || books.SpentElsewhere != 150*cost.Cent {
		t.Errorf("the books over HTTP are %s (%v)", text, err)
	}
}

// TestAnAddedFaultStrikes: what the admin interface adds, the service does.
func TestAnAddedFaultStrikes(t *testing.T) {
	server, err := sandbox.New(sandbox.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	control, web := httptest.NewServer(server.AdminHandler("token")), httptest.NewServer(server.Handler())
	defer control.Close()
	defer web.Close()
	admin(t, control.URL, "token", "POST", "/faults", "attempt_limit_reached")
	body := `{"pro_network_url": "https://pro.example/in/ada"}`
	request, err := http.NewRequest("POST", web.URL+"/api/v1/contacts/find-work-email", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+sandbox.DefaultKey)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusTooManyRequests {
		t.Errorf("status %d, want 429", response.StatusCode)
	}
}
