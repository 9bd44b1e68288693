package conformance

import (
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"payonce/io/iotest"
	"payonce/io/sandbox/kit"
	sandboxv2 "payonce/io/sandbox/v2"
)

// edit changes each response, after the request was served.
func edit(change func(s *sandboxv2.Server, asked string, answer *httptest.ResponseRecorder, body string) string) func(*sandboxv2.Server, http.Handler) http.Handler {
	return func(server *sandboxv2.Server, next http.Handler) http.Handler {
		return iotest.EditResponses(next, func(r *http.Request, asked string, answer *httptest.ResponseRecorder) string {
			return change(server, r.Method+" "+r.URL.RequestURI()+" "+asked, answer, answer.Body.String())
		})
	}
}

// says replaces a pattern in each response.
func says(pattern, replacement string) func(*sandboxv2.Server, http.Handler) http.Handler {
	expression := regexp.MustCompile(pattern)
	return edit(func(_ *sandboxv2.Server, _ string, _ *httptest.ResponseRecorder, body string) string {
		return expression.ReplaceAllString(body, replacement)
	})
}

// status replaces one status by another.
func status(from, to int) func(*sandboxv2.Server, http.Handler) http.Handler {
	return edit(func(_ *sandboxv2.Server, _ string, answer *httptest.ResponseRecorder, body string) string {
		if answer.Code == from {
			answer.Code = to
		}
		return body
	})
}

// counts counts a charge after each request whose text or response has a pattern.
func counts(pattern string, charge kit.UnitCharge) func(*sandboxv2.Server, http.Handler) http.Handler {
	expression := regexp.MustCompile(pattern)
	return edit(func(s *sandboxv2.Server, asked string, _ *httptest.ResponseRecorder, body string) string {
		if expression.MatchString(asked + body) {
			_ = s.Units().UseElsewhere(charge)
		}
		return body
	})
}

// asks replaces a pattern in each request: in its path with the query, and in its body.
func asks(pattern, replacement string) func(*sandboxv2.Server, http.Handler) http.Handler {
	expression := regexp.MustCompile(pattern)
	return func(_ *sandboxv2.Server, next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			text := expression.ReplaceAllString(string(body), replacement)
			r.Body, r.ContentLength = io.NopCloser(strings.NewReader(text)), int64(len(text))
			r.URL.RawQuery = expression.ReplaceAllString(r.URL.RawQuery, replacement)
			next.ServeHTTP(w, r)
		})
	}
}

// header sets a header of each request.
func header(name, value string) func(*sandboxv2.Server, http.Handler) http.Handler {
	return func(_ *sandboxv2.Server, next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r.Header.Set(name, value)
			next.ServeHTTP(w, r)
		})
	}
}

// mutants returns services that break one rule each.
func mutants() (all []mutant) {
	open := header("Authorization", "Token "+sandboxv2.DefaultKey)
	for _, rule := range []string{"v2-key/missing", "v2-key/scheme", "v2-key/invalid", "v2-key/revoked", "v2-error/token"} {
		m := mutant{does: "takes any key", caught: rule, breaks: open}
		if rule == "v2-key/revoked" {
			m = mutant{does: "answers a revoked key", caught: rule, breaks: status(401, 200)}
		}
		all = append(all, m)
	}
	for _, c := range unitCases() {
		switch c.rule {
		case "v2-units/watch-start":
			all = append(all, mutant{does: "has no unit for a watch", caught: c.rule, config: totalOf(kit.Watch, 0)})
		case "v2-units/not-found-free", "v2-units/refusal-free", "v2-units/free":
			all = append(all, mutant{does: "counts what is free", caught: c.rule, breaks: counts("", kit.UnitCharge{Module: kit.Companies, Units: 1})})
		default:
			for _, charge := range []kit.UnitCharge{
				{Module: kit.Companies, Units: 1}, {Module: kit.Contacts, Units: 1}, {Module: kit.Financials, Units: 1},
			} {
				all = append(all, mutant{does: "also counts on " + string(charge.Module), caught: c.rule, breaks: counts("", charge)})
			}
		}
	}
	for _, c := range revealCases() {
		all = append(
			all,
			mutant{does: "counts one email more", caught: c.rule, breaks: counts("POST", kit.UnitCharge{Module: kit.Contacts, Emails: 1})},
			mutant{does: "counts one phone more", caught: c.rule, breaks: counts("POST", kit.UnitCharge{Module: kit.Contacts, Phones: 1})},
		)
	}
	for rule, f := range losses() {
		f.Happened = !f.Happened
		all = append(all, mutant{does: "counts it otherwise", caught: rule, config: struckBy(f)})
	}
	garbled := struckBy(kit.Fault{Answer: kit.Garbage, Happened: true})
	all = append(all, mutant{does: "garbles the answer", caught: "v2-loss/byte-order-mark", config: garbled})
	return append(all, append(tableMutants(), limitMutants()...)...)
}

func limitMutants() []mutant {
	return []mutant{
		{does: "lets one call more in", caught: "v2-limit/rate", config: func(c *sandboxv2.Config) { c.Window.Limit++ }},
		{does: "lets one call less in", caught: "v2-limit/rate", config: func(c *sandboxv2.Config) { c.Window.Limit-- }},
		{does: "has a longer window", caught: "v2-limit/rate", config: func(c *sandboxv2.Config) { c.Window.Per *= 2 }},
		{does: "has one limit for all keys", caught: "v2-limit/rate-key", breaks: header("Authorization", "Token "+sandboxv2.DefaultKey)},
		{does: "has another total", caught: "v2-limit/total", config: totalOf(kit.Companies, 2)},
		{does: "says nothing of the total", caught: "v2-limit/total", breaks: says(`"limit"`, `"quota"`)},
		{does: "knows no daily limit", caught: "v2-limit/daily", config: func(c *sandboxv2.Config) { c.Daily = nil }},
		{does: "calls a daily limit a total", caught: "v2-limit/daily", breaks: says(`limits\.daily`, `limit`)},
		{does: "has days of another zone", caught: "v2-limit/daily-end", config: func(c *sandboxv2.Config) {
			now := c.Now
			c.Now = func() time.Time { return now().Add(time.Hour) }
		}},
		{does: "refuses when the total is raised", caught: "v2-limit/total-raised", breaks: edit(func(_ *sandboxv2.Server, asked string, answer *httptest.ResponseRecorder, body string) string {
			if strings.Contains(asked, "/companies/1") {
				answer.Code = http.StatusTooManyRequests
			}
			return body
		})},
		{does: "limits free calls", caught: "v2-limit/rate-free", breaks: edit(func(_ *sandboxv2.Server, asked string, answer *httptest.ResponseRecorder, body string) string {
			if strings.Contains(asked, "/metrics") {
				answer.Code = http.StatusTooManyRequests
			}
			return body
		})},
	}
}

func tableMutants() []mutant {
	return []mutant{
		{does: "refuses the key", caught: "v2-key/valid", breaks: status(200, 401)},
		{does: "shows counters of its own", caught: "v2-key/one-account", breaks: says(`"used":2`, `"used":1`)},
		{does: "answers an invalid request with 422", caught: "v2-error/invalid-request", breaks: status(400, 422)},
		{does: "has messages that are not lists", caught: "v2-error/invalid-request", breaks: says(`\["([^"]*)"\]`, `"$1"`)},
		{does: "gives the detail another name", caught: "v2-error/internal", breaks: says(`"detail"`, `"message"`)},
		{does: "gives the detail another name", caught: "v2-error/token", breaks: says(`"detail"`, `"message"`)},
		{does: "leaves the module out", caught: "v2-error/limit", breaks: says(`"module":"[^"]*",`, ``)},
		{does: "answers nothing found with 200", caught: "v2-error/not-found", breaks: status(404, 200)},
		{does: "says in other words that it found nothing", caught: "v2-error/not-found", breaks: says(`"Not found\."`, `"No such company."`)},
		{does: "answers as if nothing was found", caught: "v2-error/unknown-route", breaks: says(`"Not Found"`, `"Not found."`)},
		{does: "leaves Retry-After out", caught: "v2-error/too-fast", breaks: edit(func(_ *sandboxv2.Server, _ string, answer *httptest.ResponseRecorder, body string) string {
			answer.Header().Del("Retry-After")
			return body
		})},
		{does: "takes any body", caught: "v2-error/no-json", breaks: status(400, 200)},
		{does: "takes any type of content", caught: "v2-error/content-type", breaks: header("Content-Type", "application/json")},
		{does: "has used as a text", caught: "v2-metrics/members", breaks: says(`"used":(\d+)`, `"used":"$1"`)},
		{does: "leaves total out", caught: "v2-metrics/members", breaks: says(`,"total":\d+`, ``)},
		{does: "calls a module otherwise", caught: "v2-metrics/modules", breaks: says(`"contacts"`, `"people"`)},
		{does: "leaves others out", caught: "v2-metrics/others", breaks: says(`"used":3`, `"used":0`)},
		{does: "keeps the counters", caught: "v2-metrics/period", breaks: says(`"used":0`, `"used":1`)},
		{does: "counts an email more", caught: "v2-metrics/contacts", breaks: says(`"email_count":1`, `"email_count":2`)},
		{does: "needs no time span", caught: "v2-metrics/contacts-required", breaks: status(400, 200)},
		{does: "takes other formats", caught: "v2-metrics/contacts-format", breaks: status(400, 200)},
		{does: "has ids that are texts", caught: "v2-search/prospecting", breaks: says(`"id":(\d+)`, `"id":"$1"`)},
		{does: "has no totals", caught: "v2-search/prospecting", breaks: says(`"total_pages":\d+,`, ``)},
		{does: "has an eleventh page", caught: "v2-search/prospecting-pages", breaks: asks(`"page":11`, `"page":10`)},
		{does: "has an eleventh page", caught: "v2-search/employees-pages", breaks: asks(`"page":11`, `"page":10`)},
		{does: "has no tenth page", caught: "v2-search/prospecting-pages", breaks: asks(`"page":10`, `"page":11`)},
		{does: "has smaller pages", caught: "v2-search/per-page", breaks: asks(`^\{\}$`, `{"per_page":20}`)},
		{does: "has larger pages", caught: "v2-search/per-page", breaks: asks(`"per_page":26`, `"per_page":25`)},
		{does: "has larger pages", caught: "v2-search/overview-per-page", breaks: asks(`"per_page":6`, `"per_page":5`)},
		{does: "begins with the second page", caught: "v2-search/page-default", breaks: asks(`^\{"country_code":"GB"\}$`, `{"country_code":"GB","page":2}`)},
		{does: "repeats the first page", caught: "v2-search/pages", breaks: asks(`"page":2`, `"page":1`)},
		{does: "returns the first page after the last", caught: "v2-search/beyond-last", breaks: asks(`"filters":"[^}]*\}\}",?`, ``)},
		{does: "takes filters that are objects", caught: "v2-search/filters-text", breaks: asks(`"filters":\{[^}]*\}`, `"filters":"{\"company_id\":1}"`)},
		{does: "needs filters", caught: "v2-search/filters-optional", breaks: status(200, 400)},
		{does: "needs no filters", caught: "v2-search/filters-required", breaks: asks(`^\{\}$`, `{"filters":"{\"company_id\":1}"}`)},
		{does: "ignores filters", caught: "v2-search/filters-narrow", breaks: asks(`"filters":"[^\n]*"`, `"filters":"{}"`)},
		{does: "leaves the ends of ranges out", caught: "v2-search/range", breaks: asks(`gte\\":100`, `gte\":101`)},
		{does: "wants numbers of places", caught: "v2-search/location", breaks: asks(`\[\\"[^\]]*\]`, `7`)},
		{does: "has ids that are numbers", caught: "v2-search/overview", breaks: says(`"id":"(\d+)"`, `"id":$1`)},
		{does: "ignores the LEI number", caught: "v2-search/overview-identifiers", breaks: asks(`"lei_number":"[^"]*"`, `"lei_number":"none"`)},
		{does: "ignores the name of an employee", caught: "v2-search/overview-identifiers", breaks: asks(`"person":"[^"]*",`, ``)},
		{does: "ignores names", caught: "v2-search/employees-filters", breaks: asks(`,?\\"full_name\\":\\"[^"]*\\"`, ``)},
		{does: "ignores places", caught: "v2-search/people-locations", breaks: asks(`"employee_locations":\[[^\]]*\]`, `"employee_locations":[]`)},
		{does: "needs fields to watch", caught: "v2-watch/start-without-fields", breaks: status(201, 400)},
		{does: "ignores the country", caught: "v2-search/overview-country", breaks: asks(`"country_code":"GB"`, ``)},
		{does: "ignores the status", caught: "v2-search/overview-status", breaks: asks(`"company_status":\[2\]`, ``)},
		{does: "leaves the company out", caught: "v2-search/employees", breaks: says(`"company_id":"\d+",`, ``)},
		{does: "leaves the company out", caught: "v2-search/people", breaks: says(`"company":\{`, `"firm":{`)},
		{does: "ignores the domains", caught: "v2-search/people-domains", breaks: asks(`"domain_list":\[[^\]]*\]`, ``)},
		{does: "takes other seniorities", caught: "v2-search/seniorities", breaks: asks(`emperor`, `owner`)},
		{does: "returns an object", caught: "v2-search/insights-candidates", breaks: says(`^\[(.*)\]`, `{"data":[$1]}`)},
		{does: "leaves the country out", caught: "v2-search/ownership-candidates", breaks: says(`"country_code":"[^"]*",?`, ``)},
		{does: "has ids of its own", caught: "v2-search/one-space-of-ids", breaks: says(`^\[\{"id":\d+`, `[{"id":3`)},
		{does: "has one email", caught: "v2-record/company", breaks: says(`"company_email":\[`, `"company_emails":[`)},
		{does: "has one form of ids", caught: "v2-record/company-id", breaks: says(`"id":"(\d+)","name"`, `"id":$1,"name"`)},
		{does: "has one seniority", caught: "v2-record/employee", breaks: says(`"seniority_level":\["([^"]*)"\]`, `"seniority_level":"$1"`)},
		{does: "has a turnover that is a text", caught: "v2-record/financials", breaks: says(`"Turnover":([-\d.e+]+)`, `"Turnover":"$1"`)},
		{does: "has years that are none", caught: "v2-record/financials", breaks: says(`"(20\d\d)":`, `"FY$1":`)},
		{does: "ignores the year", caught: "v2-record/financials-year", breaks: asks(`year=\d+`, ``)},
		{does: "has dates with a zone", caught: "v2-record/insights", breaks: says(`("created_at":"[^"]*)"`, `${1}Z"`)},
		{does: "has no shareholders", caught: "v2-record/ownership", breaks: says(`"shareholders"`, `"owners"`)},
		{does: "finds another company", caught: "v2-enrich/company-ways", breaks: asks(`"vat_number":"[^"]*"`, `"vat_number":"none"`)},
		{does: "finds nobody by email", caught: "v2-enrich/contact-ways", breaks: asks(`"email":"[^"]*"`, `"email":"none"`)},
		{does: "says nothing of the field", caught: "v2-enrich/required", breaks: says(`\{"(url|email|linkedin|country_code)"`, `{"error"`)},
		{does: "needs no state", caught: "v2-enrich/state", breaks: status(400, 200)},
		{does: "takes the neutral name", caught: "v2-enrich/wire-name", breaks: asks(`"pro_network"`, `"linkedin"`)},
		{does: "gives the fields another name", caught: "v2-enrich/autocomplete-identifiers", breaks: says(`"fields"`, `"error"`)},
		{does: "gives the fields another name", caught: "v2-enrich/insights-identifiers", breaks: says(`"fields"`, `"error"`)},
		{does: "gives the fields another name", caught: "v2-enrich/ownership-identifiers", breaks: says(`"fields"`, `"error"`)},
		{does: "answers the start with 200", caught: "v2-watch/start", breaks: status(201, 200)},
		{does: "lists a company twice", caught: "v2-watch/start-again", breaks: says(`"total_results":1`, `"total_results":2`)},
		{does: "answers the end with 204", caught: "v2-watch/stop", breaks: status(200, 204)},
		{does: "leaves the fields out", caught: "v2-watch/list", breaks: says(`,"fields":\[[^\]]*\]`, ``)},
		{does: "ignores fields", caught: "v2-watch/list-fields", breaks: asks(`fields=[^&]*`, ``)},
		{does: "ignores the date", caught: "v2-watch/list-date", breaks: asks(`date=[^&]*`, ``)},
		{does: "ignores per_page", caught: "v2-watch/list-pages", breaks: asks(`per_page=2`, ``)},
		{does: "leaves a field out", caught: "v2-watch/fields", breaks: says(`"company_fax",?`, ``)},
		{does: "returns the added fields alone", caught: "v2-watch/fields-add", breaks: says(`\["company_fax","name"\]`, `["company_fax"]`)},
		{does: "returns the removed fields", caught: "v2-watch/fields-remove", breaks: says(`\["name"\]`, `["company_fax"]`)},
		{does: "watches anything", caught: "v2-watch/field-names", breaks: asks(`mood`, `name`)},
		{does: "gives the status another name", caught: "v2-watch/event", breaks: says(`"UPDATED"`, `"CHANGED"`)},
		{does: "lists other changes", caught: "v2-watch/no-event", breaks: says(`"total_results":1`, `"total_results":2`)},
		{does: "lists the oldest first", caught: "v2-watch/events-order", breaks: says(`\[(\{.*\}),(\{.*\})\]`, `[$2,$1]`)},
		{does: "leaves the last day out", caught: "v2-watch/events-dates", breaks: asks(`to_date=2026-11-10`, `to_date=2026-11-09`)},
		{does: "forgets the callback", caught: "v2-watch/callback", breaks: says(`"callback":"[^"]*"`, `"callback":""`)},
		{does: "takes any callback", caught: "v2-watch/callback-required", breaks: status(400, 200)},
		{does: "notifies nobody", caught: "v2-watch/notification", breaks: asks(`"callback":"[^"]*"`, `"callback":"http://127.0.0.1:1/"`)},
		{does: "does not repeat", caught: "v2-watch/notification-repeated", config: func(c *sandboxv2.Config) { c.RepeatAfter = []time.Duration{} }},
		{does: "needs no prefix", caught: "v2-version/prefix", breaks: status(404, 200)},
	}
}

// TestMutants: each service that breaks a rule fails a case, and there is such a service for each rule. A suite that
// cannot fail would prove nothing.
func TestMutants(t *testing.T) {
	if testing.Short() {
		t.Skip("plays every case again; not run with -short")
	}
	byRule, caught := map[string]rulesCase{}, map[string]bool{}
	for _, c := range cases() {
		byRule[c.rule] = c
	}
	for _, m := range mutants() {
		c, found := byRule[m.caught]
		if !found {
			t.Fatalf("there is no case %q", m.caught)
		}
		caught[m.caught] = true
		t.Run(m.caught+"/"+m.does, func(t *testing.T) {
			t.Parallel()
			if err := playCase(t.Context(), c, m); err == nil {
				t.Errorf("%s does not notice a service that %s", m.caught, m.does)
			} else {
				t.Log(err)
			}
		})
	}
	for rule := range byRule {
		if !caught[rule] {
			t.Errorf("no service breaks %s", rule)
		}
	}
}
