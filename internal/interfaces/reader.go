package interfaces

import (
	"cmp"
	"encoding/json"
	"strings"
	"time"

	"payonce/checkpoint/persons"
	"payonce/enrich"
	v1 "payonce/service/v1"
	"payonce/service/v2/answers"
	"payonce/service/v2/units"
	"payonce/service/v2/v2fields"
)

// Reader reads the answers of one interface when a journal is shown, exported or erased. Its methods may be called from
// many goroutines.
type Reader interface {
	// Facts returns what an answer says about who the person is.
	Facts(answered enrich.Answered) (persons.Facts, error)
	// Export returns the same, and the profile that the interface returns on request; "" for none.
	Export(answered enrich.Answered) (facts persons.Facts, profile string, err error)
	// Show returns an answer as JSON shows it.
	Show(answered enrich.Answered) (any, error)
}

// Readers returns a reader for each interface by its name, which is "" for that of the account 0.
func Readers() map[string]Reader {
	first := V1()
	readers := map[string]Reader{"": first.NewReader()}
	for _, i := range []Interface{first, V2(units.Modules{})} {
		readers[i.Catalogue.Interface] = i.NewReader()
	}
	return readers
}

// v1Reader reads the answers of v1.
type v1Reader struct{ v1.AnswerDecoder }

// Facts implements Reader.
func (r *v1Reader) Facts(answered enrich.Answered) (facts persons.Facts, err error) {
	facts.Name, facts.Email, facts.Phone, err = r.Person(answered)
	return facts, err
}

// Export implements Reader.
func (r *v1Reader) Export(answered enrich.Answered) (facts persons.Facts, profile string, err error) {
	found, err := r.Decode(answered)
	return persons.Facts{Name: found.FullName, Email: found.WorkEmail, Phone: found.BusinessPhone}, found.Profile, err
}

// Show implements Reader.
func (r *v1Reader) Show(answered enrich.Answered) (any, error) { return r.Decode(answered) }

// v2Reader reads the answers of v2.
type v2Reader struct{ answers.Decoder }

// Facts implements Reader.
func (r v2Reader) Facts(answered enrich.Answered) (facts persons.Facts, err error) {
	if facts.Listed, err = listed(answered); err != nil || len(facts.Listed) > 0 {
		return facts, err
	}
	var values enrich.Values
	err = r.Values(answered, &values)
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
	return facts, err
}

// listed returns the persons on a page of results; none for an answer that is not one.
func listed(answered enrich.Answered) (all []persons.Listed, err error) {
	found, err := answers.Decode(answered)
	switch {
	case err != nil:
		return nil, err
	case found.Operation == v2fields.Employees && len(found.Body) > 0:
		page, err := answers.Employees(answered)
		for _, e := range page.Items {
			all = append(all, persons.Listed{Name: e.Name.Value, CompanyName: e.CompanyName.Value})
		}
		return all, err
	case found.Operation == v2fields.EnrichEmployeeSearch && len(found.Body) > 0:
		page, err := answers.People(answered)
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

// Export implements Reader.
func (r v2Reader) Export(answered enrich.Answered) (facts persons.Facts, profile string, err error) {
	facts, err = r.Facts(answered)
	return facts, "", err
}

// v2Answer is an answer of v2 as it is shown.
type v2Answer struct {
	Operation   string          `json:"operation"`
	RetrievedAt time.Time       `json:"retrieved_at,omitzero"`
	LeftOut     []string        `json:"left_out,omitempty"`
	Body        json.RawMessage `json:"body,omitempty"`
}

// Show implements Reader.
func (v2Reader) Show(answered enrich.Answered) (any, error) {
	found, err := answers.Decode(answered)
	return v2Answer{found.Operation.String(), found.RetrievedAt, found.LeftOut, found.Body}, err
}
