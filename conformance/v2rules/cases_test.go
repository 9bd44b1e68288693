package v2rules

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"payonce/enrich"
	"payonce/sandbox/fault"
	"payonce/sandbox/units"
	sandboxv2 "payonce/sandbox/v2"
	"payonce/sandbox/world"
	"payonce/service/v2/calls"
	meters "payonce/service/v2/units"
)

// cases returns every case, in the order of the rules.
func cases() []rulesCase {
	return slices.Concat(
		keyCases(), errorCases(), unitCases(), revealCases(), metricsCases(), searchCases(), pagingCases(),
		recordCases(), enrichCases(), watchCases(), eventCases(), limitCases(), lossCases(),
	)
}

type object = map[string]any

func keyCases() []rulesCase {
	refusedWith := func(header ...string) func(*play) {
		return func(p *play) {
			p.raw("GET", "/metrics", "", header...).detail(401)
			p.raw("GET", "/companies/1", "", header...).detail(401)
			p.raw("POST", "/prospecting", "{}", header...).detail(401)
		}
	}
	return []rulesCase{
		{rule: "v2-key/valid", play: func(p *play) {
			p.raw("GET", "/metrics", "").ok()
			p.raw("GET", "/companies/1", "").ok().uses(units.Companies)
		}},
		{rule: "v2-key/missing", play: refusedWith("Authorization", "")},
		{rule: "v2-key/scheme", play: refusedWith("Authorization", "Bearer "+sandboxv2.DefaultKey)},
		{rule: "v2-key/invalid", play: refusedWith("Authorization", "Token nobody")},
		{rule: "v2-key/revoked", play: func(p *play) {
			_, other, err := p.server.Units().CreateKey()
			p.check(err == nil, "%v", err)
			err = p.server.Units().RevokeKey("key_1")
			p.check(err == nil, "%v", err)
			p.raw("GET", "/companies/1", "").detail(401)
			p.key = other
			p.raw("GET", "/companies/1", "").ok().uses(units.Companies)
		}},
		{rule: "v2-key/one-account", play: func(p *play) {
			p.raw("GET", "/companies/1", "").ok().uses(units.Companies)
			_, other, err := p.server.Units().CreateKey()
			p.check(err == nil, "%v", err)
			p.key = other
			p.raw("GET", "/companies/1", "").ok().uses(units.Companies)
			p.check(p.usedOf("companies") == 2, "the counter is %d, want 2", p.usedOf("companies"))
		}},
	}
}

// usedOf reads the counter of a module over HTTP.
func (p *play) usedOf(codename string) int64 {
	var groups []struct {
		Metrics []struct {
			Codename string
			Used     int64
		}
	}
	p.raw("GET", "/metrics", "").ok().decode(&groups)
	for _, group := range groups {
		for _, metric := range group.Metrics {
			if metric.Codename == codename {
				return metric.Used
			}
		}
	}
	p.fail("no counter of %s", codename)
	return 0
}

func struckBy(f fault.Fault) func(*sandboxv2.Config) {
	return func(c *sandboxv2.Config) {
		f.Max = 1
		c.Faults = fault.NewRules(1, []fault.Fault{f})
	}
}

func errorCases() []rulesCase {
	return []rulesCase{
		{rule: "v2-error/token", play: func(p *play) {
			p.raw("GET", "/metrics", "", "Authorization", "Token nobody").detail(401)
		}},
		{rule: "v2-error/invalid-request", play: func(p *play) {
			p.post("/enrichment/url", object{}).invalid("url")
			p.post("/overview", object{"company_status": "active"}).invalid("company_status")
			p.post("/prospecting", object{"page": "one", "per_page": 0}).invalid("page").invalid("per_page")
		}},
		{rule: "v2-error/internal", begin: struckBy(fault.Fault{Answer: fault.Refused, Code: units.InternalError}), play: func(p *play) {
			p.raw("GET", "/companies/1", "").detail(500)
		}},
		{rule: "v2-error/limit", begin: totalOf(units.Companies, 0), play: func(p *play) {
			p.raw("GET", "/companies/1", "").limited("limit", units.Companies)
		}},
		{rule: "v2-error/not-found", play: func(p *play) {
			p.raw("GET", "/companies/999999", "").detail(404)
			p.post("/enrichment/url", object{"url": "unknown.example"}).detail(404)
		}},
		{rule: "v2-error/too-fast", begin: within(1), play: func(p *play) {
			p.raw("GET", "/companies/1", "").ok().uses(units.Companies)
			refused := p.raw("GET", "/companies/1", "").detail(429)
			p.check(refused.header.Get("Retry-After") == "60", "Retry-After %q", refused.header.Get("Retry-After"))
		}},
		{rule: "v2-error/no-json", play: func(p *play) {
			p.raw("POST", "/overview", "name=Acme").is(400)
			p.raw("POST", "/overview", `["Acme"]`).is(400)
		}},
		{rule: "v2-error/content-type", play: func(p *play) {
			p.raw("POST", "/overview", `{"name":"Acme"}`, "Content-Type", "text/plain").is(400)
		}},
	}
}

// paidCalls returns a call of each paid operation, in the order of the specification.
func paidCalls(p *play) []calls.Call {
	c, e := p.company(), p.contact()
	id, everything := c.ID(), meters.Everything()
	return []calls.Call{
		calls.Prospecting(calls.CompanyFilters{}, calls.Paging{PerPage: 1}),
		calls.Overview(calls.CompanySearch{Name: c.Name()}),
		calls.Company(id),
		calls.Employees(calls.EmployeeFilters{CompanyID: calls.ID(id)}, calls.Paging{}),
		calls.Employee(e.ID),
		calls.WatchStart(id, []string{"name"}),
		calls.CompanyByURL(c.Website()),
		calls.CompanyByProfile(c.Profile()),
		calls.CompanyByNumber(calls.CompanyNumbers{CountryCode: c.Country().Code, VATNumber: c.VAT(), State: c.Place().RegionCode}),
		calls.ContactByEmail(e.Email(), true),
		calls.ContactByProfile(e.Profile(), everything),
		calls.Contact(calls.PartialContact{FirstName: e.First, LastName: e.Last, Domain: c.Domain()}, everything),
		calls.People(calls.PeopleSearch{Domains: []string{c.Domain()}}),
		calls.Autocomplete(calls.PartialCompany{Name: c.Name(), CountryCode: c.Country().Code}),
		calls.Financials(id, 0),
		calls.InsightsSearch(calls.NamedCompany{Name: c.Name()}),
		calls.Insights(id),
		calls.OwnershipSearch(calls.NamedCompany{RegistrationNumber: c.Registration()}),
		calls.Ownership(id),
	}
}

// chargeOf returns what a call of paidCalls uses. It does not use the code under test.
func chargeOf(call calls.Call) units.Charge {
	charge := units.Charge{Units: 1}
	switch name := call.Operation.String(); {
	case name == "watch-start":
		charge.Module = units.Watch
	case name == "financials":
		charge.Module = units.Financials
	case strings.HasPrefix(name, "insights"):
		charge.Module = units.Insights
	case strings.HasPrefix(name, "ownership"):
		charge.Module = units.Ownership
	case name == "employees", name == "enrich-employee-search":
		charge.Module = units.Contacts
	case strings.HasPrefix(name, "employee"), strings.HasPrefix(name, "enrich-em"):
		charge.Module, charge.Emails, charge.Phones = units.Contacts, 1, 1
	default:
		charge.Module = units.Companies
	}
	return charge
}

func unitCases() (all []rulesCase) {
	p := &play{world: account().World}
	for i, call := range paidCalls(p) {
		all = append(all, rulesCase{rule: "v2-units/" + call.Operation.String(), play: func(p *play) {
			call := paidCalls(p)[i]
			p.call(call).answered().wanted = chargeOf(call)
		}})
	}
	return append(
		all,
		rulesCase{rule: "v2-units/twice", play: func(p *play) {
			for range 2 {
				p.call(calls.Company("1")).answered().uses(units.Companies)
			}
		}},
		rulesCase{rule: "v2-units/not-found-free", play: func(p *play) {
			for _, path := range []string{"/companies/999999", "/employees/999999", "/financial/999999", "/digital-insights/999999", "/ownership/999999"} {
				p.raw("GET", path, "").is(404)
			}
			p.post("/digital-insights", object{"name": "Nobody has this name"}).is(404)
			p.post("/enrichment/company/linkedin", object{"linkedin": "https://network.example/company/unknown"}).is(404)
		}},
		rulesCase{rule: "v2-units/refusal-free", play: func(p *play) {
			for _, path := range []string{"/enrichment/url", "/employees", "/enrichment/email", "/digital-insights", "/ownership", "/autocomplete"} {
				p.post(path, object{}).is(400)
			}
			p.raw("GET", "/financial/1?year=last", "").is(400)
		}},
		rulesCase{rule: "v2-units/free", play: func(p *play) {
			p.raw("POST", "/companies/1/watch/start", `{"fields":["name"]}`).is(201).uses(units.Watch)
			for range 2 {
				p.raw("GET", "/metrics", "").ok()
				p.raw("GET", contactsPath(p.now(), p.now()), "").ok()
				p.raw("GET", "/companies/watch", "").ok()
				p.raw("GET", "/companies/1/watch/events", "").ok()
				p.raw("GET", "/companies/1/watch/fields", "").ok()
				p.raw("PUT", "/companies/1/watch/fields/add", `{"fields":["company_fax"]}`).ok()
				p.raw("PUT", "/companies/1/watch/fields/remove", `{"fields":["company_fax"]}`).ok()
				p.raw("PUT", "/companies/watch/callback", `{"callback":"http://127.0.0.1:1/x"}`).ok()
				p.raw("GET", "/companies/watch/callback", "").ok()
			}
		}},
	)
}

func contactsPath(from, to time.Time) string {
	const layout = "2006-01-02+15:04:05"
	return "/metrics/contacts?date_from=" + from.Format(layout) + "&date_to=" + to.Format(layout)
}

func revealCases() []rulesCase {
	reveal := func(members object, email, phone bool) func(*play) {
		return func(p *play) {
			e := p.contact()
			body := object{"linkedin": e.Profile()}
			for name, value := range members {
				body[name] = value
			}
			count := map[bool]int64{true: 1}
			got := p.post("/enrichment/employee/linkedin", body).ok().uses(units.Contacts, count[email], count[phone])
			p.check((got.text("email") != "") == email && (got.text("phone") != "") == phone, "%s", got.body)
		}
	}
	return []rulesCase{
		{rule: "v2-reveal/default", play: reveal(nil, true, true)},
		{rule: "v2-reveal/email", play: reveal(object{"reveal_phone": false}, true, false)},
		{rule: "v2-reveal/phone", play: reveal(object{"reveal_email": false}, false, true)},
		{rule: "v2-reveal/nothing", play: reveal(object{"reveal_email": false, "reveal_phone": false}, false, false)},
		{rule: "v2-reveal/by-email", play: func(p *play) {
			e := p.contact()
			p.post("/enrichment/email", object{"email": e.Email()}).ok().uses(units.Contacts, 1, 1).has("email", e.Email()).has("phone", e.Phone())
			p.post("/enrichment/email", object{"email": e.Email(), "reveal_phone": false}).ok().uses(units.Contacts, 1, 0).has("email", e.Email()).has("phone", "")
		}},
		{rule: "v2-reveal/missing", begin: func(c *sandboxv2.Config) {
			c.World.People.MatchRates = enrich.ByField[float64]{1, 0.4}
		}, play: func(p *play) {
			for c := range p.world.Listed() {
				if e, known := p.world.Employee(c, 0); known && e.HasEmail() && !e.HasPhone() {
					p.post("/enrichment/employee/linkedin", object{"linkedin": e.Profile()}).ok().uses(units.Contacts, 1, 0).has("phone", "")
					return
				}
			}
			p.fail("every employee has a phone")
		}},
	}
}

func metricsCases() []rulesCase {
	return []rulesCase{
		{rule: "v2-metrics/members", play: func(p *play) { p.raw("GET", "/metrics", "").ok().arrayOf("group") }},
		{rule: "v2-metrics/modules", play: func(p *play) {
			for _, module := range meters.Meters() {
				p.usedOf(meters.Name(module))
			}
			got := p.raw("GET", "/metrics", "").ok()
			n := strings.Count(string(got.body), `"used"`)
			p.check(n == len(meters.Meters()), "%d modules, want %d", n, len(meters.Meters()))
		}},
		{rule: "v2-metrics/others", play: func(p *play) {
			err := p.server.Units().UseElsewhere(units.Charge{Module: units.Financials, Units: 3})
			p.check(err == nil, "%v", err)
			p.check(p.usedOf("financials") == 3, "the counter is %d, want 3", p.usedOf("financials"))
		}},
		{rule: "v2-metrics/period", play: func(p *play) {
			p.raw("GET", "/companies/1", "").ok().uses(units.Companies)
			total := p.raw("GET", "/metrics", "").ok()
			p.settle()
			err := p.server.Units().Reset()
			p.check(err == nil, "%v", err)
			p.check(p.usedOf("companies") == 0, "the counter is %d, want 0", p.usedOf("companies"))
			after := p.raw("GET", "/metrics", "").ok()
			before := strings.ReplaceAll(string(total.body), `"used":1`, `"used":0`)
			p.check(before == string(after.body), "%s, before %s", after.body, total.body)
		}},
		{rule: "v2-metrics/contacts", play: func(p *play) {
			e, start := p.contact(), p.now()
			p.raw("GET", "/employees/"+e.ID, "").ok().uses(units.Contacts, 1, 1)
			p.settle()
			p.pass(10 * time.Second)
			p.post("/enrichment/employee/linkedin", object{"linkedin": e.Profile(), "reveal_email": false}).ok().uses(units.Contacts, 0, 1)
			for _, span := range []struct {
				from, to       time.Time
				emails, phones string
			}{
				{start, p.now(), "1", "2"},
				{start, start, "1", "1"},
				{start.Add(time.Second), p.now(), "0", "1"},
				{start.Add(-time.Hour), start.Add(-time.Second), "0", "0"},
			} {
				p.raw("GET", contactsPath(span.from, span.to), "").ok().shaped("counts").has("email_count", span.emails).has("phone_count", span.phones)
			}
		}},
		{rule: "v2-metrics/contacts-required", play: func(p *play) {
			p.raw("GET", "/metrics/contacts?date_to=2026-11-10+00:00:00", "").invalid("date_from")
			p.raw("GET", "/metrics/contacts?date_from=2026-11-10+00:00:00", "").invalid("date_to")
		}},
		{rule: "v2-metrics/contacts-format", play: func(p *play) {
			p.raw("GET", "/metrics/contacts?date_from=2026-11-10&date_to=2026-11-11+00:00:00", "").invalid("date_from")
			p.raw("GET", "/metrics/contacts?date_from=2026-11-10+00:00:00&date_to=2026-11-10+01:02:03", "").ok()
		}},
	}
}

// filtered returns a body with filters.
func filtered(filters object, members ...any) object {
	body := object{"filters": encoded(filters)}
	for i := 0; i+1 < len(members); i += 2 {
		body[members[i].(string)] = members[i+1]
	}
	return body
}

func searchCases() []rulesCase {
	return []rulesCase{
		{rule: "v2-search/prospecting", play: func(p *play) {
			got := p.post("/prospecting", object{}).ok().uses(units.Companies).shaped("prospects")
			p.check(len(got.list("id")) > 0, "no results")
		}},
		{rule: "v2-search/filters-text", play: func(p *play) {
			p.post("/prospecting", filtered(object{"company_status": []int{1}})).ok().uses(units.Companies)
			p.post("/prospecting", object{"filters": object{"company_status": []int{1}}}).invalid("filters")
			p.post("/employees", object{"filters": object{"company_id": 1}}).invalid("filters")
		}},
		{rule: "v2-search/filters-optional", play: func(p *play) { p.post("/prospecting", object{}).ok().uses(units.Companies) }},
		{rule: "v2-search/filters-required", play: func(p *play) { p.post("/employees", object{}).invalid("filters") }},
		{rule: "v2-search/filters-narrow", play: func(p *play) {
			filters, last := object{}, 1<<60
			for _, more := range []object{{}, {"company_status": []int{1}}, {"number_of_employees": object{"gte": 50}}} {
				for name, value := range more {
					filters[name] = value
				}
				var page struct {
					Total int `json:"total_companies"`
				}
				p.post("/prospecting", filtered(filters)).ok().uses(units.Companies).decode(&page)
				p.check(page.Total < last && page.Total > 0, "%d companies with %v, %d without the last filter", page.Total, filters, last)
				last = page.Total
			}
		}},
		{rule: "v2-search/range", play: func(p *play) {
			total := func(bounds object) (n int) {
				var page struct {
					Total int `json:"total_companies"`
				}
				p.post("/prospecting", filtered(object{"number_of_employees": bounds})).ok().uses(units.Companies).decode(&page)
				return page.Total
			}
			below, from, all := total(object{"lte": 99}), total(object{"gte": 100}), total(object{})
			one := total(object{"gte": 100, "lte": 100})
			p.check(below+from == all && one > 0 && from+total(object{"lte": 100}) == all+one, "%d up to 99, %d from 100, %d with 100, %d in all", below, from, one, all)
		}},
		{rule: "v2-search/location", play: func(p *play) {
			var countries []struct{ ID any }
			p.raw("GET", "/nomenclature/location_countries", "").ok().decode(&countries)
			p.check(len(countries) > 0, "no countries")
			id, isText := countries[0].ID.(string)
			p.check(isText, "the identifier %v is not a text", countries[0].ID)
			p.post("/prospecting", filtered(object{"location_countries": []string{id}})).ok().uses(units.Companies)
		}},
		{rule: "v2-search/overview", play: func(p *play) {
			got := p.post("/overview", object{"name": p.company().Name()}).ok().uses(units.Companies).shaped("overview")
			p.check(slices.Contains(got.list("id"), p.company().ID()), "%s is not found by its name: %s", p.company().ID(), got.body)
		}},
		{rule: "v2-search/overview-identifiers", play: func(p *play) {
			c := p.oneOf(func(c world.Company) bool { return c.LEI() != "" && len(c.Phones()) > 0 })
			e, _ := p.world.Employee(c, 0)
			for member, value := range map[string]string{
				"website": c.Website(), "pro_network": c.Profile(), "registration_number": c.Registration(), "vat_number": c.VAT(),
				"lei_number": c.LEI(), "phone_number": c.Phones()[0],
			} {
				got := p.post("/overview", object{member: value}).ok().uses(units.Companies)
				p.check(slices.Contains(got.list("id"), c.ID()), "%s %s does not find %s: %s", member, value, c.ID(), got.body)
			}
			got := p.post("/overview", object{"website": c.Website(), "person": e.First + " " + e.Last}).ok().uses(units.Companies)
			p.check(slices.Contains(got.list("id"), c.ID()), "the name of an employee does not find %s", c.ID())
			p.post("/overview", object{"website": c.Website(), "person": "Nobody Atall"}).ok().uses(units.Companies).has("total_results", "0")
		}},
		{rule: "v2-search/overview-country", play: func(p *play) {
			got := p.post("/overview", object{"country_code": "GB"}).ok().uses(units.Companies)
			p.check(!slices.ContainsFunc(got.list("country_code"), func(code string) bool { return code != "GB" }), "%s", got.body)
		}},
		{rule: "v2-search/overview-status", play: func(p *play) {
			got := p.post("/overview", object{"company_status": []int{2}}).ok().uses(units.Companies)
			p.check(!slices.ContainsFunc(got.list("status"), func(status string) bool { return status != world.StatusName(2) }), "%s", got.body)
		}},
		{rule: "v2-search/employees", play: func(p *play) {
			id := p.company().ID()
			got := p.post("/employees", filtered(object{"company_id": number(id)})).ok().uses(units.Contacts).shaped("employees")
			p.check(len(got.list("id")) > 0 && !slices.ContainsFunc(got.list("company_id"), func(of string) bool { return of != id }), "%s", got.body)
		}},
		{rule: "v2-search/employees-filters", play: func(p *play) {
			e := p.contact()
			total := func(filters object) (n int) {
				filters["company_id"] = number(p.company().ID())
				var page struct {
					Total int `json:"total_employees"`
				}
				p.post("/employees", filtered(filters)).ok().uses(units.Contacts).decode(&page)
				return page.Total
			}
			all := total(object{})
			for _, filters := range []object{
				{"full_name": e.First + " " + e.Last}, {"job_title": []string{e.Title()}}, {"url": e.Profile()},
			} {
				n := total(filters)
				p.check(n >= 1 && n <= all, "%d employees with %v, %d without", n, filters, all)
			}
			p.check(total(object{"full_name": "Nobody Atall"}) == 0, "somebody has a name that nobody has")
		}},
		{rule: "v2-search/people", play: func(p *play) {
			got := p.post("/enrichment/employee/search", object{"domain_list": []string{p.company().Domain()}}).ok().uses(units.Contacts).shaped("people")
			p.check(len(got.list("id")) > 0, "nobody")
		}},
		{rule: "v2-search/people-domains", play: func(p *play) {
			got := p.post("/enrichment/employee/search", object{"domain_list": []string{p.company().Domain()}}).ok().uses(units.Contacts)
			n := strings.Count(string(got.body), encoded(p.company().Website()))
			p.check(n == len(got.list("id")) && n > 0, "%d of %d are of the company: %s", n, len(got.list("id")), got.body)
		}},
		{rule: "v2-search/people-locations", play: func(p *play) {
			c := p.company()
			for _, member := range []string{"company_locations", "employee_locations"} {
				for place, found := range map[string]bool{c.Place().City: true, "Atlantis": false} {
					got := p.post("/enrichment/employee/search", object{"domain_list": []string{c.Domain()}, member: []string{place}}).ok().uses(units.Contacts)
					p.check((len(got.list("id")) > 0) == found, "%s %s: %.200s", member, place, got.body)
				}
			}
		}},
		{rule: "v2-search/seniorities", play: func(p *play) {
			for _, rank := range calls.Seniorities() {
				p.post("/enrichment/employee/search", object{"employee_seniorities": []string{rank}, "domain_list": []string{p.company().Domain()}}).ok().uses(units.Contacts)
			}
			p.post("/enrichment/employee/search", object{"employee_seniorities": []string{"emperor"}}).invalid("employee_seniorities")
		}},
		{rule: "v2-search/insights-candidates", play: func(p *play) {
			p.post("/digital-insights", object{"name": p.company().Name()}).ok().uses(units.Insights).arrayOf("candidate")
		}},
		{rule: "v2-search/ownership-candidates", play: func(p *play) {
			p.post("/ownership", object{"registration_number": p.company().Registration()}).ok().uses(units.Ownership).arrayOf("candidate")
		}},
		{rule: "v2-search/one-space-of-ids", play: func(p *play) {
			for path, module := range map[string]units.Module{"/digital-insights": units.Insights, "/ownership": units.Ownership} {
				var found []struct {
					ID   any
					Name string
				}
				p.post(path, object{"registration_number": p.company().Registration()}).ok().uses(module).decode(&found)
				p.raw("GET", "/companies/"+fmt.Sprint(found[0].ID), "").ok().uses(units.Companies).has("name", found[0].Name)
			}
		}},
	}
}

// number is an identifier as a number.
func number(id string) calls.ID { return calls.ID(id) }

func pagingCases() []rulesCase {
	return []rulesCase{
		{rule: "v2-search/prospecting-pages", play: func(p *play) {
			p.post("/prospecting", object{"page": 10}).ok().uses(units.Companies)
			p.post("/prospecting", object{"page": 11}).invalid("page")
		}},
		{rule: "v2-search/employees-pages", play: func(p *play) {
			id := number(p.company().ID())
			p.post("/employees", filtered(object{"company_id": id}, "page", 10)).ok().uses(units.Contacts)
			p.post("/employees", filtered(object{"company_id": id}, "page", 11)).invalid("page")
		}},
		{rule: "v2-search/per-page", play: func(p *play) {
			got := p.post("/prospecting", object{}).ok().uses(units.Companies)
			p.check(len(got.list("id")) == 25, "%d results, want 25", len(got.list("id")))
			got = p.post("/prospecting", object{"per_page": 3}).ok().uses(units.Companies)
			p.check(len(got.list("id")) == 3, "%d results, want 3", len(got.list("id")))
			p.post("/prospecting", object{"per_page": 26}).invalid("per_page")
			p.post("/employees", filtered(object{"company_id": 1}, "per_page", 26)).invalid("per_page")
		}},
		{rule: "v2-search/overview-per-page", play: func(p *play) {
			got := p.post("/overview", object{"country_code": "GB"}).ok().uses(units.Companies)
			p.check(len(got.list("id")) == 5, "%d results, want 5", len(got.list("id")))
			p.post("/overview", object{"country_code": "GB", "per_page": 6}).invalid("per_page")
		}},
		{rule: "v2-search/page-default", play: func(p *play) {
			without := p.post("/overview", object{"country_code": "GB"}).ok().uses(units.Companies)
			first := p.post("/overview", object{"country_code": "GB", "page": 1}).ok().uses(units.Companies)
			p.check(string(without.body) == string(first.body), "%s, the first page is %s", without.body, first.body)
		}},
		{rule: "v2-search/pages", play: func(p *play) {
			first := p.post("/prospecting", object{"page": 1, "per_page": 10}).ok().uses(units.Companies)
			second := p.post("/prospecting", object{"page": 2, "per_page": 10}).ok().uses(units.Companies)
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
		{rule: "v2-search/beyond-last", play: func(p *play) {
			got := p.post("/prospecting", filtered(object{"number_of_employees": object{"gte": 1 << 40}}, "page", 9)).ok().uses(units.Companies)
			p.check(got.shaped("prospects").member("data") != nil && len(got.list("id")) == 0, "%s", got.body)
		}},
	}
}

func recordCases() []rulesCase {
	return []rulesCase{
		{rule: "v2-record/company", play: func(p *play) {
			c := p.company()
			p.raw("GET", "/companies/"+c.ID(), "").ok().uses(units.Companies).shaped("company").has("name", c.Name())
			p.post("/enrichment/url", object{"url": c.Website()}).ok().uses(units.Companies).shaped("company")
			p.post("/autocomplete", object{"website": c.Website()}).ok().uses(units.Companies).shaped("company")
		}},
		{rule: "v2-record/company-id", play: func(p *play) {
			c := p.company()
			details := p.raw("GET", "/companies/"+c.ID(), "").ok().uses(units.Companies).has("id", c.ID())
			enriched := p.post("/enrichment/url", object{"url": c.Website()}).ok().uses(units.Companies).has("id", c.ID())
			p.check(fmt.Sprintf("%T", details.member("id")) != fmt.Sprintf("%T", enriched.member("id")), "both ids are of one type")
		}},
		{rule: "v2-record/employee", play: func(p *play) {
			e := p.contact()
			p.raw("GET", "/employees/"+e.ID, "").ok().uses(units.Contacts, 1, 1).shaped("employee").has("id", e.ID)
			p.post("/enrichment/email", object{"email": e.Email()}).ok().uses(units.Contacts, 1, 1).shaped("employee").has("id", e.ID)
		}},
		{rule: "v2-record/financials", play: func(p *play) {
			got := p.raw("GET", "/financial/"+p.company().ID(), "").ok().uses(units.Financials)
			breach := checkFigures(got.body)
			p.check(breach == "", "%s", breach)
			var years object
			got.decode(&years)
			p.check(len(years) == len(p.company().Years()), "%d years, want %d", len(years), len(p.company().Years()))
		}},
		{rule: "v2-record/financials-year", play: func(p *play) {
			year := fmt.Sprint(p.company().Years()[0])
			got := p.raw("GET", "/financial/"+p.company().ID()+"?year="+year, "").ok().uses(units.Financials)
			var years object
			got.decode(&years)
			p.check(len(years) == 1 && years[year] != nil, "%.200s", got.body)
		}},
		{rule: "v2-record/insights", play: func(p *play) {
			p.raw("GET", "/digital-insights/"+p.company().ID(), "").ok().uses(units.Insights).shaped("insights")
		}},
		{rule: "v2-record/ownership", play: func(p *play) {
			p.raw("GET", "/ownership/"+p.company().ID(), "").ok().uses(units.Ownership).shaped("ownership")
		}},
	}
}

func enrichCases() []rulesCase {
	identifiers := func(path string, members object) func(*play) {
		return func(p *play) { p.post(path, members).invalid("fields") }
	}
	return []rulesCase{
		{rule: "v2-enrich/company-ways", play: func(p *play) {
			c := p.company()
			country, state := c.Country().Code, c.Place().RegionCode
			for _, way := range []struct {
				path    string
				members object
			}{
				{"/enrichment/url", object{"url": c.Website()}},
				{"/enrichment/company/linkedin", object{"linkedin": c.Profile()}},
				{"/enrichment/company", object{"country_code": country, "registration_number": c.Registration(), "state": state}},
				{"/enrichment/company", object{"country_code": country, "vat_number": c.VAT(), "state": state}},
			} {
				p.post(way.path, way.members).ok().uses(units.Companies).has("id", c.ID())
			}
		}},
		{rule: "v2-enrich/contact-ways", play: func(p *play) {
			e, nothing := p.contact(), object{"reveal_email": false, "reveal_phone": false}
			for _, who := range []object{
				{"pro_network": e.Profile()}, {"email": e.Email()}, {"first_name": e.First, "last_name": e.Last, "domain": p.company().Domain()},
			} {
				for name, value := range nothing {
					who[name] = value
				}
				p.post("/enrichment/employee/contacts", who).ok().uses(units.Contacts).has("full_name", e.First+" "+e.Last)
			}
		}},
		{rule: "v2-enrich/required", play: func(p *play) {
			for path, field := range map[string]string{
				"/enrichment/url": "url", "/enrichment/company/linkedin": "linkedin", "/enrichment/company": "country_code",
				"/enrichment/email": "email", "/enrichment/employee/linkedin": "linkedin",
			} {
				p.post(path, object{}).invalid(field)
			}
		}},
		{rule: "v2-enrich/state", play: func(p *play) {
			var c world.Company
			for c = range p.world.Listed() {
				if c.Country().Code == "US" {
					break
				}
			}
			p.post("/enrichment/company", object{"country_code": "US", "registration_number": c.Registration()}).invalid("state")
			p.post("/enrichment/company", object{"country_code": "US", "registration_number": c.Registration(), "state": c.Place().RegionCode}).ok().uses(units.Companies).has("id", c.ID())
		}},
		{rule: "v2-enrich/wire-name", play: func(p *play) {
			p.post("/enrichment/company/linkedin", object{"pro_network": p.company().Profile()}).invalid("linkedin")
			p.post("/enrichment/employee/linkedin", object{"pro_network": p.contact().Profile()}).invalid("linkedin")
			p.call(calls.CompanyByProfile(p.company().Profile())).answered().uses(units.Companies)
			p.call(calls.ContactByProfile(p.contact().Profile(), meters.Reveal{})).answered().uses(units.Contacts)
		}},
		{rule: "v2-enrich/autocomplete-identifiers", play: identifiers("/autocomplete", object{"country_code": "GB"})},
		{rule: "v2-enrich/insights-identifiers", play: identifiers("/digital-insights", object{})},
		{rule: "v2-enrich/ownership-identifiers", play: identifiers("/ownership", object{})},
	}
}

func totalOf(m units.Module, total int64) func(*sandboxv2.Config) {
	return func(c *sandboxv2.Config) { c.Totals[m] = total }
}

func limitCases() []rulesCase {
	daily := func(c *sandboxv2.Config) { c.Daily = map[units.Module]int64{units.Companies: 1} }
	return []rulesCase{
		{rule: "v2-limit/total", begin: totalOf(units.Companies, 1), play: func(p *play) {
			p.raw("GET", "/companies/1", "").ok().uses(units.Companies)
			p.settle()
			p.pass(48 * time.Hour)
			p.raw("GET", "/companies/1", "").limited("limit", units.Companies)
			p.raw("GET", "/financial/"+p.company().ID(), "").ok().uses(units.Financials)
		}},
		{rule: "v2-limit/total-raised", begin: totalOf(units.Companies, 0), play: func(p *play) {
			p.raw("GET", "/companies/1", "").limited("limit", units.Companies)
			err := p.server.Units().SetTotal(units.Companies, 1)
			p.check(err == nil, "%v", err)
			p.raw("GET", "/companies/1", "").ok().uses(units.Companies)
		}},
		{rule: "v2-limit/daily", begin: daily, play: func(p *play) {
			p.raw("GET", "/companies/1", "").ok().uses(units.Companies)
			p.raw("GET", "/companies/1", "").limited("limits.daily", units.Companies)
			p.raw("GET", "/financial/"+p.company().ID(), "").ok().uses(units.Financials)
		}},
		{rule: "v2-limit/daily-end", begin: daily, play: func(p *play) {
			p.raw("GET", "/companies/1", "").ok().uses(units.Companies)
			p.settle()
			p.pass(12*time.Hour - time.Second)
			p.raw("GET", "/companies/1", "").limited("limits.daily", units.Companies)
			p.settle()
			p.pass(time.Second)
			p.raw("GET", "/companies/1", "").ok().uses(units.Companies)
		}},
		{rule: "v2-limit/rate", play: func(p *play) {
			for range 60 {
				p.raw("GET", "/companies/999999", "").is(404)
			}
			p.raw("GET", "/companies/999999", "").is(http.StatusTooManyRequests)
			p.settle()
			p.pass(time.Minute)
			p.raw("GET", "/companies/999999", "").is(404)
		}},
		{rule: "v2-limit/rate-key", begin: within(1), play: func(p *play) {
			p.raw("GET", "/companies/999999", "").is(404)
			_, other, err := p.server.Units().CreateKey()
			p.check(err == nil, "%v", err)
			p.key = other
			p.raw("GET", "/companies/999999", "").is(404)
		}},
		{rule: "v2-limit/rate-free", begin: within(1), play: func(p *play) {
			p.raw("GET", "/metrics", "").ok()
			p.raw("GET", "/companies/watch", "").ok()
			p.raw("GET", "/companies/999999", "").is(404)
			p.raw("GET", "/metrics", "").ok()
		}},
	}
}

// losses returns the faults that lose a response, by the names of their rules.
func losses() map[string]fault.Fault {
	all := map[string]fault.Fault{}
	for name, f := range map[string]fault.Fault{
		"v2-loss/dropped":    {Answer: fault.Dropped},
		"v2-loss/truncated":  {Answer: fault.Truncated},
		"v2-loss/garbage":    {Answer: fault.Garbage},
		"v2-loss/proxy-page": {Answer: fault.ProxyPage},
		"v2-loss/no-body":    {Answer: fault.Bodyless, Status: 504},
		"v2-loss/internal":   {Answer: fault.Refused, Code: units.InternalError},
	} {
		all[name] = f
		f.Happened = true
		all[name+"-counted"] = f
	}
	return all
}

func lossCases() (all []rulesCase) {
	for name, f := range losses() {
		all = append(all, rulesCase{rule: name, begin: struckBy(f), play: func(p *play) {
			got := p.call(calls.Company("1"))
			_, lost := got.verdict.(enrich.Lost)
			p.check(lost, "the client says %T %v, want a lost response", got.verdict, got.verdict)
			if f.Happened {
				got.uses(units.Companies)
			}
			p.call(calls.Company("2")).answered().uses(units.Companies)
		}})
	}
	return append(all, rulesCase{rule: "v2-version/prefix", play: func(p *play) {
		p.raw("GET", "/metrics", "").ok()
		p.measured("GET /metrics without /v2", func(s *said) {
			r, err := http.NewRequestWithContext(p.ctx, http.MethodGet, p.address+"/metrics", nil)
			p.check(err == nil, "%v", err)
			r.Header.Set("Authorization", "Token "+p.key)
			response, err := http.DefaultTransport.RoundTrip(r)
			p.check(err == nil, "%v", err)
			s.status = response.StatusCode
			err = response.Body.Close()
			p.check(err == nil, "%v", err)
		}).is(http.StatusNotFound)
	}})
}
