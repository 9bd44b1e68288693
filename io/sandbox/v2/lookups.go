package v2

import (
	"strconv"
	"strings"

	"payonce/io/sandbox/world"
)

// byInteger returns the company with the identifier in the path.
func (s *Server) byInteger(in *input, covered func(world.Company) bool) (world.Company, *refusal) {
	if no := in.end(); no != nil {
		return world.Company{}, no
	}
	c, found := s.world.ByID(in.id)
	if !found || !covered(c) {
		return world.Company{}, notFound()
	}
	return c, nil
}

// financials returns the figures of every year, or of one.
func (s *Server) financials(in *input) (answer, *refusal) {
	wanted := in.queryText("year")
	if _, err := strconv.Atoi(wanted); wanted != "" && err != nil {
		in.wrong("year", "A valid integer is required.")
	}
	c, no := s.byInteger(in, world.Company.HasFinancials)
	if no != nil {
		return answer{}, no
	}
	years := map[string]map[string]any{}
	for _, year := range c.Years() {
		if name := strconv.Itoa(year); wanted == "" || wanted == name {
			years[name] = c.Figures(year)
		}
	}
	if len(years) == 0 {
		return answer{}, notFound()
	}
	return answer{body: years}, nil
}

func (s *Server) insights(in *input) (answer, *refusal) {
	c, no := s.byInteger(in, world.Company.HasInsights)
	if no != nil {
		return answer{}, no
	}
	return answer{body: c.Insights()}, nil
}

func (s *Server) ownership(in *input) (answer, *refusal) {
	c, no := s.byInteger(in, world.Company.HasOwnership)
	if no != nil {
		return answer{}, no
	}
	owned := s.world.OwnershipOf(c)
	if name, changed := s.watches.Value(c.ID(), "shareholder_name"); changed && len(owned.Shareholders) > 0 {
		owned.Shareholders[0].Name = name
	}
	return answer{body: owned}, nil
}

// findCompanies returns the companies with a name or a registration number, for further calls of a module.
func (s *Server) findCompanies(in *input) (answer, *refusal) {
	by := identifiers{name: in.str("name"), registration: in.str("registration_number")}
	if by == (identifiers{}) && in.problems == nil {
		in.wrong("fields", "Give one or more of name, registration_number.")
	}
	if no := in.end(); no != nil {
		return answer{}, no
	}
	found := []reference{}
	covered := world.Company.HasInsights
	if strings.HasSuffix(in.path, "/ownership") {
		covered = world.Company.HasOwnership
	}
	for c := range matching(s.candidates(by), append(s.conditionsOf(by), covered)) {
		found = append(found, s.reference(c))
	}
	if len(found) == 0 {
		return answer{}, notFound()
	}
	return answer{body: found}, nil
}
