package v2rules

import (
	"strings"
	"time"

	"payonce/enrich"
	"payonce/sandbox/units"
	sandboxv2 "payonce/sandbox/v2"
	"payonce/service/v2/calls"
	meters "payonce/service/v2/units"
)

// usedOf reads the counter of a module over HTTP.
func (p *trial) usedOf(codename string) int64 {
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

// paidCalls returns a call of each paid operation, in the order of the specification.
func paidCalls(p *trial) []calls.Call {
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
	p := &trial{world: account().World}
	for i, call := range paidCalls(p) {
		all = append(all, rulesCase{rule: "v2-units/" + call.Operation.String(), try: func(p *trial) {
			call := paidCalls(p)[i]
			p.call(call).answered().wanted = chargeOf(call)
		}})
	}
	return append(
		all,
		rulesCase{rule: "v2-units/twice", try: func(p *trial) {
			for range 2 {
				p.call(calls.Company("1")).answered().uses(units.Companies)
			}
		}},
		rulesCase{rule: "v2-units/not-found-free", try: func(p *trial) {
			for _, path := range []string{"/companies/999999", "/employees/999999", "/financial/999999", "/digital-insights/999999", "/ownership/999999"} {
				p.raw("GET", path, "").is(404)
			}
			p.post("/digital-insights", object{"name": "Nobody has this name"}).is(404)
			p.post("/enrichment/company/linkedin", object{"linkedin": "https://network.example/company/unknown"}).is(404)
		}},
		rulesCase{rule: "v2-units/refusal-free", try: func(p *trial) {
			for _, path := range []string{"/enrichment/url", "/employees", "/enrichment/email", "/digital-insights", "/ownership", "/autocomplete"} {
				p.post(path, object{}).is(400)
			}
			p.raw("GET", "/financial/1?year=last", "").is(400)
		}},
		rulesCase{rule: "v2-units/free", try: func(p *trial) {
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
	reveal := func(members object, email, phone bool) func(*trial) {
		return func(p *trial) {
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
		{rule: "v2-reveal/default", try: reveal(nil, true, true)},
		{rule: "v2-reveal/email", try: reveal(object{"reveal_phone": false}, true, false)},
		{rule: "v2-reveal/phone", try: reveal(object{"reveal_email": false}, false, true)},
		{rule: "v2-reveal/nothing", try: reveal(object{"reveal_email": false, "reveal_phone": false}, false, false)},
		{rule: "v2-reveal/by-email", try: func(p *trial) {
			e := p.contact()
			p.post("/enrichment/email", object{"email": e.Email()}).ok().uses(units.Contacts, 1, 1).has("email", e.Email()).has("phone", e.Phone())
			p.post("/enrichment/email", object{"email": e.Email(), "reveal_phone": false}).ok().uses(units.Contacts, 1, 0).has("email", e.Email()).has("phone", "")
		}},
		{rule: "v2-reveal/missing", begin: func(c *sandboxv2.Config) {
			c.World.People.MatchRates = enrich.ByField[float64]{1, 0.4}
		}, try: func(p *trial) {
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
		{rule: "v2-metrics/members", try: func(p *trial) { p.raw("GET", "/metrics", "").ok().arrayOf("group") }},
		{rule: "v2-metrics/modules", try: func(p *trial) {
			for _, module := range meters.Meters() {
				p.usedOf(meters.Name(module))
			}
			got := p.raw("GET", "/metrics", "").ok()
			n := strings.Count(string(got.body), `"used"`)
			p.check(n == len(meters.Meters()), "%d modules, want %d", n, len(meters.Meters()))
		}},
		{rule: "v2-metrics/others", try: func(p *trial) {
			err := p.server.Units().UseElsewhere(units.Charge{Module: units.Financials, Units: 3})
			p.check(err == nil, "%v", err)
			p.check(p.usedOf("financials") == 3, "the counter is %d, want 3", p.usedOf("financials"))
		}},
		{rule: "v2-metrics/period", try: func(p *trial) {
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
		{rule: "v2-metrics/contacts", try: func(p *trial) {
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
		{rule: "v2-metrics/contacts-required", try: func(p *trial) {
			p.raw("GET", "/metrics/contacts?date_to=2026-11-10+00:00:00", "").invalid("date_from")
			p.raw("GET", "/metrics/contacts?date_from=2026-11-10+00:00:00", "").invalid("date_to")
		}},
		{rule: "v2-metrics/contacts-format", try: func(p *trial) {
			p.raw("GET", "/metrics/contacts?date_from=2026-11-10&date_to=2026-11-11+00:00:00", "").invalid("date_from")
			p.raw("GET", "/metrics/contacts?date_from=2026-11-10+00:00:00&date_to=2026-11-10+01:02:03", "").ok()
		}},
	}
}
