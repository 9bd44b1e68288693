package books

import "payonce/sandbox/fault"

// Code is the machine-readable code of a refusal (specification v1, "Errors").
type Code = fault.Code

// The codes with which a lookup can be refused.
const (
	InvalidIdentifiers     Code = "invalid_identifiers"
	PricingUnavailable     Code = "operation_pricing_unavailable"
	InvalidAPIKey          Code = "invalid_api_key"
	FreeAllowanceExhausted Code = "free_allowance_exhausted"
	CreditsExhausted       Code = "credits_exhausted"
	UsageBudgetReached     Code = "usage_budget_reached"
	WorkspaceInactive      Code = "workspace_inactive"
	AccessRestricted       Code = "access_restricted"
	ReservationConflict    Code = "reservation_conflict"
	RateLimited            Code = "rate_limited"
	AttemptLimitReached    Code = "attempt_limit_reached"
	TemporarilyUnavailable Code = "temporarily_unavailable"
	ServiceMisconfigured   Code = "service_misconfigured"
)

// Codes lists them.
func Codes() []Code {
	return []Code{
		InvalidIdentifiers, PricingUnavailable, InvalidAPIKey, FreeAllowanceExhausted, CreditsExhausted,
		UsageBudgetReached, WorkspaceInactive, AccessRestricted, ReservationConflict, RateLimited,
		AttemptLimitReached, TemporarilyUnavailable, ServiceMisconfigured,
	}
}
