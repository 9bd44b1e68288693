package sandbox

import "payonce/sandbox/books"

// The words of the books that callers need.
type (
	// ErrorCode is the machine-readable code of a refusal.
	ErrorCode = books.Code
	// Window allows Limit lookups to arrive within any span of Per.
	Window = books.Window
	// Snapshot is a copy of the books at one moment.
	Snapshot = books.Snapshot
	// Arrival is one lookup that arrived, whatever became of it.
	Arrival = books.Arrival
	// Charge is what one returned field cost.
	Charge = books.Charge
)

// The codes with which a lookup can be refused.
const (
	InvalidIdentifiers     = books.InvalidIdentifiers
	PricingUnavailable     = books.PricingUnavailable
	InvalidAPIKey          = books.InvalidAPIKey
	FreeAllowanceExhausted = books.FreeAllowanceExhausted
	CreditsExhausted       = books.CreditsExhausted
	UsageBudgetReached     = books.UsageBudgetReached
	WorkspaceInactive      = books.WorkspaceInactive
	AccessRestricted       = books.AccessRestricted
	ReservationConflict    = books.ReservationConflict
	RateLimited            = books.RateLimited
	AttemptLimitReached    = books.AttemptLimitReached
	TemporarilyUnavailable = books.TemporarilyUnavailable
	ServiceMisconfigured   = books.ServiceMisconfigured
)
