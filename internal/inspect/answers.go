package inspect

import (
	"cmp"
	"encoding/json"
	"strings"
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
		if facts.Listed, err = listed(answered); err != nil || len(facts.Listed) > 0 {
			return facts, err
		}
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

// listed returns the persons that a page of a search for some has; none of another answer.
func listed(answered enrich.Answered) (all []persons.Listed, err error) {
	found, err := v2answers.Decode(answered)
	switch {
	case err != nil:
		return nil, err
	case found.Operation == v2fields.Employees && len(found.Body) > 0:
		page, err := v2answers.Employees(answered)
		for _, e := range page.Items {
			all = append(all, persons.Listed{Name: e.Name.Value, CompanyName: e.CompanyName.Value})
		}
		return all, err
	case found.Operation == v2fields.EnrichEmployeeSearch && len(found.Body) > 0:
		page, err := v2answers.People(answered)
		for _, p := range page.Items {
			name := cmp.Or(p.Name.Value, strings.TrimSpace(p.FirstName.Value+" "+p.LastName.Value))
			all = append(all, persons.Listed{
				Name: name, ProfileURL: p.ProNetwork.Value, CompanyName: p.Company.Name.Value, CompanyDomain: p.Company.Website.Value,
			})
		}
		return all, err
	}
	return nil, nil
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
