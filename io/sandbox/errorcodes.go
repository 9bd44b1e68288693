package sandbox

import "payonce/io/sandbox/kit"

// ErrorCode is the machine-readable code of a refusal (specification v1, "Errors").
type ErrorCode = kit.Code

// The codes with which a lookup can be refused.
const (
	InvalidIdentifiers     ErrorCode = "invalid_identifiers"
	PricingUnavailable     ErrorCode = "operation_pricing_unavailable"
	InvalidAPIKey          ErrorCode = "invalid_api_key"
	FreeAllowanceExhausted ErrorCode = "free_allowance_exhausted"
	CreditsExhausted       ErrorCode = "credits_exhausted"
	UsageBudgetReached     ErrorCode = "usage_budget_reached"
	WorkspaceInactive      ErrorCode = "workspace_inactive"
	AccessRestricted       ErrorCode = "access_restricted"
	ReservationConflict    ErrorCode = "reservation_conflict"
	RateLimited            ErrorCode = "rate_limited"
	AttemptLimitReached    ErrorCode = "attempt_limit_reached"
	TemporarilyUnavailable ErrorCode = "temporarily_unavailable"
	ServiceMisconfigured   ErrorCode = "service_misconfigured"
)

// ErrorCodes lists them.
func ErrorCodes() []ErrorCode {
	return []ErrorCode{
		InvalidIdentifiers, PricingUnavailable, InvalidAPIKey, FreeAllowanceExhausted, CreditsExhausted,
		UsageBudgetReached, WorkspaceInactive, AccessRestricted, ReservationConflict, RateLimited,
		AttemptLimitReached, TemporarilyUnavailable, ServiceMisconfigured,
	}
}
