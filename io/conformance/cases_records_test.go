package conformance

import (
	"fmt"

	"payonce/io/sandbox/kit"
	"payonce/io/sandbox/world"
	"payonce/io/service/v2"
)

func recordCases() []rulesCase {
	return []rulesCase{
		{rule: "v2-record/company", try: func(p *trial) {
			c := p.company()
			p.raw("GET", "/companies/"+c.ID(), "").ok().uses(kit.Companies).shaped("company").has("name", c.Name())
			p.post("/enrichment/url", objectV2{"url": c.Website()}).ok().uses(kit.Companies).shaped("company")
			p.post("/autocomplete", objectV2{"website": c.Website()}).ok().uses(kit.Companies).shaped("company")
		}},
		{rule: "v2-record/company-id", try: func(p *trial) {
			c := p.company()
			details := p.raw("GET", "/companies/"+c.ID(), "").ok().uses(kit.Companies).has("id", c.ID())
			enriched := p.post("/enrichment/url", objectV2{"url": c.Website()}).ok().uses(kit.Companies).has("id", c.ID())
			p.check(fmt.Sprintf("%T", details.member("id")) != fmt.Sprintf("%T", enriched.member("id")), "both ids are of one type")
		}},
		{rule: "v2-record/employee", try: func(p *trial) {
			e := p.contact()
			p.raw("GET", "/employees/"+e.ID, "").ok().uses(kit.Contacts, 1, 1).shaped("employee").has("id", e.ID)
			p.post("/enrichment/email", objectV2{"email": e.Email()}).ok().uses(kit.Contacts, 1, 1).shaped("employee").has("id", e.ID)
		}},
		{rule: "v2-record/financials", try: func(p *trial) {
			got := p.raw("GET", "/financial/"+p.company().ID(), "").ok().uses(kit.Financials)
			breach := checkFigures(got.body)
			p.check(breach == "", "%s", breach)
			var years objectV2
			got.decode(&years)
			p.check(len(years) == len(p.company().Years()), "%d years, want %d", len(years), len(p.company().Years()))
		}},
		{rule: "v2-record/financials-year", try: func(p *trial) {
			year := fmt.Sprint(p.company().Years()[0])
			got := p.raw("GET", "/financial/"+p.company().ID()+"?year="+year, "").ok().uses(kit.Financials)
			var years objectV2
			got.decode(&years)
			p.check(len(years) == 1 && years[year] != nil, "%.200s", got.body)
		}},
		{rule: "v2-record/insights", try: func(p *trial) {
			p.raw("GET", "/digital-insights/"+p.company().ID(), "").ok().uses(kit.Insights).shaped("insights")
		}},
		{rule: "v2-record/ownership", try: func(p *trial) {
			p.raw("GET", "/ownership/"+p.company().ID(), "").ok().uses(kit.Ownership).shaped("ownership")
		}},
	}
}

func enrichCases() []rulesCase {
	identifiers := func(path string, members objectV2) func(*trial) {
		return func(p *trial) { p.post(path, members).invalid("fields") }
	}
	return []rulesCase{
		{rule: "v2-enrich/company-ways", try: func(p *trial) {
			c := p.company()
			country, state := c.Country().Code, c.Place().RegionCode
			for _, way := range []struct {
				path    string
				members objectV2
			}{
				{"/enrichment/url", objectV2{"url": c.Website()}},
				{"/enrichment/company/linkedin", objectV2{"linkedin": c.Profile()}},
				{"/enrichment/company", objectV2{"country_code": country, "registration_number": c.Registration(), "state": state}},
				{"/enrichment/company", objectV2{"country_code": country, "vat_number": c.VAT(), "state": state}},
			} {
				p.post(way.path, way.members).ok().uses(kit.Companies).has("id", c.ID())
			}
		}},
		{rule: "v2-enrich/contact-ways", try: func(p *trial) {
			e, nothing := p.contact(), objectV2{"reveal_email": false, "reveal_phone": false}
			for _, who := range []objectV2{
				{"pro_network": e.Profile()}, {"email": e.Email()}, {"first_name": e.First, "last_name": e.Last, "domain": p.company().Domain()},
			} {
				for name, value := range nothing {
					who[name] = value
				}
				p.post("/enrichment/employee/contacts", who).ok().uses(kit.Contacts).has("full_name", e.First+" "+e.Last)
			}
		}},
		{rule: "v2-enrich/required", try: func(p *trial) {
			for path, field := range map[string]string{
				"/enrichment/url": "url", "/enrichment/company/linkedin": "linkedin", "/enrichment/company": "country_code",
				"/enrichment/email": "email", "/enrichment/employee/linkedin": "linkedin",
			} {
				p.post(path, objectV2{}).invalid(field)
			}
		}},
		{rule: "v2-enrich/state", try: func(p *trial) {
			var c world.Company
			for c = range p.world.Listed() {
				if c.Country().Code == "US" {
					break
				}
			}
			p.post("/enrichment/company", objectV2{"country_code": "US", "registration_number": c.Registration()}).invalid("state")
			p.post("/enrichment/company", objectV2{"country_code": "US", "registration_number": c.Registration(), "state": c.Place().RegionCode}).ok().uses(kit.Companies).has("id", c.ID())
		}},
		{rule: "v2-enrich/wire-name", try: func(p *trial) {
			p.post("/enrichment/company/linkedin", objectV2{"pro_network": p.company().Profile()}).invalid("linkedin")
			p.post("/enrichment/employee/linkedin", objectV2{"pro_network": p.contact().Profile()}).invalid("linkedin")
			p.call(v2.CompanyByProfileCall(p.company().Profile())).answered().uses(kit.Companies)
			p.call(v2.ContactByProfileCall(p.contact().Profile(), v2.Reveal{})).answered().uses(kit.Contacts)
		}},
		{rule: "v2-enrich/autocomplete-identifiers", try: identifiers("/autocomplete", objectV2{"country_code": "GB"})},
		{rule: "v2-enrich/insights-identifiers", try: identifiers("/digital-insights", objectV2{})},
		{rule: "v2-enrich/ownership-identifiers", try: identifiers("/ownership", objectV2{})},
	}
}
