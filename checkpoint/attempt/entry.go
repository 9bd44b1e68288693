package attempt

import (
	"time"

	"payonce/cost"
	"payonce/enrich"
)

// Entry is one attempt for bookkeeping, without the identity and without any value.
type Entry struct {
	ID      ID
	Account Account
	Begun   time.Time
	Ended   time.Time // when it got its outcome; zero before that
	Run     string
	Job     string // the run's name when the run belongs to no job
	State   State
	NotSent bool // it provably did not reach the service

	// Pattern is "profile" or "name"; "" when the identity was erased by a version
	// that did not keep it.
	Pattern  string
	Asked    enrich.Fields
	Returned enrich.Fields
	Charge   cost.Charge // zero until the attempt ends
	// MayBeFree are fields that were booked as paid and may turn out to have been free.
	MayBeFree enrich.Fields
	Rates     cost.Rates // of the fields asked for

	RequestID string
	Reason    string // why there is no answer
}

// Time returns the time that decides which period the attempt belongs to: the time of its
// outcome, or of its beginning while there is no outcome.
func (e Entry) Time() time.Time {
	if e.Ended.IsZero() {
		return e.Begun
	}
	return e.Ended
}
