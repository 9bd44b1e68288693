package conformance_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"

	"payonce/io/conformance"
	"payonce/io/iotest"
	"payonce/io/service/v1"
)

// bubble is a stage with HTTP over a network in memory, so that the time in which a
// client waits is that of a synctest bubble.
type bubble struct {
	loopback
	network *iotest.MemoryNetwork
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
	config.Dial = b.network.Dial
	return b.loopback.Connect(config)
}

func (bubble) Send(context.Context, conformance.Request) (conformance.Response, error) {
	return conformance.Response{}, errors.New("no case that hangs sends messages")
}

// TestClientsWaitForAHangingServiceUntilTheTimeout plays the cases in which the client waits until its time-out, which
// is the real one.
func TestClientsWaitForAHangingServiceUntilTheTimeout(t *testing.T) {
	for _, way := range conformance.Ways() {
		for _, c := range conformance.Cases() {
			if !c.Plays(way) || !c.Hangs() {
				continue
			}
			t.Run(way.Name+"/"+c.Name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					if err := conformance.Play(t.Context(), bubble{network: iotest.NewMemoryNetwork()}, way, c); err != nil {
						t.Errorf("%s: %s:\n%v", c.Section, c.Text, err)
					}
				})
			})
		}
	}
}
