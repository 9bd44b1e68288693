package world

import (
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"

	"payonce/enrich"
	"payonce/io/sandbox/kit"
	"payonce/io/service/v1"
)

// Employee is a person that v2 knows. Email and phone are those of v1 where both know them.
type Employee struct {
	ID          string
	First, Last string
	Seniority   int // indexes of nomenclatures
	Department  int
	Female      bool
	Country     string // where the person lives
	City        string
	Company     *Company // nil when the company is not known
	CompanyName string
	identity    enrich.Identity
	profile     string // the address of the profile, when one was asked for
	world       World
}

// maxStaff is the most employees of one company that the world knows.
const maxStaff = 12

// textPerson is the place in the staff that marks the identifier of a person who is nobody's listed employee.
const textPerson = 999

// Staff returns how many employees of the company are known.
func (c Company) Staff() int { return min(maxStaff, c.Employees()) }

// nameOf returns the name of somebody who belongs to a company. No two of a staff have the same name.
func (w World) nameOf(c Company, place int) string {
	first, last := c.names(place)
	return first + " " + last
}

func (c Company) names(place int) (first, last string) {
	start := c.draw(ofStaff)
	return firstNames[(start+uint64(place)*5)%uint64(len(firstNames))],
		lastNames[(start/64+uint64(place)*7)%uint64(len(lastNames))]
}

// Role returns the seniority and the department of an employee, as indexes. The first one leads the company.
func (c Company) Role(place int) (seniority, department int) {
	if place == 0 {
		return int(c.draw(ofStaff, 1) % 3), 0
	}
	drawn := c.draw(ofStaff, 2, uint64(place))
	return 2 + int(drawn%uint64(len(seniorities)-2)), int(drawn / 64 % uint64(len(departments)))
}

// Employee returns one of the company's employees, counted from 0.
func (w World) Employee(c Company, place int) (Employee, bool) {
	if place < 0 || place >= c.Staff() {
		return Employee{}, false
	}
	e := Employee{ID: fmt.Sprintf("%s%03d", c.ID(), place), Company: &c, CompanyName: c.Name(), world: w}
	e.First, e.Last = c.names(place)
	e.Seniority, e.Department = c.Role(place)
	e.Female = c.draw(ofStaff, 3, uint64(place))%2 == 0
	e.City, e.Country = c.Place().City, c.Country().Code
	e.identity = enrich.Identity{FirstName: e.First, LastName: e.Last, CompanyDomain: c.Domain()}
	return e, true
}

// EmployeeByID returns the person with an identifier.
func (w World) EmployeeByID(id string) (Employee, bool) {
	if len(id) < 4 || len(id) > 2000 {
		return Employee{}, false
	}
	head, tail := id[:len(id)-3], id[len(id)-3:]
	place, err := strconv.Atoi(tail)
	if err != nil {
		return Employee{}, false
	}
	if place == textPerson {
		return w.textEmployee(head)
	}
	c, exists := w.ByID(head)
	if !exists {
		return Employee{}, false
	}
	return w.Employee(c, place)
}

// textEmployee returns the person whose contact an identifier holds.
func (w World) textEmployee(head string) (Employee, bool) {
	text, valid := textOf(head)
	parts := strings.Split(text, "\n")
	if !valid || len(parts) != 4 {
		return Employee{}, false
	}
	e, known := w.ByContact(enrich.Contact{ProfileURL: parts[0], FirstName: parts[1], LastName: parts[2], CompanyDomain: parts[3]})
	return e, known && e.ID == head+strconv.Itoa(textPerson)
}

// ByContact returns a person by the profile's address, or by name and company. Who is an employee of a known
// company is that employee.
func (w World) ByContact(contact enrich.Contact) (Employee, bool) {
	identity, reason := contact.Identify(enrich.ByProfile)
	if reason != "" {
		return Employee{}, false
	}
	if e, found := w.ofProfile(identity.ProfileURL); found {
		return e, true
	}
	if company, found := w.companyOf(identity); found && identity.Pattern() == enrich.ByName {
		if e, found := w.colleague(company, identity.FirstName, identity.LastName); found {
			return e, true
		}
	}
	return w.stranger(identity)
}

// companyOf returns the company that an identity names.
func (w World) companyOf(identity enrich.Identity) (Company, bool) {
	if identity.CompanyDomain != "" {
		return w.ByDomain(identity.CompanyDomain)
	}
	if identity.CompanyName != "" {
		if found := w.ByName(identity.CompanyName); len(found) > 0 {
			return found[0], true
		}
	}
	return Company{}, false
}

// colleague returns the employee of a company with a name.
func (w World) colleague(c Company, first, last string) (Employee, bool) {
	for place := range c.Staff() {
		if f, l := c.names(place); title(first) == f && title(last) == l {
			return w.Employee(c, place)
		}
	}
	return Employee{}, false
}

// profileSlug is how the addresses of employees end: with the identifier.
var profileSlug = regexp.MustCompile(`^https://pro-network\.example/in/[a-z-]+-(\d+)$`)

// ofProfile returns the employee whose profile has an address of this world.
func (w World) ofProfile(address string) (Employee, bool) {
	match := profileSlug.FindStringSubmatch(strings.ToLower(address))
	if match == nil {
		return Employee{}, false
	}
	e, found := w.EmployeeByID(match[1])
	return e, found && e.Profile() == strings.ToLower(address)
}

// stranger returns somebody who is not in a known staff, as v1 makes them up. v2 does not know the same people
// as v1, nor the same values of them.
func (w World) stranger(identity enrich.Identity) (Employee, bool) {
	canonical := drawnBy(identity)
	if kit.Roll(w.People.Seed, "v2 unknown", canonical).Float64() < w.People.UnknownRate {
		return Employee{}, false
	}
	first, last := w.People.name(identity, canonical)
	domain := w.People.company(identity, canonical)
	e := Employee{First: first, Last: last, CompanyName: domain, identity: identity, profile: identity.ProfileURL, world: w}
	e.City, e.Country = "Denver", "US"
	if c, exists := w.ByDomain(domain); exists {
		e.Company, e.CompanyName = &c, c.Name()
		e.City, e.Country = c.Place().City, c.Country().Code
	}
	drawn := kit.Roll(w.People.Seed, "v2 role", canonical)
	e.Seniority, e.Department = drawn.IntN(len(seniorities)), drawn.IntN(len(departments))
	e.Female = drawn.IntN(2) == 0
	contact := []string{identity.ProfileURL, "", "", ""}
	if identity.ProfileURL == "" {
		contact = []string{"", identity.FirstName, identity.LastName, domain}
	}
	text := strings.Join(contact, "\n")
	if len(text) > 500 {
		return Employee{}, false
	}
	e.ID = textNumber(text) + strconv.Itoa(textPerson)
	return e, true
}

// knows reports whether v2 has a value of a person that it knows.
func (e Employee) knows(field string, share float64) bool {
	return kit.Roll(e.world.People.Seed, "v2 knows "+field, drawnBy(e.identity)).Float64() < share
}

// everything is what v1 would return if it knew every value.
func (e Employee) everything() Person {
	people := e.world.People
	people.UnknownRate, people.MatchRates = 0, enrich.ByField[float64]{v1.WorkEmail: 1, v1.BusinessPhone: 1}
	person, _ := people.Find(e.identity)
	return person
}

// The shares of people that have an email and a phone in v2.
const (
	emailShare = 0.8
	phoneShare = 0.5
)

// HasEmail reports whether v2 knows the person's email, HasPhone the phone.
func (e Employee) HasEmail() bool { return e.knows("email", emailShare) }

// HasPhone reports whether v2 knows the person's phone.
func (e Employee) HasPhone() bool { return e.knows("phone", phoneShare) }

// Email returns the person's email; "" when v2 does not know it.
func (e Employee) Email() string {
	if !e.HasEmail() {
		return ""
	}
	return e.everything().Values[v1.WorkEmail]
}

// Phone returns the person's phone number; "" when v2 does not know it.
func (e Employee) Phone() string {
	if !e.HasPhone() {
		return ""
	}
	return e.everything().Values[v1.BusinessPhone]
}

// Profile returns the address of the person's profile.
func (e Employee) Profile() string {
	if e.profile != "" {
		return e.profile
	}
	return "https://pro-network.example/in/" + path.Join(strings.ToLower(e.First+"-"+e.Last)) + "-" + e.ID
}

// Title returns the name of the person's function.
func (e Employee) Title() string {
	level := strings.ReplaceAll(seniorities[e.Seniority], "_", " ")
	return title(level) + ", " + departments[e.Department]
}

// SeniorityName and DepartmentName name the person's rank.
func (e Employee) SeniorityName() string { return seniorities[e.Seniority] }

// DepartmentName returns the name of the department.
func (e Employee) DepartmentName() string { return departments[e.Department] }

// ByEmail returns the person with an email.
func (w World) ByEmail(email string) (Employee, bool) {
	box, domain, found := strings.Cut(strings.ToLower(strings.TrimSpace(email)), "@")
	c, exists := w.ByDomain(domain)
	if !found || box == "" || !exists {
		return Employee{}, false
	}
	for place := range c.Staff() {
		if e, _ := w.Employee(c, place); e.everything().Values[v1.WorkEmail] == box+"@"+domain {
			return e, true
		}
	}
	first, last, whole := strings.Cut(box, ".")
	if !whole {
		return Employee{}, false
	}
	e, known := w.ByContact(enrich.Contact{FirstName: title(first), LastName: title(last), CompanyDomain: domain})
	return e, known && e.everything().Values[v1.WorkEmail] == box+"@"+domain
}

// IsNamed reports whether an employee has a full name, in any case.
func (c Company) IsNamed(place int, fullName string) bool {
	first, last := c.names(place)
	return strings.EqualFold(first+" "+last, fullName)
}

// Employs reports whether somebody with a full name is an employee of the company.
func (w World) Employs(c Company, fullName string) bool {
	for place := range c.Staff() {
		if c.IsNamed(place, fullName) {
			return true
		}
	}
	return false
}
