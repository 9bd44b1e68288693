// Package sandbox is the service of the specification, embedded: the REST and MCP
// interfaces of v1 with their keys, allowances, balance, budget and limits, on
// made-up people, for demonstrations, tests and rehearsals. It charges as the
// service does, and charges twice when it is asked twice. Package v2 is the second
// interface, which it serves beside the first.
//
// The workspace (Ledger) knows nothing of HTTP. A transport turns its request into a
// question, hands it to ask, and words the response in its own way.
package sandbox

import (
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"

	"payonce/io/sandbox/crm"
	"payonce/io/sandbox/kit"
	"payonce/io/sandbox/v2"
	"payonce/io/sandbox/world"
)

// Server is one workspace of the service. Its methods may be called at any time
// from any goroutine.
type Server struct {
	config  Config
	people  world.People
	ledger  *Ledger
	faults  *kit.FaultRules
	closed  chan struct{}
	closing sync.Once
	mcp     *toolServer
	second  *v2.Server
	crm     *crm.Server
	// unnumbered counts the requests that are no lookups, for their request IDs.
	unnumbered atomic.Uint64
}

// New opens the ledger of the configuration and returns the service that uses
// it. The caller serves its Handler, on the loopback interface only, and ends
// it with Close.
func New(config Config) (*Server, error) {
	config, err := config.prepare()
	if err != nil {
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	opened, err := openLedger(config.LedgerConfig)
	if err != nil {
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	s := &Server{
		config: config,
		people: config.people(),
		ledger: opened,
		faults: kit.NewFaultRules(config.Seed, config.Faults),
		closed: make(chan struct{}),
	}
	if s.second, err = v2.New(config.second(s.faults)); err != nil {
		return nil, errors.Join(fmt.Errorf("sandbox: %w", err), opened.Close())
	}
	s.crm = crm.New(config.crm(s.faults))
	s.mcp = newToolServer(s)
	return s, nil
}

// Handler returns the REST interface, whose paths begin with /api/v1, the MCP endpoint at /mcp, the second interface
// below /v2, a CRM below /crm/v8 and /oauth/v2/token, and a page at / that says what this is. Every response carries
// the header "X-Sandbox: true". Faults that break a connection panic with http.ErrAbortHandler, which net/http
// understands.
func (s *Server) Handler() http.Handler { return http.HandlerFunc(s.serve) }

// Close ends the service as the death of its process would: lookups under way are
// not charged and their connections break. Whoever waits for the HTTP server to
// end its connections closes the sandbox first.
func (s *Server) Close() error {
	var err error
	s.closing.Do(func() {
		close(s.closed)
		s.mcp.endSessions()
		s.crm.Close()
		err = errors.Join(s.ledger.Close(), s.second.Close())
	})
	return err
}

// Ledger returns a copy of the ledger.
func (s *Server) Ledger() Snapshot { return s.ledger.Snapshot() }

// Second returns the second interface, with its ledger.
func (s *Server) Second() *v2.Server { return s.second }

// CRM returns the CRM.
func (s *Server) CRM() *crm.Server { return s.crm }

// Workspace returns the ledger itself, for what its owner does.
func (s *Server) Workspace() *Ledger { return s.ledger }

// Audit recomputes the ledger from its single charges: what the account started
// with is what is available, reserved and charged; nothing is below zero.
func (s *Server) Audit() error {
	if err := s.ledger.Audit(); err != nil {
		return fmt.Errorf("sandbox: %w", err)
	}
	return nil
}

// AddFault adds a rule after the ones there are.
func (s *Server) AddFault(f Fault) error {
	if err := f.Validate(faultCodes()); err != nil {
		return fmt.Errorf("sandbox: %w", err)
	}
	s.faults.Add(f)
	return nil
}

// ClearFaults removes every fault rule. What their effects have done stays.
func (s *Server) ClearFaults() { s.faults.Clear() }

func (s *Server) isClosed() bool {
	select {
	case <-s.closed:
		return true
	default:
		return false
	}
}

// EndSessions ends every MCP session; requests that name one are answered with 404,
// and their clients have to initialize again.
func (s *Server) EndSessions() { s.mcp.endSessions() }
