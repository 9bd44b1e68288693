package v2

import (
	"maps"
	"slices"
	"time"

	"payonce/io/sandbox/kit"
	"payonce/io/sandbox/world"
)

// usageGroup is a group of usage metrics (specification v2, "Usage metric").
type usageGroup struct {
	Name     string   `json:"name"`
	Codename string   `json:"codename"`
	Metrics  []metric `json:"metrics"`
}

type metric struct {
	Name     string `json:"name"`
	Codename string `json:"codename"`
	Used     int64  `json:"used"`
	Total    int64  `json:"total"`
}

// metrics returns what each module used of its total, in two groups.
func (s *Server) metrics(in *input) (answer, *refusal) {
	if no := in.end(); no != nil {
		return answer{}, no
	}
	groups := []usageGroup{{Name: "Data", Codename: "data"}, {Name: "Reports", Codename: "reports"}}
	for _, u := range s.units.Usage() {
		group := &groups[1]
		if u.Module == kit.Companies || u.Module == kit.Contacts {
			group = &groups[0]
		}
		group.Metrics = append(group.Metrics, metric{moduleName(u.Module), string(u.Module), u.Used, u.Total})
	}
	return answer{body: groups}, nil
}

// contactMetrics returns how many emails and phones were found in a span of time.
func (s *Server) contactMetrics(in *input) (answer, *refusal) {
	from, _ := in.queryTime("date_from", time.DateTime, true)
	to, _ := in.queryTime("date_to", time.DateTime, true)
	if no := in.end(); no != nil {
		return answer{}, no
	}
	var counts struct {
		Emails int64 `json:"email_count"`
		Phones int64 `json:"phone_count"`
	}
	counts.Emails, counts.Phones = s.units.Found(from, to)
	return answer{body: counts}, nil
}

// nomenclatures names the nomenclatures of the sandbox.
func (s *Server) nomenclatures(in *input) (answer, *refusal) {
	return answer{body: slices.Sorted(maps.Keys(world.Nomenclatures()))}, in.end()
}

// nomenclature returns the values of one.
func (s *Server) nomenclature(in *input) (answer, *refusal) {
	terms, found := world.Nomenclatures()[in.name]
	if !found {
		return answer{}, notFound()
	}
	return answer{body: terms}, in.end()
}
