package calls

import (
	"errors"
	"fmt"
	"slices"

	"payonce/service/v2/units"
	"payonce/service/v2/v2fields"
)

// Employees searches the employees of a company by filters.
func Employees(filters EmployeeFilters, page Paging) Call {
	body := struct {
		Paging
		Filters string `json:"filters"`
	}{page, encoded(filters)}
	return post(v2fields.Employees, body, errors.Join(page.check(maxPage), missing("a filter", body.Filters)))
}

// Employee returns an employee record by its identifier. It reveals all contact data.
func Employee(id string) Call {
	call := get(v2fields.GetEmployee, id)
	call.Reveal = units.Everything()
	return call
}

// ContactByEmail enriches the contact with an email. The service has no option to leave the email
// out.
func ContactByEmail(email string, revealPhone bool) Call {
	call := post(v2fields.EnrichEmail, struct {
		Email       string `json:"email"`
		RevealPhone bool   `json:"reveal_phone"`
	}{email, revealPhone}, missing("an email", email))
	call.Reveal = units.Reveal{Email: true, Phone: revealPhone}
	return call
}

// reveals are the members that say what to reveal. They are always sent: the service reveals, and
// counts, what it is not told to leave out.
type reveals struct {
	RevealEmail bool `json:"reveal_email"`
	RevealPhone bool `json:"reveal_phone"`
}

func revealing(call Call, r units.Reveal) Call {
	call.Reveal = r
	return call
}

// ContactByProfile enriches the contact with a profile URL.
func ContactByProfile(address string, reveal units.Reveal) Call {
	return revealing(post(v2fields.EnrichEmployeeProfile, struct {
		Profile string `json:"linkedin"`
		reveals
	}{address, reveals{reveal.Email, reveal.Phone}}, missing("a profile URL", address)), reveal)
}

// PartialContact is what is known of a contact.
type PartialContact struct {
	FirstName   string `json:"first_name,omitempty"`
	LastName    string `json:"last_name,omitempty"`
	CompanyName string `json:"company_name,omitempty"`
	Domain      string `json:"domain,omitempty"` // or a website
	Email       string `json:"email,omitempty"`
	ProNetwork  string `json:"pro_network,omitempty"`
}

// Contact enriches the contact that is named in any way.
func Contact(p PartialContact, reveal units.Reveal) Call {
	problem := missing("a name, an email or a profile URL", p.FirstName, p.LastName, p.Email, p.ProNetwork)
	return revealing(post(v2fields.EnrichEmployee, struct {
		PartialContact
		reveals
	}{p, reveals{reveal.Email, reveal.Phone}}, problem), reveal)
}

// PeopleSearch finds people by their companies, places and seniorities.
type PeopleSearch struct {
	Domains           []string `json:"domain_list,omitempty"`
	CompanyLocations  []string `json:"company_locations,omitempty"`
	EmployeeLocations []string `json:"employee_locations,omitempty"`
	Seniorities       []string `json:"employee_seniorities,omitempty"`
	Paging
}

// Seniorities returns the values that PeopleSearch.Seniorities can have.
func Seniorities() []string {
	return []string{
		"owner", "founder", "c_suite", "partner", "vp", "head", "director", "manager", "senior",
		"entry", "intern",
	}
}

// People searches people.
func People(search PeopleSearch) Call {
	problem := search.check(0)
	for _, seniority := range search.Seniorities {
		if !slices.Contains(Seniorities(), seniority) {
			problem = errors.Join(problem, fmt.Errorf("%q is not a seniority; they are %q", seniority, Seniorities()))
		}
	}
	return post(v2fields.EnrichEmployeeSearch, search, problem)
}
