package conformance

import (
	"strings"
	"time"

	"payonce/enrich"
	"payonce/io/sandbox/kit"
	sandboxv2 "payonce/io/sandbox/v2"
	"payonce/io/service/v2"
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
func paidCalls(p *trial) []v2.Call {
	c, e := p.company(), p.contact()
	id, everything := c.ID(), v2.RevealEverything()
	return []v2.Call{
		v2.ProspectingCall(v2.CompanyFilters{}, v2.Paging{PerPage: 1}),
		v2.OverviewCall(v2.CompanySearch{Name: c.Name()}),
		v2.CompanyCall(id),
		v2.EmployeesCall(v2.EmployeeFilters{CompanyID: v2.ID(id)}, v2.Paging{}),
		v2.EmployeeCall(e.ID),
		v2.WatchStartCall(id, []string{"name"}),
		v2.CompanyByURLCall(c.Website()),
		v2.CompanyByProfileCall(c.Profile()),
		v2.CompanyByNumberCall(v2.CompanyNumbers{CountryCode: c.Country().Code, VATNumber: c.VAT(), State: c.Place().RegionCode}),
		v2.ContactByEmailCall(e.Email(), true),
		v2.ContactByProfileCall(e.Profile(), everything),
		v2.ContactCall(v2.PartialContact{FirstName: e.First, LastName: e.Last, Domain: c.Domain()}, everything),
		v2.PeopleCall(v2.PeopleSearch{Domains: []string{c.Domain()}}),
		v2.AutocompleteCall(v2.PartialCompany{Name: c.Name(), CountryCode: c.Country().Code}),
		v2.FinancialsCall(id, 0),
		v2.InsightsSearchCall(v2.NamedCompany{Name: c.Name()}),
		v2.InsightsCall(id),
		v2.OwnershipSearchCall(v2.NamedCompany{RegistrationNumber: c.Registration()}),
		v2.OwnershipCall(id),
	}
}

// chargeOf returns what a call of paidCalls uses. It does not use the code under test.
func chargeOf(call v2.Call) kit.UnitCharge {
	charge := kit.UnitCharge{Units: 1}
	switch name := call.Operation.String(); {
	case name == "watch-start":
		charge.Module = kit.Watch
	case name == "financials":
		charge.Module = kit.Financials
	case strings.HasPrefix(name, "insights"):
		charge.Module = kit.Insights
	case strings.HasPrefix(name, "ownership"):
		charge.Module = kit.Ownership
	case name == "employees", name == "enrich-employee-search":
		charge.Module = kit.Contacts
	case strings.HasPrefix(name, "employee"), strings.HasPrefix(name, "enrich-em"):
		charge.Module, charge.Emails, charge.Phones = kit.Contacts, 1, 1
	default:
		charge.Module = kit.Companies
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
				p.call(v2.CompanyCall("1")).answered().uses(kit.Companies)
			}
		}},
		rulesCase{rule: "v2-units/not-found-free", try: func(p *trial) {
			for _, path := range []string{"/companies/999999", "/employees/999999", "/financial/999999", "/digital-insights/999999", "/ownership/999999"} {
				p.raw("GET", path, "").is(404)
			}
			p.post("/digital-insights", objectV2{"name": "Nobody has this name"}).is(404)
			p.post("/enrichment/company/linkedin", objectV2{"linkedin": "https://network.example/company/unknown"}).is(404)
		}},
		rulesCase{rule: "v2-units/refusal-free", try: func(p *trial) {
			for _, path := range []string{"/enrichment/url", "/employees", "/enrichment/email", "/digital-insights", "/ownership", "/autocomplete"} {
				p.post(path, objectV2{}).is(400)
			}
			p.raw("GET", "/financial/1?year=last", "").is(400)
		}},
		rulesCase{rule: "v2-units/free", try: func(p *trial) {
			p.raw("POST", "/companies/1/watch/start", `{"fields":["name"]}`).is(201).uses(kit.Watch)
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
	reveal := func(members objectV2, email, phone bool) func(*trial) {
		return func(p *trial) {
			e := p.contact()
			body := objectV2{"linkedin": e.Profile()}
			for name, value := range members {
				body[name] = value
			}
			count := map[bool]int64{true: 1}
			got := p.post("/enrichment/employee/linkedin", body).ok().uses(kit.Contacts, count[email], count[phone])
			p.check((got.text("email") != "") == email && (got.text("phone") != "") == phone, "%s", got.body)
		}
	}
	return []rulesCase{
		{rule: "v2-reveal/default", try: reveal(nil, true, true)},
		{rule: "v2-reveal/email", try: reveal(objectV2{"reveal_phone": false}, true, false)},
		{rule: "v2-reveal/phone", try: reveal(objectV2{"reveal_email": false}, false, true)},
		{rule: "v2-reveal/nothing", try: reveal(objectV2{"reveal_email": false, "reveal_phone": false}, false, false)},
		{rule: "v2-reveal/by-email", try: func(p *trial) {
			e := p.contact()
			p.post("/enrichment/email", objectV2{"email": e.Email()}).ok().uses(kit.Contacts, 1, 1).has("email", e.Email()).has("phone", e.Phone())
			p.post("/enrichment/email", objectV2{"email": e.Email(), "reveal_phone": false}).ok().uses(kit.Contacts, 1, 0).has("email", e.Email()).has("phone", "")
		}},
		{rule: "v2-reveal/missing", begin: func(c *sandboxv2.Config) {
			c.World.People.MatchRates = enrich.ByField[float64]{1, 0.4}
		}, try: func(p *trial) {
			for c := range p.world.Listed() {
				if e, known := p.world.Employee(c, 0); known && e.HasEmail() && !e.HasPhone() {
					p.post("/enrichment/employee/linkedin", objectV2{"linkedin": e.Profile()}).ok().uses(kit.Contacts, 1, 0).has("phone", "")
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
			for _, module := range v2.Meters() {
				p.usedOf(v2.MeterName(module))
			}
			got := p.raw("GET", "/metrics", "").ok()
			n := strings.Count(string(got.body), `"used"`)
			p.check(n == len(v2.Meters()), "%d modules, want %d", n, len(v2.Meters()))
		}},
		{rule: "v2-metrics/others", try: func(p *trial) {
			err := p.server.Units().UseElsewhere(kit.UnitCharge{Module: kit.Financials, Units: 3})
			p.check(err == nil, "%v", err)
			p.check(p.usedOf("financials") == 3, "the counter is %d, want 3", p.usedOf("financials"))
		}},
		{rule: "v2-metrics/period", try: func(p *trial) {
			p.raw("GET", "/companies/1", "").ok().uses(kit.Companies)
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
			p.raw("GET", "/employees/"+e.ID, "").ok().uses(kit.Contacts, 1, 1)
			p.settle()
			p.pass(10 * time.Second)
			p.post("/enrichment/employee/linkedin", objectV2{"linkedin": e.Profile(), "reveal_email": false}).ok().uses(kit.Contacts, 0, 1)
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
