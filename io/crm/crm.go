// Package crm has the types that all connectors to CRMs use: fields, records, changes and outcomes. A connector
// (package zoho below it) reads records and changes them one at a time. Its caller decides which values may be written.
//
// A connector has these methods, which any goroutine may call. Errors are *[Error] and contain no values of records.
//
//   - Fields(ctx) ([]Field, error) returns the fields of the module.
//   - Find(ctx, Selection, visit func(Record) error) error visits each selected record once, in the order of the CRM. An
//     error of visit ends it and is returned.
//   - Read(ctx, ids []string) ([]Record, error) returns the records with these ids as they are now, in the order of the
//     ids, without those that the CRM does not have.
//   - Update(ctx, Change) (Outcome, error) changes one record. It is sent once. After an error, nothing was changed. An
//     interrupt ends a wait. It does not end a change in progress.
//
// Reads may be repeated, because they change nothing.
package crm

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Type is the type of a field's values.
type Type string

// The types of fields. Fields of the type Other can be read, but are not written.
const (
	Text    Type = "text"
	Email   Type = "email"
	Phone   Type = "phone"
	Website Type = "website"
	Other   Type = "other"
)

// Field is a field of the records.
type Field struct {
	Name      string // of the interface; the key in Record.Values and Change.Values
	Label     string // shown to users of the CRM
	Type      Type
	MaxLength int  // in characters; zero when the CRM names none
	ReadOnly  bool // no value can be written through the interface
	Mobile    bool // has mobile numbers; no value is written to it
}

// Selection says which records to find. Exactly one member is set.
type Selection struct {
	View      string   // the id or the name of a view
	Condition string   // in the CRM's own query language
	IDs       []string // of records
}

// Check returns an error unless exactly one member is set.
func (s Selection) Check() error {
	set := 0
	for _, is := range []bool{s.View != "", s.Condition != "", len(s.IDs) > 0} {
		if is {
			set++
		}
	}
	if set != 1 {
		return &Error{Problem: Invalid, Err: fmt.Errorf("%d kinds of selections of records; give one: a view, a condition or ids", set)}
	}
	return nil
}

// Record is a record as the CRM has it.
type Record struct {
	ID string
	// Modified is the time of the record's last change, as the CRM wrote it: RFC 3339 with the offset of the CRM's user.
	Modified string
	// Values has the non-empty values by the names of the fields that the connector reads. A reference to another record
	// has the value of its name.
	Values map[string]string
	// Account is the company of the record; empty when the CRM has none.
	Account Account
}

// Account is a company in the CRM. Missing members are empty.
type Account struct{ ID, Name, Website string }

// Change changes one record, if it was not modified after Modified.
type Change struct {
	ID       string
	Modified string // Record.Modified of the state that the change was decided on
	// Values are written by the names of their fields. None is empty.
	Values map[string]string
	// Clear has the names of fields that become empty. Only an undo of a write to an empty field uses it.
	Clear []string
	// Trigger lets workflows, approvals and blueprints of the CRM start on the change.
	Trigger bool
}

// Check returns an *Error of Invalid for a change that must not be sent: without record, time or fields, with an empty
// value, or with a field that is both written and cleared.
func (c Change) Check() error {
	wrong := func(format string, args ...any) error {
		return &Error{Problem: Invalid, Record: c.ID, Err: fmt.Errorf(format, args...)}
	}
	if c.ID == "" {
		return wrong("the change names no record")
	}
	if _, err := time.Parse(time.RFC3339, c.Modified); err != nil {
		return wrong("the record's modified time is missing or not in RFC 3339 with an offset; read the record again")
	}
	if len(c.Values)+len(c.Clear) == 0 {
		return wrong("the change names no field")
	}
	for name, value := range c.Values {
		switch {
		case name == "":
			return wrong("a value has no field")
		case strings.TrimSpace(value) == "":
			return wrong("the value of %s is empty; a write clears nothing", name)
		case slices.Contains(c.Clear, name):
			return wrong("%s is both written and cleared", name)
		}
	}
	if slices.Contains(c.Clear, "") {
		return wrong("a field to clear has no name")
	}
	return nil
}

// Result is the result of a change.
type Result string

// The results. After all but Written and Unknown the record is unchanged.
const (
	Written   Result = "written"   // Outcome.Modified is the record's new modified time
	Changed   Result = "changed"   // the record was modified after Change.Modified
	Duplicate Result = "duplicate" // another record has the value of Outcome.Field, which is unique
	Locked    Result = "locked"    // the CRM has locked the record, such as during an approval
	Rejected  Result = "rejected"  // the CRM does not accept the value of Outcome.Field; Outcome.Code says why
	Gone      Result = "gone"      // the record was deleted, or the user may not see it
	Unknown   Result = "unknown"   // the change may have arrived, and the answer was lost; read the record to decide
)

// Outcome is the outcome of a change.
type Outcome struct {
	Result    Result
	Modified  string // of Written; "" when the CRM did not say
	Code      string // the CRM's own code
	Field     string // that the CRM names; "" for none
	Other     string // of Duplicate: the id of the other record; "" when the CRM did not say
	RequestID string // that the CRM gave the request; "" for none
	Err       error  // of Unknown: why the answer does not decide
}

// Problem says who can resolve an error.
type Problem string

// The problems.
const (
	Refused     Problem = "refused"     // the credentials or their scopes; every other call is refused too
	Exhausted   Problem = "exhausted"   // a limit of the CRM account is reached; Error.Until says when it ends
	Unreachable Problem = "unreachable" // no connection, or no answer that can be read; try again later
	Invalid     Problem = "invalid"     // the call itself: its fields, its selection, its change
)

// Error is why a call failed. Nothing was changed.
type Error struct {
	Problem   Problem
	Code      string    // the CRM's own code; "" for none
	Status    int       // of HTTP; zero for none
	Record    string    // the id of the record that the call was about; "" for none
	RequestID string    // that the CRM gave the request; "" for none
	Until     time.Time // of Exhausted: when the limit ends; zero when it is not known
	Err       error     // what happened, without values of records
}

func (e *Error) Error() string {
	var text strings.Builder
	if e.Record != "" {
		fmt.Fprintf(&text, "record %s: ", e.Record)
	}
	text.WriteString(e.Err.Error())
	var details []string
	if e.Status != 0 {
		details = append(details, fmt.Sprintf("HTTP %d", e.Status))
	}
	if e.Code != "" {
		details = append(details, e.Code)
	}
	if e.RequestID != "" {
		details = append(details, "request "+e.RequestID)
	}
	if !e.Until.IsZero() {
		details = append(details, "until "+e.Until.UTC().Format("2006-01-02 15:04:05")+" UTC")
	}
	if details != nil {
		fmt.Fprintf(&text, " (%s)", strings.Join(details, ", "))
	}
	return text.String()
}

func (e *Error) Unwrap() error { return e.Err }

// ProblemOf returns the problem of an error of a connector; "" for every other error.
func ProblemOf(err error) Problem {
	var e *Error
	if errors.As(err, &e) {
		return e.Problem
	}
	return ""
}
