package service

import (
	"context"
	"errors"
	"net/http"
)

// Reader sends free requests. It may be used by many goroutines at a time.
type Reader struct{ line }

// NewReader returns a reader.
func NewReader(caller Caller, dial Dialer) *Reader {
	transport := newTransport(dial)
	// The status is read once a minute at most; a connection is not kept for it.
	transport.DisableKeepAlives = true
	return &Reader{line{caller, transport}}
}

// Get reads a free resource of at most limit bytes. The key goes along where the resource
// needs it. An error is an *UnreachableError when there is no response.
func (r *Reader) Get(ctx context.Context, from Address, path string, signed bool, limit int64) (Response, error) {
	return r.send(ctx, from, Request{Method: http.MethodGet, Path: path, Limit: limit}, signed)
}

// Send sends a free request with the key. It sends no POST: those are paid for or may be. An
// error is an *UnreachableError when there is no response.
func (r *Reader) Send(ctx context.Context, to Address, ask Request) (Response, error) {
	if ask.Method == http.MethodPost {
		return Response{}, errors.New("a POST is not sent as a free request")
	}
	return r.send(ctx, to, ask, true)
}

func (r *Reader) send(ctx context.Context, to Address, ask Request, signed bool) (Response, error) {
	ctx, cancel := context.WithTimeout(ctx, r.caller.Timeout)
	defer cancel()
	request, err := ask.build(ctx, to)
	if err != nil {
		return Response{}, err
	}
	var flight Flight
	caller := r.line
	if !signed {
		caller.caller.Key = ""
	}
	response, err := caller.Carry(request, ask.Body, &flight)
	if err != nil {
		return Response{}, &UnreachableError{to, flight.Cause(err)}
	}
	defer response.Body.Close()
	said := Response{Status: response.StatusCode, Header: response.Header}
	said.Body, err = readBody(response, ask.limit())
	return said, err
}
