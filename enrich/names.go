package enrich

// IsExact reports whether an identity names one subject only: a company by the service's id, or by a number with its
// country. A website may be that of a group, and several companies may have a name. Persons have no such identity here.
func (id Identity) IsExact() bool {
	if id.Subject() != Companies {
		return false
	}
	pattern := id.Pattern()
	return pattern == ByID || pattern == ByRegistration
}

// Order is the place of an identity among those by which companies are asked for, from the one that says most: 0 for the
// id, then the registration number, the VAT number, the website, the profile and the name. All identities of persons
// have the same one. An answer about one identity of a company may show that another one needs no call, so calls with
// different orders are not in flight together.
func (id Identity) Order() int {
	switch id.Pattern() {
	case ByRegistration:
		if id.Company.RegistrationNumber != "" {
			return 1
		}
		return 2
	case ByWebsite:
		return 3
	case ByCompanyProfile:
		return 4
	case ByCompanyName:
		return 5
	default:
		return 0
	}
}

// NumOrders is the number of orders.
const NumOrders = 6

// Names returns the identities that a company has by its values, in their order. A VAT number is one besides the
// registration number, and a name is one with a country alone.
func (c Company) Names() (all []Identity) {
	vat := c
	vat.RegistrationNumber, c.VATNumber = "", ""
	for _, by := range []struct {
		pattern Pattern
		of      Company
	}{
		{ByID, c}, {ByRegistration, c}, {ByRegistration, vat}, {ByWebsite, c}, {ByCompanyProfile, c}, {ByCompanyName, c},
	} {
		company, reason := by.of.by(by.pattern)
		if reason == "" && company.len() <= maxIdentity && !(by.pattern == ByCompanyName && company.Country == "") {
			all = append(all, Identity{Company: company})
		}
	}
	return all
}
