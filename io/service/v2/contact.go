package v2

import (
	"errors"
	"fmt"
	"slices"
)

// EmployeesCall searches the employees of a company by filters.
func EmployeesCall(filters EmployeeFilters, page Paging) Call {
	body := struct {
		Paging
		Filters string `json:"filters"`
	}{page, encoded(filters)}
	return post(OpEmployees, body, errors.Join(page.check(maxPage), missing("a filter", body.Filters)))
}

// EmployeeCall returns an employee record by its identifier. It reveals all contact data.
func EmployeeCall(id string) Call {
	call := get(OpGetEmployee, id)
	call.Reveal = RevealEverything()
	return call
}

// ContactByEmailCall enriches the contact with an email. The service has no option to leave the email
// out.
func ContactByEmailCall(email string, revealPhone bool) Call {
	call := post(OpEnrichEmail, struct {
		Email       string `json:"email"`
		RevealPhone bool   `json:"reveal_phone"`
	}{email, revealPhone}, missing("an email", email))
	call.Reveal = Reveal{Email: true, Phone: revealPhone}
	return call
}

// reveals are the members that say what to reveal. They are always sent: the service reveals, and
// counts, what it is not told to leave out.
type reveals struct {
	RevealEmail bool `json:"reveal_email"`
	RevealPhone bool `json:"reveal_phone"`
}

func revealing(call Call, r Reveal) Call {
	call.Reveal = r
	return call
}

// ContactByProfileCall enriches the contact with a profile URL.
func ContactByProfileCall(address string, reveal Reveal) Call {
	return revealing(post(OpEnrichEmployeeProfile, struct {
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

// ContactCall enriches the contact that is named in any way.
func ContactCall(p PartialContact, reveal Reveal) Call {
	problem := missing("a name, an email or a profile URL", p.FirstName, p.LastName, p.Email, p.ProNetwork)
	return revealing(post(OpEnrichEmployee, struct {
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

// PeopleCall searches people.
func PeopleCall(search PeopleSearch) Call {
	problem := search.check(0)
	for _, seniority := range search.Seniorities {
		if !slices.Contains(Seniorities(), seniority) {
			problem = errors.Join(problem, fmt.Errorf("%q is not a seniority; they are %q", seniority, Seniorities()))
		}
	}
	return post(OpEnrichEmployeeSearch, search, problem)
}
