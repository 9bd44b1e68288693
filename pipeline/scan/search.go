package scan

import "payonce/enrich"

// SearchScope says which companies a step searches for. Searches return candidates, of which several may be meant, so
// companies that are named exactly are left to other steps: those that have a value of one of the patterns in
// LeftOut, or a VAT number and no registration number. The zero value is no search.
type SearchScope struct {
	Patterns enrich.Patterns // by which it searches
	LeftOut  enrich.Patterns
}

// exists reports whether there is a search.
func (s SearchScope) exists() bool { return s.Patterns != 0 }

// leaves reports whether a company is left to other steps.
func (s SearchScope) leaves(company enrich.Company) bool {
	if s.LeftOut != 0 && isNamed(company.Only(s.LeftOut)) {
		return true
	}
	if company.VATNumber == "" {
		return false // to read the numbers takes much longer
	}
	number := enrich.Company{
		Country: company.Country, State: company.State, RegistrationNumber: company.RegistrationNumber,
	}
	vat := enrich.Company{Country: company.Country, State: company.State, VATNumber: company.VATNumber}
	return !isNamed(number) && isNamed(vat)
}

// isFor reports whether the step searches for a company.
func (s SearchScope) isFor(company enrich.Company) bool {
	return !s.leaves(company) && isNamed(s.sought(company))
}

// sought returns the parts of a company by which the step can search for it.
func (s SearchScope) sought(company enrich.Company) enrich.Company {
	company = company.Only(s.Patterns)
	company.VATNumber = ""
	return company
}

// identify returns the identity by which the step searches for a company. A name without a country has none, because
// no result could be accepted.
func (s SearchScope) identify(company enrich.Company, prefer enrich.Pattern) (enrich.Identity, enrich.Unidentifiable) {
	id, reason := s.sought(company).Identify(prefer)
	if reason == "" && id.Pattern() == enrich.ByCompanyName && id.Company.Country == "" {
		return enrich.Identity{}, enrich.NoCountryOfName
	}
	return id, reason
}

// isNamed reports whether a company has a whole pattern.
func isNamed(company enrich.Company) bool {
	_, reason := company.Identify(enrich.ByID)
	return reason == ""
}
