package enrich

import "time"

// Verdict says what became of one POST. It is a closed set:
//
//   - Answered: the service returned a valid result; it may have charged.
//   - Refused:  the service said no in its own words; it did not charge. Or the
//     client knew that it would, and sent nothing.
//   - NotSent:  provably no byte of the request left; it did not charge.
//   - Lost:     anything else; it may have charged.
type Verdict interface{ verdict() }

// Answered is the verdict on a POST that brought a valid enrichment result. It is also the answer
// as everybody but its interface's package sees it: only that package reads Data.
type Answered struct {
	Status    Status
	Returned  Fields // those that have a value
	RequestID string
	Data      string
	// Consumed is what the call consumed of each meter of the interface, in their order, if the
	// interface reports it. It is nil when that follows from the returned fields.
	Consumed []int64
	// Names are the identities of the company in the answer. The service's own id comes first. They are nil when the answer
	// names none, and when it was read from a journal.
	Names []Identity
}

// Refused is the verdict on a POST to which the service itself said no.
type Refused struct {
	Class RefusalClass
	// Unsent says that nothing was sent: the lookup does not fulfil what the service
	// says of its input, or the service does not offer the lookup as it is known here.
	Unsent     bool
	HTTPStatus int    // zero when Unsent, or when a failed MCP tool does not give one
	Code       string // the service's error code, or one derived from the HTTP status
	Message    string // the service's text, without any part of a result
	RequestID  string
	// Pause says that every lookup waits as after a SlowDown, whatever the class is.
	Pause bool
	// RetryAfter is how long the service asks to wait; zero when it does not say.
	RetryAfter time.Duration
	// Limit is the limit that is reached; zero for other refusals.
	Limit Limit
}

// Limit is a limit of one part of an account. The other parts can still be asked.
type Limit struct {
	Meter  string    // the name of the meter that counts the part; "" when it has none
	Module string    // the service's name of the part
	Until  time.Time // its end; zero when only the owner of the account can end it
}

// NotSent is the verdict on a POST of which provably no byte left.
type NotSent struct{ Err error }

// Lost is the verdict on a POST whose outcome is unknown.
type Lost struct {
	Err error
	// RetryAfter is how long the response asks to wait, such as the page of a gateway
	// that stands in the service's place; zero when there is none or it does not say.
	RetryAfter time.Duration
	// Stop is the code of a reason for which other calls would be lost too, such as an address at which the service
	// does not have the operation: nothing else may be sent until somebody has acted. It is "" for none.
	Stop string
}

func (Answered) verdict() {}
func (Refused) verdict()  {}
func (NotSent) verdict()  {}
func (Lost) verdict()     {}

// RefusalClass says what a refusal means for the run (specification v1, "Errors").
type RefusalClass uint8

// The classes of refusals.
const (
	// StopRun: nothing else may be sent until somebody has acted: the key, the
	// access, the credit, the pricing or the service's configuration is at fault.
	StopRun RefusalClass = iota
	// InvalidInput: this lookup alone is at fault and is not asked again.
	InvalidInput
	// TryAgain: a passing fault; the lookup may be repeated at most twice.
	TryAgain
	// SlowDown: every lookup waits for RetryAfter, or for 60 s when it is zero.
	SlowDown
)

// String returns the class in words.
func (c RefusalClass) String() string {
	switch c {
	case StopRun:
		return "stop"
	case InvalidInput:
		return "invalid input"
	case TryAgain:
		return "try again"
	case SlowDown:
		return "slow down"
	}
	return "unknown class"
}
