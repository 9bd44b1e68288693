package conformance

import (
	"payonce/io/sandbox/kit"
	sandboxv2 "payonce/io/sandbox/v2"
	"payonce/io/service/v2"
)

func keyCasesV2() []rulesCase {
	refusedWith := func(header ...string) func(*trial) {
		return func(p *trial) {
			p.raw("GET", "/metrics", "", header...).detail(401)
			p.raw("GET", "/companies/1", "", header...).detail(401)
			p.raw("POST", "/prospecting", "{}", header...).detail(401)
		}
	}
	return []rulesCase{
		{rule: "v2-key/valid", try: func(p *trial) {
			p.raw("GET", "/metrics", "").ok()
			p.raw("GET", "/companies/1", "").ok().uses(kit.Companies)
		}},
		{rule: "v2-key/missing", try: refusedWith("Authorization", "")},
		{rule: "v2-key/scheme", try: refusedWith("Authorization", "Bearer "+sandboxv2.DefaultKey)},
		{rule: "v2-key/invalid", try: refusedWith("Authorization", "Token nobody")},
		{rule: "v2-key/revoked", try: func(p *trial) {
			_, other, err := p.server.Units().CreateKey()
			p.check(err == nil, "%v", err)
			err = p.server.Units().RevokeKey("key_1")
			p.check(err == nil, "%v", err)
			p.raw("GET", "/companies/1", "").detail(401)
			p.key = other
			p.raw("GET", "/companies/1", "").ok().uses(kit.Companies)
		}},
		{rule: "v2-key/one-account", try: func(p *trial) {
			p.raw("GET", "/companies/1", "").ok().uses(kit.Companies)
			_, other, err := p.server.Units().CreateKey()
			p.check(err == nil, "%v", err)
			p.key = other
			p.raw("GET", "/companies/1", "").ok().uses(kit.Companies)
			p.check(p.usedOf("companies") == 2, "the counter is %d, want 2", p.usedOf("companies"))
		}},
	}
}

func struckBy(f kit.Fault) func(*sandboxv2.Config) {
	return func(c *sandboxv2.Config) {
		f.Max = 1
		c.Faults = kit.NewFaultRules(1, []kit.Fault{f})
	}
}

func errorCasesV2() []rulesCase {
	return []rulesCase{
		{rule: "v2-error/token", try: func(p *trial) {
			p.raw("GET", "/metrics", "", "Authorization", "Token nobody").detail(401)
		}},
		{rule: "v2-error/invalid-request", try: func(p *trial) {
			p.post("/enrichment/url", objectV2{}).invalid("url")
			p.post("/overview", objectV2{"company_status": "active"}).invalid("company_status")
			p.post("/prospecting", objectV2{"page": "one", "per_page": 0}).invalid("page").invalid("per_page")
		}},
		{rule: "v2-error/internal", begin: struckBy(kit.Fault{Answer: kit.Refused, Code: kit.InternalError}), try: func(p *trial) {
			p.raw("GET", "/companies/1", "").detail(500)
		}},
		{rule: "v2-error/limit", begin: totalOf(kit.Companies, 0), try: func(p *trial) {
			p.raw("GET", "/companies/1", "").limited("limit", kit.Companies)
		}},
		{rule: "v2-error/not-found", try: func(p *trial) {
			p.raw("GET", "/companies/999999", "").detail(404).has("detail", v2.DefaultNotFound)
			p.post("/enrichment/url", objectV2{"url": "unknown.example"}).detail(404).has("detail", v2.DefaultNotFound)
		}},
		{rule: "v2-error/unknown-route", try: func(p *trial) {
			for _, method := range []string{"GET", "POST"} {
				nowhere := p.raw(method, "/metrics/nowhere", "").is(404)
				p.check(nowhere.text("detail") != v2.DefaultNotFound, "%s, as when nothing is found", nowhere.body)
			}
		}},
		{rule: "v2-error/too-fast", begin: within(1), try: func(p *trial) {
			p.raw("GET", "/companies/1", "").ok().uses(kit.Companies)
			refused := p.raw("GET", "/companies/1", "").detail(429)
			p.check(refused.header.Get("Retry-After") == "60", "Retry-After %q", refused.header.Get("Retry-After"))
		}},
		{rule: "v2-error/no-json", try: func(p *trial) {
			p.raw("POST", "/overview", "name=Acme").is(400)
			p.raw("POST", "/overview", `["Acme"]`).is(400)
		}},
		{rule: "v2-error/content-type", try: func(p *trial) {
			p.raw("POST", "/overview", `{"name":"Acme"}`, "Content-Type", "text/plain").is(400)
		}},
	}
}
