package v1

import (
	"fmt"
	"sync"
	"time"

	"payonce/enrich"
	"payonce/io/numbered"
	"payonce/io/service"
)

// Answer is what the service returned for a lookup. A value that was not
// returned is the empty string.
type Answer struct {
	Status        enrich.Status `json:"status"`
	Operation     string        `json:"operation,omitempty"`
	RequestID     string        `json:"request_id,omitempty"`
	FullName      string        `json:"full_name,omitempty"`
	WorkEmail     string        `json:"work_email,omitempty"`
	BusinessPhone string        `json:"business_phone,omitempty"`
	PhoneType     string        `json:"phone_type,omitempty"`
	Unresolved    []string      `json:"unresolved,omitempty"`
	RetrievedAt   time.Time     `json:"retrieved_at,omitzero"`
	Provenance    string        `json:"provenance,omitempty"`
	// Profile is the profile as one JSON object without insignificant white space.
	Profile string `json:"profile,omitempty"`
}

// Value returns the answer's value of a field, "" when it was not returned.
func (a Answer) Value(f enrich.Field) string {
	switch f {
	case WorkEmail:
		return a.WorkEmail
	case BusinessPhone:
		return a.BusinessPhone
	}
	return ""
}

// Returned returns the fields of the answer that hold a value.
func (a Answer) Returned() enrich.Fields {
	var fields enrich.Fields
	for f := range AllFields.Each() {
		if a.Value(f) != "" {
			fields = fields.With(f)
		}
	}
	return fields
}

// EncodeAnswer returns an answer as the journal keeps it.
func EncodeAnswer(answer Answer) enrich.Answered {
	return enrich.Answered{
		Status: answer.Status, Returned: answer.Returned(), RequestID: answer.RequestID,
		Data: string(numbered.Append(nil, &answer, answerMembers)),
	}
}

// DecodeAnswer returns the answer that EncodeAnswer encoded. Of an answer that was erased there is
// only what the journal still knows.
func DecodeAnswer(answered enrich.Answered) (Answer, error) {
	return decodeAnswer(&numbered.Members{}, answered)
}

// AnswerDecoder is DecodeAnswer for many answers: it uses memory again. Its methods may be called
// from many goroutines.
type AnswerDecoder struct {
	unused sync.Pool // of *decoding
}

// decoding is the memory that decoding an answer takes.
type decoding struct {
	members numbered.Members
	answer  Answer
}

// Decode does what DecodeAnswer does.
func (d *AnswerDecoder) Decode(answered enrich.Answered) (Answer, error) {
	taken := d.take()
	defer d.unused.Put(taken)
	return decodeAnswer(&taken.members, answered)
}

// Person returns what an answer says about who the person is.
func (d *AnswerDecoder) Person(answered enrich.Answered) (name, email, phone string, err error) {
	taken := d.take()
	defer d.unused.Put(taken)
	return taken.person(answered)
}

func (d *AnswerDecoder) take() *decoding {
	if unused, ok := d.unused.Get().(*decoding); ok {
		return unused
	}
	return &decoding{}
}

// Values reads the values of an answer, with the details of Catalogue.
func (d *AnswerDecoder) Values(answered enrich.Answered, values *enrich.Values) error {
	a, err := d.Decode(answered)
	*values = enrich.Values{
		Status: a.Status, Details: append(values.Details[:0], a.FullName, a.PhoneType, a.Profile),
		RetrievedAt: a.RetrievedAt, Provenance: a.Provenance,
	}
	values.Fields[WorkEmail], values.Fields[BusinessPhone] = a.WorkEmail, a.BusinessPhone
	return err
}

func decodeAnswer(m *numbered.Members, answered enrich.Answered) (answer Answer, err error) {
	if err := numbered.Read(m, answered.Data, &answer, answerMembers); err != nil {
		return answer, fmt.Errorf("an answer in the journal: %w", err)
	}
	answer.Status, answer.RequestID = answered.Status, answered.RequestID
	return answer, nil
}

// answerMembers describes what the journal does not know of an answer: all but the status and
// the request ID. The numbers never change their meaning.
func answerMembers(m *numbered.Members, a *Answer) {
	numbered.Text(m, 1, &a.Operation)
	personMembers(m, a)
	numbered.Text(m, 5, &a.PhoneType)
	numbered.Texts(m, 6, &a.Unresolved)
	numbered.Time(m, 7, &a.RetrievedAt)
	numbered.Text(m, 8, &a.Provenance)
	profileMembers(m, a)
}

// HasProfile reports whether an answer has a profile.
func (d *AnswerDecoder) HasProfile(answered enrich.Answered) (bool, error) {
	profile, err := d.profile(answered)
	return profile != "", err
}

// Parts returns the parts of the profile in an answer that may be about others than the person.
func (d *AnswerDecoder) Parts(answered enrich.Answered) ([]service.Part, error) {
	profile, err := d.profile(answered)
	if err != nil || profile == "" {
		return nil, err
	}
	return service.Parts([]byte(profile), profileForm()), nil
}

func (d *AnswerDecoder) profile(answered enrich.Answered) (string, error) {
	taken := d.take()
	defer d.unused.Put(taken)
	if err := numbered.Read(&taken.members, answered.Data, &taken.answer, profileMembers); err != nil {
		return "", fmt.Errorf("an answer in the journal: %w", err)
	}
	return taken.answer.Profile, nil
}

// WithoutParts returns the bytes of an answer without some parts of its profile, by their places in the list of Parts.
func WithoutParts(answered enrich.Answered, drop map[int]bool) (string, error) {
	answer, err := DecodeAnswer(answered)
	if err != nil {
		return "", err
	}
	answer.Profile = string(service.WithoutParts([]byte(answer.Profile), profileForm(), drop))
	data, err := numbered.AppendOver(nil, answered.Data, &answer, answerMembers)
	return string(data), err
}

func profileForm() service.Form { return service.Form{Own: true} }

func profileMembers(m *numbered.Members, a *Answer) { numbered.Text(m, 9, &a.Profile) }

func (d *decoding) person(answered enrich.Answered) (name, email, phone string, err error) {
	a := &d.answer
	if err := numbered.Read(&d.members, answered.Data, a, personMembers); err != nil { // sets the three, or fails
		return "", "", "", fmt.Errorf("an answer in the journal: %w", err)
	}
	return a.FullName, a.WorkEmail, a.BusinessPhone, nil
}

func personMembers(m *numbered.Members, a *Answer) {
	numbered.Text(m, 2, &a.FullName)
	numbered.Text(m, 3, &a.WorkEmail)
	numbered.Text(m, 4, &a.BusinessPhone)
}
