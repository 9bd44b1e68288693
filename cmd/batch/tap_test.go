package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"payonce/io/sandbox"
)

// tap stands in front of a service and lets a test decide when a request passes.
type tap struct {
	service http.Handler
	watch   atomic.Pointer[watcher]
}

// watcher is called for every request, and calls pass to let it through.
type watcher func(r *http.Request, pass func())

func (tap *tap) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	pass := func() { tap.service.ServeHTTP(w, r) }
	if watch := tap.watch.Load(); watch != nil {
		(*watch)(r, pass)
		return
	}
	pass()
}

// listen serves the tap and returns its base URL.
func (tap *tap) listen(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(tap)
	t.Cleanup(server.CloseClientConnections)
	return server.URL + "/api/v1"
}

// hold holds the lookups from one on. It returns channels that tell when that one
// has come, and that let them pass when closed.
func (tap *tap) hold(t *testing.T, first int64) (reached <-chan struct{}, release chan struct{}) {
	return tap.holdMany(t, first, 1)
}

// holdMany holds the lookups from first on, like hold. It closes reached when count are held.
func (tap *tap) holdMany(t *testing.T, first, count int64) (reached <-chan struct{}, release chan struct{}) {
	came := make(chan struct{})
	release = make(chan struct{})
	var posts atomic.Int64
	watch := watcher(func(r *http.Request, pass func()) {
		if !isLookup(t, r) {
			pass()
			return
		}
		post := posts.Add(1)
		if post == first+count-1 {
			close(came)
		}
		if post >= first {
			<-release
		}
		pass()
	})
	tap.watch.Store(&watch)
	return came, release
}

// isLookup reports whether a request asks for a lookup, over whatever transport.
func isLookup(t *testing.T, r *http.Request) bool {
	if r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, "/mcp") {
		return r.Method == http.MethodPost
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Error(err)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	return bytes.Contains(body, []byte(`"tools/call"`)) && !bytes.Contains(body, []byte("service_account_status"))
}

// newService returns the embedded service behind a tap.
func newService(t *testing.T, seed uint64) (*sandbox.Server, *tap) {
	t.Helper()
	config := sandbox.DefaultConfig()
	config.Seed, config.Window = seed, sandbox.Window{Limit: 100_000, Per: time.Second}
	service, err := sandbox.New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { service.Close() })
	return service, &tap{service: service.Handler()}
}
