// Package v2fields names the fields of the v2 interface.
package v2fields

import (
	"strings"

	"payonce/enrich"
)

// The fields of the interface, in the order in which they are reported.
const (
	Contact enrich.Field = iota
	Company
	Financials
	Insights
	Ownership
	Email // of a contact, as Phone
	Phone
	Match // the company that a search by name found
	fieldCount
)

// AllFields is the set of every field of the interface.
const AllFields enrich.Fields = 1<<fieldCount - 1

// ContactData is the set of the fields that one call about a contact returns. It reveals those that are asked
// for.
const ContactData = enrich.Fields(1<<Contact | 1<<Email | 1<<Phone)

// companyID is the role of the columns by which later steps ask about the company.
const companyID = "company_id"

// Catalogue returns the catalogue of the interface. The values of its details are those that
// answers.Decoder returns, in this order.
func Catalogue() enrich.Catalogue {
	c := enrich.Named("contact", "company", "financials", "insights", "ownership", "email", "phone", "company_match")
	c.Interface = "v2"
	c.Fields[Email].Role, c.Fields[Phone].Role, c.Fields[Match].Word = "email", "phone", "match"
	for f, plural := range map[enrich.Field]string{
		Company: "companies", Financials: "financials", Insights: "insights", Ownership: "ownership", Match: "matches",
	} {
		c.Fields[f].Plural = plural
	}
	for f := range AllFields.Without(ContactData).Each() {
		c.Fields[f].About = enrich.Companies
	}
	for _, group := range []struct {
		field   enrich.Field
		members []string
	}{{Contact, ContactMembers()}, {Company, CompanyMembers()}, {Financials, HeadlineMembers()}} {
		prefix := c.Name(group.field) + "_"
		for _, member := range group.members {
			name := prefix + strings.TrimPrefix(member, prefix)
			detail := enrich.Detail{Name: name, Of: enrich.FieldsOf(group.field), Apart: true}
			switch {
			case group.field == Contact:
				detail.Of = ContactData
			case name == companyID:
				detail.Of, detail.Searched = detail.Of.With(Match), enrich.FieldsOf(Insights, Ownership)
			}
			if strings.HasSuffix(name, companyID) {
				detail.Role = companyID
			}
			c.Details = append(c.Details, detail)
		}
	}
	return c
}

// Patterns returns the patterns by which the interface can be asked for all of some fields in one call. Those of a
// company by its name, and of insights and ownership by anything but the id, are searches.
func Patterns(fields enrich.Fields) enrich.Patterns {
	patterns := enrich.Patterns(1<<enrich.NumPatterns - 1)
	for f := range fields.Each() {
		switch f {
		case Contact, Email, Phone:
			patterns &= enrich.PatternsOf(enrich.ByProfile, enrich.ByName, enrich.ByEmail)
		case Company:
			patterns &= enrich.PatternsOf(enrich.ByID, enrich.ByRegistration, enrich.ByWebsite, enrich.ByCompanyProfile, enrich.ByCompanyName)
		case Financials:
			patterns &= enrich.PatternsOf(enrich.ByID)
		case Insights, Ownership:
			patterns &= enrich.PatternsOf(enrich.ByID, enrich.ByRegistration, enrich.ByCompanyName)
		case Match:
			patterns &= enrich.PatternsOf(enrich.ByCompanyName)
		default:
			return 0
		}
	}
	return patterns
}

// ContactMembers returns the members of an employee record (specification v2, "Employee record").
func ContactMembers() []string {
	return []string{
		"id", "full_name", "first_name", "last_name", "patronime_name", "gender", "seniority_level",
		"department", "function_original_name", "phone", "email", "nationality", "company_id",
		"company_name", "microblog", "pro_network", "social",
	}
}

// CompanyMembers returns the members of a company record (specification v2, "Company record").
func CompanyMembers() []string {
	return []string{
		"id", "name", "registration_number", "country_code", "company_phone", "company_email",
		"company_fax", "company_website", "company_legal_form", "status", "brands", "address_street",
		"address_location", "address_city", "country_region", "zip_code", "country_name", "size",
		"vat_number", "founding_date", "industry", "sic", "microblog", "pro_network", "social",
	}
}

// HeadlineMembers returns what a list shows of a company's latest year.
func HeadlineMembers() []string { return []string{"year", "currency", "turnover", "employees"} }
