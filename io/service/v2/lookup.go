package v2

import (
	"errors"
	"fmt"

	"payonce/cost"
	"payonce/enrich"
)

// CallOf returns the call that asks for the fields of a lookup. It is one call for a contact with or without email
// and phone, which reveals only those that are asked for, and for one field of a company. A lookup that is not
// one call gives a call that Check refuses.
func CallOf(lookup enrich.Lookup) Call {
	id := lookup.Identity
	switch pattern := id.Pattern(); {
	case id.Subject() == enrich.Searches:
		return pageOf(lookup)
	case lookup.Fields == 0 || lookup.Fields.Without(AllFields) != 0:
		return refused(errors.New("a call asks for a field"))
	case !Patterns(lookup.Fields).Has(pattern):
		names := Catalogue().Names(lookup.Fields)
		return refused(fmt.Errorf("a subject that is named by its %s cannot be asked for %s", pattern, names))
	case lookup.Fields&Whole()[pattern] != Whole()[pattern]:
		names := Catalogue().Names(Whole()[pattern])
		return refused(fmt.Errorf("a subject that is named by its %s is asked for %s together", pattern, names))
	case id.Subject() == enrich.Persons:
		return contactOf(id, revealOf(lookup.Fields))
	}
	for f := range lookup.Fields.Each() {
		if lookup.Fields == enrich.FieldsOf(f) {
			return fieldOf(f, id)
		}
	}
	return refused(errors.New("a call asks for one field of a company"))
}

// Tariff returns what the interface charges for, with the operations that lookups call.
func Tariff(modules Modules) cost.Tariff {
	t := modules.Tariff()
	t.Operation = func(lookup enrich.Lookup) string { return CallOf(lookup).Operation.String() }
	return t
}

// refused returns a call that cannot be sent.
func refused(problem error) Call { return Call{problem: problem} }

// contactOf returns the call about a contact. The operation for emails cannot be told to leave the email out, so
// it is for lookups of one. A lookup of neither asks the operation that takes everything that names a person.
func contactOf(id enrich.Identity, reveal Reveal) Call {
	switch {
	case id.Pattern() == enrich.ByContactID:
		return EmployeeCall(id.ContactID)
	case id.Pattern() == enrich.ByProfile && reveal == Reveal{}:
		return ContactCall(PartialContact{ProNetwork: id.ProfileURL}, reveal)
	case id.Pattern() == enrich.ByProfile:
		return ContactByProfileCall(id.ProfileURL, reveal)
	case id.Pattern() == enrich.ByEmail && reveal.Email:
		return ContactByEmailCall(id.Email, reveal.Phone)
	}
	return ContactCall(PartialContact{
		FirstName: id.FirstName, LastName: id.LastName, Domain: id.CompanyDomain, CompanyName: id.CompanyName,
		Email: id.Email,
	}, reveal)
}

// fieldOf returns the call for one field of a company that can be asked for by the pattern of its identity.
func fieldOf(f enrich.Field, id enrich.Identity) Call {
	c := id.Company
	switch {
	case f == FieldCompany:
		return companyOf(c)
	case f == FieldMatch:
		return about(c, OverviewCall(CompanySearch{
			CountryCode: c.Country, State: c.State, Name: c.Name, Paging: Paging{PerPage: overviewMost},
		}))
	case id.Pattern() == enrich.ByID:
		return recordOf(f, c.ID)
	}
	named := NamedCompany{Name: c.Name, RegistrationNumber: c.RegistrationNumber}
	if f == FieldInsights {
		return about(c, InsightsSearchCall(named))
	}
	return about(c, OwnershipSearchCall(named))
}

// about returns a search with the company that it is about.
func about(c enrich.Company, call Call) Call {
	call.About = c
	return call
}

func companyOf(c enrich.Company) Call {
	switch (enrich.Identity{Company: c}).Pattern() {
	case enrich.ByID:
		return CompanyCall(c.ID)
	case enrich.ByWebsite:
		return CompanyByURLCall(c.Website)
	case enrich.ByCompanyProfile:
		return CompanyByProfileCall(c.ProfileURL)
	case enrich.ByCompanyName:
		return AutocompleteCall(PartialCompany{CountryCode: c.Country, Name: c.Name})
	default:
		return CompanyByNumberCall(CompanyNumbers{
			CountryCode: c.Country, RegistrationNumber: c.RegistrationNumber, VATNumber: c.VATNumber, State: c.State,
		})
	}
}

func recordOf(f enrich.Field, id string) Call {
	switch f {
	case FieldFinancials:
		return FinancialsCall(id, 0)
	case FieldInsights:
		return InsightsCall(id)
	default:
		return OwnershipCall(id)
	}
}
