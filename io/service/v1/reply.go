package v1

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"payonce/cost"
	"payonce/enrich"
	"payonce/io/service"
)

// reply is what the service said to one request, over either transport; what
// follows from it is decided in one place for both.
type reply struct {
	// Status is the HTTP status of the response or, over MCP, of the tool's failure;
	// 0 when a failed tool gives none. The body is the result or, over REST, the whole one.
	service.Response
	said complaint
}

// replyOf reads a response whose body may say what failed.
func (s settings) replyOf(response service.Response) reply {
	return reply{response, s.decodeComplaint(response.Body)}
}

// verdict is the verdict on the reply to a lookup.
func (s settings) verdict(r reply) enrich.Verdict {
	if r.Status == http.StatusOK {
		answered, err := readResult(r.Body)
		if err != nil {
			return s.lost(r, fmt.Errorf("HTTP 200 with %s, which is not an enrichment result: %w", s.Describe(r.Body), err))
		}
		return answered
	}
	if refused, ok := s.refusal(r); ok {
		return refused
	}
	if r.Redirects() {
		return s.lost(r, fmt.Errorf("HTTP %d %s", r.Status, s.Redirected(r.Header)))
	}
	if r.Status == 0 {
		return s.lost(r, errors.New("the tool failed without an error of the service"))
	}
	return s.lost(r, fmt.Errorf("HTTP %d with %s, which is not an error of the service", r.Status, s.Describe(r.Body)))
}

// lost is the verdict on a reply that proves nothing. It may ask to wait all the same.
func (s settings) lost(r reply, err error) enrich.Lost {
	return enrich.Lost{Err: err, RetryAfter: s.askedWait(r)}
}

// sentAt returns the time of the response by the service's clock, which does not depend
// on this machine's; asked is this machine's time of the request, for a response without.
func (r reply) sentAt(asked time.Time) time.Time {
	if date, err := http.ParseTime(r.Header.Get("Date")); err == nil {
		return date.UTC()
	}
	return asked
}

// account reads the reply to the status request. An error is a *StatusError.
func (s settings) account(r reply) (cost.Account, service.Object, error) {
	failure := &StatusError{Address: s.address().Name, HTTPStatus: r.Status, Code: r.said.codeOr(r.Status), Message: r.said.message, RequestID: r.said.requestID}
	switch {
	case r.Redirects():
		failure.Message = s.Redirected(r.Header)
		return cost.Account{}, nil, failure
	case r.Status != http.StatusOK || r.said.isServices(r.Status):
		return cost.Account{}, nil, failure
	}
	status, ok := service.ParseObject(r.Body)
	if !ok {
		failure.Message = "the response is not an account status"
		return cost.Account{}, nil, failure
	}
	return s.decodeAccount(status), status, nil
}
