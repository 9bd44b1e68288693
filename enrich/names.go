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

// The orders of identities of companies. The id, which is the first, has that of persons, too.
const (
	orderID = iota
	orderRegistration
	orderVAT
	orderWebsite
	orderProfile
	orderName
	NumOrders
)

// Order is the place of an identity among those by which companies are asked for, from the one that says most: the id,
// the registration number, the VAT number, the website, the profile, the name. All identities of persons have the same
// order. An answer about one identity of a company may show that another one needs no call, so calls with different
// orders are not in flight together.
func (id Identity) Order() int {
	switch pattern := id.Pattern(); {
	case pattern == ByRegistration && id.Company.RegistrationNumber == "":
		return orderVAT
	case pattern == ByRegistration:
		return orderRegistration
	case pattern == ByWebsite:
		return orderWebsite
	case pattern == ByCompanyProfile:
		return orderProfile
	case pattern == ByCompanyName:
		return orderName
	default:
		return orderID
	}
}

// HasOrder reports whether identities with a pattern of companies can have an order.
func HasOrder(p Pattern, order int) bool {
	switch p {
	case ByRegistration:
		return order == orderRegistration || order == orderVAT
	case ByWebsite:
		return order == orderWebsite
	case ByCompanyProfile:
		return order == orderProfile
	case ByCompanyName:
		return order == orderName
	default:
		return order == orderID
	}
}

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
