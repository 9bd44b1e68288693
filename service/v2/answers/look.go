package answers

import (
	"bytes"
	"encoding/json"
	"errors"

	"payonce/enrich"
	"payonce/enrich/tabular"
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

// look reads the body of an answer for what it has.
func look(o v2fields.Operation, body []byte) (found, error) {
	if f, isRecord := o.Field(); isRecord {
		return lookAtRecord(f, body)
	}
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
			return found{}, errors.New("the body is not JSON")
		}
		return found{something: true}, nil
	}
	return found{}, errors.New("the operation is not a paid one")
}

func lookAtPage[T any](page records.Page[T], err error) (found, error) {
	return found{something: len(page.Items) > 0}, err
}

func lookAtRecord(f enrich.Field, body []byte) (found, error) {
	switch f {
	case v2fields.Contact:
		e, err := records.DecodeEmployee(body)
		contact := units.Reveal{Email: e.EmailGiven, Phone: e.PhoneGiven}
		return found{e.ID.Value+e.FullName.Value != "" || contact != units.Reveal{}, contact}, err
	case v2fields.Company:
		c, err := records.DecodeCompany(body)
		return found{something: c.ID.Value+c.Name.Value != ""}, err
	case v2fields.Financials:
		years, err := records.DecodeFinancials(body)
		return found{something: len(years.Years) > 0}, err
	case v2fields.Insights:
		i, err := records.DecodeInsights(body)
		return found{something: anyKnown(i.Cells())}, err
	default:
		o, err := records.DecodeOwnership(body)
		return found{something: !o.Empty()}, err
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
