package v2

import (
	"encoding/json"
	"errors"
	"net/url"
	"strconv"
)

// ProspectingCall searches companies by filters. It returns their identifiers and names.
func ProspectingCall(filters CompanyFilters, page Paging) Call {
	return post(OpProspecting, filtered{page, encoded(filters)}, page.check(maxPage))
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

// OverviewCall searches companies by what names them.
func OverviewCall(search CompanySearch) Call {
	return post(OpOverview, search, search.check(0))
}

// CompanyCall returns a company record by its identifier.
func CompanyCall(id string) Call { return get(OpGetCompany, id) }

// CompanyByURLCall enriches the company of a website.
func CompanyByURLCall(website string) Call {
	return post(OpEnrichURL, map[string]string{"url": website}, missing("a website", website))
}

// CompanyByProfileCall enriches the company of a profile URL.
func CompanyByProfileCall(address string) Call {
	body := map[string]string{"linkedin": address}
	return post(OpEnrichCompanyProfile, body, missing("a profile URL", address))
}

// CompanyNumbers names a company by its number in a country.
type CompanyNumbers struct {
	CountryCode        string `json:"country_code"`
	RegistrationNumber string `json:"registration_number,omitempty"`
	VATNumber          string `json:"vat_number,omitempty"`
	State              string `json:"state,omitempty"` // needed in the US
}

// CompanyByNumberCall enriches the company with a registration or VAT number.
func CompanyByNumberCall(n CompanyNumbers) Call {
	problem := errors.Join(
		missing("a country", n.CountryCode),
		missing("a registration or VAT number", n.RegistrationNumber, n.VATNumber),
	)
	if n.CountryCode == "US" {
		problem = errors.Join(problem, missing("a state, as the country is US", n.State))
	}
	return post(OpEnrichCompany, n, problem)
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

// AutocompleteCall lets the service choose the company that is meant.
func AutocompleteCall(p PartialCompany) Call {
	problem := missing("more than a country",
		p.Name, p.RegistrationNumber, p.VATNumber, p.Website, p.Email, p.ProNetwork)
	return post(OpAutocomplete, p, problem)
}

// FinancialsCall returns the financial figures of a company: those of one year, or of all when year
// is 0.
func FinancialsCall(id string, year int) Call {
	call := get(OpGetFinancials, id)
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

// InsightsSearchCall finds the companies that have digital insights.
func InsightsSearchCall(n NamedCompany) Call { return post(OpInsightsSearch, n, n.check()) }

// InsightsCall returns the digital insights of a company.
func InsightsCall(id string) Call { return get(OpGetInsights, id) }

// OwnershipSearchCall finds the companies whose ownership is known.
func OwnershipSearchCall(n NamedCompany) Call { return post(OpOwnershipSearch, n, n.check()) }

// OwnershipCall returns the shareholders and the group of a company.
func OwnershipCall(id string) Call { return get(OpGetOwnership, id) }

// WatchStartCall watches fields of a company; those that the service chooses when none is given.
func WatchStartCall(id string, fields []string) Call {
	call := post(OpWatchStart, struct {
		Fields []string `json:"fields,omitempty"`
	}{fields}, nil)
	call.ID = id
	return call
}
