package v1

import (
	"fmt"
	"sync"

	"payonce/enrich"
	"payonce/numbered"
)

// EncodeAnswer returns an answer as the journal keeps it.
func EncodeAnswer(answer enrich.Answer) enrich.Answered {
	return enrich.Answered{
		Status: answer.Status, Returned: answer.Returned(), RequestID: answer.RequestID,
		Data: string(numbered.Append(nil, &answer, answerMembers)),
	}
}

// DecodeAnswer returns the answer that EncodeAnswer encoded. Of an answer that was erased there is
// only what the journal still knows.
func DecodeAnswer(answered enrich.Answered) (enrich.Answer, error) {
	return decodeAnswer(&numbered.Members{}, answered)
}

// AnswerDecoder is DecodeAnswer for many answers: it uses memory again. Its methods may be called
// from many goroutines.
type AnswerDecoder struct {
	members sync.Pool // of *numbered.Members
}

// Decode does what DecodeAnswer does.
func (d *AnswerDecoder) Decode(answered enrich.Answered) (enrich.Answer, error) {
	m, ok := d.members.Get().(*numbered.Members)
	if !ok {
		m = &numbered.Members{}
	}
	defer d.members.Put(m)
	return decodeAnswer(m, answered)
}

func decodeAnswer(m *numbered.Members, answered enrich.Answered) (answer enrich.Answer, err error) {
	if err := numbered.Read(m, answered.Data, &answer, answerMembers); err != nil {
		return answer, fmt.Errorf("an answer in the journal: %w", err)
	}
	answer.Status, answer.RequestID = answered.Status, answered.RequestID
	return answer, nil
}

// answerMembers describes what the journal does not know of an answer: all but the status and
// the request ID. The numbers never change their meaning.
func answerMembers(m *numbered.Members, a *enrich.Answer) {
	numbered.Text(m, 1, &a.Operation)
	personMembers(m, a)
	numbered.Text(m, 5, &a.PhoneType)
	numbered.Texts(m, 6, &a.Unresolved)
	numbered.Time(m, 7, &a.RetrievedAt)
	numbered.Text(m, 8, &a.Provenance)
	numbered.Text(m, 9, &a.Profile)
}

// PersonOf returns what an answer says about who the person is.
func PersonOf(answered enrich.Answered) (name, email, phone string, err error) {
	var m numbered.Members
	var answer enrich.Answer
	if err := numbered.Read(&m, answered.Data, &answer, personMembers); err != nil {
		return "", "", "", fmt.Errorf("an answer in the journal: %w", err)
	}
	return answer.FullName, answer.WorkEmail, answer.BusinessPhone, nil
}

func personMembers(m *numbered.Members, a *enrich.Answer) {
	numbered.Text(m, 2, &a.FullName)
	numbered.Text(m, 3, &a.WorkEmail)
	numbered.Text(m, 4, &a.BusinessPhone)
}
