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
)

// AllFields is the set of every field of the interface.
const AllFields enrich.Fields = 1<<Contact | 1<<Company | 1<<Financials | 1<<Insights | 1<<Ownership

// companyID is the role of the columns by which later steps ask about the company.
const companyID = "company_id"

// Catalogue returns the catalogue of the interface. The values of its details are those that
// answers.Decoder returns, in this order.
func Catalogue() enrich.Catalogue {
	c := enrich.Named("contact", "company", "financials", "insights", "ownership")
	c.Interface = "v2"
	for _, group := range []struct {
		field   enrich.Field
		members []string
	}{{Contact, ContactMembers()}, {Company, CompanyMembers()}, {Financials, HeadlineMembers()}} {
		prefix := c.Name(group.field) + "_"
		for _, member := range group.members {
			name := prefix + strings.TrimPrefix(member, prefix)
			detail := enrich.Detail{Name: name, Of: enrich.FieldsOf(group.field), Apart: true}
			if strings.HasSuffix(name, companyID) {
				detail.Role = companyID
			}
			c.Details = append(c.Details, detail)
		}
	}
	return c
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
