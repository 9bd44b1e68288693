package v1

import (
	"fmt"
	"net/http"

	"payonce/cost"
	"payonce/enrich"
)

// reply is what the service said to one request, over either transport; what
// follows from it is decided in one place for both.
type reply struct {
	// status is the HTTP status of the response or, over MCP, of the tool's failure;
	// 0 when a failed tool gives none.
	status int
	header http.Header
	body   []byte // the result; over REST, the whole body
	said   complaint
}

// judge is the verdict on the reply to a lookup.
func (s settings) judge(r reply) enrich.Verdict {
	if r.status == http.StatusOK {
		answer, err := decodeResult(r.body)
		if err != nil {
			return s.lost(r, fmt.Errorf("HTTP 200 without an enrichment result: %w", err))
		}
		return enrich.Answered{Answer: answer}
	}
	if refused, ok := s.refusal(r); ok {
		return refused
	}
	if r.redirects() {
		return s.lost(r, fmt.Errorf("HTTP %d %s", r.status, s.redirected(r)))
	}
	return s.lost(r, fmt.Errorf("%s without an error of the service", r.statusText()))
}

// lost is the verdict on a reply that proves nothing. It may ask to wait all the same.
func (s settings) lost(r reply, err error) enrich.Lost {
	return enrich.Lost{Err: err, RetryAfter: s.askedWait(r)}
}

// brokenOff is the verdict on a reply of which not all came.
func (s settings) brokenOff(r reply, err error) enrich.Lost {
	return s.lost(r, fmt.Errorf("HTTP %d: %w", r.status, err))
}

func (r reply) statusText() string {
	if r.status == 0 {
		return "a failed tool"
	}
	return fmt.Sprintf("HTTP %d", r.status)
}

func (r reply) redirects() bool { return r.status >= 300 && r.status <= 399 }

// redirected describes a redirect.
func (s settings) redirected(r reply) string {
	return fmt.Sprintf("redirected to %s, which is not followed; if the service has moved, give its address with %s",
		s.redirectTarget(r.header), s.place().flag)
}

// account reads the reply to the status request. An error is a *StatusError.
func (s settings) account(r reply) (cost.Account, object, error) {
	failure := &StatusError{HTTPStatus: r.status, Code: r.said.codeOr(r.status), Message: r.said.message, RequestID: r.said.requestID}
	switch {
	case r.redirects():
		failure.Message = s.redirected(r)
		return cost.Account{}, nil, failure
	case r.status != http.StatusOK || r.said.isServices(r.status):
		return cost.Account{}, nil, failure
	}
	status, ok := parseObject(r.body)
	if !ok {
		failure.Message = "the response is no account status; check " + s.place().flag
		return cost.Account{}, nil, failure
	}
	return s.decodeAccount(status), status, nil
}

// unanswered is the verdict on a request that brought no response.
func (f *flight) unanswered(to place, err error) enrich.Verdict {
	switch {
	case !f.connected():
		return enrich.NotSent{Err: fmt.Errorf("%s cannot be reached; check the network and %s: %w", to.host, to.flag, f.cause(err))}
	case f.sentNothing():
		return enrich.NotSent{Err: fmt.Errorf("%s closed the connection before anything was sent: %w", to.host, f.cause(err))}
	default:
		return enrich.Lost{Err: fmt.Errorf("no response from %s: %w", to.host, f.cause(err))}
	}
}
