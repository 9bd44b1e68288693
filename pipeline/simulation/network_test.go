package simulation

import (
	"bytes"
	"context"
	"errors"
	"net"
	"sync"
	"time"
)

// network connects processes with the service.
type network struct {
	world  *world
	accept chan net.Conn
	closed chan struct{}
	mu     sync.Mutex
	dialed int
}

func newNetwork(w *world) *network {
	return &network{world: w, accept: make(chan net.Conn, 1024), closed: make(chan struct{})}
}

// Accept, Close and Addr make the network the service's listener.
func (n *network) Accept() (net.Conn, error) {
	select {
	case c := <-n.accept:
		return c, nil
	case <-n.closed:
		return nil, net.ErrClosed
	}
}

func (n *network) Close() error   { close(n.closed); return nil }
func (n *network) Addr() net.Addr { return &net.IPAddr{IP: net.IPv4(127, 0, 0, 1)} }

var errUnreachable = errors.New("no route to the service")

// dial opens a connection for a process.
func (p *process) dial(_ context.Context, _, _ string) (net.Conn, error) {
	w, n := p.world, p.world.network
	n.mu.Lock()
	n.dialed++
	number := n.dialed
	n.mu.Unlock()
	drawn := w.draws.of("dial", number)
	p.point("dial")
	p.waitWhileStopped()
	w.clock.pass(w.travel.draw(drawn) / 4)
	select {
	case <-n.closed:
		return nil, errUnreachable
	default:
	}
	if p.isDead() {
		return nil, errDead
	}
	if drawn.Float64() < w.unreachable && !p.calm {
		w.trace("connection %d fails", number)
		return nil, errUnreachable
	}
	near, far := net.Pipe()
	client := &conn{Conn: near, world: w, process: p, name: []any{"request", number}, out: make(chan []byte, 64)}
	server := &conn{Conn: far, world: w, name: []any{"response", number}, out: make(chan []byte, 64)}
	go client.pump()
	go server.pump()
	p.adopt(client)
	n.accept <- server
	return client, nil
}

// conn is one end of a connection. What is written travels for a while and arrives
// whatever becomes of the writer, as it does once the system has taken it.
type conn struct {
	net.Conn // this end of the pipe below
	world    *world
	process  *process // nil at the service's end
	name     []any
	mu       sync.Mutex
	closed   bool
	out      chan []byte
}

func (c *conn) Write(b []byte) (int, error) {
	if c.process != nil && c.process.point("send") == pointDie {
		return 0, errDead
	}
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return 0, net.ErrClosed
	}
	c.out <- bytes.Clone(b)
	c.mu.Unlock()
	if c.process != nil && bytes.HasPrefix(b, []byte("POST ")) {
		c.world.check.leaving(c.process)
	}
	if c.process != nil && c.process.point("sent") == pointDie {
		return 0, errDead
	}
	return len(b), nil
}

func (c *conn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if c.process != nil && n > 0 && c.process.point("receive") == pointDie {
		return 0, errDead
	}
	return n, err
}

// Close ends this end at once and the other one after what was written.
func (c *conn) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return net.ErrClosed
	}
	c.closed = true
	close(c.out)
	return c.Conn.SetReadDeadline(time.Unix(1, 0))
}

// pump carries what is written to the other end.
func (c *conn) pump() {
	sent := 0
	for b := range c.out {
		sent++
		c.world.clock.pass(c.world.transfer(c.world.draws.of(c.name, sent)))
		_, _ = c.Conn.Write(b) // the other end may be closed
	}
	c.world.beat("close", c.name)
	_ = c.Conn.Close()
}
