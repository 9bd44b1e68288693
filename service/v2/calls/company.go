package calls

import (
	"encoding/json"
	"errors"
	"net/url"
	"strconv"

	"payonce/service/v2/v2fields"
)

// Prospecting searches companies by filters. It returns their identifiers and names.
func Prospecting(filters CompanyFilters, page Paging) Call {
	return post(v2fields.Prospecting, filtered{page, encoded(filters)}, page.check(maxPage))
}

// filtered is the body of a search by filters, which are JSON in a text.
type filtered struct {
	Paging
	Filters string `json:"filters,omitempty"`
}

// encoded returns filters as JSON, "" when there are none.
func encoded(filters any) string {
	text, err := json.Marshal(filters)
	if err != nil || string(text) == "{}" {
		return ""
	}
	return string(text)
}

// CompanySearch finds companies by what names them.
type CompanySearch struct {
	CountryCode        string  `json:"country_code,omitempty"`
	State              string  `json:"state,omitempty"` // two letters for the US
	Name               string  `json:"name,omitempty"`
	RegistrationNumber string  `json:"registration_number,omitempty"`
	LEINumber          string  `json:"lei_number,omitempty"`
	VATNumber          string  `json:"vat_number,omitempty"`
	Website            string  `json:"website,omitempty"`
	PhoneNumber        string  `json:"phone_number,omitempty"`
	Person             string  `json:"person,omitempty"` // the full name of an employee
	CompanyStatus      []int64 `json:"company_status,omitempty"`
	ProNetwork         string  `json:"pro_network,omitempty"`
	Paging
}

// overviewMost is the most results that a page of Overview has (specification v2, "Limits").
const overviewMost = 5

// Overview searches companies by what names them.
func Overview(search CompanySearch) Call {
	return post(v2fields.Overview, search, search.check(0))
}

// Company returns a company record by its identifier.
func Company(id string) Call { return get(v2fields.GetCompany, id) }

// CompanyByURL enriches the company of a website.
func CompanyByURL(website string) Call {
	return post(v2fields.EnrichURL, map[string]string{"url": website}, missing("a website", website))
}

// CompanyByProfile enriches the company of a profile URL.
func CompanyByProfile(address string) Call {
	body := map[string]string{"linkedin": address}
	return post(v2fields.EnrichCompanyProfile, body, missing("a profile URL", address))
}

// CompanyNumbers names a company by its number in a country.
type CompanyNumbers struct {
	CountryCode        string `json:"country_code"`
	RegistrationNumber string `json:"registration_number,omitempty"`
	VATNumber          string `json:"vat_number,omitempty"`
	State              string `json:"state,omitempty"` // needed in the US
}

// CompanyByNumber enriches the company with a registration or VAT number.
func CompanyByNumber(n CompanyNumbers) Call {
	problem := errors.Join(
		missing("a country", n.CountryCode),
		missing("a registration or VAT number", n.RegistrationNumber, n.VATNumber),
	)
	if n.CountryCode == "US" {
		problem = errors.Join(problem, missing("a state, as the country is US", n.State))
	}
	return post(v2fields.EnrichCompany, n, problem)
}

// PartialCompany is what is known of a company that the service is to complete.
type PartialCompany struct {
	CountryCode        string `json:"country_code,omitempty"`
	Name               string `json:"name,omitempty"`
	RegistrationNumber string `json:"registration_number,omitempty"`
	VATNumber          string `json:"vat_number,omitempty"`
	Website            string `json:"website,omitempty"`
	Email              string `json:"email,omitempty"`
	ProNetwork         string `json:"pro_network,omitempty"`
}

// Autocomplete lets the service choose the company that is meant.
func Autocomplete(p PartialCompany) Call {
	problem := missing("more than a country",
		p.Name, p.RegistrationNumber, p.VATNumber, p.Website, p.Email, p.ProNetwork)
	return post(v2fields.Autocomplete, p, problem)
}

// Financials returns the financial figures of a company: those of one year, or of all when year
// is 0.
func Financials(id string, year int) Call {
	call := get(v2fields.GetFinancials, id)
	if year != 0 {
		call.Query = url.Values{"year": {strconv.Itoa(year)}}
	}
	return call
}

// NamedCompany names a company by its name or its registration number.
type NamedCompany struct {
	Name               string `json:"name,omitempty"`
	RegistrationNumber string `json:"registration_number,omitempty"`
}

func (n NamedCompany) check() error {
	return missing("a name or a registration number", n.Name, n.RegistrationNumber)
}

// InsightsSearch finds the companies that have digital insights.
func InsightsSearch(n NamedCompany) Call { return post(v2fields.InsightsSearch, n, n.check()) }

// Insights returns the digital insights of a company.
func Insights(id string) Call { return get(v2fields.GetInsights, id) }

// OwnershipSearch finds the companies whose ownership is known.
func OwnershipSearch(n NamedCompany) Call { return post(v2fields.OwnershipSearch, n, n.check()) }

// Ownership returns the shareholders and the group of a company.
func Ownership(id string) Call { return get(v2fields.GetOwnership, id) }

// WatchStart watches fields of a company; those that the service chooses when none is given.
func WatchStart(id string, fields []string) Call {
	call := post(v2fields.WatchStart, struct {
		Fields []string `json:"fields,omitempty"`
	}{fields}, nil)
	call.ID = id
	return call
}
