package main

import (
	"errors"
	"net"
	"net/http"
	"path/filepath"

	"payonce/checkpoint/badgerstore"
	"payonce/sandbox"
)

// embeddedSandbox is the service of the specification in this process, reached
// over loopback like the real one.
type embeddedSandbox struct {
	service *sandbox.Server
	server  *http.Server
	baseURL string
}

// startSandbox starts the embedded service. Its books are kept beside the
// journal, so that resuming works as with the real one. It allows what --rate says.
func (s *session) startSandbox() (*embeddedSandbox, error) {
	dir, err := s.workspaceDir()
	if err != nil {
		return nil, err
	}
	card, option, err := s.option()
	if err != nil {
		return nil, err
	}
	config := sandbox.DefaultConfig()
	config.Card, config.Plan = card, option.Name
	config.Window = sandbox.Window{Limit: s.rate.Slots, Per: s.rate.Window}
	config.Now = s.env.now
	if exists, _ := badgerstore.Exists(dir); exists { // what cannot be seen keeps no books
		config.BooksPath = filepath.Join(dir, "sandbox.jsonl")
	}
	return serveSandbox(config, "127.0.0.1:0")
}

func serveSandbox(config sandbox.Config, address string) (*embeddedSandbox, error) {
	books, err := sandbox.New(config)
	if err != nil {
		return nil, usageError{err}
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, errors.Join(usageError{err}, books.Close())
	}
	e := &embeddedSandbox{
		service: books,
		server:  &http.Server{Handler: books.Handler(), ReadHeaderTimeout: headerTimeout},
		baseURL: "http://" + listener.Addr().String() + "/api/v1",
	}
	go e.server.Serve(listener) // ends with close
	return e, nil
}

func (e *embeddedSandbox) close() error {
	return errors.Join(e.service.Close(), e.server.Close())
}
