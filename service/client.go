package service

import (
	"context"
	"fmt"
	"net/http"

	"payonce/enrich"
)

// Client sends lookups, which are paid for. Its StatusClient is the part that
// spends nothing. It may be used by many goroutines at a time.
type Client struct {
	*StatusClient
	lookups *http.Client
}

// NewClient returns a client for a run. An error says what is wrong with the
// configuration; nothing is sent.
func NewClient(config Config) (*Client, error) { return newClient(config, config.dialer()) }

func newClient(config Config, dial dialer) (*Client, error) {
	checked, err := config.check()
	if err != nil {
		return nil, err
	}
	return &Client{
		StatusClient: newStatusClient(checked, dial),
		lookups:      newHTTPClient(newLookupTransport(dial, config.MaxConnections)),
	}, nil
}

// Close closes the connections that are idle. Lookups under way go on.
func (c *Client) Close() { c.lookups.CloseIdleConnections() }

// Find sends the lookup in exactly one POST and returns what became of it. The
// end of ctx does not cut it short, since a response that nobody waits for may
// be paid for all the same: it ends with the response or with the time-out.
func (c *Client) Find(ctx context.Context, lookup enrich.Lookup) enrich.Verdict {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.settings.timeout)
	defer cancel()
	var flight flight
	request, err := newLookupRequest(flight.watch(ctx), c.settings, c.names, lookup)
	if err != nil {
		return enrich.NotSent{Err: err}
	}
	response, err := c.lookups.Do(request)
	if err != nil {
		return c.unanswered(&flight, err)
	}
	defer response.Body.Close()
	body, err := readBody(response)
	if err != nil {
		return enrich.Lost{Err: fmt.Errorf("HTTP %d: %w", response.StatusCode, err)}
	}
	return c.judge(response, body)
}

// unanswered is the verdict on a request that brought no response.
func (c *Client) unanswered(flight *flight, err error) enrich.Verdict {
	switch host := c.settings.base.Host; {
	case !flight.connected():
		return enrich.NotSent{Err: fmt.Errorf("%s cannot be reached; check the network and --base-url: %w", host, flight.cause(err))}
	case flight.sentNothing():
		return enrich.NotSent{Err: fmt.Errorf("%s closed the connection before anything was sent: %w", host, flight.cause(err))}
	default:
		return enrich.Lost{Err: fmt.Errorf("no response from %s: %w", host, flight.cause(err))}
	}
}

// judge is the verdict on a response that was read whole.
func (c *Client) judge(response *http.Response, body []byte) enrich.Verdict {
	status := response.StatusCode
	if status == http.StatusOK {
		answer, err := decodeResult(body)
		if err != nil {
			return enrich.Lost{Err: fmt.Errorf("HTTP 200 without an enrichment result: %w", err)}
		}
		return enrich.Answered{Answer: answer}
	}
	if refused, ok := c.settings.refusal(status, response.Header, body); ok {
		return refused
	}
	if status >= 300 && status <= 399 {
		return enrich.Lost{Err: fmt.Errorf("HTTP %d redirected to %s, which is not followed; if the service has moved, give its address with --base-url",
			status, c.settings.redirectTarget(response))}
	}
	return enrich.Lost{Err: fmt.Errorf("HTTP %d without an error of the service", status)}
}
