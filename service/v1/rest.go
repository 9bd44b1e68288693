package v1

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"payonce/enrich"
)

// restLookups sends lookups over REST.
type restLookups struct {
	settings
	http *http.Client
}

// send sends the question in exactly one POST.
func (r *restLookups) send(ctx context.Context, q question) (reply, enrich.Verdict) {
	ctx, cancel := context.WithTimeout(ctx, r.timeout)
	defer cancel()
	var flight flight
	request, err := r.lookupRequest(flight.watch(ctx), q)
	if err != nil {
		return reply{}, enrich.NotSent{Err: err}
	}
	response, err := r.http.Do(request)
	if err != nil {
		return reply{}, flight.unanswered(r.restPlace(), err)
	}
	defer response.Body.Close()
	body, err := readBody(response, maxBody)
	if err != nil {
		return reply{}, r.brokenOff(reply{status: response.StatusCode, header: response.Header}, err)
	}
	return r.restReply(response, body), nil
}

func (r *restLookups) close() { r.http.CloseIdleConnections() }

// lookupRequest returns the paid request.
func (s settings) lookupRequest(ctx context.Context, q question) (*http.Request, error) {
	body, err := json.Marshal(q.body)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.endpoint(s.names.path(q.operation)), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	s.sign(request.Header)
	request.Header.Set("Accept", "application/json")
	request.Header.Set("Content-Type", "application/json")
	// Without it net/http cannot rewind the body, and so cannot send the request
	// again when a reused connection turns out to be dead. For the same reason
	// there is no header that calls the request idempotent.
	request.GetBody = nil
	return request, nil
}

// restReply reads a response of the REST interface.
func (s settings) restReply(response *http.Response, body []byte) reply {
	return reply{status: response.StatusCode, header: response.Header, body: body, said: s.decodeComplaint(body)}
}

// restReads sends the free requests of the REST interface.
type restReads struct {
	settings
	http *http.Client
}

// get reads a free resource of at most limit bytes. The key goes along where the
// resource needs it.
func (r *restReads) get(ctx context.Context, path string, signed bool, limit int64) (reply, error) {
	ctx, cancel := context.WithTimeout(ctx, r.timeout)
	defer cancel()
	var flight flight
	request, err := http.NewRequestWithContext(flight.watch(ctx), http.MethodGet, r.endpoint(path), nil)
	if err != nil {
		return reply{}, err
	}
	r.sign(request.Header)
	if !signed {
		request.Header.Del("Authorization")
	}
	request.Header.Set("Accept", "application/json")
	response, err := r.http.Do(request)
	if err != nil {
		return reply{}, fmt.Errorf("%s cannot be reached; check the network and --base-url: %w", r.base.Host, flight.cause(err))
	}
	defer response.Body.Close()
	body, err := readBody(response, limit)
	if err != nil {
		return reply{}, err
	}
	return r.restReply(response, body), nil
}
