package calls

import (
	"errors"
	"fmt"

	"payonce/enrich"
	"payonce/service/v2/units"
	"payonce/service/v2/v2fields"
)

// Of returns the call that asks for the field of a lookup. A lookup for several fields, or about a
// subject that cannot be asked about in one call, gives a call that Check refuses. What is revealed
// counts for contacts alone.
func Of(lookup enrich.Lookup, reveal units.Reveal) Call {
	id := lookup.Identity
	if id.Subject() == enrich.Searches {
		return pageOf(lookup)
	}
	for f := range v2fields.AllFields.Each() {
		if lookup.Fields != enrich.FieldsOf(f) {
			continue
		}
		switch {
		case f == v2fields.Contact && id.Subject() == enrich.Persons:
			return contactOf(id, reveal)
		case f == v2fields.Company && id.Subject() == enrich.Companies:
			return companyOf(id.Company)
		case f != v2fields.Contact && id.Pattern() == enrich.ByID:
			return recordOf(f, id.Company.ID)
		}
		name := v2fields.Catalogue().Name(f)
		return refused(fmt.Errorf("a subject that is named by its %s cannot be asked for %s", id.Pattern(), name))
	}
	return refused(errors.New("a call asks for one field"))
}

// refused returns a call that cannot be sent.
func refused(problem error) Call { return Call{problem: problem} }

func contactOf(id enrich.Identity, reveal units.Reveal) Call {
	if id.Pattern() == enrich.ByProfile {
		return ContactByProfile(id.ProfileURL, reveal)
	}
	return Contact(PartialContact{
		FirstName: id.FirstName, LastName: id.LastName, Domain: id.CompanyDomain, CompanyName: id.CompanyName,
	}, reveal)
}

func companyOf(c enrich.Company) Call {
	switch (enrich.Identity{Company: c}).Pattern() {
	case enrich.ByID:
		return Company(c.ID)
	case enrich.ByWebsite:
		return CompanyByURL(c.Website)
	case enrich.ByCompanyProfile:
		return CompanyByProfile(c.ProfileURL)
	default:
		return CompanyByNumber(CompanyNumbers{
			CountryCode: c.Country, RegistrationNumber: c.RegistrationNumber, VATNumber: c.VATNumber, State: c.State,
		})
	}
}

func recordOf(f enrich.Field, id string) Call {
	switch f {
	case v2fields.Financials:
		return Financials(id, 0)
	case v2fields.Insights:
		return Insights(id)
	default:
		return Ownership(id)
	}
}
