// Package attempt defines the data of one paid call: the request to the journal, the
// journal's decision, and the states of the call.
//
//	        Begin (synced)                 ┌─ Answered ─► Settled   the whole answer and its charge
//	(none) ───────────────────► Intended ──┼─ Refused, NotSent ─► Released proved not charged
//	                                       └─ Lost, crash ─► InDoubt ─► Released | Forfeited
//
// Every attempt is recorded once and resolved once. Records are never edited. Values can be
// erased.
package attempt

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"payonce/cost"
	"payonce/enrich"
)

// ErrCollision says that two identities share a key in the journal.
var ErrCollision = errors.New("two identities share a key in the journal")

// ID numbers the attempts of one journal, from 1, in the order of their Begin.
type ID uint64

// Account numbers the accounts of one journal, from 0, in the order in which the journal got to know
// them. A journal with one account has the account 0.
type Account uint32

// Scope returns the name of the part of a scope in which only calls of the account count.
func (a Account) Scope(name string) string {
	if a == 0 {
		return name
	}
	return fmt.Sprintf("account/%d/%s", a, name)
}

// State is where an attempt stands.
type State uint8

// The states of an attempt.
const (
	Intended  State = iota + 1 // decided and durable; the POST may be under way
	InDoubt                    // the outcome is unknown; the hold stays
	Settled                    // answered; the answer and its charge are durable
	Released                   // proved not charged; may be asked again
	Forfeited                  // charged, and the answer is gone
)

// String returns the state's name.
func (s State) String() string {
	names := [...]string{Intended: "intended", InDoubt: "in_doubt", Settled: "settled", Released: "voided", Forfeited: "forfeited"}
	if int(s) < len(names) && names[s] != "" {
		return names[s]
	}
	return fmt.Sprintf("state %d", uint8(s))
}

// Request asks the journal for permission to send one lookup.
type Request struct {
	Lookup enrich.Lookup
	// Account is the account that is asked. 0 stands for the account of the Journal that is asked.
	Account Account
	Run     string // the run that pays
	Job     string // the job that the run belongs to; "" when the run is a job by itself
	Rates   cost.Rates
	// Ceilings limit this lookup. Each applies to a scope that the lookup counts in. One of money or
	// of lookups counts the calls of all accounts. One of another meter counts those of the account,
	// because the meters of accounts are different things.
	Ceilings []cost.Ceiling
	// Strict holds the full price, even when free allowance is left.
	Strict bool
	Reask  Reask
	// OnlyFree are the fields that are not asked for when they would hold money.
	OnlyFree enrich.Fields
}

// Reask says which fields may be asked for again after an attempt decided them.
type Reask struct {
	// Before allows a field to be asked for again if it came back empty or was rejected
	// before this time. Zero never allows it.
	Before time.Time
	// Found allows a page of a search to be asked for again if it was answered before this time. A value that
	// was found for a person or a company is asked for again only after a change was observed.
	Found time.Time
	// Forfeited allows a field to be bought again if it was charged and its value is lost.
	Forfeited bool
	// UpTo allows a field to be asked for again if it was answered by an attempt up to this one: a change was observed
	// when this was the last attempt. So one observed change allows one answer more, and depends on no clock.
	UpTo ID
}

// Ticket is the permission to send one lookup once.
type Ticket struct {
	ID     ID
	Lookup enrich.Lookup
	Hold   cost.Hold
	// MaySend returns an error when the permission has ended. It is asked right before the request leaves. It is nil when
	// the permission does not end.
	MaySend func() error
}

// Decision is the journal's decision on a Request: Granted, Known, Unsettled, Paid, Limited, Over,
// Later or Blocked.
type Decision interface{ decision() }

// Release says why an attempt was not charged.
type Release struct {
	Reason    string // the service's error code, or what kept the request from leaving
	RequestID string
	// Reject says that the service calls the identity invalid. It is not asked for again.
	Reject bool
	// Sent says that the request may have reached the service. It keeps its slot of the
	// rate window.
	Sent bool
	// PauseUntil is the time before which nothing may be sent; zero for no pause.
	PauseUntil time.Time
	// Limit is the limit of the account that is reached; zero for none.
	Limit enrich.Limit
}

// LostCall says why the outcome of an attempt is unknown.
type LostCall struct {
	Cause string
	// PauseUntil is the time before which nothing may be sent; zero for no pause.
	PauseUntil time.Time
}

// Granted says that the lookup may be sent as soon as Ticket returns.
type Granted struct {
	// Ticket waits until the intent is durable. It must be called once. An error means that
	// the journal failed and that nothing may be sent.
	Ticket func() (Ticket, error)
}

// Known says that the fields are already settled or rejected. Nothing needs to be paid.
type Known struct {
	Fields enrich.Fields
	Under  enrich.Key // the key under which the subject was asked; zero for that of the request
}

// Unsettled says that an earlier attempt for these fields has no known outcome.
type Unsettled struct {
	Fields enrich.Fields
	Under  enrich.Key // as in Known
}

// Paid says that these fields of Request.OnlyFree would hold money.
type Paid struct{ Fields enrich.Fields }

// Over says that the lookup does not fit under a ceiling, even if the calls in flight
// release everything that they hold.
type Over struct {
	Ceiling cost.Ceiling // the ceiling of the request, with its period
	Need    int64        // in the unit of the ceiling
	Left    int64
}

// Later says that no lookup may be sent before a time. The rate window is full, or the
// service asked for a pause.
type Later struct {
	Until time.Time
	Asked bool // by the service
	// AskAgain is when to ask again at the latest, because another process may end a pause that the service asked for.
	// It is zero when no other process can.
	AskAgain time.Time
}

// Limited says that the service has said that the account's limit is reached on a meter that the lookup can
// consume.
type Limited struct{ Limit }

// Limit is a limit of the account on some meters that is reached. While it lasts, no call is sent that can
// consume one of them. Calls that consume other meters are sent.
type Limit struct {
	Meters cost.Meters
	Module string    // as the service names what is limited
	Code   string    // of the service
	At     time.Time // when the service refused a call because of it
	// Until is its end. Zero stands for a limit that lasts until the account shows that it has more, or until
	// the user ends it.
	Until time.Time
}

// Lasts reports whether the limit has not ended by itself.
func (l Limit) Lasts(now time.Time) bool { return l.Until.IsZero() || l.Until.After(now) }

// Outlasts reports whether the limit ends after another one, or at the same time and was reached later.
func (l Limit) Outlasts(other Limit) bool {
	switch {
	case l.Until.Equal(other.Until):
		return l.At.After(other.At)
	case l.Until.IsZero() || other.Until.IsZero():
		return l.Until.IsZero()
	}
	return l.Until.After(other.Until)
}

// Blocked says that the decision depends on the end of a call in flight, or that another process drains the account.
type Blocked struct {
	// Drained says that another process waits until no call of the account is in flight, and compares the account then.
	Drained bool
	// LeaseEnds is when the lease of that process ends unless it is renewed. A drain lasts no longer than the lease.
	LeaseEnds time.Time
	// Until is when to ask again at the latest, because the call may be one of another process. It is zero when all calls
	// in flight are those of this process.
	Until time.Time
}

func (Granted) decision()   {}
func (Known) decision()     {}
func (Unsettled) decision() {}
func (Paid) decision()      {}
func (Limited) decision()   {}
func (Over) decision()      {}
func (Later) decision()     {}
func (Blocked) decision()   {}

// Resolution is how an attempt ended.
type Resolution struct {
	State  State       `json:"state"`
	At     time.Time   `json:"at"`
	Run    string      `json:"run"`
	Charge cost.Charge `json:"charge,omitzero"`
	// Status, Returned and Data are the answer, of an attempt that has one. Data is in the form
	// that the package of the interface gives it, and empty once Erased says so: the values
	// were erased, on request or after their retention time.
	Status   enrich.Status `json:"status,omitempty"`
	Returned enrich.Fields `json:"returned,omitempty"`
	Data     string        `json:"data,omitempty"`
	Erased   bool          `json:"erased,omitempty"`
	// Reason and Rejected belong to attempts without an answer.
	Reason    string `json:"reason,omitempty"`
	RequestID string `json:"request_id,omitempty"`
	Rejected  bool   `json:"rejected,omitempty"`
	// Sent says that the POST may have reached the service. It took a slot of the rate
	// window.
	Sent bool `json:"sent,omitempty"`
}

// Answered reports whether the attempt has an answer, erased or not.
func (r Resolution) Answered() bool { return r.Status != "" }

// Answer returns the answer of an attempt that has one.
func (r Resolution) Answer() enrich.Answered {
	return enrich.Answered{Status: r.Status, Returned: r.Returned, RequestID: r.RequestID, Data: r.Data}
}

// Outcome is what the journal knows of an attempt.
type Outcome struct {
	ID    ID
	Who   enrich.Identity // the person it was about; zero when that was erased
	Ended Resolution      // zero until it ends
	Doubt string          // why its outcome is unknown; "" when it is known
	// MayBeFree are fields that were booked as paid and may turn out to have been free.
	MayBeFree enrich.Fields
}

// FieldState is what the journal knows of one field of one identity.
type FieldState uint8

// The states of a field.
const (
	Unasked        FieldState = iota // may be asked
	Found                            // settled, with a value
	Missing                          // settled, without a value
	Rejected                         // the service calls the identity invalid
	OutcomeUnknown                   // intended or in doubt
	PaidAndGone                      // forfeited
	Forgotten                        // erased on request; never asked for again
)

// Record is what the journal knows of one identity: for each field its state and the attempt
// that decided it.
type Record struct {
	States   enrich.ByField[FieldState]
	Attempts enrich.ByField[ID] // 0 when unasked
	At       enrich.ByField[time.Time]
	// Earlier are previous attempts that were charged for a field and whose values are lost.
	// The field was bought again after them.
	Earlier enrich.ByField[[]ID]
	// Kept is the attempt that found a value for a field before the field was asked for again, while the outcome of the
	// last attempt is unknown or its answer is lost. It is 0 when there is none.
	Kept enrich.ByField[ID]
}

// FoundBy returns the attempt whose answer has the value of a field; 0 when there is none.
func (r Record) FoundBy(f enrich.Field) ID {
	if r.States[f] == Found {
		return r.Attempts[f]
	}
	return r.Kept[f]
}

// Of returns what is allowed for a subject.
func (r Reask) Of(id enrich.Identity) Reask {
	if id.Subject() != enrich.Searches {
		r.Found = time.Time{}
	}
	return r
}

// Askable reports whether a field may be asked for: for the first time, or because reask
// allows it.
func (r Record) Askable(f enrich.Field, reask Reask) bool {
	switch r.States[f] {
	case Unasked:
		return true
	case Missing:
		return r.At[f].Before(reask.Before) || r.changedSince(f, reask.UpTo)
	case Rejected:
		return r.At[f].Before(reask.Before)
	case Found:
		return r.At[f].Before(reask.Found) || r.changedSince(f, reask.UpTo)
	case PaidAndGone:
		return reask.Forfeited
	default:
		return false
	}
}

// changedSince reports whether a field was answered by an attempt up to a given one.
func (r Record) changedSince(f enrich.Field, upTo ID) bool {
	return r.Attempts[f] > 0 && r.Attempts[f] <= upTo
}

// Doubt is an attempt whose outcome is unknown.
type Doubt struct {
	ID       ID
	Account  Account
	Identity enrich.Identity
	Hold     cost.Hold
	Run      string
	Begun    time.Time // when the intent was recorded
	Since    time.Time // when it came into doubt
	Cause    string
	// Decidable says that the attempt began after the journal's last idle snapshot of the account, and holds nothing of
	// a meter that can fall. A new snapshot may decide it. Somebody who knows must decide the others.
	Decidable bool
	// Sender is the process that may still send the call, because it was stopped and is not known to be dead; "" for none.
	// As long as there is one, no account proves that the call is not charged.
	Sender string
	// Arrived is from when on the call of a process that has ended cannot arrive any more; zero when that is not known, or
	// when its process itself has lost it.
	Arrived time.Time
	// Movement is what the account lost in the time of the call; zero until it was compared.
	Movement Movement
}

// Movement is what an account lost between two snapshots.
type Movement struct {
	From, To time.Time    // of the snapshots
	Lost     cost.Amounts // at most; its money is cost.MaxMoney when that is not known
	Booked   cost.Amounts // for answers, and for calls that are decided
}

// Case is what the account proves about a doubt.
type Case struct {
	Doubt
	cost.CallResult
	Charge cost.Charge // what the charged fields cost
}

// ReconcileResult is what one look at the account proves about all doubts.
type ReconcileResult struct {
	Cases []Case
	// Unexplained is what the account spent beyond what the journal booked.
	Unexplained cost.Amounts
	// Why says why some of the cases are undecided; "" when all are decided.
	Why string
}

// MayBeSent reports whether a process may still send one of the calls, so that a later look can show more.
func (r ReconcileResult) MayBeSent() bool {
	return slices.ContainsFunc(r.Cases, func(c Case) bool { return c.Sender != "" && c.Decidable && c.Result == cost.Undecided })
}
