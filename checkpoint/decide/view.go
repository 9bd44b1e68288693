// Package decide decides whether a paid call may be sent. The decision is a pure function of a
// request and a view. It takes no lock, does no input or output, and reads no clock.
//
// A store loads the view, calls Decide, and applies the changes, in one transaction. Two
// decisions of which each may change the view of the other must not overlap.
package decide

import (
	"time"

	"payonce/checkpoint/attempt"
	"payonce/cost"
	"payonce/enrich"
)

// View is what a store knows at one moment of everything that a request touches. Decide does
// not change it.
type View struct {
	Now     time.Time
	Subject Subject
	// Same is what is known of the same subject under other identities, as answers have named them.
	Same []Other
	// Scopes are the scopes that the call will count in. A ceiling must be on one of them.
	Scopes  []*Scope
	Account Account
}

// Subject is what is known of the subject of the request. Only the requested fields are read.
type Subject struct {
	attempt.Record
	// InFlight are the fields of unknown outcome that a call in flight asks for. The other
	// fields of unknown outcome are in doubt.
	InFlight enrich.Fields
}

// Other is what is known of a subject under another identity.
type Other struct {
	Key enrich.Key // of that identity
	Subject
}

// Scope is what the calls of one scope add up to.
type Scope struct {
	Name   string
	Totals cost.Totals
	// InFlight is the part of the totals that calls in flight hold. They may release it.
	InFlight cost.Totals
}

// withoutFlight returns the totals as they would be if the calls in flight released everything
// that they hold.
func (s *Scope) withoutFlight() cost.Totals {
	totals := s.Totals
	totals.Held = totals.Held.Minus(s.InFlight.Held)
	totals.Open -= s.InFlight.Open
	return totals
}

// Account is the state of the account that the request is for.
type Account struct {
	// Ceilings are those that the account itself sets.
	Ceilings    []cost.Ceiling
	Allowance   cost.Allowance
	PausedUntil time.Time // zero for no pause
	// Drained says that another process lets nobody begin calls of the account.
	Drained bool
	// Limits are those that the service has said are reached, also some that have ended since.
	Limits []attempt.Limit
	Window Window
}

// Rate is the service's limit: at most Slots calls in each Window.
type Rate struct {
	Slots  int
	Window time.Duration
}

// Spacing returns the mean time between two calls at the limit.
func (r Rate) Spacing() time.Duration { return r.Window / time.Duration(r.Slots) }

// maxOnTheWay is how long a request of a process that died may take to arrive.
const maxOnTheWay = 45 * time.Second

// OnTheWay returns how long the slot of a call that was in flight at a crash is kept in addition
// to the window. The system may still send what a dead process gave it, and no response tells
// when it arrived. The time is at most one window: a longer wait would stop a run against a
// service with a short window.
func (r Rate) OnTheWay() time.Duration { return min(r.Window, maxOnTheWay) }

// Window is the state of a rolling rate limit at View.Now. A call takes a slot when it is
// granted and keeps it for one window after its response, not after its request. The service
// counts a request when it arrives, some time between the two. So no delay on the network can
// put more requests into a window than it has slots.
type Window struct {
	Slots    int
	InFlight int // calls in flight; each has a slot
	Cooling  int // calls that ended and still keep their slots
	// NextFree is when the first of the cooling slots is free again; zero when there is none.
	NextFree time.Time
}

// Changes are what a store applies when a call is granted.
type Changes struct {
	// Hold goes into the intent of the call. It is added to Totals and to InFlight of every
	// scope of the view. Its rates are the account's last known rates.
	Hold cost.Hold
	// Earlier are the forfeited attempts of fields that are bought again. They continue to
	// count for the subject.
	Earlier map[enrich.Field][]attempt.ID
	// Before has the attempt that decided each field which is asked for again. They go into the intent of the call, so that
	// the earlier answers are found.
	Before map[enrich.Field][]attempt.ID
	// UpTo is Reask.UpTo of the request when it allows the call. It goes into the intent, too.
	UpTo attempt.ID
	// Strict says that the account has to note that a call held its full price although it
	// may have been free.
	Strict bool
}
