package sandbox_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"payonce/io/sandbox"
)

// units are numbers of returned fields.
type units = sandbox.FieldUnits

// pipes is a listener whose connections are pipes in memory.
type pipes struct {
	accepted chan net.Conn
	closed   chan struct{}
}

func (p pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-p.accepted:
		return conn, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p pipes) Close() error   { close(p.closed); return nil }
func (p pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "unix"} }

func (p pipes) dial(context.Context, string, string) (net.Conn, error) {
	client, server := net.Pipe()
	p.accepted <- server
	return client, nil
}

// adasEmail returns a lookup of Ada's email, as each transport sends it.
func adasEmail(over, key string) *http.Request {
	path, body := emailPath, ada
	if over == "MCP" {
		path, body = mcpPath, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"service_find_work_email","arguments":`+ada+`}}`
	}
	request, err := http.NewRequest(http.MethodPost, "http://sandbox"+path, strings.NewReader(body))
	if err != nil {
		panic(err)
	}
	request.GetBody = nil
	request.Header.Set("Authorization", "Bearer "+key)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	request.Header.Set("MCP-Protocol-Version", "2025-11-25")
	return request
}

// inBubble runs a test on a sandbox in a bubble of synctest, over each transport.
// The function post sends a lookup of Ada's email and gives up after a span.
func inBubble(t *testing.T, config sandbox.Config, test func(t *testing.T, s *sandbox.Server, post func(patience time.Duration) error)) {
	for _, over := range transports() {
		t.Run(over.name, func(t *testing.T) { inBubbleOver(t, over.name, config, test) })
	}
}

func inBubbleOver(t *testing.T, over string, config sandbox.Config, test func(t *testing.T, s *sandbox.Server, post func(patience time.Duration) error)) {
	synctest.Test(t, func(t *testing.T) {
		s, err := sandbox.New(config)
		if err != nil {
			t.Fatal(err)
		}
		listener := pipes{make(chan net.Conn), make(chan struct{})}
		front := &http.Server{Handler: s.Handler()}
		go func() { _ = front.Serve(listener) }()
		transport := &http.Transport{DialContext: listener.dial, DisableKeepAlives: true}
		test(t, s, func(patience time.Duration) error {
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			response, err := transport.RoundTrip(adasEmail(over, config.Key).WithContext(ctx))
			if err == nil {
				err = response.Body.Close()
			}
			return err
		})
		_ = s.Close()
		if err := front.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestLatency(t *testing.T) {
	config := everybody()
	config.Latency = sandbox.Latency{Min: time.Second, Max: 3 * time.Second}
	inBubble(t, config, func(t *testing.T, s *sandbox.Server, post func(time.Duration) error) {
		spans := map[time.Duration]bool{}
		for range 20 {
			start := time.Now()
			if err := post(time.Minute); err != nil {
				t.Fatal(err)
			}
			span := time.Since(start)
			spans[span] = true
			if span < time.Second || span > 3*time.Second {
				t.Errorf("a lookup took %s", span)
			}
		}
		if len(spans) < 10 {
			t.Errorf("only %d different spans", len(spans))
		}
	})
}

// TestALookupIsChargedWhenTheClientLeaves: the service does not know, and charges.
func TestALookupIsChargedWhenTheClientLeaves(t *testing.T) {
	config := everybody()
	config.Latency = sandbox.Latency{Min: 10 * time.Second, Max: 10 * time.Second}
	inBubble(t, config, func(t *testing.T, s *sandbox.Server, post func(time.Duration) error) {
		if err := post(time.Second); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
		synctest.Wait()
		if ledger := s.Ledger(); len(ledger.Charges) != 1 || ledger.ReservedFree != (units{}) || s.Audit() != nil {
			t.Errorf("ledger %+v, audit %v", ledger, s.Audit())
		}
	})
}

// TestSlow: a delay outlasts the client, and the charge comes late.
func TestSlow(t *testing.T) {
	config := everybody()
	config.Faults = []sandbox.Fault{{Delay: time.Minute}}
	inBubble(t, config, func(t *testing.T, s *sandbox.Server, post func(time.Duration) error) {
		if err := post(45 * time.Second); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
		synctest.Wait()
		if ledger := s.Ledger(); len(ledger.Charges) != 0 || ledger.ReservedFree != (units{1, 0}) {
			t.Errorf("after 45 s: %+v", ledger)
		}
		<-time.After(15 * time.Second)
		synctest.Wait()
		if ledger := s.Ledger(); len(ledger.Charges) != 1 || ledger.ReservedFree != (units{}) {
			t.Errorf("after 60 s: %+v", ledger)
		}
	})
}

// TestClose: what is under way is not charged, and nobody waits any longer.
func TestClose(t *testing.T) {
	slow := sandbox.Fault{Delay: time.Hour}
	hang := sandbox.Fault{Answer: sandbox.Hanging}
	for _, fault := range []sandbox.Fault{slow, hang, {Answer: sandbox.Bodyless, Delay: time.Hour}} {
		config := everybody()
		config.Faults = []sandbox.Fault{fault}
		inBubble(t, config, func(t *testing.T, s *sandbox.Server, post func(time.Duration) error) {
			failed := make(chan error)
			go func() { failed <- post(24 * time.Hour) }()
			synctest.Wait()
			start := time.Now()
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			if err := <-failed; !isBroken(err) || time.Since(start) != 0 {
				t.Errorf("%s: error %v after %s", fault, err, time.Since(start))
			}
			if ledger := s.Ledger(); len(ledger.Charges) != 0 || ledger.ReservedFree != (units{}) {
				t.Errorf("%s: ledger %+v", fault, ledger)
			}
			if err := post(time.Second); !isBroken(err) {
				t.Errorf("after Close: %v", err)
			}
		})
	}
}
