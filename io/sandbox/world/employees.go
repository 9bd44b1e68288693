package world

import (
	"fmt"
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
	Company     Company
	profile     string
	mailbox     string // the part of the email before the "@"; empty: drawn
	drawn       string // the text by which the values are drawn
	world       World
}

// The places of people in a company. Those of the staff begin at 0, and the others are of people who are in lists.
const (
	maxStaff       = 12 // the most employees of one company in the staff
	firstListPlace = 100
	listPlaces     = 900
)

// The places of a staff whose names are those of others.
const (
	sharedPlace   = 1 // all companies of one name have somebody of the same name there
	namesakePlace = 3 // some companies have another one of that name there
)

// Staff returns how many employees of the company searches show.
func (c Company) Staff() int { return min(maxStaff, c.Employees()) }

// nameOf returns the name of somebody who belongs to a company.
func (w World) nameOf(c Company, place int) string {
	first, last := c.names(place)
	return first + " " + last
}

func (c Company) names(place int) (first, last string) {
	if place == namesakePlace && c.draw(ofStaff, 4)%16 == 0 {
		place = sharedPlace
	}
	if place == sharedPlace {
		c.key = c.first
	}
	start := c.draw(ofStaff)
	return firstNames[(start+uint64(place)*5)%uint64(len(firstNames))],
		lastNames[(start/64+uint64(place)*7)%uint64(len(lastNames))]
}

// isNamesake reports whether an employee has the name of another one with an earlier place.
func (c Company) isNamesake(place int) bool {
	first, last := c.names(place)
	for earlier := range place {
		if f, l := c.names(earlier); f == first && l == last {
			return true
		}
	}
	return false
}

// Role returns the seniority and the department of an employee, as indexes. The first one leads the company.
func (c Company) Role(place int) (seniority, department int) {
	if place == 0 {
		return int(c.draw(ofStaff, 1) % 3), 0
	}
	drawn := c.draw(ofStaff, 2, uint64(place))
	return 2 + int(drawn%uint64(len(seniorities)-2)), int(drawn / 64 % uint64(len(departments)))
}

// Employee returns one of the company's staff, counted from 0.
func (w World) Employee(c Company, place int) (Employee, bool) {
	if place < 0 || place >= c.Staff() {
		return Employee{}, false
	}
	e := w.somebody(c, place)
	e.First, e.Last = c.names(place)
	e.profile = staffPages + strings.ToLower(e.First+"-"+e.Last) + "-" + e.ID
	e.drawn = enrich.Identity{FirstName: e.First, LastName: e.Last, CompanyDomain: c.Domain()}.Canonical()
	switch plain := strings.ToLower(e.First + "." + e.Last); {
	case c.isNamesake(place):
		e.drawn, e.mailbox = enrich.Identity{ProfileURL: e.profile}.Canonical(), plain+strconv.Itoa(place)
	case place == sharedPlace:
		e.mailbox = plain
	}
	return e, true
}

// somebody returns the person with a place in a company, without a name.
func (w World) somebody(c Company, place int) Employee {
	e := Employee{ID: fmt.Sprintf("%s%03d", c.ID(), place), Company: c, world: w}
	e.Seniority, e.Department = c.Role(place)
	e.Female = c.draw(ofStaff, 3, uint64(place))%2 == 0
	return e
}

// listEmployee returns a person of lists.
func (w World) listEmployee(c Company, place int, p person) Employee {
	e := w.somebody(c, place)
	e.First, e.Last, e.profile, e.mailbox = p.first.text, p.last.text, p.page(), p.first.ascii+"."+p.last.ascii
	e.drawn = enrich.Identity{FirstName: e.First, LastName: e.Last, CompanyDomain: c.Domain()}.Canonical()
	return e
}

// isUnknown reports whether v2 knows nothing of a person of lists.
func (e Employee) isUnknown() bool {
	return kit.Roll(e.world.People.Seed, "v2 unknown", e.drawn).Float64() < e.world.People.UnknownRate
}

// known returns a person if v2 knows the person. It knows the staff of every company, and a share of the people of lists.
func known(e Employee, found bool) (Employee, bool) {
	if !found || strings.HasPrefix(e.profile, listPages) && e.isUnknown() {
		return Employee{}, false
	}
	return e, true
}

// EmployeeByID returns the person with an identifier.
func (w World) EmployeeByID(id string) (Employee, bool) {
	if len(id) < 4 {
		return Employee{}, false
	}
	head, tail := id[:len(id)-3], id[len(id)-3:]
	place, err := strconv.Atoi(tail)
	c, exists := w.ByID(head)
	if err != nil || !exists {
		return Employee{}, false
	}
	if place < firstListPlace {
		e, found := w.Employee(c, place)
		return e, found && e.ID == id
	}
	people := c.listPeople()
	if place -= firstListPlace; place >= len(people) {
		return Employee{}, false
	}
	return known(w.listEmployee(c, firstListPlace+place, people[place]), true)
}

// ByContact returns a person by the profile's address, or by name and company.
func (w World) ByContact(contact enrich.Contact) (Employee, bool) {
	identity, reason := contact.Identify(enrich.ByProfile)
	if reason != "" {
		return Employee{}, false
	}
	return known(w.identified(identity))
}

// identified returns the person of this world with an identity. v2 may know nothing of them.
func (w World) identified(identity enrich.Identity) (Employee, bool) {
	switch identity.Pattern() {
	case enrich.ByProfile:
		if e, found := w.ofStaffPage(identity.ProfileURL); found {
			return e, true
		}
		return w.ofListPage(identity.ProfileURL)
	case enrich.ByName:
		for _, c := range w.companiesOf(identity) {
			if e, found := w.colleague(c, identity.FirstName, identity.LastName); found {
				return e, true
			}
		}
	}
	return Employee{}, false
}

// companiesOf returns the companies that an identity of a person names: several when they share the name.
func (w World) companiesOf(identity enrich.Identity) []Company {
	if identity.CompanyDomain != "" {
		if c, found := w.ByDomain(identity.CompanyDomain); found {
			return []Company{c}
		}
		return nil
	}
	l, valid := nameOfListed(identity.CompanyName)
	if !valid {
		return nil
	}
	return w.ofName(l)
}

// colleague returns the person of a company with a name.
func (w World) colleague(c Company, first, last string) (Employee, bool) {
	asFirst, asLast := spellingOf(first), spellingOf(last)
	for place := range c.Staff() {
		if f, l := c.names(place); strings.EqualFold(asFirst.plain, f) && strings.EqualFold(asLast.plain, l) {
			return w.Employee(c, place)
		}
	}
	for i, p := range c.listPeople() {
		if p.first.isSpelled(asFirst) && p.last.isSpelled(asLast) {
			return w.listEmployee(c, firstListPlace+i, p), true
		}
	}
	return Employee{}, false
}

// staffPages is what the addresses of the staff begin with.
const staffPages = "https://pro-network.example/in/"

// staffPage is the form of the addresses of the staff, which end with the identifier.
var staffPage = regexp.MustCompile(`^` + regexp.QuoteMeta(staffPages) + `[a-z-]+-(\d+)$`)

// ofStaffPage returns the employee whose profile has an address.
func (w World) ofStaffPage(address string) (Employee, bool) {
	address = strings.ToLower(address)
	match := staffPage.FindStringSubmatch(address)
	if match == nil {
		return Employee{}, false
	}
	e, found := w.EmployeeByID(match[1])
	return e, found && e.profile == address
}

// knows reports whether v2 has a value of a person that it knows.
func (e Employee) knows(field string, share float64) bool {
	return kit.Roll(e.world.People.Seed, "v2 knows "+field, e.drawn).Float64() < share
}

// email returns the person's email, whether v2 knows it or not.
func (e Employee) email() string { return e.world.People.email(e.who()) }

// who returns by what the values of the person are drawn.
func (e Employee) who() who {
	return who{drawn: e.drawn, first: e.First, last: e.Last, company: e.Company.Domain(), mailbox: e.mailbox}
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
	return e.email()
}

// Phone returns the person's phone number; "" when v2 does not know it.
func (e Employee) Phone() string {
	if !e.HasPhone() {
		return ""
	}
	return e.world.People.values(e.who()).Values[v1.BusinessPhone]
}

// Profile returns the address of the person's profile.
func (e Employee) Profile() string { return e.profile }

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
	email = strings.ToLower(strings.TrimSpace(email))
	_, domain, _ := strings.Cut(email, "@")
	c, exists := w.ByDomain(domain)
	if !exists {
		return Employee{}, false
	}
	for place := range c.Staff() {
		if e, _ := w.Employee(c, place); e.email() == email {
			return e, true
		}
	}
	for i, p := range c.listPeople() {
		if e := w.listEmployee(c, firstListPlace+i, p); e.email() == email {
			return known(e, true)
		}
	}
	return Employee{}, false
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
