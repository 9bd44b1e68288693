package v1

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"payonce/cost"
	"payonce/enrich"
)

// complaint is what the service says of a failure: its error body, or the error of
// a failed MCP tool (specification v1, "Error body" and "MCP endpoint").
type complaint struct {
	code      string
	message   string
	retryable cost.Optional[bool]
	requestID string
	wait      time.Duration // asked for beside the header; zero when it is not
}

func (s settings) decodeComplaint(body []byte) complaint {
	whole, _ := parseObject(body)
	fault, _ := whole.object("error")
	return complaint{
		code:      s.plain(fault.text("code"), maxName),
		message:   s.plain(fault.text("message"), maxMessage),
		retryable: fault.boolean("retryable"),
		requestID: s.plain(whole.text("request_id"), maxName),
	}
}

// isServices reports whether the complaint is the service's own, and not that of
// something on the way. Gateways too send codes with their 5xx, after the service may
// have done its work: there, and where the status is not known, it takes a code of
// the service, its word on retrying or its request ID.
func (c complaint) isServices(status int) bool {
	if status >= 500 || status == http.StatusRequestTimeout || status == 0 {
		_, known := meaningOfCode(c.code)
		return known || c.retryable.Known || c.code != "" && c.requestID != ""
	}
	return c.code != "" || c.retryable.Known
}

// codeOr returns the complaint's code, or one derived from the HTTP status.
func (c complaint) codeOr(status int) string {
	switch {
	case c.code != "":
		return c.code
	case status == 0:
		return "tool_failed"
	default:
		return fmt.Sprintf("http_%d", status)
	}
}

// refusal reads a reply as the service's no. It reports false when it is none: the
// request may then have been charged.
func (s settings) refusal(r reply) (enrich.Refused, bool) {
	says := r.status == 0 || r.status >= 400 && r.status <= 599
	if !says || !r.said.isServices(r.status) && !refusesAlone(r.status) {
		return enrich.Refused{}, false
	}
	return enrich.Refused{
		Class:      meaningOf(r.said.code, r.status).class(r.said.retryable),
		HTTPStatus: r.status,
		Code:       r.said.codeOr(r.status),
		Message:    r.said.message,
		RequestID:  r.said.requestID,
		Pause:      r.status == http.StatusTooManyRequests,
		RetryAfter: s.askedWait(r),
	}, true
}

// refusesAlone reports whether an HTTP status says no whatever the body is.
func refusesAlone(status int) bool {
	switch status {
	case http.StatusBadRequest, http.StatusUnauthorized, http.StatusPaymentRequired,
		http.StatusForbidden, http.StatusConflict, http.StatusTooManyRequests:
		return true
	}
	return false
}

// meaning is the class of a refusal by what the service says of retrying.
type meaning struct{ retryable, unsaid, final enrich.RefusalClass }

func (m meaning) class(retryable cost.Optional[bool]) enrich.RefusalClass {
	switch {
	case !retryable.Known:
		return m.unsaid
	case retryable.Value:
		return m.retryable
	default:
		return m.final
	}
}

// The meanings of refusals: what follows when the service calls them retryable,
// when it does not say, and when it calls them final.
var (
	meansStop     = meaning{enrich.StopRun, enrich.StopRun, enrich.StopRun}
	meansInput    = meaning{enrich.InvalidInput, enrich.InvalidInput, enrich.InvalidInput}
	meansSlowDown = meaning{enrich.SlowDown, enrich.SlowDown, enrich.SlowDown}
	meansLimit    = meaning{enrich.SlowDown, enrich.SlowDown, enrich.StopRun}
	meansPassing  = meaning{enrich.TryAgain, enrich.TryAgain, enrich.StopRun}
	meansFault    = meaning{enrich.TryAgain, enrich.StopRun, enrich.StopRun}
)

// meaningOf is the table of refusals (specification v1, "Errors"): by the code,
// and for other codes by the HTTP status. What is in neither stops the run.
func meaningOf(code string, status int) meaning {
	if known, found := meaningOfCode(code); found {
		return known
	}
	switch {
	case status == http.StatusBadRequest:
		return meansInput
	case status == http.StatusConflict:
		return meansPassing
	case status == http.StatusTooManyRequests:
		return meansLimit
	case status == http.StatusRequestTimeout, status >= 500, status == 0:
		return meansFault
	default:
		return meansStop
	}
}

// meaningOfCode returns the meaning of a code of the service, and false for others.
func meaningOfCode(code string) (meaning, bool) {
	switch code {
	case "invalid_identifiers":
		return meansInput, true
	case CodePricingUnavailable, "invalid_api_key",
		"free_allowance_exhausted", "credits_exhausted", "usage_budget_reached",
		"workspace_inactive", "access_restricted",
		"attempt_limit_reached", "service_misconfigured":
		return meansStop, true
	case "rate_limited":
		return meansSlowDown, true
	case "reservation_conflict", "temporarily_unavailable":
		return meansPassing, true
	}
	return meaning{}, false
}

// maxRetryAfter is how long a service can ask to wait: a century, which is never, and
// the end of which can still be written down. What it asks for is believed, however
// long; somebody who knows better can end the wait.
const maxRetryAfter = 100 * 365 * 24 * time.Hour

// askedWait returns the wait that a reply asks for, zero for none.
func (s settings) askedWait(r reply) time.Duration {
	return max(retryAfter(r.header, s.now()), r.said.wait)
}

// retryAfter returns the wait that a response asks for, in seconds or as a date,
// which is relative to the response's own date where it has one. It is zero when
// the response asks for none, and the longest when it asks for several.
func retryAfter(header http.Header, now time.Time) time.Duration {
	if date, err := http.ParseTime(header.Get("Date")); err == nil {
		now = date
	}
	var longest time.Duration
	for _, value := range header.Values("Retry-After") {
		longest = max(longest, waitOf(strings.TrimSpace(value), now))
	}
	return longest
}

func waitOf(value string, now time.Time) time.Duration {
	if value != "" && strings.Trim(value, "0123456789") == "" {
		seconds, err := strconv.ParseInt(value, 10, 64)
		if err != nil || seconds > int64(maxRetryAfter/time.Second) {
			return maxRetryAfter
		}
		return time.Duration(seconds) * time.Second
	}
	until, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	return min(max(until.Sub(now), 0), maxRetryAfter)
}
