package service

import (
	"cmp"
	"context"
	"maps"
	"net/http"
	"net/url"
)

// Request is one request to a service.
type Request struct {
	Method string
	Path   string // below the address
	Query  url.Values
	Body   []byte      // JSON, unless Header says otherwise; empty for none
	Header http.Header // besides those of every request; nil for none
	// Limit is how many bytes of the response are read; MaxBody when zero. A longer response
	// is lost.
	Limit int64
}

// build returns the request without its body.
func (r Request) build(ctx context.Context, to Address) (*http.Request, error) {
	address := to.Endpoint(r.Path)
	if len(r.Query) > 0 {
		address += "?" + r.Query.Encode()
	}
	request, err := http.NewRequestWithContext(ctx, r.Method, address, http.NoBody)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", "application/json")
	if len(r.Body) > 0 {
		request.Header.Set("Content-Type", "application/json")
	}
	maps.Copy(request.Header, r.Header)
	return request, nil
}

func (r Request) limit() int64 { return cmp.Or(r.Limit, MaxBody) }
