package record

import (
	"time"

	"payonce/checkpoint/attempt"
	"payonce/enrich"
	"payonce/io/numbered"
)

// Event records what happened to the values that were found for one record of a CRM. It has no values and no names. Its key
// is a hash of what it is about, with the secret of the journal.
type Event struct {
	Run string `json:"run"` // that found the values
	// Person is the key of the person who was asked about, in the account 0. The event is erased with the person.
	Person  enrich.Key     `json:"person"`
	Changed time.Time      `json:"changed"`
	Fields  []EventOutcome `json:"fields"`
}

// EventOutcome is what was decided about one value of an event, and when it was exported.
type EventOutcome struct {
	Field string `json:"field"`
	// Attempt found the value, and RequestID is that of its answer. A decision is about no other value.
	Attempt   attempt.ID `json:"attempt"`
	RequestID string     `json:"request_id,omitempty"`
	Decision  string     `json:"decision,omitempty"` // "" while it is open
	DecidedBy string     `json:"decided_by,omitempty"`
	At        time.Time  `json:"at,omitzero"`       // of the decision
	Exported  time.Time  `json:"exported,omitzero"` // the last time
	Exports   int64      `json:"exports,omitempty"`
	// Seen is a hash of the modified time that the record had. A decision is about no later state of the record.
	Seen enrich.Key `json:"seen"`
}

func eventMembers(m *numbered.Members, e *Event) {
	numbered.Text(m, 1, &e.Run)
	numbered.Array(m, 2, e.Person[:])
	numbered.Time(m, 3, &e.Changed)
	numbered.List(m, 4, &e.Fields, eventOutcomeMembers)
}

func eventOutcomeMembers(m *numbered.Members, o *EventOutcome) {
	numbered.Text(m, 1, &o.Field)
	numbered.Uint(m, 2, &o.Attempt)
	numbered.Text(m, 3, &o.RequestID)
	numbered.Text(m, 4, &o.Decision)
	numbered.Text(m, 5, &o.DecidedBy)
	numbered.Time(m, 6, &o.At)
	numbered.Time(m, 7, &o.Exported)
	numbered.Int(m, 8, &o.Exports)
	numbered.Array(m, 9, o.Seen[:])
}

// EventKey returns the key of an event by the hash that names it.
func EventKey(event enrich.Key) []byte { return append([]byte{EventPrefix}, event[:]...) }
