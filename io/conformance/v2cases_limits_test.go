package conformance

import (
	"net/http"
	"time"

	"payonce/enrich"
	"payonce/io/sandbox/kit"
	sandboxv2 "payonce/io/sandbox/v2"
	"payonce/io/service/v2"
)

func totalOf(m kit.Module, total int64) func(*sandboxv2.Config) {
	return func(c *sandboxv2.Config) { c.Totals[m] = total }
}

func limitCasesV2() []rulesCase {
	daily := func(c *sandboxv2.Config) { c.Daily = map[kit.Module]int64{kit.Companies: 1} }
	return []rulesCase{
		{rule: "v2-limit/total", begin: totalOf(kit.Companies, 1), try: func(p *trial) {
			p.raw("GET", "/companies/1", "").ok().uses(kit.Companies)
			p.settle()
			p.pass(48 * time.Hour)
			p.raw("GET", "/companies/1", "").limited("limit", kit.Companies)
			p.raw("GET", "/financial/"+p.company().ID(), "").ok().uses(kit.Financials)
		}},
		{rule: "v2-limit/total-raised", begin: totalOf(kit.Companies, 0), try: func(p *trial) {
			p.raw("GET", "/companies/1", "").limited("limit", kit.Companies)
			err := p.server.Units().SetTotal(kit.Companies, 1)
			p.check(err == nil, "%v", err)
			p.raw("GET", "/companies/1", "").ok().uses(kit.Companies)
		}},
		{rule: "v2-limit/daily", begin: daily, try: func(p *trial) {
			p.raw("GET", "/companies/1", "").ok().uses(kit.Companies)
			p.raw("GET", "/companies/1", "").limited("limits.daily", kit.Companies)
			p.raw("GET", "/financial/"+p.company().ID(), "").ok().uses(kit.Financials)
		}},
		{rule: "v2-limit/daily-end", begin: daily, try: func(p *trial) {
			p.raw("GET", "/companies/1", "").ok().uses(kit.Companies)
			p.settle()
			p.pass(12*time.Hour - time.Second)
			p.raw("GET", "/companies/1", "").limited("limits.daily", kit.Companies)
			p.settle()
			p.pass(time.Second)
			p.raw("GET", "/companies/1", "").ok().uses(kit.Companies)
		}},
		{rule: "v2-limit/rate", try: func(p *trial) {
			for range 60 {
				p.raw("GET", "/companies/999999", "").is(404)
			}
			p.raw("GET", "/companies/999999", "").is(http.StatusTooManyRequests)
			p.settle()
			p.pass(time.Minute)
			p.raw("GET", "/companies/999999", "").is(404)
		}},
		{rule: "v2-limit/rate-key", begin: within(1), try: func(p *trial) {
			p.raw("GET", "/companies/999999", "").is(404)
			_, other, err := p.server.Units().CreateKey()
			p.check(err == nil, "%v", err)
			p.key = other
			p.raw("GET", "/companies/999999", "").is(404)
		}},
		{rule: "v2-limit/rate-free", begin: within(1), try: func(p *trial) {
			p.raw("GET", "/metrics", "").ok()
			p.raw("GET", "/companies/watch", "").ok()
			p.raw("GET", "/companies/999999", "").is(404)
			p.raw("GET", "/metrics", "").ok()
		}},
	}
}

// losses returns the faults that lose a response, by the names of their rules.
func losses() map[string]kit.Fault {
	all := map[string]kit.Fault{}
	for name, f := range map[string]kit.Fault{
		"v2-loss/dropped":      {Answer: kit.Dropped},
		"v2-loss/truncated":    {Answer: kit.Truncated},
		"v2-loss/garbage":      {Answer: kit.Garbage},
		"v2-loss/proxy-page":   {Answer: kit.ProxyPage},
		"v2-loss/no-body":      {Answer: kit.Bodyless, Status: 504},
		"v2-loss/gateway-json": {Answer: kit.GatewayJSON},
		"v2-loss/gateway-400":  {Answer: kit.GatewayJSON, Status: 400},
		"v2-loss/gateway-404":  {Answer: kit.GatewayJSON, Status: 404},
		"v2-loss/gateway-200":  {Answer: kit.GatewayJSON, Status: 200},
		"v2-loss/internal":     {Answer: kit.Refused, Code: kit.InternalError},
	} {
		all[name] = f
		f.Happened = true
		all[name+"-counted"] = f
	}
	return all
}

func lossCasesV2() (all []rulesCase) {
	for name, f := range losses() {
		all = append(all, rulesCase{rule: name, begin: struckBy(f), try: func(p *trial) {
			got := p.call(v2.CompanyCall("1"))
			_, lost := got.verdict.(enrich.Lost)
			p.check(lost, "the client says %T %v, want a lost response", got.verdict, got.verdict)
			if f.Happened {
				got.uses(kit.Companies)
			}
			p.call(v2.CompanyCall("2")).answered().uses(kit.Companies)
		}})
	}
	all = append(all, rulesCase{rule: "v2-loss/byte-order-mark", begin: struckBy(kit.Fault{Answer: kit.Marked, Happened: true}), try: func(p *trial) {
		p.call(v2.CompanyCall("1")).answered().uses(kit.Companies)
	}})
	return append(all, rulesCase{rule: "v2-version/prefix", try: func(p *trial) {
		p.raw("GET", "/metrics", "").ok()
		p.measured("GET /metrics without /v2", func(s *response) {
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
