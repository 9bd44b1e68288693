package conformance_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"testing"
	"testing/synctest"

	"payonce/conformance"
	"payonce/service/v1"
)

// bubble is a stage with HTTP over a network in memory, so that the time in which a
// client waits is that of a synctest bubble.
type bubble struct {
	loopback
	network *memory
}

func (b bubble) Listen(handler http.Handler) (address string, stop func()) {
	server := &http.Server{Handler: handler}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = server.Serve(b.network) // ends with stop
	}()
	return "http://127.0.0.1", func() {
		_ = server.Close()
		<-ended
	}
}

func (b bubble) Connect(config v1.Config) (conformance.Subject, func(), error) {
	config.Dial = b.network.dial
	return b.loopback.Connect(config)
}

func (bubble) Send(context.Context, conformance.Request) (conformance.Response, error) {
	return conformance.Response{}, errors.New("no case that hangs sends messages")
}

// memory is a listener whose connections are pipes.
type memory struct {
	conns  chan net.Conn
	closed chan struct{}
}

func newMemory() *memory { return &memory{make(chan net.Conn), make(chan struct{})} }

func (m *memory) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case m.conns <- far:
		return near, nil
	case <-m.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (m *memory) Accept() (net.Conn, error) {
	select {
	case conn := <-m.conns:
		return conn, nil
	case <-m.closed:
		return nil, net.ErrClosed
	}
}

func (m *memory) Close() error {
	close(m.closed)
	return nil
}

func (*memory) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }

// TestHanging plays the cases in which the client waits until its time-out, which is the
// real one.
func TestHanging(t *testing.T) {
	for _, way := range conformance.Ways() {
		for _, c := range conformance.Cases() {
			if !c.Plays(way) || !c.Hangs() {
				continue
			}
			t.Run(way.Name+"/"+c.Name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					if err := conformance.Play(t.Context(), bubble{network: newMemory()}, way, c); err != nil {
						t.Errorf("%s: %s:\n%v", c.Section, c.Text, err)
					}
				})
			})
		}
	}
}
