package conformance

import (
	"fmt"
	"slices"
	"strings"

	"payonce/io/sandbox/kit"
	"payonce/io/sandbox/world"
	"payonce/io/service/v2"
)

// filtered returns a body with filters.
func filtered(filters objectV2, members ...any) objectV2 {
	body := objectV2{"filters": encoded(filters)}
	for i := 0; i+1 < len(members); i += 2 {
		body[members[i].(string)] = members[i+1]
	}
	return body
}

func searchCases() []rulesCase {
	return []rulesCase{
		{rule: "v2-search/prospecting", try: func(p *trial) {
			got := p.post("/prospecting", objectV2{}).ok().uses(kit.Companies).shaped("prospects")
			p.check(len(got.list("id")) > 0, "no results")
		}},
		{rule: "v2-search/filters-text", try: func(p *trial) {
			p.post("/prospecting", filtered(objectV2{"company_status": []int{1}})).ok().uses(kit.Companies)
			p.post("/prospecting", objectV2{"filters": objectV2{"company_status": []int{1}}}).invalid("filters")
			p.post("/employees", objectV2{"filters": objectV2{"company_id": 1}}).invalid("filters")
		}},
		{rule: "v2-search/filters-optional", try: func(p *trial) { p.post("/prospecting", objectV2{}).ok().uses(kit.Companies) }},
		{rule: "v2-search/filters-required", try: func(p *trial) { p.post("/employees", objectV2{}).invalid("filters") }},
		{rule: "v2-search/filters-narrow", try: func(p *trial) {
			filters, last := objectV2{}, 1<<60
			for _, more := range []objectV2{{}, {"company_status": []int{1}}, {"number_of_employees": objectV2{"gte": 50}}} {
				for name, value := range more {
					filters[name] = value
				}
				var page struct {
					Total int `json:"total_companies"`
				}
				p.post("/prospecting", filtered(filters)).ok().uses(kit.Companies).decode(&page)
				p.check(page.Total < last && page.Total > 0, "%d companies with %v, %d without the last filter", page.Total, filters, last)
				last = page.Total
			}
		}},
		{rule: "v2-search/range", try: func(p *trial) {
			total := func(bounds objectV2) (n int) {
				var page struct {
					Total int `json:"total_companies"`
				}
				p.post("/prospecting", filtered(objectV2{"number_of_employees": bounds})).ok().uses(kit.Companies).decode(&page)
				return page.Total
			}
			below, from, all := total(objectV2{"lte": 99}), total(objectV2{"gte": 100}), total(objectV2{})
			one := total(objectV2{"gte": 100, "lte": 100})
			p.check(below+from == all && one > 0 && from+total(objectV2{"lte": 100}) == all+one, "%d up to 99, %d from 100, %d with 100, %d in all", below, from, one, all)
		}},
		{rule: "v2-search/location", try: func(p *trial) {
			var countries []struct{ ID any }
			p.raw("GET", "/nomenclature/location_countries", "").ok().decode(&countries)
			p.check(len(countries) > 0, "no countries")
			id, isText := countries[0].ID.(string)
			p.check(isText, "the identifier %v is not a text", countries[0].ID)
			p.post("/prospecting", filtered(objectV2{"location_countries": []string{id}})).ok().uses(kit.Companies)
		}},
		{rule: "v2-search/overview", try: func(p *trial) {
			got := p.post("/overview", objectV2{"name": p.company().Name()}).ok().uses(kit.Companies).shaped("overview")
			p.check(slices.Contains(got.list("id"), p.company().ID()), "%s is not found by its name: %s", p.company().ID(), got.body)
		}},
		{rule: "v2-search/overview-identifiers", try: func(p *trial) {
			c := p.oneOf(func(c world.Company) bool { return c.LEI() != "" && len(c.Phones()) > 0 })
			e, _ := p.world.Employee(c, 0)
			for member, value := range map[string]string{
				"website": c.Website(), "pro_network": c.Profile(), "registration_number": c.Registration(), "vat_number": c.VAT(),
				"lei_number": c.LEI(), "phone_number": c.Phones()[0],
			} {
				got := p.post("/overview", objectV2{member: value}).ok().uses(kit.Companies)
				p.check(slices.Contains(got.list("id"), c.ID()), "%s %s does not find %s: %s", member, value, c.ID(), got.body)
			}
			got := p.post("/overview", objectV2{"website": c.Website(), "person": e.First + " " + e.Last}).ok().uses(kit.Companies)
			p.check(slices.Contains(got.list("id"), c.ID()), "the name of an employee does not find %s", c.ID())
			p.post("/overview", objectV2{"website": c.Website(), "person": "Nobody Atall"}).ok().uses(kit.Companies).has("total_results", "0")
		}},
		{rule: "v2-search/overview-country", try: func(p *trial) {
			got := p.post("/overview", objectV2{"country_code": "GB"}).ok().uses(kit.Companies)
			p.check(!slices.ContainsFunc(got.list("country_code"), func(code string) bool { return code != "GB" }), "%s", got.body)
		}},
		{rule: "v2-search/overview-status", try: func(p *trial) {
			got := p.post("/overview", objectV2{"company_status": []int{2}}).ok().uses(kit.Companies)
			p.check(!slices.ContainsFunc(got.list("status"), func(status string) bool { return status != world.StatusName(2) }), "%s", got.body)
		}},
		{rule: "v2-search/employees", try: func(p *trial) {
			id := p.company().ID()
			got := p.post("/employees", filtered(objectV2{"company_id": number(id)})).ok().uses(kit.Contacts).shaped("employees")
			p.check(len(got.list("id")) > 0 && !slices.ContainsFunc(got.list("company_id"), func(of string) bool { return of != id }), "%s", got.body)
		}},
		{rule: "v2-search/employees-filters", try: func(p *trial) {
			e := p.contact()
			total := func(filters objectV2) (n int) {
				filters["company_id"] = number(p.company().ID())
				var page struct {
					Total int `json:"total_employees"`
				}
				p.post("/employees", filtered(filters)).ok().uses(kit.Contacts).decode(&page)
				return page.Total
			}
			all := total(objectV2{})
			for _, filters := range []objectV2{
				{"full_name": e.First + " " + e.Last}, {"job_title": []string{e.Title()}}, {"url": e.Profile()},
			} {
				n := total(filters)
				p.check(n >= 1 && n <= all, "%d employees with %v, %d without", n, filters, all)
			}
			p.check(total(objectV2{"full_name": "Nobody Atall"}) == 0, "somebody has a name that nobody has")
		}},
		{rule: "v2-search/people", try: func(p *trial) {
			got := p.post("/enrichment/employee/search", objectV2{"domain_list": []string{p.company().Domain()}}).ok().uses(kit.Contacts).shaped("people")
			p.check(len(got.list("id")) > 0, "nobody")
		}},
		{rule: "v2-search/people-domains", try: func(p *trial) {
			got := p.post("/enrichment/employee/search", objectV2{"domain_list": []string{p.company().Domain()}}).ok().uses(kit.Contacts)
			n := strings.Count(string(got.body), encoded(p.company().Website()))
			p.check(n == len(got.list("id")) && n > 0, "%d of %d are of the company: %s", n, len(got.list("id")), got.body)
		}},
		{rule: "v2-search/people-locations", try: func(p *trial) {
			c := p.company()
			for _, member := range []string{"company_locations", "employee_locations"} {
				for place, found := range map[string]bool{c.Place().City: true, "Atlantis": false} {
					got := p.post("/enrichment/employee/search", objectV2{"domain_list": []string{c.Domain()}, member: []string{place}}).ok().uses(kit.Contacts)
					p.check((len(got.list("id")) > 0) == found, "%s %s: %.200s", member, place, got.body)
				}
			}
		}},
		{rule: "v2-search/seniorities", try: func(p *trial) {
			for _, rank := range v2.Seniorities() {
				p.post("/enrichment/employee/search", objectV2{"employee_seniorities": []string{rank}, "domain_list": []string{p.company().Domain()}}).ok().uses(kit.Contacts)
			}
			p.post("/enrichment/employee/search", objectV2{"employee_seniorities": []string{"emperor"}}).invalid("employee_seniorities")
		}},
		{rule: "v2-search/insights-candidates", try: func(p *trial) {
			p.post("/digital-insights", objectV2{"name": p.company().Name()}).ok().uses(kit.Insights).arrayOf("candidate")
		}},
		{rule: "v2-search/ownership-candidates", try: func(p *trial) {
			p.post("/ownership", objectV2{"registration_number": p.company().Registration()}).ok().uses(kit.Ownership).arrayOf("candidate")
		}},
		{rule: "v2-search/one-space-of-ids", try: func(p *trial) {
			for path, module := range map[string]kit.Module{"/digital-insights": kit.Insights, "/ownership": kit.Ownership} {
				var found []struct {
					ID   any
					Name string
				}
				p.post(path, objectV2{"registration_number": p.company().Registration()}).ok().uses(module).decode(&found)
				p.raw("GET", "/companies/"+fmt.Sprint(found[0].ID), "").ok().uses(kit.Companies).has("name", found[0].Name)
			}
		}},
	}
}

// number is an identifier as a number.
func number(id string) v2.ID { return v2.ID(id) }

func pagingCases() []rulesCase {
	return []rulesCase{
		{rule: "v2-search/prospecting-pages", try: func(p *trial) {
			p.post("/prospecting", objectV2{"page": 10}).ok().uses(kit.Companies)
			p.post("/prospecting", objectV2{"page": 11}).invalid("page")
		}},
		{rule: "v2-search/employees-pages", try: func(p *trial) {
			id := number(p.company().ID())
			p.post("/employees", filtered(objectV2{"company_id": id}, "page", 10)).ok().uses(kit.Contacts)
			p.post("/employees", filtered(objectV2{"company_id": id}, "page", 11)).invalid("page")
		}},
		{rule: "v2-search/per-page", try: func(p *trial) {
			got := p.post("/prospecting", objectV2{}).ok().uses(kit.Companies)
			p.check(len(got.list("id")) == 25, "%d results, want 25", len(got.list("id")))
			got = p.post("/prospecting", objectV2{"per_page": 3}).ok().uses(kit.Companies)
			p.check(len(got.list("id")) == 3, "%d results, want 3", len(got.list("id")))
			p.post("/prospecting", objectV2{"per_page": 26}).invalid("per_page")
			p.post("/employees", filtered(objectV2{"company_id": 1}, "per_page", 26)).invalid("per_page")
		}},
		{rule: "v2-search/overview-per-page", try: func(p *trial) {
			got := p.post("/overview", objectV2{"country_code": "GB"}).ok().uses(kit.Companies)
			p.check(len(got.list("id")) == 5, "%d results, want 5", len(got.list("id")))
			p.post("/overview", objectV2{"country_code": "GB", "per_page": 6}).invalid("per_page")
		}},
		{rule: "v2-search/page-default", try: func(p *trial) {
			without := p.post("/overview", objectV2{"country_code": "GB"}).ok().uses(kit.Companies)
			first := p.post("/overview", objectV2{"country_code": "GB", "page": 1}).ok().uses(kit.Companies)
			p.check(string(without.body) == string(first.body), "%s, the first page is %s", without.body, first.body)
		}},
		{rule: "v2-search/pages", try: func(p *trial) {
			first := p.post("/prospecting", objectV2{"page": 1, "per_page": 10}).ok().uses(kit.Companies)
			second := p.post("/prospecting", objectV2{"page": 2, "per_page": 10}).ok().uses(kit.Companies)
			for _, id := range first.list("id") {
				p.check(!slices.Contains(second.list("id"), id), "%s is on both pages", id)
			}
			var counts struct {
				Companies int `json:"total_companies"`
				Pages     int `json:"total_pages"`
			}
			second.decode(&counts)
			p.check(counts.Pages == (counts.Companies+9)/10, "%d companies on %d pages of 10", counts.Companies, counts.Pages)
		}},
		{rule: "v2-search/beyond-last", try: func(p *trial) {
			got := p.post("/prospecting", filtered(objectV2{"number_of_employees": objectV2{"gte": 1 << 40}}, "page", 9)).ok().uses(kit.Companies)
			p.check(got.shaped("prospects").member("data") != nil && len(got.list("id")) == 0, "%s", got.body)
		}},
	}
}
