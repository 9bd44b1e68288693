package answers

import (
	"bytes"
	"encoding/json"
	"errors"

	"payonce/enrich"
	"payonce/enrich/tabular"
	"payonce/service/jsonobject"
	"payonce/service/v2/records"
	"payonce/service/v2/units"
	"payonce/service/v2/v2fields"
)

// found is what an answer has.
type found struct {
	something bool         // a value, or a result
	contact   units.Reveal // the contact data that it has
}

// lacks reports whether contact data is missing that was to be revealed.
func (f found) lacks(reveal units.Reveal) bool {
	return reveal.Email && !f.contact.Email || reveal.Phone && !f.contact.Phone
}

// returned returns the fields that an answer with something has values of. Searches have none.
func (f found) returned(o v2fields.Operation) enrich.Fields {
	field, isRecord := o.Field()
	if !isRecord {
		return 0
	}
	returned := enrich.FieldsOf(field)
	if f.contact.Email {
		returned = returned.With(v2fields.Email)
	}
	if f.contact.Phone {
		returned = returned.With(v2fields.Phone)
	}
	return returned
}

// look reads the body of an answer for what it has. A body is not an answer when nothing of it can be read, as when an
// error about the request names members of a record, and when it has the members of an error.
func look(o v2fields.Operation, body []byte) (found, error) {
	f, isRecord := o.Field()
	var seen found
	var problems tabular.Problems
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
		return found{}, errors.New("nothing of it can be read")
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
	object, _ := jsonobject.Parse(body)
	others := len(object)
	for _, name := range []string{"error", "errors", "detail", "message", "messages", "title", "warnings"} {
		if _, there := object[name]; there {
			others--
		}
	}
	return others < len(object) && others <= mostOfError
}

// lookAtSearch reads the body of the answer to an operation that returns no record.
func lookAtSearch(o v2fields.Operation, body []byte) (found, tabular.Problems, error) {
	switch o {
	case v2fields.Prospecting, v2fields.Overview:
		return lookAtPage(records.DecodeCompanies(body))
	case v2fields.Employees:
		return lookAtPage(records.DecodeEmployees(body))
	case v2fields.EnrichEmployeeSearch:
		return lookAtPage(records.DecodePeople(body))
	case v2fields.InsightsSearch, v2fields.OwnershipSearch:
		return lookAtPage(records.DecodeCandidates(body))
	case v2fields.WatchStart:
		// The specification shows no body, so any JSON will do.
		if body = bytes.TrimSpace(body); len(body) > 0 && !json.Valid(body) {
			return found{}, tabular.Problems{}, errors.New("the body is not JSON")
		}
		return found{something: true}, tabular.Problems{}, nil
	}
	return found{}, tabular.Problems{}, errors.New("the operation is not a paid one")
}

func lookAtPage[T any](page records.Page[T], err error) (found, tabular.Problems, error) {
	return found{something: len(page.Items) > 0}, page.Problems, err
}

func lookAtRecord(f enrich.Field, body []byte) (found, tabular.Problems, error) {
	switch f {
	case v2fields.Contact:
		e, err := records.DecodeEmployee(body)
		contact := units.Reveal{Email: e.EmailGiven, Phone: e.PhoneGiven}
		return found{e.ID.Value+e.FullName.Value != "" || contact != units.Reveal{}, contact}, e.Problems, err
	case v2fields.Company:
		c, err := records.DecodeCompany(body)
		return found{something: c.ID.Value+c.Name.Value != ""}, c.Problems, err
	case v2fields.Financials:
		years, err := records.DecodeFinancials(body)
		return found{something: len(years.Years) > 0}, years.Problems, err
	case v2fields.Insights:
		i, err := records.DecodeInsights(body)
		return found{something: anyKnown(i.Cells())}, i.Problems, err
	default:
		o, err := records.DecodeOwnership(body)
		return found{something: !o.Empty()}, o.Problems, err
	}
}

func anyKnown(cells []tabular.Cell) bool {
	for _, cell := range cells {
		if cell.Known {
			return true
		}
	}
	return false
}
