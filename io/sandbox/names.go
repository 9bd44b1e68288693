package sandbox

import (
	"slices"

	"payonce/io/sandbox/crm"
	"payonce/io/sandbox/kit"
)

// The words of the ledger, the faults and the limits that callers need.
type (
	// Fault is a rule that makes calls go wrong.
	Fault = kit.Fault
	// AnswerKind is what the client gets to see of a call.
	AnswerKind = kit.AnswerKind
	// Window allows Limit lookups to arrive within any span of Per.
	Window = kit.Window
)

// The kinds of answers.
const (
	Truthful  = kit.Truthful
	Dropped   = kit.Dropped
	Hanging   = kit.Hanging
	Truncated = kit.Truncated
	Garbage   = kit.Garbage
	ProxyPage = kit.ProxyPage
	Bodyless  = kit.Bodyless
	Refused   = kit.Refused

	GatewayJSON = kit.GatewayJSON
	Marked      = kit.Marked
)

// The effects of faults.
const (
	KeyRevoked  = kit.KeyRevoked
	CreditSpent = kit.CreditSpent
	BudgetSet   = kit.BudgetSet
)

// ParseFault reads a fault as kit.ParseFault does; every code of a refusal of either interface is a name.
func ParseFault(text string) (Fault, error) { return kit.ParseFault(text, faultCodes()) }

// faultCodes lists the codes of the refusals of both interfaces.
func faultCodes() []ErrorCode {
	codes := slices.Concat(ErrorCodes(), kit.UnitCodes(), crm.FaultCodes())
	slices.Sort(codes)
	return slices.Compact(codes)
}
