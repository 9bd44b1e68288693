package v2

import (
	"strings"

	"payonce/enrich"
)

// The fields of the interface, in the order in which they are reported.
const (
	FieldContact enrich.Field = iota
	FieldCompany
	FieldFinancials
	FieldInsights
	FieldOwnership
	FieldEmail // of a contact, as Phone
	FieldPhone
	FieldMatch // the company that a search by name found
	fieldCount
)

// AllFields is the set of every field of the interface.
const AllFields enrich.Fields = 1<<fieldCount - 1

// FieldContactData is the set of the fields that one call about a contact returns. It reveals those that are asked
// for.
const FieldContactData = enrich.Fields(1<<FieldContact | 1<<FieldEmail | 1<<FieldPhone)

// companyID is the role of the columns by which later steps ask about the company.
const companyID = "company_id"

// Catalogue returns the catalogue of the interface. The values of its details are those that
// Decoder returns, in this order.
func Catalogue() enrich.Catalogue { return Chosen{}.Catalogue() }

// Catalogue returns the catalogue of the interface with the chosen figures among its details.
func (c Chosen) Catalogue() enrich.Catalogue { return catalogue(c.columns()) }

func catalogue(chosen []chosenColumn) enrich.Catalogue {
	c := enrich.Named("contact", "company", "financials", "insights", "ownership", "email", "phone", "company_match")
	c.Interface = "v2"
	c.Fields[FieldEmail].Role, c.Fields[FieldPhone].Role, c.Fields[FieldMatch].Word = "email", "phone", "match"
	c.Fields[FieldOwnership].Kind = enrich.IntegerCell // how many shareholders there are
	for f, plural := range map[enrich.Field]string{
		FieldCompany: "companies", FieldFinancials: "financials", FieldInsights: "insights", FieldOwnership: "ownership", FieldMatch: "matches",
	} {
		c.Fields[f].Plural = plural
	}
	for f := range AllFields.Without(FieldContactData).Each() {
		c.Fields[f].About = enrich.Companies
	}
	for _, group := range []struct {
		field   enrich.Field
		members []enrich.TableColumn
	}{
		{FieldContact, columnsOf(employee)},
		{FieldCompany, columnsOf(company)},
		{FieldFinancials, append(headlineColumns(), columnsOfFigures(chosen)...)},
		{FieldOwnership, ownershipMembers()},
	} {
		prefix := c.Name(group.field) + "_"
		for _, member := range group.members {
			name := prefix + strings.TrimPrefix(member.Name, prefix)
			detail := enrich.Detail{
				Name: name, Of: enrich.FieldsOf(group.field), Apart: true, Says: partOf(group.field, member.Name), Kind: member.Kind,
			}
			switch {
			case group.field == FieldContact:
				detail.Of = FieldContactData
			case name == companyID:
				detail.Of, detail.Searched = detail.Of.With(FieldMatch), enrich.FieldsOf(FieldInsights, FieldOwnership)
			}
			if strings.HasSuffix(name, companyID) {
				detail.Role = companyID
			}
			c.Details = append(c.Details, detail)
		}
	}
	return c
}

// partOf returns the part of the description of a contact or a company that a member of its record is.
func partOf(f enrich.Field, member string) enrich.Part {
	switch f {
	case FieldContact:
		return map[string]enrich.Part{
			"id": enrich.PartContactID, "full_name": enrich.PartFullName, "first_name": enrich.PartFirstName, "last_name": enrich.PartLastName,
			"email": enrich.PartEmail, "pro_network": enrich.PartProfile, "company_id": enrich.PartCompanyID, "company_name": enrich.PartCompanyName,
		}[member]
	case FieldCompany:
		return map[string]enrich.Part{
			"id": enrich.PartCompanyID, "name": enrich.PartCompanyName, "brands": enrich.PartBrands, "country_code": enrich.PartCountry,
			"registration_number": enrich.PartRegistration, "vat_number": enrich.PartVAT, "company_website": enrich.PartWebsite,
			"pro_network": enrich.PartCompanyProfile,
		}[member]
	}
	return enrich.NoPart
}

// Patterns returns the patterns by which the interface can be asked for all of some fields in one call. Those of a
// company by its name, and of insights and ownership by anything but the id, are searches.
func Patterns(fields enrich.Fields) enrich.Patterns {
	patterns := enrich.Patterns(1<<enrich.NumPatterns - 1)
	for f := range fields.Each() {
		switch f {
		case FieldContact, FieldEmail, FieldPhone:
			patterns &= enrich.PatternsOf(enrich.ByProfile, enrich.ByName, enrich.ByEmail, enrich.ByContactID)
		case FieldCompany:
			patterns &= enrich.PatternsOf(enrich.ByID, enrich.ByRegistration, enrich.ByWebsite, enrich.ByCompanyProfile, enrich.ByCompanyName)
		case FieldFinancials:
			patterns &= enrich.PatternsOf(enrich.ByID)
		case FieldInsights, FieldOwnership:
			patterns &= enrich.PatternsOf(enrich.ByID, enrich.ByRegistration, enrich.ByCompanyName)
		case FieldMatch:
			patterns &= enrich.PatternsOf(enrich.ByCompanyName)
		default:
			return 0
		}
	}
	return patterns
}

// Whole returns the fields that a call by a pattern returns, whichever of them are asked for. Its hold is that of all.
// The operation that takes the id of an employee cannot be told to leave out an email or a phone.
func Whole() map[enrich.Pattern]enrich.Fields {
	return map[enrich.Pattern]enrich.Fields{enrich.ByContactID: FieldContactData}
}

// contactMembers returns the members of an employee record (specification v2, "Employee record").
func contactMembers() []string {
	return []string{
		"id", "full_name", "first_name", "last_name", "patronime_name", "gender", "seniority_level",
		"department", "function_original_name", "phone", "email", "nationality", "company_id",
		"company_name", "microblog", "pro_network", "social",
	}
}

// companyMembers returns the members of a company record (specification v2, "Company record").
func companyMembers() []string {
	return []string{
		"id", "name", "registration_number", "country_code", "company_phone", "company_email",
		"company_fax", "company_website", "company_legal_form", "status", "brands", "address_street",
		"address_location", "address_city", "country_region", "zip_code", "country_name", "size",
		"vat_number", "founding_date", "industry", "sic", "microblog", "pro_network", "social",
	}
}

// CompanyColumns returns the columns of a company record in a list, with the kinds of Company.Cells.
func CompanyColumns() []enrich.TableColumn {
	columns := columnsOf(company)
	for i := range columns {
		columns[i].Name = companyPrefix + strings.TrimPrefix(columns[i].Name, companyPrefix)
	}
	return columns
}

// companyPrefix is that of the columns of a company record.
const companyPrefix = "company_"

// headlineMembers returns what a list shows of a company's latest year.
func headlineMembers() []string { return []string{"year", "currency", "turnover", "employees"} }

// columnsOfFigures returns the columns of chosen figures.
func columnsOfFigures(chosen []chosenColumn) (columns []enrich.TableColumn) {
	for _, one := range chosen {
		columns = append(columns, enrich.TableColumn{Name: one.name, Kind: figures().columns[one.figure].Kind})
	}
	return columns
}

// headlineColumns returns headlineMembers with the kinds of their values.
func headlineColumns() (columns []enrich.TableColumn) {
	for i, kind := range []enrich.CellKind{enrich.IntegerCell, enrich.TextCell, enrich.NumberCell, enrich.IntegerCell} {
		columns = append(columns, enrich.TableColumn{Name: headlineMembers()[i], Kind: kind})
	}
	return columns
}
