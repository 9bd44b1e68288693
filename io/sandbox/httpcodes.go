package sandbox

import (
	"net/http"
	"slices"
	"time"
)

// The codes of requests that are no lookups.
const (
	pathNotFound     ErrorCode = "not_found"
	methodNotAllowed ErrorCode = "method_not_allowed"
)

// meaning is what always goes with a code (specification v1, "Errors").
type meaning struct {
	status    int
	retryable bool
	message   string
}

var meanings = map[ErrorCode]meaning{
	InvalidIdentifiers:     {http.StatusBadRequest, false, "The request does not identify a person."},
	PricingUnavailable:     {http.StatusBadRequest, false, "This operation has no price on the current plan."},
	InvalidAPIKey:          {http.StatusUnauthorized, false, "The API key is missing, invalid, expired or revoked."},
	FreeAllowanceExhausted: {http.StatusPaymentRequired, false, "The free allowance is used up; choose a paid plan."},
	CreditsExhausted:       {http.StatusPaymentRequired, false, "The workspace has no credit for this request."},
	UsageBudgetReached:     {http.StatusPaymentRequired, false, "The request would exceed the monthly usage budget."},
	WorkspaceInactive:      {http.StatusForbidden, false, "The workspace is inactive."},
	AccessRestricted:       {http.StatusForbidden, false, "Access to this workspace is restricted."},
	pathNotFound:           {http.StatusNotFound, false, "There is nothing at this path."},
	methodNotAllowed:       {http.StatusMethodNotAllowed, false, "This path does not take this method."},
	ReservationConflict:    {http.StatusConflict, true, "The usage reservation conflicts with another one."},
	RateLimited:            {http.StatusTooManyRequests, true, "Too many lookups in the rolling window."},
	AttemptLimitReached:    {http.StatusTooManyRequests, false, "The attempt limit of the usage period is reached."},
	TemporarilyUnavailable: {http.StatusServiceUnavailable, true, "The service is temporarily unavailable."},
	ServiceMisconfigured:   {http.StatusInternalServerError, false, "The service is misconfigured."},
}

// fitsLookups reports whether a fault can happen to a lookup: a refusal needs a code of this interface.
func fitsLookups(f Fault) bool { return f.Answer != Refused || slices.Contains(ErrorCodes(), f.Code) }

// refusal is the service's no.
type refusal struct {
	code       ErrorCode
	detail     string        // says more than the code's own message; may be empty
	retryAfter time.Duration // when to come again; zero says nothing of it
	asDate     bool          // in HTTP the date of that moment is given instead of the wait
}

func (r refusal) message() string {
	if r.detail != "" {
		return r.detail
	}
	return meanings[r.code].message
}
