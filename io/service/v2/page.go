package v2

import (
	"encoding/json"
	"errors"

	"payonce/cost"
	"payonce/enrich"
)

// Page is a page of the results of a search.
type Page[T any] struct {
	Total cost.Optional[int64] // of all pages
	Pages cost.Optional[int64]
	Items []T

	enrich.CellProblems
}

// CompanyItem is a company in the results of a search. Only some searches return all members.
type CompanyItem struct{ ID, Name, Status, CountryCode, RegistrationNumber cost.Optional[string] }

func companyItem(m *members, c *CompanyItem) {
	m.text("id", &c.ID)
	m.text("name", &c.Name)
	m.text("status", &c.Status)
	m.text("country_code", &c.CountryCode)
	m.text("registration_number", &c.RegistrationNumber)
}

// Cells returns the values of the item, in the order of its columns.
func (c CompanyItem) Cells() []enrich.Cell { return cellsOf(c, companyItem) }

// EmployeeItem is an employee in the results of a search within a company.
type EmployeeItem struct{ ID, Name, CompanyID, CompanyName cost.Optional[string] }

func employeeItem(m *members, e *EmployeeItem) {
	m.text("id", &e.ID)
	m.text("name", &e.Name)
	m.text("company_id", &e.CompanyID)
	m.text("company_name", &e.CompanyName)
}

// Cells returns the values of the item, in the order of its columns.
func (e EmployeeItem) Cells() []enrich.Cell { return cellsOf(e, employeeItem) }

// Person is a person in the results of an enrichment search.
type Person struct {
	ID, FirstName, LastName, Name, SeniorityLevel, JobTitle cost.Optional[string]
	Microblog, Social, ProNetwork, Country, State, City     cost.Optional[string]
	Company                                                 Employer
}

// Employer is the company of a Person.
type Employer struct {
	Name, Website, Country, State, City, PostalCode     cost.Optional[string]
	Phone, Microblog, ProNetwork, Social, StreetAddress cost.Optional[string]
	IncorporationYear                                   cost.Optional[int64]
}

func person(m *members, p *Person) {
	m.text("id", &p.ID)
	m.text("first_name", &p.FirstName)
	m.text("last_name", &p.LastName)
	m.text("name", &p.Name)
	m.text("seniority_level", &p.SeniorityLevel)
	m.text("job_title", &p.JobTitle)
	m.text("microblog", &p.Microblog)
	m.text("social", &p.Social)
	m.text("pro_network", &p.ProNetwork)
	m.text("country", &p.Country)
	m.text("state", &p.State)
	m.text("city", &p.City)
	m.nested("company", "company_", func(m *members) { employer(m, &p.Company) })
}

func employer(m *members, e *Employer) {
	m.text("name", &e.Name)
	m.text("website", &e.Website)
	m.integer("incorporation_date", &e.IncorporationYear)
	m.text("country", &e.Country)
	m.text("state", &e.State)
	m.text("city", &e.City)
	m.text("postal_code", &e.PostalCode)
	m.text("phone", &e.Phone)
	m.text("microblog", &e.Microblog)
	m.text("pro_network", &e.ProNetwork)
	m.text("social", &e.Social)
	m.text("street_address", &e.StreetAddress)
}

// PersonColumns returns the columns of a person, with those of the company.
func PersonColumns() []enrich.TableColumn { return columnsOf(person) }

// Cells returns the values of the person, in the order of PersonColumns.
func (p Person) Cells() []enrich.Cell { return cellsOf(p, person) }

// decodeCompanies reads a page of prospecting or of a company search.
func decodeCompanies(body []byte) (Page[CompanyItem], error) { return decodePage(body, companyItem) }

// decodeEmployees reads a page of an employee search.
func decodeEmployees(body []byte) (Page[EmployeeItem], error) { return decodePage(body, employeeItem) }

// decodePeople reads a page of an enrichment search.
func decodePeople(body []byte) (Page[Person], error) { return decodePage(body, person) }

// decodeCandidates reads the array of companies that a search by name or registration number
// returns. Null is an empty one.
func decodeCandidates(body []byte) (Page[CompanyItem], error) {
	items, problems, err := decodeArray(body, companyItem)
	return Page[CompanyItem]{Items: items, CellProblems: problems}, err
}

// decodePage reads a page. Its data may be null, but has to be there.
func decodePage[T any](body []byte, describe func(*members, *T)) (Page[T], error) {
	var page Page[T]
	m, ok := reader(body, &page.CellProblems)
	if !ok {
		return page, errors.New("the body is not a JSON object, so it is not a page of results")
	}
	data, there := m.find("data")
	if !there || !isArray(data) && string(data) != "null" {
		return page, errors.New("the body has no array of results")
	}
	records(m, "data", &page.Items, describe)
	page.All = len(page.Items) == 0 && page.Count > 0
	for _, name := range []string{"total_companies", "total_results", "total_employees"} {
		if _, there := m.find(name); there {
			m.integer(name, &page.Total)
		}
	}
	for _, name := range []string{"total_pages", "pages"} {
		if _, there := m.find(name); there {
			m.integer(name, &page.Pages)
		}
	}
	return page, nil
}

// decodeArray reads an array of records.
func decodeArray[T any](body []byte, describe func(*members, *T)) (items []T, problems enrich.CellProblems, err error) {
	var raw json.RawMessage
	if json.Unmarshal(body, &raw) != nil || !isArray(raw) && string(raw) != "null" {
		return nil, problems, errors.New("the body is not a JSON array")
	}
	m := only("results", raw, &problems)
	records(m, "results", &items, describe)
	problems.All = len(items) == 0 && problems.Count > 0
	return items, problems, nil
}

func isArray(raw json.RawMessage) bool { return len(raw) > 0 && raw[0] == '[' }
