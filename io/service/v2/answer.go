// This file writes the answers of the v2 interface as the journal keeps them, and reads them
// back as typed values.
//
// The journal keeps the record as the service sent it, as compact JSON. So members that this
// program does not know are kept, too, and what a later version reads differently is still there.
// Reading an answer gives the same values each time.

package v2

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"payonce/enrich"
	"payonce/io/numbered"
)

// Answer is an answered call as the journal keeps it.
type Answer struct {
	Operation Operation
	// Body is the answer as compact JSON. It is empty when nothing was found.
	Body []byte
	// LeftOut are members of the answer that were too long to be kept, the first of them by
	// their names.
	LeftOut     []string
	RetrievedAt time.Time
	// About is the company that a search was to find.
	About enrich.Company
}

// stored is an answer with the members of its form in the journal.
type stored struct {
	operation string
	plain     []byte
	deflated  []byte
	leftOut   []string
	at        time.Time
	about     enrich.Company
}

// The numbers never change their meaning.
func (s *stored) members(m *numbered.Members) {
	numbered.Text(m, 1, &s.operation)
	numbered.Part(m, 2, &s.plain)
	numbered.Part(m, 3, &s.deflated)
	numbered.Texts(m, 4, &s.leftOut)
	numbered.Time(m, 5, &s.at)
	numbered.Value(m, 6, &s.about, aboutMembers)
}

func aboutMembers(m *numbered.Members, c *enrich.Company) {
	numbered.Text(m, 1, &c.Name)
	numbered.Text(m, 2, &c.Country)
	numbered.Text(m, 3, &c.State)
	numbered.Text(m, 4, &c.RegistrationNumber)
	numbered.Text(m, 5, &c.VATNumber)
}

func membersOf(m *numbered.Members, s *stored) { s.members(m) }

// ReadAnswer returns the answer that the body of a successful response is, with what the call used up. The
// answer to a search that was to find one company says which. An error says that the body is not an answer to
// the operation.
func ReadAnswer(
	o Operation, body []byte, at time.Time, reveal Reveal, modules Modules, about enrich.Company,
) (enrich.Answered, error) {
	found, err := look(o, body)
	if err != nil {
		return enrich.Answered{}, err
	}
	answered := encode(o, body, at, about)
	answered.Status = enrich.NotFound
	if found.something {
		answered.Status, answered.Returned, answered.Names = enrich.Matched, found.returned(o), found.names
	}
	if o == OpOverview && about != (enrich.Company{}) && chosenOf(answered, about) {
		answered.Returned = enrich.FieldsOf(FieldMatch)
	}
	if f, isSearch := o.SearchField(); isSearch && about == (enrich.Company{}) { // the page is what was asked for, also when it is empty
		answered.Returned = enrich.FieldsOf(f)
	}
	if f, isRecord := o.Field(); isRecord && f == FieldContact && found.something && found.lacks(reveal) {
		answered.Status = enrich.Partial
	}
	answered.Consumed = Consumed(modules.Charge(o, found.contact))
	return answered, nil
}

// chosenOf reports whether a search found the company that it was about, and no other that may be meant.
func chosenOf(answered enrich.Answered, about enrich.Company) bool {
	found, err := readIn(answered, Answer.Found)
	if err != nil || len(found.Candidates) == 0 {
		return false
	}
	_, ambiguous := ChooseCompany(about, found)
	return ambiguous == ""
}

// NothingFound is the answer to a call about something that the service does not know. It used
// nothing.
func NothingFound(o Operation, at time.Time) enrich.Answered {
	answered := encode(o, nil, at, enrich.Company{})
	answered.Status, answered.Consumed = enrich.NotFound, Consumed(consumedNothing())
	return answered
}

// encode returns the answer in the form of the journal.
func encode(o Operation, body []byte, at time.Time, about enrich.Company) enrich.Answered {
	s := stored{operation: o.String(), at: at, about: about}
	s.keep(compact(body), journalBounds())
	const others = 256 // about the bytes of the other members
	room := make([]byte, 0, len(s.plain)+len(s.deflated)+others)
	return enrich.Answered{Data: string(numbered.Append(room, &s, membersOf))}
}

// DecodeAnswer returns the answer that Read encoded. Of an answer that was erased nothing is left.
func DecodeAnswer(answered enrich.Answered) (Answer, error) {
	m := readers.Get().(*numbered.Members)
	defer readers.Put(m)
	a, err := answerIn(m, answered)
	m.Keep() // the body is a part of it
	return a, err
}

// readIn is Read for values that have no parts of the body: the next answer takes the memory of the body.
func readIn[T any](answered enrich.Answered, read func(Answer) (T, error)) (value T, err error) {
	m := readers.Get().(*numbered.Members)
	defer readers.Put(m)
	a, err := answerIn(m, answered)
	if err != nil {
		return value, err
	}
	return read(a)
}

// answerIn is DecodeAnswer. The body is valid until m is used again.
func answerIn(m *numbered.Members, answered enrich.Answered) (Answer, error) {
	var s stored
	if err := numbered.Read(m, answered.Data, &s, membersOf); err != nil {
		return Answer{}, fmt.Errorf("an answer in the journal: %w", err)
	}
	a := Answer{Body: s.plain, LeftOut: s.leftOut, RetrievedAt: s.at, About: s.about}
	if answered.Data == "" {
		return a, nil
	}
	var known bool
	if a.Operation, known = OperationNamed(s.operation); !known {
		return Answer{}, fmt.Errorf("an answer in the journal: %w: its operation is unknown", numbered.ErrDamaged)
	}
	if len(s.deflated) > 0 {
		body, err := inflate(s.deflated)
		if err != nil {
			return Answer{}, fmt.Errorf("an answer in the journal: %w: %w", numbered.ErrDamaged, err)
		}
		a.Body = body
	}
	return a, nil
}

// readers are Members that nobody uses. A new one takes about as much memory as an answer.
var readers = sync.Pool{New: func() any { return &numbered.Members{} }}

// compact returns JSON without insignificant white space. It may return a part of body.
func compact(body []byte) []byte {
	if body = bytes.TrimSpace(body); isCompact(body) {
		return body
	}
	var b bytes.Buffer
	if json.Compact(&b, body) != nil {
		return nil
	}
	return b.Bytes()
}

// isCompact reports whether JSON has no insignificant white space, as most services send it.
func isCompact(body []byte) bool {
	inText := false
	for i := 0; i < len(body); i++ {
		switch body[i] {
		case '"':
			inText = !inText
		case '\\':
			i++ // what it escapes does not end the text
		case ' ', '\t', '\n', '\r':
			if !inText {
				return false
			}
		}
	}
	return true
}
