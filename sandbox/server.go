// Package sandbox is the service of the specification, embedded: the REST
// interface of v1 with its allowances, balance, budget and limits, on made-up
// people, for demonstrations, tests and rehearsals. It charges as the service
// does, and charges twice when it is asked twice.
//
// The books (what was reserved, charged and refused) know nothing of HTTP, so
// that another transport can stand on them: it turns its request into a question,
// hands it to ask, and words the reply in its own way.
package sandbox

import (
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"

	"payonce/cost"
)

// Server is one workspace of the service. Its methods may be called at any time
// from any goroutine.
type Server struct {
	config  Config
	people  people
	books   *books
	faults  *faultRules
	closed  chan struct{}
	closing sync.Once
	// unnumbered counts the requests that are no lookups, for their request IDs.
	unnumbered atomic.Uint64
}

// New opens the books of the configuration and returns the service that stands on
// them. The caller serves its Handler, on the loopback interface only, and ends
// it with Close.
func New(config Config) (*Server, error) {
	config, err := config.prepare()
	if err != nil {
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	books, err := openBooks(config)
	if err != nil {
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	return &Server{
		config: config,
		people: people{seed: config.Seed, matchRates: config.MatchRates, unknownRate: config.UnknownRate},
		books:  books,
		faults: newFaultRules(config.Seed, config.Faults),
		closed: make(chan struct{}),
	}, nil
}

// Handler returns the REST interface, whose paths begin with /api/v1. Every
// response carries the header "X-Sandbox: true". Faults that break a connection
// panic with http.ErrAbortHandler, which net/http understands.
func (s *Server) Handler() http.Handler { return http.HandlerFunc(s.serve) }

// Close ends the service as the death of its process would: lookups under way are
// not charged and their connections break. Whoever waits for the HTTP server to
// end its connections closes the sandbox first.
func (s *Server) Close() error {
	var err error
	s.closing.Do(func() {
		close(s.closed)
		err = s.books.close()
	})
	return err
}

// Books returns a copy of the books.
func (s *Server) Books() Snapshot { return s.books.snapshot() }

// Audit recomputes the books from their single charges: what the account started
// with is what is available, reserved and charged; nothing is below zero.
func (s *Server) Audit() error { return s.books.audit() }

// AddFault adds a rule after the ones there are.
func (s *Server) AddFault(fault Fault) error {
	if err := fault.validate(); err != nil {
		return fmt.Errorf("sandbox: %w", err)
	}
	s.faults.add(fault)
	return nil
}

// ClearFaults removes every fault rule. What their effects have done stays.
func (s *Server) ClearFaults() { s.faults.clear() }

// RevokeKey makes every request from now on fail with 401, also after a restart
// on the same books (specification v1, "Workspace key").
func (s *Server) RevokeKey() error {
	return s.books.change(entry{Kind: keyRevoked})
}

// SpendCredit spends an amount in the name of somebody else in the workspace: the
// balance and the monthly budget move, and no lookup of ours is to blame. It
// spends no more than is available and returns what it spent.
func (s *Server) SpendCredit(amount cost.Money) (cost.Money, error) {
	if amount < 0 {
		return 0, fmt.Errorf("sandbox: %s cannot be spent; give a positive amount", amount)
	}
	return s.books.spendElsewhere(amount)
}

// SetBudgetCap sets the monthly cap on paid usage; zero permits none. It replaces
// the configuration's cap, also after a restart on the same books. What is
// reserved already is still charged.
func (s *Server) SetBudgetCap(limit cost.Money) error {
	if limit < 0 {
		return fmt.Errorf("sandbox: a budget cap of %s is below zero; give 0 to permit no paid usage", limit)
	}
	return s.books.change(entry{Kind: budgetSet, Amount: limit})
}

func (s *Server) isClosed() bool {
	select {
	case <-s.closed:
		return true
	default:
		return false
	}
}
