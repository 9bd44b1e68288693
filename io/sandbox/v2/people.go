package v2

import (
	"iter"
	"slices"
	"strings"

	"payonce/enrich"
	"payonce/io/sandbox/world"
)

// seats returns every place in the staffs of companies.
func seats(companies iter.Seq[world.Company]) iter.Seq[Seat] {
	return func(yield func(Seat) bool) {
		for c := range companies {
			for place := range c.Staff() {
				if !yield(Seat{Company: c, Place: place}) {
					return
				}
			}
		}
	}
}

// employeeList is a page of people.
type employeeList[T any] struct {
	TotalEmployees int `json:"total_employees"`
	TotalPages     int `json:"total_pages"`
	Data           []T `json:"data"`
}

// listOfPeople answers with a page of people.
func listOfPeople[T any](s *Server, page pages, all iter.Seq[Seat], word func(world.Employee) T) answer {
	found, total := pageOf(page, all)
	list := employeeList[T]{TotalEmployees: total, Data: []T{}}
	_, _, list.TotalPages = page.of(total)
	for _, at := range found {
		e, _ := s.world.Employee(at.Company, at.Place)
		list.Data = append(list.Data, word(e))
	}
	return answer{body: list}
}

// searchEmployees lists the employees that meet filters.
func (s *Server) searchEmployees(in *input) (answer, *refusal) {
	page := in.paging(10, maxPerPage)
	filters := in.filters(true)
	if no := in.end(); no != nil {
		return answer{}, no
	}
	companies, conditions, problems := filters.Employees(s.world)
	if no := invalidFilters(problems); no != nil {
		return answer{}, no
	}
	return listOfPeople(s, page, matching(seats(companies), conditions), func(e world.Employee) employeeItem {
		return employeeItem{e.ID, e.First + " " + e.Last, e.Company.ID(), s.record(e.Company).Name}
	}), nil
}

// employeeDetails returns a person in full, with the department and the whole contact.
func (s *Server) employeeDetails(in *input) (answer, *refusal) {
	if no := in.end(); no != nil {
		return answer{}, no
	}
	e, found := s.world.EmployeeByID(in.id)
	if !found {
		return answer{}, notFound()
	}
	said := contact(e, true, true)
	r := said.body.(employeeRecord)
	r.Department = &[]string{e.DepartmentName()}
	said.body = r
	return said, nil
}

// revealed answers with a person who was found.
func revealed(e world.Employee, found, email, phone bool) (answer, *refusal) {
	if !found {
		return answer{}, notFound()
	}
	return contact(e, email, phone), nil
}

func (s *Server) contactByEmail(in *input) (answer, *refusal) {
	email, phone := in.needed("email"), in.flag("reveal_phone")
	if no := in.end(); no != nil {
		return answer{}, no
	}
	e, found := s.world.ByEmail(email)
	return revealed(e, found, true, phone)
}

func (s *Server) contactByProfile(in *input) (answer, *refusal) {
	profile := in.needed("linkedin")
	email, phone := in.flag("reveal_email"), in.flag("reveal_phone")
	if no := in.end(); no != nil {
		return answer{}, no
	}
	e, found := s.world.ByContact(enrich.Contact{ProfileURL: profile})
	return revealed(e, found, email, phone)
}

// contactByName finds a person by the profile, the email, or the name and the company.
func (s *Server) contactByName(in *input) (answer, *refusal) {
	who := enrich.Contact{
		FirstName: in.str("first_name"), LastName: in.str("last_name"), CompanyName: in.str("company_name"),
		CompanyDomain: in.str("domain"), ProfileURL: in.str("pro_network"),
	}
	given := in.str("email")
	email, phone := in.flag("reveal_email"), in.flag("reveal_phone")
	if no := in.end(); no != nil {
		return answer{}, no
	}
	if given != "" && who.ProfileURL == "" {
		e, found := s.world.ByEmail(given)
		return revealed(e, found, email, phone)
	}
	if _, reason := who.Identify(enrich.ByProfile); reason != "" {
		return answer{}, invalid("fields", "Give pro_network, email, or a name with a company: "+string(reason)+".")
	}
	e, found := s.world.ByContact(who)
	return revealed(e, found, email, phone)
}

// searchPeople lists people by companies and places.
func (s *Server) searchPeople(in *input) (answer, *refusal) {
	domains := in.strs("domain_list")
	companyPlaces, peoplePlaces := in.strs("company_locations"), in.strs("employee_locations")
	ranks := in.strs("employee_seniorities")
	page := in.paging(0, maxPerPage)
	names := world.SeniorityNames()
	for _, rank := range ranks {
		if !slices.Contains(names, rank) {
			in.wrong("employee_seniorities", "There is no seniority "+rank+".")
		}
	}
	if no := in.end(); no != nil {
		return answer{}, no
	}
	companies := s.world.Listed()
	if len(domains) > 0 {
		companies = s.withDomains(domains)
	}
	var conditions []func(Seat) bool
	for _, places := range [][]string{companyPlaces, peoplePlaces} { // everybody lives where the company is
		if len(places) > 0 {
			conditions = append(conditions, func(at Seat) bool { return isIn(at.Company, places) })
		}
	}
	if len(ranks) > 0 {
		conditions = append(conditions, func(at Seat) bool {
			rank, _ := at.Company.Role(at.Place)
			return slices.Contains(ranks, names[rank])
		})
	}
	return listOfPeople(s, page, matching(seats(companies), conditions), peopleItemOf), nil
}

func (s *Server) withDomains(domains []string) iter.Seq[world.Company] {
	return func(yield func(world.Company) bool) {
		seen := map[string]bool{}
		for _, domain := range domains {
			c, found := s.world.ByWebsite(domain)
			if found && !seen[c.ID()] && !yield(c) {
				return
			}
			if found {
				seen[c.ID()] = true
			}
		}
	}
}

// isIn reports whether a company is in one of the places: a country's code or name, a region or a city.
func isIn(c world.Company, places []string) bool {
	country, place := c.Country(), c.Place()
	return slices.ContainsFunc(places, func(wanted string) bool {
		return slices.ContainsFunc([]string{country.Code, country.Name, place.Region, place.RegionCode, place.City}, func(name string) bool {
			return strings.EqualFold(name, strings.TrimSpace(wanted))
		})
	})
}
