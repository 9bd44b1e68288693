package sandbox_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"payonce/io/sandbox"
)

func TestInvalidLookupsAreRefused(t *testing.T) {
	const both = `,"include_email":true,"include_phone":true}`
	tests := []struct {
		name, path, body string
	}{
		{"no JSON", emailPath, `first_name=Ada`},
		{"no object", emailPath, `["Ada"]`},
		{"null", emailPath, `null`},
		{"nothing", emailPath, ``},
		{"two objects", emailPath, ada + ada},
		{"no identity", emailPath, `{}`},
		{"an unknown field", emailPath, strings.Replace(ada, "}", `,"colour":"red"}`, 1)},
		{"a field in another case", emailPath, `{"Pro_Network_URL":"https://network.example/in/ada"}`},
		{"both patterns", emailPath, `{"pro_network_url":"https://network.example/in/ada","first_name":"Ada","last_name":"L","company_name":"C"}`},
		{"profile and a company", emailPath, `{"pro_network_url":"https://network.example/in/ada","company_name":"C"}`},
		{"two companies", emailPath, `{"first_name":"Ada","last_name":"L","company_name":"C","company_domain":"c.example"}`},
		{"no company", emailPath, `{"first_name":"Ada","last_name":"L"}`},
		{"no last name", emailPath, `{"first_name":"Ada","company_name":"C"}`},
		{"a blank last name", emailPath, `{"first_name":"Ada","last_name":" ","company_name":"C"}`},
		{"no domain", emailPath, `{"first_name":"Ada","last_name":"L","company_domain":"nowhere"}`},
		{"no URL", emailPath, `{"pro_network_url":"ada"}`},
		{"null for a name", emailPath, `{"first_name":null,"last_name":"L","company_name":"C"}`},
		{"a number for a name", emailPath, `{"first_name":1,"last_name":"L","company_name":"C"}`},
		{"include flags not set", enrichPath, ada},
		{"one include flag not set", enrichPath, strings.Replace(ada, "}", `,"include_email":true}`, 1)},
		{"nothing included", enrichPath, strings.ReplaceAll(adaBoth, "true", "false")},
		{"a flag as text", enrichPath, strings.Replace(ada, "}", `,"include_email":"true","include_phone":true}`, 1)},
		{"a profile as null", enrichPath, strings.Replace(adaBoth, "}", `,"include_profile":null}`, 1)},
		{"include flags where there are none", phonePath, strings.Replace(ada, "}", both, 1)},
		{"too long", emailPath, `{"first_name":"` + strings.Repeat("a", 20<<10) + `","last_name":"L","company_name":"C"}`},
	}
	overBoth(t, func(t *testing.T, over transport) {
		w := open(t, everybody())
		refused := 0
		for _, test := range tests {
			t.Run(test.name, func(t *testing.T) {
				if over.name == "MCP" && len(test.body) > 16<<10 {
					t.Skip("the message is refused before it reaches the tool")
				}
				refused++
				checkRefusal(t, over.must(w, test.path, test.body), http.StatusBadRequest, sandbox.InvalidIdentifiers, false)
			})
		}
		if ledger := w.audited(); len(ledger.Charges) != 0 || ledger.Refused[sandbox.InvalidIdentifiers] != refused {
			t.Errorf("charges %v, refused %v of %d", ledger.Charges, ledger.Refused, refused)
		}
	})
}

func TestValidLookupsAreAnswered(t *testing.T) {
	w := open(t, everybody())
	for _, body := range []string{
		ada,
		`{"first_name":"Ada","last_name":"Lovelace","company_domain":"Example.COM"}`,
		`{"first_name":"Zoë","last_name":"Müller-Łuczak","company_name":"Bäckerei 株式会社"}`,
		`{"first_name":"明","last_name":"山田","company_domain":"müller.example"}`,
	} {
		if r := w.post(emailPath, body); r.code != http.StatusOK || r.body["status"] != "matched" {
			t.Errorf("%s: %d %s", body, r.code, r.text)
		}
	}
	w.audited()
}

func checkRefusal(t *testing.T, a answer, status int, code sandbox.ErrorCode, retryable bool) {
	t.Helper()
	if a.result != nil || a.status != status || a.errorCode != code || a.retryable != retryable || a.requestID == "" {
		t.Errorf("%d %s, want %d %s, retryable %t, with a request ID", a.code, a.text, status, code, retryable)
	}
}

func TestRequestsOtherThanLookupsAreRefused(t *testing.T) {
	noKey := func(r *http.Request) { r.Header.Del("Authorization") }
	wrongKey := func(r *http.Request) { r.Header.Set("Authorization", "Bearer other") }
	noScheme := func(r *http.Request) { r.Header.Set("Authorization", sandbox.DefaultKey) }
	plain := func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") }
	same := func(*http.Request) {}
	tests := []struct {
		name, method, path string
		change             func(*http.Request)
		status             int
		code               sandbox.ErrorCode
	}{
		{"status without a key", "GET", statusPath, noKey, 401, sandbox.InvalidAPIKey},
		{"status with another key", "GET", statusPath, wrongKey, 401, sandbox.InvalidAPIKey},
		{"status without Bearer", "GET", statusPath, noScheme, 401, sandbox.InvalidAPIKey},
		{"lookup without a key", "POST", emailPath, noKey, 401, sandbox.InvalidAPIKey},
		{"unknown path without a key", "GET", "/nowhere", noKey, 401, sandbox.InvalidAPIKey},
		{"unknown path", "GET", "/api/v1/nowhere", same, 404, "not_found"},
		{"POST of the page", "POST", "/", noKey, 405, "method_not_allowed"},
		{"GET of a lookup", "GET", enrichPath, same, 405, "method_not_allowed"},
		{"POST of the status", "POST", statusPath, same, 405, "method_not_allowed"},
		{"another content type", "POST", emailPath, plain, 400, sandbox.InvalidIdentifiers},
	}
	w := open(t, everybody())
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r, err := w.send(test.method, test.path, ada, test.change)
			if err != nil {
				t.Fatal(err)
			}
			if id, _ := r.body["request_id"].(string); r.code != test.status || r.errorCode() != test.code || id == "" {
				t.Errorf("%d %s, want %d %s with a request ID", r.code, r.text, test.status, test.code)
			}
			if (r.header.Get("Allow") != "") != (test.status == 405) {
				t.Errorf("Allow: %q", r.header.Get("Allow"))
			}
		})
	}
	if ledger := w.audited(); len(ledger.Charges) != 0 {
		t.Errorf("charges %v", ledger.Charges)
	}
}

func TestWindow(t *testing.T) {
	tests := []struct {
		name   string
		window sandbox.Window
	}{
		{"as specified", sandbox.Window{Limit: 30, Per: time.Minute}},
		{"scaled", sandbox.Window{Limit: 3, Per: 2 * time.Second}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			overBoth(t, func(t *testing.T, over transport) {
				config, now := everybody(), newClock()
				config.Window, config.Now = test.window, now.now
				w := open(t, config)
				for range test.window.Limit {
					if r := over.must(w, emailPath, ada); r.result == nil {
						t.Fatalf("%d %s", r.code, r.text)
					}
				}
				now.forward(test.window.Per - 1500*time.Millisecond)
				r := over.must(w, emailPath, ada)
				checkRefusal(t, r, http.StatusTooManyRequests, sandbox.RateLimited, true)
				if r.retryAfter != "2" {
					t.Errorf("Retry-After %q, want 1.5 s rounded up", r.retryAfter)
				}
				now.forward(1500*time.Millisecond - 1)
				if r := over.must(w, emailPath, ada); r.errorCode != sandbox.RateLimited {
					t.Errorf("a moment too early: %d %s", r.code, r.text)
				}
				now.forward(1)
				for range test.window.Limit { // the refused ones took no place
					if r := over.must(w, emailPath, ada); r.result == nil {
						t.Errorf("after the window: %d %s", r.code, r.text)
					}
				}
				if r := over.must(w, emailPath, ada); r.errorCode != sandbox.RateLimited {
					t.Errorf("the next window: %d %s", r.code, r.text)
				}
				if ledger := w.audited(); ledger.Refused[sandbox.RateLimited] != 3 || len(ledger.Charges) != 2*test.window.Limit {
					t.Errorf("refused %v, %d charges", ledger.Refused, len(ledger.Charges))
				}
			})
		})
	}
}

func TestAttemptLimit(t *testing.T) {
	overBoth(t, func(t *testing.T, over transport) {
		config, now := everybody(), newClock()
		config.AttemptLimit, config.Now = 2, now.now
		w := open(t, config)
		over.must(w, emailPath, ada)
		over.must(w, emailPath, `{}`) // an attempt too
		r := over.must(w, emailPath, ada)
		checkRefusal(t, r, http.StatusTooManyRequests, sandbox.AttemptLimitReached, false)
		if r.retryAfter != "" || w.status("lookup_readiness", "email", "reason") != string(sandbox.AttemptLimitReached) {
			t.Errorf("header %v, status %v", r.header, w.status("lookup_readiness"))
		}
		now.at = now.at.AddDate(0, 1, 0)
		if r := over.must(w, emailPath, ada); r.result == nil {
			t.Errorf("in the next period: %d %s", r.code, r.text)
		}
	})
}
