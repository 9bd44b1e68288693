package v2

import (
	"encoding/json"
	"time"

	"payonce/cost"
	"payonce/enrich"
)

// Company is a company record (specification v2, "Company record").
type Company struct {
	ID                 cost.Optional[string]
	Name               cost.Optional[string]
	RegistrationNumber cost.Optional[string]
	CountryCode        cost.Optional[string]
	Phones             []string
	Emails             []string
	Faxes              []string
	Website            cost.Optional[string]
	LegalForm          cost.Optional[string]
	Status             cost.Optional[string]
	Brands             cost.Optional[string]
	Street             cost.Optional[string]
	Location           cost.Optional[string]
	City               cost.Optional[string]
	Region             cost.Optional[string]
	ZIPCode            cost.Optional[string]
	CountryName        cost.Optional[string]
	Size               cost.Optional[string]
	VATNumber          cost.Optional[string]
	Founded            cost.Optional[time.Time]
	Industries         []Classification
	SIC                []Classification
	Microblog          cost.Optional[string]
	ProNetwork         cost.Optional[string]
	Social             cost.Optional[string]

	enrich.CellProblems
}

// Classification is an industry or a code of a company.
type Classification struct {
	ID    cost.Optional[string]
	Type  cost.Optional[string] // such as "sic_code_gb"
	Value cost.Optional[string]
}

func classification(m *members, c *Classification) {
	m.text("id", &c.ID)
	m.text("type", &c.Type)
	m.text("value", &c.Value)
}

// classificationsOf are the classifications of a member of a company.
type classificationsOf struct {
	name string
	all  []Classification
}

// classificationIn is a classification with the member that it stands in.
type classificationIn struct {
	list string
	Classification
}

func classificationRow(m *members, c *classificationIn) {
	list := cost.Known(c.list)
	m.text("list", &list)
	classification(m, &c.Classification)
}

func company(m *members, c *Company) {
	m.text("id", &c.ID)
	m.text("name", &c.Name)
	m.text("registration_number", &c.RegistrationNumber)
	m.text("country_code", &c.CountryCode)
	m.texts("company_phone", &c.Phones)
	m.texts("company_email", &c.Emails)
	m.texts("company_fax", &c.Faxes)
	m.text("company_website", &c.Website)
	m.text("company_legal_form", &c.LegalForm)
	m.text("status", &c.Status)
	m.text("brands", &c.Brands)
	m.text("address_street", &c.Street)
	m.text("address_location", &c.Location)
	m.text("address_city", &c.City)
	m.text("country_region", &c.Region)
	m.text("zip_code", &c.ZIPCode)
	m.text("country_name", &c.CountryName)
	m.text("size", &c.Size)
	m.text("vat_number", &c.VATNumber)
	m.date("founding_date", &c.Founded)
	classifications(m, "industry", &c.Industries)
	classifications(m, "sic", &c.SIC)
	m.text("microblog", &c.Microblog)
	m.text("pro_network", &c.ProNetwork)
	m.text("social", &c.Social)
}

// classifications describes a list of classifications, whose column has their values.
func classifications(m *members, name string, into *[]Classification) {
	if m.reading {
		records(m, name, into, classification)
		return
	}
	var values []string
	if *into != nil {
		values = []string{}
	}
	for _, c := range *into {
		if c.Value.Known {
			values = append(values, c.Value.Value)
		}
	}
	m.list(name, values)
}

// decodeCompany reads a company record. An error says that the body is none.
func decodeCompany(body []byte) (Company, error) { return companyIn(body, nil) }

// companyIn is decodeCompany for some members alone, unless only is nil.
func companyIn(body []byte, only map[string]bool) (Company, error) {
	var problems enrich.CellProblems
	c, err := decodeOnly(body, companyRecord, only, &problems, company)
	c.CellProblems = problems
	return c, err
}

// Cells returns the values of the company, in the order of its columns.
func (c Company) Cells() []enrich.Cell { return cellsOf(c, company) }

// Employee is an employee record (specification v2, "Employee record").
type Employee struct {
	ID             cost.Optional[string]
	FullName       cost.Optional[string]
	FirstName      cost.Optional[string]
	LastName       cost.Optional[string]
	PatronimeName  cost.Optional[string]
	Gender         cost.Optional[string]
	SeniorityLevel []string
	Department     []string
	Function       cost.Optional[string]
	Phone          cost.Optional[string]
	Email          cost.Optional[string]
	Nationality    cost.Optional[string]
	CompanyID      cost.Optional[string]
	CompanyName    cost.Optional[string]
	Microblog      cost.Optional[string]
	ProNetwork     cost.Optional[string]
	Social         cost.Optional[string]

	// EmailGiven and PhoneGiven say that the answer has an email or a phone, readable or not.
	// Both are paid for.
	EmailGiven, PhoneGiven bool

	enrich.CellProblems
}

func employee(m *members, e *Employee) {
	m.text("id", &e.ID)
	m.text("full_name", &e.FullName)
	m.text("first_name", &e.FirstName)
	m.text("last_name", &e.LastName)
	m.text("patronime_name", &e.PatronimeName)
	m.text("gender", &e.Gender)
	m.texts("seniority_level", &e.SeniorityLevel)
	m.values("department", &e.Department)
	m.text("function_original_name", &e.Function)
	m.text("phone", &e.Phone)
	m.text("email", &e.Email)
	m.text("nationality", &e.Nationality)
	m.text("company_id", &e.CompanyID)
	m.text("company_name", &e.CompanyName)
	m.text("microblog", &e.Microblog)
	m.text("pro_network", &e.ProNetwork)
	m.text("social", &e.Social)
	if m.reading {
		email, _ := m.find("email")
		phone, _ := m.find("phone")
		e.EmailGiven, e.PhoneGiven = given(email), given(phone)
	}
}

// given reports whether a member holds anything.
func given(raw json.RawMessage) bool {
	switch string(raw) {
	case "", "null", `""`, "[]", "{}", "false":
		return false
	}
	text, ok := parseText(raw)
	return !ok || text != ""
}

// decodeEmployee reads an employee record. An error says that the body is none.
func decodeEmployee(body []byte) (Employee, error) { return employeeIn(body, nil) }

// employeeIn is decodeEmployee for some members alone, unless only is nil.
func employeeIn(body []byte, only map[string]bool) (Employee, error) {
	var problems enrich.CellProblems
	e, err := decodeOnly(body, employeeRecord, only, &problems, employee)
	e.CellProblems = problems
	return e, err
}

// Cells returns the values of the employee, in the order of its columns.
func (e Employee) Cells() []enrich.Cell { return cellsOf(e, employee) }
