package workspace

import (
	"errors"
	"net"
	"net/http"
	"path/filepath"
	"time"

	"payonce/checkpoint/badgerstore"
	"payonce/enrich"
	"payonce/io/sandbox"
	"payonce/pipeline/problem"
)

// Embedded is the service of the specification in this process, reached
// over loopback like the real one.
type Embedded struct {
	Service *sandbox.Server
	Address string // to which the path of an interface is added
	server  *http.Server
}

// HeaderTimeout ends connections that never say what they want.
const HeaderTimeout = 10 * time.Second

// BaseURL returns the base URL of an interface.
func (e *Embedded) BaseURL(name string) string {
	of, _ := sandbox.InterfaceNamed(name)
	return e.Address + of.Path
}

// SandboxAddress returns the address of the embedded service: of the process that owns the journal, when it
// serves one, or else of this one.
func (s *Session) SandboxAddress() (string, error) {
	if served := s.served.Load(); served != nil {
		return *served, nil
	}
	dir, err := s.Options.Dir()
	if err != nil {
		return "", err
	}
	if s.Journal == nil || s.snapshot {
		if owner, err := ownerOf(dir); err == nil && owner.Embedded != "" {
			return owner.Embedded, nil
		}
	}
	if s.embedded, err = s.startSandbox(dir); err != nil {
		return "", err
	}
	s.served.Store(&s.embedded.Address)
	return s.embedded.Address, nil
}

// startSandbox starts the embedded service. Its ledger is kept beside the
// journal, so that resuming works as with the real one. It allows the rates of the options.
func (s *Session) startSandbox(dir string) (*Embedded, error) {
	card, option, err := s.Options.Prices.Read()
	if err != nil {
		return nil, err
	}
	config := sandbox.DefaultConfig()
	config.Card, config.Plan = card, option.Name
	for _, of := range s.Options.Services {
		if of.Rate.Slots > 0 {
			config.SetWindow(of.Name(), sandbox.Window{Limit: of.Rate.Slots, Per: of.Rate.Window})
		}
	}
	config.Now = s.Env.Now
	if exists, _ := badgerstore.Exists(dir); exists { // what cannot be seen keeps no ledger
		key, err := s.Options.Journal.Key.Parse()
		if err != nil {
			return nil, err
		}
		config.LedgerPath = filepath.Join(dir, ledgerName)
		config.ConcealWith(key)
	}
	return ServeSandbox(config, "127.0.0.1:0")
}

// ledgerName is the file of the ledger in the directory of the journal.
const ledgerName = "sandbox.jsonl"

// ConcealLedger takes what earlier versions kept of subjects out of the ledger of the embedded service in a journal's
// directory.
func ConcealLedger(dir string, o Opening) error {
	return sandbox.ConcealLedger(filepath.Join(dir, ledgerName), o.Store.EncryptionKey)
}

// keptArrivals is how many lookups the embedded service keeps in full.
const keptArrivals = 10_000

// CoverRehearsal gives the embedded service's account what a list can cost, by the number of
// fields that are asked for, so that a list of any length can be rehearsed. It does nothing
// where the service is not the embedded one.
func (s *Session) CoverRehearsal(asked enrich.ByField[int64]) error {
	if s.embedded == nil {
		return nil
	}
	return s.embedded.Service.Workspace().Cover(asked)
}

// ServeSandbox serves a sandbox on a loopback address until it is closed.
func ServeSandbox(config sandbox.Config, address string) (*Embedded, error) {
	config.KeepArrivals = keptArrivals
	ledger, err := sandbox.New(config)
	if err != nil {
		return nil, problem.AsUsage(err)
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, errors.Join(problem.AsUsage(err), ledger.Close())
	}
	e := &Embedded{
		Service: ledger, Address: "http://" + listener.Addr().String(),
		server: &http.Server{Handler: ledger.Handler(), ReadHeaderTimeout: HeaderTimeout},
	}
	go e.server.Serve(listener) // ends with close
	return e, nil
}

// Close ends the service.
func (e *Embedded) Close() error {
	return errors.Join(e.Service.Close(), e.server.Close())
}
