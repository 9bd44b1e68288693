package v1

import (
	"fmt"
	"net/http"
	"time"

	"payonce/cost"
	"payonce/enrich"
	"payonce/io/service"
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
	whole, _ := service.ParseObject(body)
	fault, _ := whole.Object("error")
	return complaint{
		code:      s.Plain(fault.Text("code"), maxName),
		message:   s.Plain(fault.Text("message"), maxMessage),
		retryable: fault.Bool("retryable"),
		requestID: s.Plain(whole.Text("request_id"), maxName),
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
	says := r.Status == 0 || r.Status >= 400 && r.Status <= 599
	if !says || !r.said.isServices(r.Status) && !refusesAlone(r.Status) {
		return enrich.Refused{}, false
	}
	return enrich.Refused{
		Class:      meaningOf(r.said.code, r.Status).class(r.said.retryable),
		HTTPStatus: r.Status,
		Code:       r.said.codeOr(r.Status),
		Message:    r.said.message,
		RequestID:  r.said.requestID,
		Pause:      r.Status == http.StatusTooManyRequests,
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
		"free_allowance_exhausted", "credits_exhausted", CodeBudgetReached,
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

// askedWait returns the wait that a reply asks for, zero for none.
func (s settings) askedWait(r reply) time.Duration {
	return max(s.RetryAfter(r.Header), r.said.wait)
}
