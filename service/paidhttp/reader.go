package paidhttp

import (
	"context"
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
	ctx, cancel := context.WithTimeout(ctx, r.caller.Timeout)
	defer cancel()
	var flight Flight
	request, err := http.NewRequestWithContext(flight.watch(ctx), http.MethodGet, from.Endpoint(path), nil)
	if err != nil {
		return Response{}, err
	}
	r.caller.sign(request.Header)
	if !signed {
		request.Header.Del("Authorization")
	}
	request.Header.Set("Accept", "application/json")
	response, err := r.transport.RoundTrip(request)
	if err != nil {
		return Response{}, &UnreachableError{from, flight.Cause(err)}
	}
	defer response.Body.Close()
	said := Response{Status: response.StatusCode, Header: response.Header}
	said.Body, err = ReadBody(response, limit)
	return said, err
}
