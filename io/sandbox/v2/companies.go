package v2

import (
	"iter"
	"slices"
	"strings"

	"payonce/io/sandbox/world"
)

// companyList is a page of companies.
type companyList struct {
	TotalCompanies int         `json:"total_companies"`
	TotalPages     int         `json:"total_pages"`
	Data           []idAndName `json:"data"`
}

type idAndName struct {
	ID   any    `json:"id"`
	Name string `json:"name"`
}

// prospecting lists the companies that meet filters.
func (s *Server) prospecting(in *input) (answer, *refusal) {
	page := in.paging(10, maxPerPage)
	filters := in.filters(false)
	if no := in.end(); no != nil {
		return answer{}, no
	}
	conditions, problems := filters.Companies(s.world)
	if no := invalidFilters(problems); no != nil {
		return answer{}, no
	}
	found := s.prospects(filters, conditions)
	list := companyList{TotalCompanies: found.total, Data: []idAndName{}}
	_, _, list.TotalPages = page.of(found.total)
	from, to, _ := page.of(len(found.shown))
	for _, c := range found.shown[from:to] {
		list.Data = append(list.Data, idAndName{integerID(c.ID()), s.record(c).Name})
	}
	return answer{body: list}, nil
}

// pageOf returns the values of a page and how many values there are in all. It holds no more than the page.
func pageOf[T any](p pages, all iter.Seq[T]) (found []T, total int) {
	for value := range all {
		if total >= (p.page-1)*p.size && len(found) < p.size {
			found = append(found, value)
		}
		total++
	}
	return found, total
}

// matching returns the values that meet all conditions.
func matching[T any](all iter.Seq[T], conditions []func(T) bool) iter.Seq[T] {
	return func(yield func(T) bool) {
		for value := range all {
			meets := !slices.ContainsFunc(conditions, func(condition func(T) bool) bool { return !condition(value) })
			if meets && !yield(value) {
				return
			}
		}
	}
}

// overviewList is a page of the company search.
type overviewList struct {
	TotalResults int          `json:"total_results"`
	TotalPages   int          `json:"total_pages"`
	Data         []searchItem `json:"data"`
}

// identifiers are what can name a company.
type identifiers struct {
	country, state, name, registration, lei, vat, website, phone, person, profile, email string
}

// overview searches companies by what names them.
func (s *Server) overview(in *input) (answer, *refusal) {
	by := identifiers{
		country: in.str("country_code"), state: in.str("state"), name: in.str("name"), registration: in.str("registration_number"),
		lei: in.str("lei_number"), vat: in.str("vat_number"), website: in.str("website"), phone: in.str("phone_number"),
		person: in.str("person"), profile: in.str("pro_network"),
	}
	statuses := in.numbers("company_status")
	page := in.paging(0, 5)
	if no := in.end(); no != nil {
		return answer{}, no
	}
	conditions := s.conditionsOf(by)
	if statuses != nil {
		conditions = append(conditions, func(c world.Company) bool { return slices.Contains(statuses, c.Status()) })
	}
	found, total := pageOf(page, matching(s.candidates(by), conditions))
	list := overviewList{TotalResults: total, Data: []searchItem{}}
	_, _, list.TotalPages = page.of(total)
	for _, c := range found {
		list.Data = append(list.Data, s.item(c))
	}
	return answer{body: list}, nil
}

// candidates returns the companies that the most exact of the identifiers names.
func (s *Server) candidates(by identifiers) iter.Seq[world.Company] {
	one := func(c world.Company, found bool) iter.Seq[world.Company] {
		return func(yield func(world.Company) bool) {
			if found {
				yield(c)
			}
		}
	}
	switch {
	case by.lei != "":
		return one(s.world.ByLEI(by.lei))
	case by.vat != "" && by.country != "":
		return one(s.world.ByVAT(by.country, by.vat))
	case by.vat != "":
		return one(s.world.ByVAT(by.vat[:min(2, len(by.vat))], by.vat))
	case by.registration != "" && by.country != "":
		return one(s.world.ByRegistration(by.country, by.state, by.registration))
	case by.registration != "":
		return slices.Values(s.world.ByRegistrationAnywhere(by.registration))
	case by.website != "":
		return one(s.world.ByWebsite(by.website))
	case by.profile != "":
		return one(s.world.ByProfile(by.profile))
	case by.phone != "":
		return one(s.world.ByPhone(by.phone))
	case by.name != "":
		return slices.Values(s.world.ByName(by.name))
	case by.email != "":
		return one(s.world.ByWebsite(by.email))
	}
	return s.world.Listed()
}

// conditionsOf returns what the identifiers that candidates did not use demand.
func (s *Server) conditionsOf(by identifiers) []func(world.Company) bool {
	var conditions []func(world.Company) bool
	if by.country != "" {
		conditions = append(conditions, func(c world.Company) bool { return strings.EqualFold(c.Country().Code, by.country) })
	}
	if by.state != "" {
		conditions = append(conditions, func(c world.Company) bool { return strings.EqualFold(c.Place().RegionCode, by.state) })
	}
	if by.name != "" {
		named := map[string]bool{}
		for _, c := range s.world.ByName(by.name) {
			named[c.ID()] = true
		}
		conditions = append(conditions, func(c world.Company) bool { return named[c.ID()] })
	}
	if by.website != "" {
		wanted, exists := s.world.ByWebsite(by.website)
		conditions = append(conditions, func(c world.Company) bool { return exists && c == wanted })
	}
	if by.person != "" {
		conditions = append(conditions, func(c world.Company) bool { return s.world.Employs(c, by.person) })
	}
	return conditions
}

func (s *Server) companyDetails(in *input) (answer, *refusal) {
	if no := in.end(); no != nil {
		return answer{}, no
	}
	c, found := s.world.ByID(in.id)
	if !found {
		return answer{}, notFound()
	}
	r := s.record(c)
	r.ID = integerID(c.ID())
	return answer{body: r}, nil
}

// enriched answers with a company that was found. Some records lack the status.
func (s *Server) enriched(c world.Company, found bool) (answer, *refusal) {
	if !found {
		return answer{}, notFound()
	}
	r := s.record(c)
	if len(r.ID.(string))%3 == 1 {
		r.Status = ""
	}
	return answer{body: r}, nil
}

func (s *Server) companyByWebsite(in *input) (answer, *refusal) {
	website := in.needed("url")
	if no := in.end(); no != nil {
		return answer{}, no
	}
	return s.enriched(s.world.ByWebsite(website))
}

func (s *Server) companyByProfile(in *input) (answer, *refusal) {
	profile := in.needed("linkedin")
	if no := in.end(); no != nil {
		return answer{}, no
	}
	return s.enriched(s.world.ByProfile(profile))
}

func (s *Server) companyByNumber(in *input) (answer, *refusal) {
	country, state := in.needed("country_code"), in.str("state")
	registration, vat := in.str("registration_number"), in.str("vat_number")
	if strings.EqualFold(country, "US") && state == "" {
		in.wrong("state", isRequired)
	}
	if registration == "" && vat == "" {
		in.wrong("fields", "Give one or more of registration_number, vat_number.")
	}
	if no := in.end(); no != nil {
		return answer{}, no
	}
	if registration != "" {
		return s.enriched(s.world.ByRegistration(country, state, registration))
	}
	return s.enriched(s.world.ByVAT(country, vat))
}

// autocomplete returns the company that fits best: an active one before others.
func (s *Server) autocomplete(in *input) (answer, *refusal) {
	by := identifiers{
		country: in.str("country_code"), name: in.str("name"), registration: in.str("registration_number"),
		vat: in.str("vat_number"), website: in.str("website"), email: in.str("email"), profile: in.str("pro_network"),
		phone: in.str("phone_number"),
	}
	if by == (identifiers{country: by.country}) && in.problems == nil {
		in.wrong("fields", "Give one or more of name, registration_number, vat_number, website, phone_number.")
	}
	if no := in.end(); no != nil {
		return answer{}, no
	}
	var best *world.Company
	for c := range matching(s.candidates(by), s.conditionsOf(by)) {
		if best == nil || best.Status() != world.Active && c.Status() == world.Active {
			best = &c
		}
	}
	if best == nil {
		return answer{}, notFound()
	}
	return s.enriched(*best, true)
}
