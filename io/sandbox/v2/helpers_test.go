package v2

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"payonce/enrich"
	"payonce/io/sandbox/kit"
	"payonce/io/sandbox/world"
)

// service is a sandbox with a clock that the test moves.
type service struct {
	*Server
	t   testing.TB
	now time.Time
	key string
}

// opened returns a sandbox whose configuration a function changes.
func opened(t testing.TB, change func(*Config)) *service {
	t.Helper()
	s := &service{t: t, now: time.Date(2026, 11, 23, 10, 0, 0, 0, time.UTC), key: DefaultKey}
	config := DefaultConfig()
	config.World = world.World{People: world.People{Seed: 7, UnknownRate: 0.1, MatchRates: enrich.ByField[float64]{0.7, 0.4}}}
	config.Window.Limit = 1 << 30
	config.Now = func() time.Time { return s.now }
	if change != nil {
		change(&config)
	}
	var err error
	if s.Server, err = New(config); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Units().Audit(); err != nil {
			t.Error(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// withFaults returns a change that adds faults.
func withFaults(faults ...kit.Fault) func(*Config) {
	return func(c *Config) { c.Faults = kit.NewFaultRules(7, faults) }
}

// said is what a client got.
type said struct {
	status int
	header http.Header
	text   string
	broken bool // the connection broke
}

func (a said) decode(t testing.TB, into any) {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader([]byte(a.text)))
	decoder.UseNumber()
	if err := decoder.Decode(into); err != nil {
		t.Fatalf("%d %s: %v", a.status, a.text, err)
	}
}

// object returns the body as an object.
func (a said) object(t testing.TB) map[string]any {
	t.Helper()
	var members map[string]any
	a.decode(t, &members)
	return members
}

// call calls the service without a network.
func (s *service) call(method, path, body string) said {
	r := httptest.NewRequest(method, Path+path, bytes.NewReader([]byte(body)))
	r.Header.Set("Authorization", "Token "+s.key)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	return recorded(s.Handler(), r)
}

// recorded returns what a client gets of a handler.
func recorded(handler http.Handler, r *http.Request) (got said) {
	w := httptest.NewRecorder()
	defer func() {
		if problem := recover(); problem != nil {
			if problem != http.ErrAbortHandler {
				panic(problem)
			}
			got = said{w.Code, w.Header(), w.Body.String(), true}
		}
	}()
	handler.ServeHTTP(w, r)
	return said{w.Code, w.Header(), w.Body.String(), false}
}

// must calls the service, which has to answer with a status.
func (s *service) must(status int, method, path, body string) said {
	s.t.Helper()
	got := s.call(method, path, body)
	if got.status != status || got.broken {
		s.t.Fatalf("%s %s %s: %d %s, want %d", method, path, body, got.status, got.text, status)
	}
	return got
}

// used returns what a module used.
func (s *service) used(m kit.Module) int64 {
	for _, u := range s.Units().Usage() {
		if u.Module == m {
			return u.Used
		}
	}
	s.t.Fatalf("no module %s", m)
	return 0
}

// company returns the first listed company that meets a condition.
func (s *service) company(meets func(world.Company) bool) world.Company {
	for c := range s.world.Listed() {
		if meets(c) {
			return c
		}
	}
	s.t.Fatal("no company meets the condition")
	return world.Company{}
}
