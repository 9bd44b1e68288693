package sandbox_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"payonce/enrich"
	"payonce/io/sandbox"
)

const (
	statusPath = "/api/v1/account/status"
	emailPath  = "/api/v1/contacts/find-work-email"
	phonePath  = "/api/v1/contacts/find-phone"
	enrichPath = "/api/v1/contacts/enrich"

	ada     = `{"pro_network_url":"https://network.example/in/ada-lovelace"}`
	adaBoth = `{"pro_network_url":"https://network.example/in/ada-lovelace","include_email":true,"include_phone":true}`
)

// everybody returns a configuration in which everything about everybody is known
// and the rolling window is wide.
func everybody() sandbox.Config {
	config := sandbox.DefaultConfig()
	config.UnknownRate = 0
	config.MatchRates = enrich.ByField[float64]{1, 1}
	config.Window.Limit = 1000
	return config
}

// workspace is a sandbox that is served on the loopback interface.
type workspace struct {
	*sandbox.Server
	t   *testing.T
	url string
	key string
}

func open(t *testing.T, config sandbox.Config) *workspace {
	t.Helper()
	server, err := sandbox.New(config)
	if err != nil {
		t.Fatal(err)
	}
	front := httptest.NewServer(server.Handler())
	t.Cleanup(front.Close)
	t.Cleanup(func() { _ = server.Close() })
	return &workspace{Server: server, t: t, url: front.URL, key: config.Key}
}

// response is what the tests look at in an HTTP response.
type response struct {
	code   int
	header http.Header
	text   string
	body   map[string]any
}

// errorCode returns the code of an error body, "" for any other body.
func (r response) errorCode() sandbox.ErrorCode {
	failure, _ := r.body["error"].(map[string]any)
	code, _ := failure["code"].(string)
	return sandbox.ErrorCode(code)
}

func (w *workspace) send(method, path, body string, change ...func(*http.Request)) (response, error) {
	w.t.Helper()
	request, err := http.NewRequestWithContext(w.t.Context(), method, w.url+path, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	request.GetBody = nil // a POST is never sent again behind the test's back
	request.Header.Set("Authorization", "Bearer "+w.key)
	request.Header.Set("Content-Type", "application/json")
	for _, c := range change {
		c(request)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return response{}, err
	}
	defer answer.Body.Close()
	if answer.Header.Get("X-Sandbox") != "true" {
		w.t.Errorf("%s %s: no X-Sandbox header", method, path)
	}
	text, err := io.ReadAll(answer.Body)
	r := response{code: answer.StatusCode, header: answer.Header, text: string(text)}
	_ = json.Unmarshal(text, &r.body)
	return r, err
}

// post sends a lookup that has to be answered.
func (w *workspace) post(path, body string) response {
	w.t.Helper()
	r, err := w.send(http.MethodPost, path, body)
	if err != nil {
		w.t.Fatalf("POST %s: %v", path, err)
	}
	return r
}

// status returns a value of the account status by its keys.
func (w *workspace) status(keys ...string) any {
	w.t.Helper()
	r, err := w.send(http.MethodGet, statusPath, "")
	if err != nil || r.code != http.StatusOK {
		w.t.Fatalf("GET %s: %d %v", statusPath, r.code, err)
	}
	var value any = r.body
	for _, key := range keys {
		value = value.(map[string]any)[key]
	}
	return value
}

// audited fails the test when the ledger does not add up.
func (w *workspace) audited() sandbox.Snapshot {
	w.t.Helper()
	if err := w.Audit(); err != nil {
		w.t.Error(err)
	}
	return w.Ledger()
}

// isBroken reports whether an error is that of a connection that broke.
func isBroken(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

// clock is a clock that a test sets.
type clock struct{ at time.Time }

func (c *clock) now() time.Time          { return c.at }
func (c *clock) forward(d time.Duration) { c.at = c.at.Add(d) }
func newClock() *clock                   { return &clock{time.Date(2026, 11, 21, 2, 37, 0, 0, time.UTC)} }
func cents(c int64) *int64               { return &c }
