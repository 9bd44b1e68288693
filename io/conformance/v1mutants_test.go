package conformance_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"payonce/cost"
	"payonce/io/conformance"
	"payonce/io/iotest"
	"payonce/io/sandbox"
	"payonce/io/service/v1"
)

// mutant is a service that breaks a rule, and the case that has to notice.
type mutant struct {
	does   string
	caught string       // the name of the case
	over   v1.Transport // where it can be seen; "" for everywhere
	// config changes the workspace after the case has set it; breaks, what is said and
	// done.
	config func(*sandbox.Config)
	breaks func(*sandbox.Server, http.Handler) http.Handler
}

// mutated is a stage on which a mutant plays.
type mutated struct {
	loopback
	config func(*sandbox.Config)
}

func (m mutated) Open(config sandbox.Config) (*sandbox.Server, http.Handler, error) {
	if m.config != nil {
		m.config(&config)
	}
	return m.loopback.Open(config)
}

// edit rewrites every response.
func edit(rewrite func(r *http.Request, body string, answer *httptest.ResponseRecorder) string) func(*sandbox.Server, http.Handler) http.Handler {
	return func(_ *sandbox.Server, next http.Handler) http.Handler {
		return iotest.EditResponses(next, func(r *http.Request, _ string, answer *httptest.ResponseRecorder) string {
			return rewrite(r, answer.Body.String(), answer)
		})
	}
}

// says replaces what a pattern finds in every response.
func says(pattern, replacement string) func(*sandbox.Server, http.Handler) http.Handler {
	expression := regexp.MustCompile(pattern)
	return edit(func(_ *http.Request, body string, _ *httptest.ResponseRecorder) string {
		return expression.ReplaceAllString(body, replacement)
	})
}

// does something in the workspace after every response that a pattern is found in, or
// whose request it is found in.
func does(pattern string, do func(*sandbox.Ledger)) func(*sandbox.Server, http.Handler) http.Handler {
	expression := regexp.MustCompile(pattern)
	return func(server *sandbox.Server, next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked := requestText(r)
			edit(func(_ *http.Request, body string, _ *httptest.ResponseRecorder) string {
				if expression.MatchString(asked + body) {
					do(server.Workspace())
				}
				return body
			})(server, next).ServeHTTP(w, r)
		})
	}
}

// requestText returns the method, the path and the body of a request.
func requestText(r *http.Request) string {
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	return fmt.Sprintf("%s %s\n%s\n", r.Method, r.URL.Path, body)
}

// before changes every request.
func before(change func(r *http.Request)) func(*sandbox.Server, http.Handler) http.Handler {
	return func(_ *sandbox.Server, next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			change(r)
			next.ServeHTTP(w, r)
		})
	}
}

// ask patterns that tell requests apart.
const (
	aLookup = `POST /api/v1/contacts|"name":"service_(find|enrich)`
	aStatus = `GET /api/v1/account/status|"name":"service_account_status"`
)

func useEmail(b *sandbox.Ledger)   { _, _ = b.UseElsewhere(sandbox.FieldUnits{v1.WorkEmail: 1}) }
func usePhone(b *sandbox.Ledger)   { _, _ = b.UseElsewhere(sandbox.FieldUnits{v1.BusinessPhone: 1}) }
func spendACent(b *sandbox.Ledger) { _, _ = b.SpendElsewhere(cost.Cent) }

func arrive(b *sandbox.Ledger) {
	b.Arrive(sandbox.LookupRequest{Key: sandbox.ConfiguredKey, Identity: "a call that does not count", Fields: v1.AllFields})
}

func mutants() []mutant {
	var all []mutant
	for _, group := range [][]mutant{chargeMutants(), resultMutants(), errorMutants(), accountMutants(), limitMutants(), doorMutants(), mcpMutants()} {
		all = append(all, group...)
	}
	return all
}

func chargeMutants() []mutant {
	return []mutant{
		{does: "charges a missing phone", caught: "outcome/only-email", breaks: does(`"unresolved_fields":\["business_phone"\]`, usePhone)},
		{does: "charges a missing email", caught: "outcome/email-missing-paid", breaks: does(`"unresolved_fields":\["work_email"\]`, useEmail)},
		{does: "charges for a person with nothing", caught: "outcome/person-only", breaks: does(`"unresolved_fields":\["work_email","business_phone"\]`, useEmail)},
		{does: "charges for nobody", caught: "outcome/nobody-paid", breaks: does(`"status":"not_found"`, spendACent)},
		{does: "charges for a refusal", caught: "error/invalid-identifiers", breaks: does(`"code":"invalid_identifiers"`, spendACent)},
		{does: "charges for a refusal for want of credit", caught: "error/credits-exhausted", breaks: does(`"code":"credits_exhausted"`, spendACent)},
		{does: "charges a call besides its fields", caught: "outcome/both-found-paid", breaks: does(`"status":"matched"`, spendACent)},
		{does: "charges for the status", caught: "account/free", breaks: does(aStatus, spendACent)},
		{does: "charges for the profile", caught: "request/profile-included", breaks: does(`"include_profile":true`, spendACent)},
		{does: "uses money before the allowance", caught: "outcome/email-found", config: func(c *sandbox.Config) { c.Free[v1.WorkEmail] = 0 }},
		{does: "gives fewer free emails", caught: "allowance/start", config: func(c *sandbox.Config) { c.Free[v1.WorkEmail]-- }},
		{does: "uses prepaid credit first", caught: "balance/included-first", config: func(c *sandbox.Config) {
			c.IncludedCents, c.PrepaidCents = 0, c.IncludedCents+c.PrepaidCents
		}},
		{does: "charges the rates of another option", caught: "rate/scale", config: func(c *sandbox.Config) { c.Plan = "growth" }},
		{does: "charges another price than it publishes", caught: "rate/payg", config: func(c *sandbox.Config) {
			c.Prices = cost.Prices{v1.WorkEmail: 16 * cost.Cent, v1.BusinessPhone: 25 * cost.Cent}
		}},
		{does: "looks up twice", caught: "outcome/email-found", breaks: func(_ *sandbox.Server, next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked := requestText(r)
				if regexp.MustCompile(aLookup).MatchString(asked) {
					next.ServeHTTP(httptest.NewRecorder(), r)
					_, body, _ := strings.Cut(asked, "\n")
					r.Body = io.NopCloser(strings.NewReader(strings.TrimSuffix(body, "\n")))
				}
				next.ServeHTTP(w, r)
			})
		}},
	}
}

func resultMutants() []mutant {
	return []mutant{
		{does: "leaves out what is unresolved", caught: "outcome/email-missing", breaks: says(`"unresolved_fields":\["work_email"\]`, `"unresolved_fields":[]`)},
		{does: "names the wrong field unresolved", caught: "outcome/only-email", breaks: says(`"unresolved_fields":\["business_phone"\]`, `"unresolved_fields":["work_email"]`)},
		{does: "calls the person unresolved beside a partial result", caught: "outcome/only-phone", breaks: says(`"unresolved_fields":\["work_email"\]`, `"unresolved_fields":["work_email","person"]`)},
		{does: "says null for nothing unresolved", caught: "outcome/both-found", breaks: says(`"unresolved_fields":\[\]`, `"unresolved_fields":null`)},
		{does: "calls a partial result matched", caught: "outcome/only-email", breaks: says(`"status":"partial"`, `"status":"matched"`)},
		{does: "calls a matched result partial", caught: "outcome/email-found", breaks: says(`"status":"matched"`, `"status":"partial"`)},
		{does: "calls nobody partial", caught: "outcome/nobody", breaks: says(`"status":"not_found"`, `"status":"partial"`)},
		{does: "has data of nobody", caught: "outcome/nobody", breaks: says(`"data":null`, `"data":{"full_name":"Somebody"}`)},
		{does: "leaves the full name out", caught: "outcome/person-only", breaks: says(`"full_name":"[^"]*"`, `"name":"Ada"`)},
		{does: "leaves the phone's type out", caught: "outcome/phone-found", breaks: says(`,"phone_type":"[^"]*"`, ``)},
		{does: "returns what was not asked for", caught: "outcome/email-found", breaks: says(`"work_email":"`, `"business_phone":"+1-555-0100","phone_type":"office","work_email":"`)},
		{does: "says null for what is missing", caught: "outcome/only-phone", breaks: says(`"data":{"full_name"`, `"data":{"work_email":null,"full_name"`)},
		{does: "has no request ID", caught: "outcome/both-found", breaks: says(`"request_id":"[^"]*"`, `"request_id":""`)},
		{does: "has no grounding", caught: "outcome/both-found", breaks: says(`"retrieved_at":"[^"]*"`, `"retrieved_at":""`)},
		{does: "has no provenance", caught: "outcome/nobody", breaks: says(`,"source_provenance":"[^"]*"`, ``)},
		{does: "gives another operation to an enrich", caught: "outcome/both-found", breaks: says(`"operation":"contact_enrichment"`, `"operation":"enrichment"`)},
		{does: "answers with another object", caught: "outcome/both-found", breaks: says(`"object":"enrichment_result"`, `"object":"result"`)},
		{does: "leaves the profile out", caught: "request/profile-included", breaks: says(`,"profile":\{[^}]*\}`, ``)},
		{does: "sends a profile unasked", caught: "request/profile-left-out", breaks: says(`"data":{"full_name"`, `"data":{"profile":{},"full_name"`)},
		{does: "ignores include_phone", caught: "request/include-one-field", over: v1.REST, breaks: before(func(r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			text := strings.ReplaceAll(string(body), `"include_phone":false`, `"include_phone":true`)
			r.Body, r.ContentLength = io.NopCloser(strings.NewReader(text)), int64(len(text))
		})},
	}
}

func errorMutants() []mutant {
	return []mutant{
		{does: "calls want of credit retryable", caught: "error/credits-exhausted", breaks: says(`("code":"credits_exhausted".*"retryable":)false`, `${1}true`)},
		{does: "calls a passing failure final", caught: "error/unavailable", breaks: says(`("code":"temporarily_unavailable".*"retryable":)true`, `${1}false`)},
		{does: "calls a wrong configuration retryable", caught: "error/misconfigured", breaks: says(`("code":"service_misconfigured".*"retryable":)false`, `${1}true`)},
		{does: "calls a conflict final", caught: "error/conflict", breaks: says(`("code":"reservation_conflict".*"retryable":)true`, `${1}false`)},
		{does: "does not say whether to retry", caught: "error/budget-forced", breaks: says(`,"retryable":(true|false)`, ``)},
		{does: "names another code for the allowance", caught: "error/free-exhausted", breaks: says(`"free_allowance_exhausted"`, `"credits_exhausted"`)},
		{does: "names another code for the budget", caught: "budget/reached", breaks: says(`"usage_budget_reached"`, `"credits_exhausted"`)},
		{does: "sells what has no price once there is credit", caught: "error/no-price", breaks: says(`"operation_pricing_unavailable"`, `"credits_exhausted"`)},
		{does: "answers a refusal without a request ID", caught: "error/inactive", breaks: says(`,"request_id":"[^"]*"`, ``)},
		{does: "refuses an invalid key with 403", caught: "key/invalid", breaks: edit(func(_ *http.Request, body string, answer *httptest.ResponseRecorder) string {
			if answer.Code == http.StatusUnauthorized {
				answer.Code = http.StatusForbidden
			}
			return body
		})},
		{does: "answers invalid identifiers with not_found", caught: "request/nobody", over: v1.REST, breaks: edit(func(_ *http.Request, body string, answer *httptest.ResponseRecorder) string {
			if answer.Code == http.StatusBadRequest {
				answer.Code = http.StatusOK
			}
			return body
		})},
		{does: "repeats what broke off", caught: "loss/dropped-charged", breaks: func(_ *sandbox.Server, next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked := requestText(r)
				defer func() {
					if broken := recover(); broken != nil {
						_, body, _ := strings.Cut(asked, "\n")
						r.Body = io.NopCloser(strings.NewReader(strings.TrimSuffix(body, "\n")))
						next.ServeHTTP(w, r)
					}
				}()
				next.ServeHTTP(w, r)
			})
		}},
		{does: "refuses what it charges", caught: "loss/garbage-charged", breaks: edit(func(_ *http.Request, body string, answer *httptest.ResponseRecorder) string {
			if !strings.Contains(body, "\x00") {
				return body
			}
			answer.Code = http.StatusServiceUnavailable
			return `{"error":{"code":"temporarily_unavailable","message":"","retryable":true},"request_id":"x"}`
		})},
	}
}

func accountMutants() []mutant {
	return []mutant{
		{does: "shows another allowance", caught: "allowance/start", breaks: says(`"work_emails_remaining":20`, `"work_emails_remaining":19`)},
		{does: "calls the prepaid credit otherwise", caught: "account/members", breaks: says(`"prepaid_cents"`, `"credit_cents"`)},
		{does: "shows amounts as texts", caught: "account/members", breaks: says(`"available_cents":(\d+)`, `"available_cents":"$1"`)},
		{does: "shows a cap of zero where there is none", caught: "budget/none", breaks: says(`"usage_budget":null`, `"usage_budget":{"cap_cents":0,"spent_cents":0,"reserved_cents":0,"remaining_cents":0}`)},
		{does: "shows no cap where there is one of zero", caught: "budget/zero", breaks: says(`"usage_budget":\{"cap_cents":0[^}]*\}`, `"usage_budget":null`)},
		{does: "shows no reservations", caught: "balance/reserved-out", breaks: says(`"reserved_cents":\d+`, `"reserved_cents":0`)},
		{does: "does not show what is spent", caught: "account/follows-usage", breaks: says(`"spent_cents":\d+`, `"spent_cents":0`)},
		{does: "gives no reason", caught: "readiness/credits", breaks: says(`"reason":"[a-z_]+"`, `"reason":null`)},
		{does: "calls everything ready", caught: "readiness/budget", breaks: says(`"can_call":false`, `"can_call":true`)},
		{does: "shows a charge for what is free", caught: "readiness/free", breaks: says(`"maximum_paid_charge_cents":0`, `"maximum_paid_charge_cents":15`)},
		{does: "offers what has no price", caught: "readiness/no-price", breaks: says(`"available_on_plan":false`, `"available_on_plan":true`)},
		{does: "hides an input condition", caught: "request/input-condition", breaks: says(`,"input_condition":\{[^}]*\}`, ``)},
		{does: "credits a payment before it is confirmed", caught: "billing/unconfirmed", breaks: says(`"available_cents":0,"included_cents":0,"prepaid_cents":0`, `"available_cents":2500,"included_cents":0,"prepaid_cents":2500`)},
		{does: "counts months by another time zone", caught: "budget/reset", config: behindBy(5 * time.Hour)},
		{does: "renews by another time zone", caught: "balance/expires", config: behindBy(5 * time.Hour)},
		{does: "refuses the status when nothing is left", caught: "account/when-exhausted", breaks: edit(func(_ *http.Request, body string, answer *httptest.ResponseRecorder) string {
			if strings.Contains(body, `"can_call":false`) {
				answer.Code = http.StatusPaymentRequired
			}
			return body
		})},
	}
}

// behindBy sets the service's clock back.
func behindBy(span time.Duration) func(*sandbox.Config) {
	return func(c *sandbox.Config) {
		now := c.Now
		c.Now = func() time.Time { return now().Add(-span) }
	}
}

func limitMutants() []mutant {
	return []mutant{
		{does: "counts status calls", caught: "limit/status-is-free", breaks: does(aStatus, arrive)},
		{does: "counts the discovery of tools", caught: "limit/discovery-is-free", breaks: does(`"method":"tools/list"`, arrive)},
		{does: "lets one more in", caught: "limit/thirty-a-minute", config: func(c *sandbox.Config) { c.Window.Limit++ }},
		{does: "lets one less in", caught: "limit/thirty-a-minute", config: func(c *sandbox.Config) { c.Window.Limit-- }},
		{does: "has a shorter window", caught: "limit/rolling", config: func(c *sandbox.Config) { c.Window.Per /= 2 }},
		{does: "says nothing of when to come", caught: "limit/rolling", breaks: edit(func(_ *http.Request, body string, answer *httptest.ResponseRecorder) string {
			answer.Header().Del("Retry-After")
			return body
		})},
		{does: "says to come too early", caught: "limit/refused-takes-no-place", breaks: edit(func(_ *http.Request, body string, answer *httptest.ResponseRecorder) string {
			if answer.Header().Get("Retry-After") != "" {
				answer.Header().Set("Retry-After", "1")
			}
			return body
		})},
		{does: "lets one more attempt in", caught: "limit/attempts", config: func(c *sandbox.Config) {
			if c.AttemptLimit > 0 {
				c.AttemptLimit++
			}
		}},
		{does: "calls the attempt limit retryable", caught: "limit/attempts", breaks: says(`("code":"attempt_limit_reached".*"retryable":)false`, `${1}true`)},
	}
}

func doorMutants() []mutant {
	openSesame := func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+sandbox.DefaultKey) }
	return []mutant{
		{does: "lets any key in", caught: "key/invalid", breaks: before(openSesame)},
		{does: "lets a revoked key in", caught: "key/revoked", breaks: before(openSesame)},
		{does: "lets an expired key in", caught: "key/expired", breaks: before(openSesame)},
		{does: "needs no key", caught: "rest/key-needed", over: v1.REST, breaks: before(openSesame)},
		{does: "shows a legacy key a balance", caught: "key/legacy", breaks: before(openSesame)},
		{does: "opens an inactive workspace", caught: "workspace/inactive", breaks: says(`"workspace_inactive"`, `"access_restricted"`)},
		{does: "takes two patterns", caught: "request/two-patterns", over: v1.REST, breaks: before(func(r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			text := regexp.MustCompile(`"pro_network_url":"[^"]*",`).ReplaceAllString(string(body), "")
			r.Body, r.ContentLength = io.NopCloser(strings.NewReader(text)), int64(len(text))
		})},
		{does: "takes a body without its type", caught: "request/content-type", over: v1.REST, breaks: before(func(r *http.Request) {
			r.Header.Set("Content-Type", "application/json")
		})},
		{does: "answers without the prefix", caught: "rest/prefix", over: v1.REST, breaks: before(func(r *http.Request) {
			r.URL.Path = "/api/v1" + strings.TrimPrefix(r.URL.Path, "/api/v1")
		})},
		{does: "keeps the document behind the key", caught: "published/no-key", over: v1.REST, breaks: func(_ *sandbox.Server, next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Authorization") == "" {
					w.WriteHeader(http.StatusUnauthorized)
					return
				}
				next.ServeHTTP(w, r)
			})
		}},
		{does: "publishes another rate card", caught: "published/rate-card", breaks: says(`("monthly_included_usd":\s*)"149.00"`, `$1"139.00"`)},
		{does: "publishes other prices than it charges", caught: "published/pricing", breaks: says(`"work_email_usd":"0.12"`, `"work_email_usd":"0.10"`)},
		{does: "calls a parameter otherwise", caught: "published/schemas", breaks: says(`"company_domain"`, `"domain"`)},
	}
}

func mcpMutants() []mutant {
	over := func(m mutant) mutant {
		m.over = v1.MCP
		return m
	}
	return []mutant{
		over(mutant{does: "negotiates another version", caught: "mcp/sequence", breaks: says(`"protocolVersion":"2025-11-25"`, `"protocolVersion":"2024-11-05"`)}),
		over(mutant{does: "answers the notification with 200", caught: "mcp/sequence", breaks: edit(func(_ *http.Request, body string, answer *httptest.ResponseRecorder) string {
			if answer.Code == http.StatusAccepted {
				answer.Code = http.StatusOK
			}
			return body
		})}),
		over(mutant{does: "needs no version", caught: "mcp/version-needed", breaks: before(func(r *http.Request) { r.Header.Set("MCP-Protocol-Version", "2025-11-25") })}),
		over(mutant{does: "needs no key", caught: "mcp/key-needed", breaks: before(func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+sandbox.DefaultKey) })}),
		over(mutant{does: "has no pricing", caught: "mcp/discovery", breaks: says(`"service/pricing"`, `"pricing"`)}),
		over(mutant{does: "calls a tool otherwise", caught: "mcp/data-tools", breaks: says(`"object":"enrichment_result"`, `"object":"result"`)}),
		over(mutant{does: "does not call a failed tool failed", caught: "mcp/failed-tool", breaks: says(`"isError":true`, `"isError":false`)}),
		over(mutant{does: "does not say why a tool failed", caught: "mcp/failed-tool", breaks: says(`"service/error"`, `"error"`)}),
		over(mutant{does: "leaves the HTTP status of a failure out", caught: "mcp/failed-tool", breaks: says(`"http_status":\d+,`, ``)}),
		over(mutant{does: "looks up at discovery", caught: "mcp/discovery", breaks: does(`"method":"tools/list"`, arrive)}),
		over(mutant{does: "gives the status without its structure", caught: "mcp/status-tool", breaks: says(`"structuredContent"`, `"structured"`)}),
		over(mutant{does: "answers a lookup in a session that is over", caught: "mcp/session-reopened", breaks: func(server *sandbox.Server, next http.Handler) http.Handler {
			return edit(func(_ *http.Request, body string, answer *httptest.ResponseRecorder) string {
				if answer.Code == http.StatusNotFound {
					spendACent(server.Workspace())
				}
				return body
			})(server, next)
		}}),
	}
}

// TestMutants: every service that breaks a rule is caught, in every way in which that
// shows. A suite that cannot fail would hold nothing.
func TestMutants(t *testing.T) {
	if testing.Short() {
		t.Skip("plays every case many times; not run with -short")
	}
	cases := map[string]conformance.Case{}
	for _, c := range conformance.Cases() {
		cases[c.Name] = c
	}
	for _, m := range mutants() {
		c, found := cases[m.caught]
		if !found {
			t.Fatalf("there is no case %q", m.caught)
		}
		for _, way := range conformance.Ways() {
			if m.over != "" && m.over != way.Transport || !c.Plays(way) {
				continue
			}
			t.Run(way.Name+"/"+m.does, func(t *testing.T) {
				t.Parallel()
				stage := mutated{loopback{m.breaks}, m.config}
				if err := conformance.Play(t.Context(), stage, way, c); err == nil {
					t.Errorf("%s does not notice a service that %s", m.caught, m.does)
				} else {
					t.Log(err)
				}
			})
		}
	}
}

// TestEveryConformanceCaseNoticesAnOverchargeOfOneCent: each case that looks somebody up notices a service that takes a
// cent more for it, whatever comes of the lookup, where there is a cent to be taken. Over REST and over MCP, as it
// makes no difference how MCP is spoken.
func TestEveryConformanceCaseNoticesAnOverchargeOfOneCent(t *testing.T) {
	if testing.Short() {
		t.Skip("plays every case twice more; not run with -short")
	}
	for _, way := range conformance.Ways()[:2] {
		for _, c := range conformance.Cases() {
			if !c.Plays(way) || !c.LooksUp() || strings.HasPrefix(c.Name, "loss/") {
				continue // what a lost lookup takes is seen above
			}
			t.Run(way.Name+"/"+c.Name, func(t *testing.T) {
				t.Parallel()
				var taken atomic.Int64
				takesMore := does(aLookup, func(b *sandbox.Ledger) {
					amount, _ := b.SpendElsewhere(cost.Cent)
					taken.Add(int64(amount))
				})
				err := conformance.Play(t.Context(), loopback{takesMore}, way, c)
				if (err == nil) != (taken.Load() == 0) {
					t.Errorf("%d micro-USD taken, and the case says %v", taken.Load(), err)
				}
			})
		}
	}
}
