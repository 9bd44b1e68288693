package enrich

// IsExact reports whether an identity names one company: by the service's id, or by a number with its country. A website
// can belong to a group, and several companies can have one name. It reports false for persons.
func (id Identity) IsExact() bool {
	if id.Subject() != Companies {
		return false
	}
	pattern := id.Pattern()
	return pattern == ByID || pattern == ByRegistration
}

// The orders of identities of companies. The id comes first, and identities of persons have the same order.
const (
	orderID = iota
	orderRegistration
	orderVAT
	orderWebsite
	orderProfile
	orderName
	NumOrders
)

// Order is the place of an identity in the order in which companies are asked for, the most exact kind first: the id, the
// registration number, the VAT number, the website, the profile, the name. All identities of persons have the same order.
// An answer about one identity of a company can show that another one needs no call. So calls with different orders are
// not in flight together.
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

// HasOrder reports whether identities of companies with a pattern can have an order.
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

// Names returns the identities of a company by its values, in their order. The registration number and the VAT number are
// two identities. A name is one only with a country.
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
