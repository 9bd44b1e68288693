package inspect

import (
	"encoding/json"
	"time"

	"payonce/checkpoint/persons"
	"payonce/enrich"
	v1 "payonce/service/v1"
	"payonce/service/v1/v1fields"
	v2answers "payonce/service/v2/answers"
	"payonce/service/v2/v2fields"
)

// answers reads the answers of each interface by its name, which is "" for that of the account 0, v1. Its
// methods may be called from many goroutines.
type answers struct {
	v1 v1.AnswerDecoder
	v2 v2answers.Decoder
}

func isV1(of string) bool { return of == "" || of == v1fields.Catalogue().Interface }

func isV2(of string) bool { return of == v2fields.Catalogue().Interface }

// facts returns what an answer says about who the person is. Those of an interface that is not known say
// nothing.
func (a *answers) facts(of string, answered enrich.Answered) (facts persons.Facts, err error) {
	switch {
	case isV1(of):
		facts.Name, facts.Email, facts.Phone, err = a.v1.Person(answered)
	case isV2(of):
		var values enrich.Values
		err = a.v2.Values(answered, &values)
		for n, detail := range v2fields.Catalogue().Details {
			if n >= len(values.Details) {
				break
			}
			switch value := values.Details[n]; detail.Name {
			case "contact_full_name":
				facts.Name = value
			case "contact_email":
				facts.Email = value
			case "contact_phone":
				facts.Phone = value
			}
		}
	}
	return facts, err
}

// export returns what an answer says about the person, and the profile that v1 returns on request.
func (a *answers) export(of string, answered enrich.Answered) (facts persons.Facts, profile string, err error) {
	if !isV1(of) {
		facts, err = a.facts(of, answered)
		return facts, "", err
	}
	found, err := a.v1.Decode(answered)
	return persons.Facts{Name: found.FullName, Email: found.WorkEmail, Phone: found.BusinessPhone}, found.Profile, err
}

// v2Answer is an answer of v2 as it is shown.
type v2Answer struct {
	Operation   string          `json:"operation"`
	RetrievedAt time.Time       `json:"retrieved_at,omitzero"`
	LeftOut     []string        `json:"left_out,omitempty"`
	Body        json.RawMessage `json:"body,omitempty"`
}

// show returns an answer as JSON shows it. Those of an interface that is not known are the bytes that the
// journal has.
func (a *answers) show(of string, answered enrich.Answered) (any, error) {
	switch {
	case isV1(of):
		return a.v1.Decode(answered)
	case isV2(of):
		found, err := v2answers.Decode(answered)
		return v2Answer{found.Operation.String(), found.RetrievedAt, found.LeftOut, found.Body}, err
	}
	return answered.Data, nil
}
