package attempt

import (
	"time"

	"payonce/cost"
	"payonce/enrich"
)

// Entry is one attempt as bookkeeping sees it: without the identity and without
// any value.
type Entry struct {
	ID    ID
	Begun time.Time
	Ended time.Time // when it got its outcome; zero while it has none
	Run   string
	Job   string // the run's name when it belongs to no other
	State State

	Operation enrich.Operation
	// Pattern is "profile" or "name"; "" when the identity was erased by a version
	// that did not keep it.
	Pattern  string
	Asked    enrich.Fields
	Returned enrich.Fields
	Charge   cost.Charge // nothing while there is no outcome
	// MayBeFree are fields that were booked as paid and may turn out to have been free.
	MayBeFree enrich.Fields
	Prices    cost.Prices // of the fields asked for

	RequestID string
	Reason    string // why there is no answer
}

// Time returns the time by which the attempt belongs to a period: that of its
// outcome, and while it has none that of its beginning.
func (e Entry) Time() time.Time {
	if e.Ended.IsZero() {
		return e.Begun
	}
	return e.Ended
}
