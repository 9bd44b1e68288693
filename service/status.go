package service

import (
	"context"
	"fmt"
	"net/http"

	"payonce/cost"
)

// StatusClient reads the free account status. It has no method that spends. It
// may be used by many goroutines at a time.
type StatusClient struct {
	settings settings
	names    requestNames
	http     *http.Client
}

// NewStatusClient returns a client for planning. An error says what is wrong with
// the configuration; nothing is sent.
func NewStatusClient(config Config) (*StatusClient, error) {
	checked, err := config.check()
	if err != nil {
		return nil, err
	}
	return newStatusClient(checked, config.dialer()), nil
}

func newStatusClient(checked settings, dial dialer) *StatusClient {
	transport := newTransport(dial)
	// The status is read once a minute at most; a connection is not kept for it.
	transport.DisableKeepAlives = true
	return &StatusClient{settings: checked, names: defaultNames(), http: newHTTPClient(transport)}
}

// Status returns a snapshot of the account. An error is a *StatusError when the
// service answered with anything else, and wraps the fault of the network or of
// the context when it did not answer.
func (c *StatusClient) Status(ctx context.Context) (cost.Account, error) {
	ctx, cancel := context.WithTimeout(ctx, c.settings.timeout)
	defer cancel()
	var flight flight
	request, err := newStatusRequest(flight.watch(ctx), c.settings, c.names)
	if err != nil {
		return cost.Account{}, fmt.Errorf("account status: %w", err)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return cost.Account{}, fmt.Errorf("account status: %s cannot be reached; check the network and --base-url: %w",
			c.settings.base.Host, flight.cause(err))
	}
	defer response.Body.Close()
	body, err := readBody(response)
	if err != nil {
		return cost.Account{}, fmt.Errorf("account status: %w", err)
	}
	return c.read(response, body)
}

func (c *StatusClient) read(response *http.Response, body []byte) (cost.Account, error) {
	status := response.StatusCode
	said := c.settings.decodeComplaint(body)
	failure := &StatusError{HTTPStatus: status, Code: said.codeOr(status), Message: said.message, RequestID: said.requestID}
	switch {
	case status >= 300 && status <= 399:
		failure.Message = fmt.Sprintf("redirected to %s, which is not followed; if the service has moved, give its address with --base-url",
			c.settings.redirectTarget(response))
		return cost.Account{}, failure
	case status != http.StatusOK || said.isServices(status):
		return cost.Account{}, failure
	}
	account, ok := c.settings.decodeAccount(body)
	if !ok {
		failure.Message = "the response is no account status; check --base-url"
		return cost.Account{}, failure
	}
	return account, nil
}

// StatusError is a response to the status request that is no account status.
type StatusError struct {
	HTTPStatus int
	Code       string // the service's error code, or one derived from the HTTP status
	Message    string // may be empty
	RequestID  string // may be empty
}

// Refused reports whether the service itself turned the key or the workspace
// away (specification v1, "Authentication"): asking again unchanged is no use.
func (e *StatusError) Refused() bool {
	return e.HTTPStatus == http.StatusUnauthorized || e.HTTPStatus == http.StatusForbidden
}

func (e *StatusError) Error() string {
	text := fmt.Sprintf("account status: HTTP %d %s", e.HTTPStatus, e.Code)
	if e.Message != "" {
		text += ": " + e.Message
	}
	if e.RequestID != "" {
		text += " (request " + e.RequestID + ")"
	}
	switch e.HTTPStatus {
	case http.StatusUnauthorized:
		text += "; set SERVICE_API_KEY to a valid key"
	case http.StatusForbidden:
		text += "; the workspace's owner has to restore access"
	case http.StatusNotFound:
		text += "; check --base-url"
	}
	return text
}
