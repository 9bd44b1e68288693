package v2

import (
	"bytes"
	"encoding/json"
	"errors"

	"payonce/enrich"
	"payonce/io/service"
)

// found is what an answer has.
type found struct {
	something bool   // a value, or a result
	contact   Reveal // the contact data that it has
	names     []enrich.Identity
}

// lacks reports whether contact data is missing that was to be revealed.
func (f found) lacks(reveal Reveal) bool {
	return reveal.Email && !f.contact.Email || reveal.Phone && !f.contact.Phone
}

// returned returns the fields that an answer with something has values of. Searches have none.
func (f found) returned(o Operation) enrich.Fields {
	field, isRecord := o.Field()
	if !isRecord {
		return 0
	}
	returned := enrich.FieldsOf(field)
	if f.contact.Email {
		returned = returned.With(FieldEmail)
	}
	if f.contact.Phone {
		returned = returned.With(FieldPhone)
	}
	return returned
}

// look reads the body of an answer for what it has. A body is not an answer when nothing of it can be read, as when an
// error about the request names members of a record, and when it has the members of an error.
func look(o Operation, body []byte) (found, error) {
	f, isRecord := o.Field()
	var seen found
	var problems enrich.CellProblems
	var err error
	if isRecord {
		seen, problems, err = lookAtRecord(f, body)
	} else {
		seen, problems, err = lookAtSearch(o, body)
	}
	switch {
	case err != nil:
		return found{}, err
	case problems.All:
		return found{}, errors.New("no member of it can be read")
	case (isRecord || !seen.something) && isError(body):
		return found{}, errors.New("it has the members of an error")
	}
	return seen, nil
}

// mostOfError is the most members that an error has besides those that name it: a status, a code or a path.
const mostOfError = 3

// isError reports whether a body is a short object with a member that errors have and records do not, such as
// {"data":null,"errors":[…]}.
func isError(body []byte) bool {
	ofErrors := []string{"error", "errors", "detail", "message", "messages", "title", "warnings"}
	names := map[string]bool{}
	_ = service.EachMember(body, func(name, _ []byte) bool { // a body that is not an object has no members
		names[string(name)] = true
		return len(names) <= len(ofErrors)+mostOfError
	})
	others := len(names)
	for _, name := range ofErrors {
		if names[name] {
			others--
		}
	}
	return others < len(names) && others <= mostOfError
}

// lookAtSearch reads the body of the answer to an operation that returns no record.
func lookAtSearch(o Operation, body []byte) (found, enrich.CellProblems, error) {
	switch o {
	case OpProspecting, OpOverview:
		return lookAtPage(decodeCompanies(body))
	case OpEmployees:
		return lookAtPage(decodeEmployees(body))
	case OpEnrichEmployeeSearch:
		return lookAtPage(decodePeople(body))
	case OpInsightsSearch, OpOwnershipSearch:
		return lookAtPage(decodeCandidates(body))
	case OpWatchStart:
		// The specification shows no body, so any JSON will do.
		if body = bytes.TrimSpace(body); len(body) > 0 && !json.Valid(body) {
			return found{}, enrich.CellProblems{}, errors.New("the body is not JSON")
		}
		return found{something: true}, enrich.CellProblems{}, nil
	}
	return found{}, enrich.CellProblems{}, errors.New("the operation is not a paid one")
}

func lookAtPage[T any](page Page[T], err error) (found, enrich.CellProblems, error) {
	return found{something: len(page.Items) > 0}, page.CellProblems, err
}

func lookAtRecord(f enrich.Field, body []byte) (found, enrich.CellProblems, error) {
	switch f {
	case FieldContact:
		var problems enrich.CellProblems
		e, err := decodeOutline(body, employeeRecord, &problems, employee)
		contact := Reveal{Email: e.EmailGiven, Phone: e.PhoneGiven}
		return found{something: e.ID.Value+e.FullName.Value != "" || contact != Reveal{}, contact: contact}, problems, err
	case FieldCompany:
		var problems enrich.CellProblems
		c, err := decodeOutline(body, companyRecord, &problems, company)
		return found{something: c.ID.Value+c.Name.Value != "", names: c.names()}, problems, err
	case FieldFinancials:
		years, problems, err := countYears(body)
		return found{something: years > 0}, problems, err
	case FieldInsights:
		i, err := decodeInsightsOutline(body)
		return found{something: anyKnown(i.Cells())}, i.CellProblems, err
	default:
		o, err := decodeOwnership(body)
		return found{something: !o.Empty()}, o.CellProblems, err
	}
}

// names returns the identities by which the company may be asked for. A number of the US is that of a state, which a
// record does not name.
func (c Company) names() []enrich.Identity {
	return enrich.Company{
		ID: c.ID.Value, Country: c.CountryCode.Value, RegistrationNumber: c.RegistrationNumber.Value, VATNumber: c.VATNumber.Value,
		Website: c.Website.Value, ProfileURL: c.ProNetwork.Value, Name: c.Name.Value,
	}.Names()
}

func anyKnown(cells []enrich.Cell) bool {
	for _, cell := range cells {
		if cell.Known {
			return true
		}
	}
	return false
}
