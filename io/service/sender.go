package service

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"

	"payonce/enrich"
)

// Sender sends paid requests. It may be used by many goroutines at a time.
type Sender struct{ line }

// NewSender returns a sender with at most maxConnections connections; zero means no limit.
func NewSender(caller Caller, dial Dialer, maxConnections int) *Sender {
	return &Sender{line{caller, newPaidTransport(dial, maxConnections)}}
}

// WithKey returns a sender with another key, over the same connections. The empty key sends none.
func (s *Sender) WithKey(key string) *Sender {
	other := s.line
	other.caller.Key = key
	return &Sender{other}
}

// Post sends a JSON body in exactly one POST. The verdict is nil when there is a whole
// response. The end of ctx ends the request.
func (s *Sender) Post(ctx context.Context, to Address, path string, body []byte) (Response, enrich.Verdict) {
	return s.Send(ctx, to, Request{Method: http.MethodPost, Path: path, Body: body})
}

// Send sends a request of any method exactly once. The verdict is nil when there is a whole
// response. The end of ctx ends the request.
func (s *Sender) Send(ctx context.Context, to Address, ask Request) (Response, enrich.Verdict) {
	ctx, cancel := context.WithTimeout(ctx, s.caller.Timeout)
	defer cancel()
	request, err := ask.build(ctx, to)
	if err != nil {
		return Response{}, enrich.NotSent{Err: err}
	}
	var flight Flight
	response, err := s.Carry(request, ask.Body, &flight)
	if err != nil {
		return Response{}, flight.Unanswered(to, err)
	}
	defer response.Body.Close()
	said := Response{Status: response.StatusCode, Header: response.Header}
	if said.Body, err = readBody(response, ask.limit()); err != nil {
		return Response{}, s.caller.BrokenOff(said, err)
	}
	return said, nil
}

// BrokenOff is the verdict on a response of which not all came.
func (c Caller) BrokenOff(said Response, err error) enrich.Lost {
	return enrich.Lost{Err: fmt.Errorf("HTTP %d: %w", said.Status, err), RetryAfter: c.RetryAfter(said.Header)}
}

// line sends requests over one transport.
type line struct {
	caller    Caller
	transport interface {
		http.RoundTripper // follows no redirects
		CloseIdleConnections()
	}
}

// Carry sends the request of somebody else once, with the key and with the body in place
// of its own, in the request's own time. The flight then says how far it came.
func (l line) Carry(request *http.Request, body []byte, flight *Flight) (*http.Response, error) {
	outgoing := request.Clone(flight.watch(request.Context()))
	l.caller.sign(outgoing.Header)
	// Without GetBody net/http cannot rewind the body, and so cannot send the request
	// again when a reused connection turns out to be dead. For the same reason there is
	// no header that calls the request idempotent.
	outgoing.GetBody = nil
	if permit := enrich.PermitOf(request.Context()); permit != nil {
		if err := permit(); err != nil {
			return nil, err // no connection is made for it
		}
	}
	switch {
	case len(body) > 0:
		outgoing.Body, outgoing.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	case repeatable(outgoing.Method):
		// net/http sends a GET without a body again when a reused connection breaks, even if
		// the server has read it. It does not when there is a body that it cannot rewind. This
		// one is empty, so the request goes out without one.
		outgoing.Body, outgoing.ContentLength = io.NopCloser(new(bytes.Reader)), 0
	}
	return l.transport.RoundTrip(outgoing)
}

// repeatable reports whether net/http sends a request of this method again on its own if it has
// no body.
func repeatable(method string) bool {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace:
		return true
	}
	return false
}

// Close closes the connections that are idle.
func (l line) Close() { l.transport.CloseIdleConnections() }

// newHTTPClient returns a client for a library that wants one. It hands out redirects
// instead of following them: the key and a paid request go to the configured address only.
func newHTTPClient(transport http.RoundTripper) *http.Client {
	return &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}
