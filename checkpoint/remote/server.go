package remote

import (
	"crypto/hmac"
	"crypto/rand"
	"errors"
	"net"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"payonce/checkpoint/record"
)

// Snapshot is the store of a journal as one commit left it.
type Snapshot interface {
	Get(key []byte) ([]byte, error)
	// Seek visits records as record.Seek does. Visit may not keep the key and the value.
	Seek(prefix, from []byte, visit record.Visit) error
	Version() uint64
	Close()
}

// Options say how a journal is served.
type Options struct {
	Key []byte // the journal's encryption key, which readers must have too; nil for none
	// Owner returns what the owner says about itself. It may be called at any time, from any goroutine.
	Owner func() []byte
	// Opening says that no reader is served before Ready is called.
	Opening bool
}

// The limits of a server.
const (
	maxReaders  = 16               // at the same time
	maxIdle     = time.Minute      // between two requests
	maxSending  = 10 * time.Second // of a response
	maxAge      = 30 * time.Minute // of a snapshot: while it is open, the store keeps what was replaced
	nonceLength = 16
	acceptPause = 100 * time.Millisecond // after a connection that could not be accepted
)

// Server serves readers until it is closed.
type Server struct {
	options  Options
	snapshot func() Snapshot
	listener *net.UnixListener
	path     string
	made     os.FileInfo // the socket
	readers  chan struct{}
	idle     time.Duration
	opening  atomic.Bool

	mu      sync.Mutex
	closed  bool
	conns   map[net.Conn]bool
	serving sync.WaitGroup
}

// Serve serves the journal in dir, which this process owns. Snapshot returns the records as the last
// durable commit left them. It is called once for each reader.
func Serve(dir string, snapshot func() Snapshot, options Options) (*Server, error) {
	return serve(dir, snapshot, options, maxIdle)
}

func serve(dir string, snapshot func() Snapshot, options Options, idle time.Duration) (*Server, error) {
	listener, err := listen(dir)
	if err != nil {
		return nil, err
	}
	s := &Server{
		options: options, snapshot: snapshot, listener: listener, path: filepath.Join(dir, socketName),
		readers: make(chan struct{}, maxReaders), idle: idle, conns: map[net.Conn]bool{},
	}
	if s.made, err = os.Stat(s.path); err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	s.opening.Store(options.Opening)
	s.serving.Go(s.accept)
	return s, nil
}

// Ready says that the journal is open, so that its records may be read.
func (s *Server) Ready() { s.opening.Store(false) }

// Close ends all connections and waits until no snapshot is open. A second Close does nothing.
func (s *Server) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	for conn := range s.conns {
		conn.Close() // its reader sees that it ended
	}
	s.mu.Unlock()
	err := s.listener.Close()
	s.serving.Wait()
	// Another directory, with the socket of another owner, may have taken the place of this one.
	if now, statErr := os.Stat(s.path); statErr == nil && os.SameFile(s.made, now) {
		err = errors.Join(err, os.Remove(s.path))
	}
	return err
}

// accept accepts connections until the listener is closed.
func (s *Server) accept() {
	for {
		conn, err := s.listener.Accept()
		switch {
		case errors.Is(err, net.ErrClosed):
			return
		case err != nil: // for example, the process has too many open files
			<-time.After(acceptPause)
			continue
		}
		if s.enter(conn) {
			s.serving.Go(func() {
				defer s.leave(conn)
				s.converse(conn)
			})
		}
	}
}

// enter notes a connection. It closes it when the server is closed.
func (s *Server) enter(conn net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		conn.Close()
		return false
	}
	s.conns[conn] = true
	return true
}

func (s *Server) leave(conn net.Conn) {
	s.mu.Lock()
	delete(s.conns, conn)
	s.mu.Unlock()
	conn.Close()
}

// converse answers the requests of a connection until it ends. An error of the connection ends only this
// connection.
func (s *Server) converse(conn net.Conn) {
	link := newLink(conn, maxRequest)
	select {
	case s.readers <- struct{}{}:
		defer func() { <-s.readers }()
	default:
		_ = link.send(&response{Protocol: protocol, Failure: busy}, maxSending)
		return
	}
	defer time.AfterFunc(maxAge, func() { conn.Close() }).Stop() // the reader sees that it ended
	reader := &reader{server: s, nonce: make([]byte, nonceLength)}
	rand.Read(reader.nonce) // never fails
	defer reader.close()
	if err := link.send(&response{Protocol: protocol, Nonce: reader.nonce}, maxSending); err != nil {
		return
	}
	for {
		var asked request
		if err := link.receive(&asked, s.idle); err != nil {
			return
		}
		if err := link.send(reader.answer(&asked), maxSending); err != nil {
			return
		}
	}
}

// reader is the process at the other end of a connection.
type reader struct {
	server   *Server
	nonce    []byte
	snapshot Snapshot // nil before opOpen
}

func (r *reader) close() {
	if r.snapshot != nil {
		r.snapshot.Close()
	}
}

// answer answers a request. A panic, which is a mistake in this program, must not end the owner.
func (r *reader) answer(asked *request) (answer *response) {
	defer func() {
		if recover() != nil {
			answer = &response{Failure: otherFailure, Text: "the owner of the journal failed to answer"}
		}
	}()
	answer = &response{}
	var err error
	switch asked.Op {
	case opOwner:
		answer.Owner = r.server.options.Owner()
	case opPing:
	case opOpen:
		err = r.open(asked, answer)
	case opGet, opScan:
		if r.snapshot == nil {
			err = errors.New("a request came before the snapshot was opened")
			break
		}
		if asked.Op == opScan {
			err = r.scan(asked, answer)
			break
		}
		answer.Value, err = r.snapshot.Get(asked.Key)
		answer.Found = answer.Value != nil
	default:
		err = errors.New("the request is not known")
	}
	if err != nil {
		return failed(err)
	}
	return answer
}

// open opens the snapshot for a reader that has the key.
func (r *reader) open(asked *request, answer *response) error {
	if !hmac.Equal(asked.Proof, proofOf(r.server.options.Key, r.nonce)) {
		return ErrKey
	}
	if r.server.opening.Load() {
		return ErrOpening
	}
	if r.snapshot == nil {
		r.snapshot = r.server.snapshot()
	}
	answer.Version = r.snapshot.Version()
	return nil
}

// scan adds records to a response: as many as were asked for, or as fit.
func (r *reader) scan(asked *request, answer *response) error {
	size := 0
	return r.snapshot.Seek(asked.Key, asked.From, func(key, value []byte) (bool, []byte, error) {
		if len(answer.Keys) >= asked.Count || size >= batchSize {
			answer.More = true
			return false, nil, nil
		}
		answer.Keys = append(answer.Keys, append([]byte(nil), key...))
		answer.Values = append(answer.Values, append([]byte(nil), value...))
		size += len(key) + len(value)
		return true, nil, nil
	})
}

// failed returns the response to a request that failed.
func failed(err error) *response {
	kind := otherFailure
	switch {
	case errors.Is(err, ErrKey):
		kind = wrongKey
	case errors.Is(err, ErrOpening):
		kind = opening
	case errors.Is(err, record.ErrCorrupt):
		kind = corrupt
	}
	return &response{Failure: kind, Text: err.Error()}
}
