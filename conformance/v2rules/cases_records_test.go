package v2rules

import (
	"fmt"

	"payonce/sandbox/units"
	"payonce/sandbox/world"
	"payonce/service/v2/calls"
	meters "payonce/service/v2/units"
)

func recordCases() []rulesCase {
	return []rulesCase{
		{rule: "v2-record/company", try: func(p *trial) {
			c := p.company()
			p.raw("GET", "/companies/"+c.ID(), "").ok().uses(units.Companies).shaped("company").has("name", c.Name())
			p.post("/enrichment/url", object{"url": c.Website()}).ok().uses(units.Companies).shaped("company")
			p.post("/autocomplete", object{"website": c.Website()}).ok().uses(units.Companies).shaped("company")
		}},
		{rule: "v2-record/company-id", try: func(p *trial) {
			c := p.company()
			details := p.raw("GET", "/companies/"+c.ID(), "").ok().uses(units.Companies).has("id", c.ID())
			enriched := p.post("/enrichment/url", object{"url": c.Website()}).ok().uses(units.Companies).has("id", c.ID())
			p.check(fmt.Sprintf("%T", details.member("id")) != fmt.Sprintf("%T", enriched.member("id")), "both ids are of one type")
		}},
		{rule: "v2-record/employee", try: func(p *trial) {
			e := p.contact()
			p.raw("GET", "/employees/"+e.ID, "").ok().uses(units.Contacts, 1, 1).shaped("employee").has("id", e.ID)
			p.post("/enrichment/email", object{"email": e.Email()}).ok().uses(units.Contacts, 1, 1).shaped("employee").has("id", e.ID)
		}},
		{rule: "v2-record/financials", try: func(p *trial) {
			got := p.raw("GET", "/financial/"+p.company().ID(), "").ok().uses(units.Financials)
			breach := checkFigures(got.body)
			p.check(breach == "", "%s", breach)
			var years object
			got.decode(&years)
			p.check(len(years) == len(p.company().Years()), "%d years, want %d", len(years), len(p.company().Years()))
		}},
		{rule: "v2-record/financials-year", try: func(p *trial) {
			year := fmt.Sprint(p.company().Years()[0])
			got := p.raw("GET", "/financial/"+p.company().ID()+"?year="+year, "").ok().uses(units.Financials)
			var years object
			got.decode(&years)
			p.check(len(years) == 1 && years[year] != nil, "%.200s", got.body)
		}},
		{rule: "v2-record/insights", try: func(p *trial) {
			p.raw("GET", "/digital-insights/"+p.company().ID(), "").ok().uses(units.Insights).shaped("insights")
		}},
		{rule: "v2-record/ownership", try: func(p *trial) {
			p.raw("GET", "/ownership/"+p.company().ID(), "").ok().uses(units.Ownership).shaped("ownership")
		}},
	}
}

func enrichCases() []rulesCase {
	identifiers := func(path string, members object) func(*trial) {
		return func(p *trial) { p.post(path, members).invalid("fields") }
	}
	return []rulesCase{
		{rule: "v2-enrich/company-ways", try: func(p *trial) {
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
		{rule: "v2-enrich/contact-ways", try: func(p *trial) {
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
		{rule: "v2-enrich/required", try: func(p *trial) {
			for path, field := range map[string]string{
				"/enrichment/url": "url", "/enrichment/company/linkedin": "linkedin", "/enrichment/company": "country_code",
				"/enrichment/email": "email", "/enrichment/employee/linkedin": "linkedin",
			} {
				p.post(path, object{}).invalid(field)
			}
		}},
		{rule: "v2-enrich/state", try: func(p *trial) {
			var c world.Company
			for c = range p.world.Listed() {
				if c.Country().Code == "US" {
					break
				}
			}
			p.post("/enrichment/company", object{"country_code": "US", "registration_number": c.Registration()}).invalid("state")
			p.post("/enrichment/company", object{"country_code": "US", "registration_number": c.Registration(), "state": c.Place().RegionCode}).ok().uses(units.Companies).has("id", c.ID())
		}},
		{rule: "v2-enrich/wire-name", try: func(p *trial) {
			p.post("/enrichment/company/linkedin", object{"pro_network": p.company().Profile()}).invalid("linkedin")
			p.post("/enrichment/employee/linkedin", object{"pro_network": p.contact().Profile()}).invalid("linkedin")
			p.call(calls.CompanyByProfile(p.company().Profile())).answered().uses(units.Companies)
			p.call(calls.ContactByProfile(p.contact().Profile(), meters.Reveal{})).answered().uses(units.Contacts)
		}},
		{rule: "v2-enrich/autocomplete-identifiers", try: identifiers("/autocomplete", object{"country_code": "GB"})},
		{rule: "v2-enrich/insights-identifiers", try: identifiers("/digital-insights", object{})},
		{rule: "v2-enrich/ownership-identifiers", try: identifiers("/ownership", object{})},
	}
}
