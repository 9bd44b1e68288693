// This file has what the tests of several packages need to stand in for a service.

package iotest

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"slices"
	"sync"
	"testing"
)

// QuietLogger returns a logger that writes nothing, for servers that a test disturbs.
func QuietLogger() *log.Logger { return log.New(io.Discard, "", 0) }

// Hijack takes the connection of a request over from the server.
func Hijack(t *testing.T, w http.ResponseWriter) net.Conn {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		t.Errorf("hijack: %v", err)
	}
	return conn
}

// Arrivals are the remote addresses of the requests that a server has seen.
type Arrivals struct {
	mu   sync.Mutex
	from []string
}

// Add counts an arrival and returns which one it is, from 1.
func (a *Arrivals) Add(r *http.Request) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.from = append(a.from, r.RemoteAddr)
	return len(a.from)
}

// Seen returns the addresses in the order in which the requests arrived.
func (a *Arrivals) Seen() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.from)
}

// MemoryNetwork is a network of one server in memory, for tests on synctest's clock.
type MemoryNetwork struct {
	conns  chan net.Conn
	closed chan struct{} // no connection is taken any more
	once   sync.Once
}

// NewMemoryNetwork returns a network whose server is to accept its connections.
func NewMemoryNetwork() *MemoryNetwork {
	return &MemoryNetwork{conns: make(chan net.Conn), closed: make(chan struct{})}
}

// Accept is a method of net.Listener.
func (m *MemoryNetwork) Accept() (net.Conn, error) {
	select {
	case conn := <-m.conns:
		return conn, nil
	case <-m.closed:
		return nil, net.ErrClosed
	}
}

// Close is a method of net.Listener. Connections that wait to be accepted fail.
func (m *MemoryNetwork) Close() error {
	m.once.Do(func() { close(m.closed) })
	return nil
}

// Addr is a method of net.Listener.
func (*MemoryNetwork) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }

// Dial connects to the server, whatever the address.
func (m *MemoryNetwork) Dial(ctx context.Context, _, _ string) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case m.conns <- far:
		return near, nil
	case <-m.closed: // such as for the end of a session, which nobody waits for
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
