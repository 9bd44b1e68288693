package v2

import (
	"fmt"

	"payonce/enrich"
	"payonce/io/numbered"
	"payonce/io/service"
)

// Parts returns the parts of an answer that may be about persons: shareholders, results of searches, contacts of a
// website, emails of companies, and everything else that is an object with a name or a text, also in members that the
// specification does not show. Of the record of a contact they are those that may be about somebody else.
func Parts(answered enrich.Answered) ([]service.Part, error) {
	a, err := DecodeAnswer(answered)
	if err != nil || len(a.Body) == 0 {
		return nil, err
	}
	return service.Parts(a.Body, answerForm(a.Operation)), nil
}

// answerForm says how the members of an answer are read.
func answerForm(o Operation) (form service.Form) {
	switch f, isRecord := o.Field(); {
	case isRecord && f == FieldContact:
		form.Own = true
	case isRecord && f == FieldInsights:
		form.Together = "contact_"
	}
	return form
}

// WithoutParts returns the bytes of an answer without some of the parts, by their places in the list of Parts. The rest
// of the answer stays, also what this program does not know of it.
func WithoutParts(answered enrich.Answered, drop map[int]bool) (string, error) {
	a, err := DecodeAnswer(answered)
	if err != nil {
		return "", err
	}
	var s stored
	if err := numbered.Read(&numbered.Members{}, answered.Data, &s, membersOf); err != nil {
		return "", err
	}
	leftOut := s.leftOut
	s.plain, s.deflated, s.leftOut = nil, nil, nil
	s.keep(service.WithoutParts(a.Body, answerForm(a.Operation), drop), journalBounds())
	s.leftOut = append(leftOut, s.leftOut...)
	data, err := numbered.AppendOver(nil, answered.Data, &s, membersOf)
	if err != nil {
		return "", fmt.Errorf("an answer in the journal: %w", err)
	}
	return string(data), nil
}
