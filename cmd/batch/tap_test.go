package main

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"payonce/sandbox"
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
func (tap *tap) hold(first int64) (reached <-chan struct{}, release chan struct{}) {
	return tap.holdMany(first, 1)
}

// holdMany holds the lookups from one on, like hold, and tells when so many are held.
func (tap *tap) holdMany(first, count int64) (reached <-chan struct{}, release chan struct{}) {
	came := make(chan struct{})
	release = make(chan struct{})
	var posts atomic.Int64
	watch := watcher(func(r *http.Request, pass func()) {
		if r.Method != http.MethodPost {
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
