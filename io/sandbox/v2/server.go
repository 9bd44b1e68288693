// Package v2 is the second interface of the sandbox: company and people data on made-up companies, with units,
// limits, watches and notifications. It counts as the service does, and counts twice when it is asked twice.
//
// The ledger (kit.UnitLedger) and the world (package world) know nothing of HTTP. Each operation reads its
// request and says what the answer is; the server counts it and sends it, or spoils it as a fault wants.
package v2

import (
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"payonce/io/sandbox/kit"
	"payonce/io/sandbox/world"
)

// DefaultKey is the key of DefaultConfig.
const DefaultKey = "sandbox-key-v2"

// Path is what the paths of the interface begin with.
const Path = "/v2"

// Config describes the account and what goes wrong.
type Config struct {
	// Config is the account.
	kit.UnitConfig
	// World is what the service knows.
	World world.World
	// Modules are the modules that count the calls of routes, where they are others than the assumed ones. A route is a
	// method and a path below Path, such as "GET /financial/{id}".
	Modules map[string]kit.Module
	// Faults are the rules that make calls go wrong; nil for none.
	Faults *kit.FaultRules
	// Latency bounds how long a data operation takes.
	Latency struct{ Min, Max time.Duration }
	// RepeatAfter are the times between the attempts of one notification; nil for those of the service.
	RepeatAfter []time.Duration
	// Transport carries notifications; nil for the system's network.
	Transport http.RoundTripper
}

// DefaultTotal is how many units of each module there are at first.
const DefaultTotal = 100_000

// DefaultConfig returns an account with units of every module and without daily limits.
func DefaultConfig() Config {
	config := Config{UnitConfig: kit.UnitConfig{
		Key: DefaultKey, Totals: map[kit.Module]int64{}, Window: kit.Window{Limit: 60, Per: time.Minute},
	}}
	for _, module := range kit.Modules() {
		config.Totals[module] = DefaultTotal
	}
	return config
}

// Server is one account of the service. Its methods may be called at any time from any goroutine.
type Server struct {
	config   Config
	world    world.World
	units    *kit.UnitLedger
	watches  *watches
	searches searches
	watching sync.Mutex // a company is counted once when it is watched
	sender   *notifier
	faults   *kit.FaultRules
	mux      *http.ServeMux
	closed   chan struct{}
	closing  sync.Once
}

// New opens the ledger of the configuration. The caller serves its Handler, on the loopback interface only, and
// ends it with Close.
func New(config Config) (*Server, error) {
	if config.Now == nil {
		config.Now = time.Now
	}
	if config.Faults == nil {
		config.Faults = kit.NewFaultRules(config.World.People.Seed, nil)
	}
	if config.RepeatAfter == nil {
		config.RepeatAfter = retryWaits()
	}
	ledger, err := kit.OpenUnitLedger(config.UnitConfig)
	if err != nil {
		return nil, fmt.Errorf("sandbox v2: %w", err)
	}
	watchPath := ""
	if config.Path != "" {
		watchPath = config.Path + ".watches"
	}
	watches, err := openWatches(watchPath, config.Now)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("sandbox v2: %w", err), ledger.Close())
	}
	s := &Server{
		config: config, world: config.World, units: ledger, watches: watches, faults: config.Faults,
		sender: newNotifier(config.Transport, config.RepeatAfter, config.Now), closed: make(chan struct{}),
	}
	s.mux = s.routes()
	return s, nil
}

// Handler returns the interface, whose paths begin with /v2.
func (s *Server) Handler() http.Handler { return http.HandlerFunc(s.serve) }

// Close ends the service as the death of its process would: calls under way are not counted and their
// connections break.
func (s *Server) Close() error {
	var err error
	s.closing.Do(func() {
		close(s.closed)
		s.sender.Close()
		err = errors.Join(s.units.Close(), s.watches.Close())
	})
	return err
}

// Units returns the ledger, for what the owner does and for tests that compare it.
func (s *Server) Units() *kit.UnitLedger { return s.units }

func (s *Server) isClosed() bool {
	select {
	case <-s.closed:
		return true
	default:
		return false
	}
}
