package record

import (
	"time"

	"payonce/checkpoint/attempt"
	"payonce/enrich"
	"payonce/io/numbered"
)

// Event records what happened to the values that were found for one record of a CRM. It has no values and no names. Its
// key is a hash of what it is about, with the secret of the journal.
type Event struct {
	Run string `json:"run"` // that found the values
	// Person is the key of the person who was asked about, in the account 0. The event is erased with the person.
	Person  enrich.Key     `json:"person"`
	Changed time.Time      `json:"changed"`
	Fields  []EventOutcome `json:"fields"`
	// CRM and Record say where values of the event were written; "" before the first write.
	CRM    string `json:"crm,omitempty"`
	Record string `json:"record,omitempty"`
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
	// Write is what is known of writing the value to the CRM.
	Write RecordWrite `json:"write,omitzero"`
}

// RecordWrite is what is known of writing a value to a record of a CRM. Package pipeline/crm says which states there
// are.
type RecordWrite struct {
	State string    `json:"state"`
	At    time.Time `json:"at"`  // since when it has this state
	Run   string    `json:"run"` // whose value it is
	// Target is the name of the field in the CRM.
	Target string `json:"target,omitempty"`
	// Value is a hash of the value, with the secret of the journal.
	Value enrich.Key `json:"value,omitzero"`
	// Modified is the modified time of the record, as the CRM wrote it: before the write as long as its outcome is not
	// known, and after it then.
	Modified  string `json:"modified,omitempty"`
	Why       string `json:"why,omitempty"`        // nothing was written
	About     string `json:"about,omitempty"`      // the fields or the code of the CRM that Why is about
	RequestID string `json:"request_id,omitempty"` // that the CRM gave the write
}

func eventMembers(m *numbered.Members, e *Event) {
	numbered.Text(m, 1, &e.Run)
	numbered.Array(m, 2, e.Person[:])
	numbered.Time(m, 3, &e.Changed)
	numbered.List(m, 4, &e.Fields, eventOutcomeMembers)
	numbered.Text(m, 5, &e.CRM)
	numbered.Text(m, 6, &e.Record)
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
	numbered.Value(m, 10, &o.Write, recordWriteMembers)
}

func recordWriteMembers(m *numbered.Members, w *RecordWrite) {
	numbered.Text(m, 1, &w.State)
	numbered.Time(m, 2, &w.At)
	numbered.Text(m, 3, &w.Run)
	numbered.Text(m, 4, &w.Target)
	numbered.Array(m, 5, w.Value[:])
	numbered.Text(m, 6, &w.Modified)
	numbered.Text(m, 7, &w.Why)
	numbered.Text(m, 8, &w.About)
	numbered.Text(m, 9, &w.RequestID)
}

// EventKey returns the key of an event by the hash that names it.
func EventKey(event enrich.Key) []byte { return append([]byte{EventPrefix}, event[:]...) }
