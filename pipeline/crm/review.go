// Package crm reviews values that a run found for records of a CRM, and decides which of them may be written. It
// follows the rules of specification v1, "Client rules for writing results into a CRM contact". A value is written only
// to a cell that is empty in the CRM, and only after a person, or a rule that the user asked for, approved it. No cell
// is cleared. A phone is never written to a column of mobile numbers.
//
// The package knows no file format of a CRM. The list has the values of the CRM, and Batches returns the rows of import
// files. Push writes to the CRM itself, through a Connector, and Undo clears the values that Push wrote.
package crm

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/record"
	"payonce/enrich"
	"payonce/pipeline/columns"
	"payonce/pipeline/output"
)

// Target is a column of the CRM that takes a value.
type Target struct {
	Role   columns.Role
	Column int // of the list
	Header string
	Closed string // why nothing is written to it; "" for a column that is written to
}

// TargetOf returns the column of a list as a target.
func TargetOf(role columns.Role, column int, header string) Target {
	t := Target{Role: role, Column: column, Header: header}
	if role == columns.Phone {
		t.Closed = columns.WhyNotBusinessPhone(header)
	}
	return t
}

// State says what can become of a value.
type State string

// The states. Only a value that is open can be approved.
const (
	Open     State = "open"
	Kept     State = "kept"        // the CRM has another value
	Closed   State = "not written" // the column takes no such value
	NoRecord State = "no record"   // nothing says which record the row is
)

// Decision is what was decided about a value.
type Decision string

// The decisions.
const (
	Undecided Decision = ""
	Approve   Decision = "approve"
	Reject    Decision = "reject"
)

// ByPerson says that a person decided, and not a rule.
const ByPerson = "person"

// Line is one value that was found for one record.
type Line struct {
	Record, Modified string // as they stand in the list
	Row              int64
	Person, Company  string
	Field            string
	Target           int // among the targets of the review
	InCRM, Found     string
	For, Against     []string // what shows and what contradicts that the value belongs to this person
	State            State
	Why              string // why the value is not open
	Decision         Decision
	DecidedBy        string
	DecidedAt        time.Time // zero for a decision that is not saved
	Exported         time.Time // the last time; zero for never
	Exports          int64
	Attempt          attempt.ID // that found the value
	RequestID        string
	Event            string // the id that the caller gave the event; "" for none
	Who              enrich.Identity
	CRM              string             // from which the list was pulled; "" for a list that was not pulled
	Write            record.RecordWrite // the state of writing the value to the CRM

	was          map[string]string // the tracked columns of a pulled list
	name, domain bool              // the found name is that of the row, and the email is at the company's domain
}

// Unclear is a row whose record or event is not certain.
type Unclear struct {
	Row    int64  `json:"row"`
	Record string `json:"record_id"`
	Why    string `json:"problem"`
}

// Review is what a run found for the records of one list.
type Review struct {
	Run      string
	RecordID string // the header of the column of record ids
	Targets  []Target
	Lines    []Line // in the order of the list
	Unclear  []Unclear
}

// Row is what a review needs of one row of the list.
type Row struct {
	number                  int64
	record, modified, event string
	person, company         string
	who                     enrich.Identity
	inCRM                   []string // of each target
	values                  []output.FoundValue
	says                    enrich.Described
	crm                     string
	was                     map[string]string // the tracked columns of a pulled list
}

// Columns has the places of the columns that a review needs besides the targets; columns.None for a missing one.
type Columns struct {
	Record, Modified, Event int
	Pulled                  *WhereFrom // nil for a list that was not pulled
}

// ReadRow returns what a review needs of a row. Cell returns the cells as they are in the list.
func (r *Review) ReadRow(found *output.FoundRow, at Columns, cell func(int) []byte) Row {
	text := func(column int) string {
		if column == columns.None {
			return ""
		}
		return strings.TrimSpace(string(cell(column)))
	}
	row := Row{
		number: found.Number(), record: text(at.Record), modified: text(at.Modified), event: text(at.Event),
		who: found.Who, says: found.Says, values: found.Values, person: nameOf(&found.Says), company: companyOf(&found.Says),
	}
	for _, target := range r.Targets {
		row.inCRM = append(row.inCRM, text(target.Column))
	}
	if at.Pulled != nil {
		row.crm, row.was = at.Pulled.read(cell)
	}
	return row
}

func companyOf(says *enrich.Described) string {
	if says[enrich.PartCompanyName] != "" {
		return says[enrich.PartCompanyName]
	}
	return says[enrich.PartWebsite]
}

// Builder makes a review of rows, which are added in the order of the list.
type Builder struct {
	review  *Review
	records map[string][]int64 // the rows of each record id
	events  map[string][]int64
	given   bool               // the list gives ids of events
	held    map[string][]int64 // the rows that have a value in the CRM
	found   map[string][]int   // the lines of a value
}

// Build begins a review. The caller gives its events ids where given is set.
func (r *Review) Build(given bool) *Builder {
	return &Builder{r, map[string][]int64{}, map[string][]int64{}, given, map[string][]int64{}, map[string][]int{}}
}

// Add adds a row.
func (b *Builder) Add(row Row) {
	b.records[row.record] = append(b.records[row.record], row.number)
	if b.given {
		b.events[row.event] = append(b.events[row.event], row.number)
	}
	if why := whyUnclear("record id", row.record, nil); why != "" {
		b.review.Unclear = append(b.review.Unclear, Unclear{row.number, row.record, why})
	} else if why := whyUnclear("event id", row.event, nil); b.given && why != "" {
		b.review.Unclear = append(b.review.Unclear, Unclear{row.number, row.record, why})
	}
	for i, value := range row.inCRM {
		if value != "" {
			key := valueKey(b.review.Targets[i].Role, value)
			b.held[key] = append(b.held[key], row.number)
		}
	}
	for _, value := range row.values {
		target := slices.IndexFunc(b.review.Targets, func(t Target) bool { return t.Column == value.Column })
		if target < 0 || sameValue(row.inCRM[target], value.Value) {
			continue
		}
		line := Line{
			Record: row.record, Modified: row.modified, Row: row.number, Person: row.person, Company: row.company,
			Field: value.Field, Target: target, InCRM: row.inCRM[target], Found: value.Value, State: Open,
			Attempt: value.Attempt, RequestID: value.RequestID, Event: row.event, Who: row.who,
			CRM: row.crm, was: row.was,
		}
		line.judge(&row.says, &value)
		switch closed := b.review.Targets[target].Closed; {
		case columns.IsEmpty([]byte(line.InCRM)) && line.InCRM != "":
			line.State, line.Why = Kept, "the CRM has a placeholder, which is a value"
		case line.InCRM != "":
			line.State, line.Why = Kept, "the CRM has another value"
		case closed != "":
			line.State, line.Why = Closed, closed
		case row.was[optOutColumn] != "":
			line.State, line.Why = Closed, "the person has opted out"
		}
		key := valueKey(value.Role, value.Value)
		b.found[key] = append(b.found[key], len(b.review.Lines))
		b.review.Lines = append(b.review.Lines, line)
	}
}

// End ends the review: it finds out which rows share an id or a value.
func (b *Builder) End() {
	r := b.review
	for i := range r.Lines {
		line := &r.Lines[i]
		why := whyUnclear("record id", line.Record, b.records[line.Record])
		if why == "" && b.given {
			why = whyUnclear("event id", line.Event, b.events[line.Event])
		}
		if why != "" {
			line.State, line.Why = NoRecord, why
		}
		key := valueKey(r.Targets[line.Target].Role, line.Found)
		for _, row := range b.held[key] {
			if row != line.Row {
				line.Against = append(line.Against, fmt.Sprintf("row %d has it in the CRM", row))
				break
			}
		}
		for _, other := range b.found[key] {
			if r.Lines[other].Row != line.Row {
				line.Against = append(line.Against, fmt.Sprintf("it was found for row %d, too", r.Lines[other].Row))
				break
			}
		}
	}
	r.nameTwins("record id", b.records, false)
	r.nameTwins("event id", b.events, true)
	slices.SortStableFunc(r.Unclear, func(a, b Unclear) int { return int(a.Row - b.Row) })
	r.Unclear = slices.CompactFunc(r.Unclear, func(a, b Unclear) bool { return a.Row == b.Row })
}

// nameTwins adds the rows that share an id.
func (r *Review) nameTwins(what string, ids map[string][]int64, events bool) {
	for id, rows := range ids {
		why := whyUnclear(what, id, rows)
		if len(rows) < 2 || whyUnclear(what, id, nil) != "" {
			continue
		}
		for _, row := range rows {
			one := Unclear{Row: row, Why: why}
			if !events {
				one.Record = id
			}
			r.Unclear = append(r.Unclear, one)
		}
	}
}

// whyUnclear says why an id does not say which record a row is; "" when it does. Rows are those that have the id.
func whyUnclear(what, id string, rows []int64) string {
	switch {
	case id == "":
		return "the row has no " + what
	case isRounded(id):
		return fmt.Sprintf("a spreadsheet program has rounded the %s", what)
	case len(rows) == 2:
		return fmt.Sprintf("the rows %d and %d have the same %s", rows[0], rows[1], what)
	case len(rows) > 2:
		return fmt.Sprintf("the rows %d, %d and %d more have the same %s", rows[0], rows[1], len(rows)-2, what)
	}
	return ""
}

// isRounded reports whether an id is a number with an exponent, as a spreadsheet program writes long ones.
func isRounded(id string) bool {
	mantissa, exponent, found := strings.Cut(strings.ToUpper(id), "E+")
	digits := func(text, also string) bool { return text != "" && strings.Trim(text, "0123456789"+also) == "" }
	return found && digits(mantissa, ".,") && digits(exponent, "")
}

// valueKey is the same for values that one person has in two spellings.
func valueKey(role columns.Role, value string) string {
	if role == columns.Phone {
		return "phone " + strings.Map(func(c rune) rune {
			if unicode.IsDigit(c) {
				return c
			}
			return -1
		}, value)
	}
	return string(role) + " " + strings.ToLower(strings.TrimSpace(value))
}

// sameValue reports whether the CRM has a value already.
func sameValue(inCRM, found string) bool { return strings.EqualFold(inCRM, strings.TrimSpace(found)) }

// Decide records a decision about a value, which has to be open.
func (l *Line) Decide(d Decision, by string) error {
	if err := l.check(d); err != nil {
		return err
	}
	l.decide(d, by)
	return nil
}

// check refuses a decision about a value that is not open.
func (l *Line) check(d Decision) error {
	if l.State != Open && d != Undecided {
		return fmt.Errorf("nothing is decided about this value, because %s", l.Why)
	}
	return nil
}

func (l *Line) decide(d Decision, by string) {
	l.Decision, l.DecidedBy, l.DecidedAt = d, by, time.Time{}
	if d == Undecided {
		l.DecidedBy = ""
	}
}

// Writable reports whether the value may be written to the CRM. No other function decides that.
func (r *Review) Writable(l *Line) bool {
	return r.isApproved(l) && isFree(l.Write.State)
}

// isApproved is Writable for a value that may have been written already.
func (r *Review) isApproved(l *Line) bool {
	return l.State == Open && l.Decision == Approve && l.InCRM == "" && l.Found != "" && l.Record != "" && r.Targets[l.Target].Closed == ""
}

// Count counts what a review has.
type Count struct {
	Undecided int64 `json:"undecided"`
	Approved  int64 `json:"approved"`
	Rejected  int64 `json:"rejected"`
	Kept      int64 `json:"kept"`
	// NotWritten are those for which no column or no record is certain.
	NotWritten int64            `json:"not_written"`
	ByRule     map[string]int64 `json:"by_rule,omitempty"`
	Exported   int64            `json:"exported"`
	Written    int64            `json:"written,omitempty"` // to the CRM itself
}

// Count counts the lines of the review.
func (r *Review) Count() (c Count) {
	for i := range r.Lines {
		line := &r.Lines[i]
		switch {
		case line.State == Kept:
			c.Kept++
		case line.State != Open:
			c.NotWritten++
		case line.Decision == Approve:
			c.Approved++
		case line.Decision == Reject:
			c.Rejected++
		default:
			c.Undecided++
		}
		if line.Decision == Approve && line.DecidedBy != ByPerson {
			if c.ByRule == nil {
				c.ByRule = map[string]int64{}
			}
			c.ByRule[line.DecidedBy]++
		}
		if !line.Exported.IsZero() {
			c.Exported++
		}
		if line.Write.State == Written {
			c.Written++
		}
	}
	return c
}
