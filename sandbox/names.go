package sandbox

import (
	"slices"

	"payonce/sandbox/books"
	"payonce/sandbox/fault"
	"payonce/sandbox/units"
	"payonce/sandbox/window"
)

// The words of the books, the faults and the limits that callers need.
type (
	// Fault is a rule that makes calls go wrong.
	Fault = fault.Fault
	// AnswerKind is what the client gets to see of a call.
	AnswerKind = fault.AnswerKind
	// Effect is what a fault does to the workspace before the call is performed.
	Effect = fault.Effect
	// ErrorCode is the machine-readable code of a refusal.
	ErrorCode = books.Code
	// Window allows Limit lookups to arrive within any span of Per.
	Window = window.Window
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

// The kinds of answers.
const (
	Truthful  = fault.Truthful
	Dropped   = fault.Dropped
	Hanging   = fault.Hanging
	Truncated = fault.Truncated
	Garbage   = fault.Garbage
	ProxyPage = fault.ProxyPage
	Bodyless  = fault.Bodyless
	Refused   = fault.Refused

	GatewayJSON = fault.GatewayJSON
	Marked      = fault.Marked
)

// The effects of faults.
const (
	NoEffect    = fault.NoEffect
	KeyRevoked  = fault.KeyRevoked
	CreditSpent = fault.CreditSpent
	BudgetSet   = fault.BudgetSet
)

// ParseFault reads a fault as fault.Parse does; every code of a refusal of either interface is a name.
func ParseFault(text string) (Fault, error) { return fault.Parse(text, faultCodes()) }

// faultCodes lists the codes of the refusals of both interfaces.
func faultCodes() []ErrorCode {
	codes := append(books.Codes(), units.Codes()...)
	slices.Sort(codes)
	return slices.Compact(codes)
}
