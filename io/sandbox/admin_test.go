package sandbox_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payonce/cost"
	"payonce/enrich"
	"payonce/io/sandbox"
	"payonce/io/service/v1"
)

// admin is the admin interface of a workspace.
type admin struct {
	t     *testing.T
	url   string
	token string
}

func (w *workspace) admin() *admin {
	w.t.Helper()
	web := httptest.NewServer(w.AdminHandler("token"))
	w.t.Cleanup(web.Close)
	return &admin{w.t, web.URL, "token"}
}

// call makes a call such as "POST /keys".
func (d *admin) call(call, body string) response {
	d.t.Helper()
	method, path, _ := strings.Cut(call, " ")
	request, err := http.NewRequestWithContext(d.t.Context(), method, d.url+path, strings.NewReader(body))
	if err != nil {
		d.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+d.token)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		d.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		d.t.Fatal(err)
	}
	if answer.Header.Get("X-Sandbox") != "true" {
		d.t.Errorf("%s: no X-Sandbox header", call)
	}
	r := response{code: answer.StatusCode, header: answer.Header, text: string(text)}
	if err := json.Unmarshal(text, &r.body); err != nil {
		d.t.Errorf("%s: %d %q is not a JSON object: %v", call, r.code, text, err)
	}
	return r
}

// must makes a call that has to be done.
func (d *admin) must(call, body string) response {
	d.t.Helper()
	r := d.call(call, body)
	if r.code != http.StatusOK {
		d.t.Fatalf("%s %s: %d %s", call, body, r.code, r.text)
	}
	return r
}

// TestAdminInterfaceExplainsItself: GET / lists the calls, and every example in it works.
func TestAdminInterfaceExplainsItself(t *testing.T) {
	config := everybody()
	config.MCP.Sessions = true
	w := open(t, config)
	d := w.admin()
	var root struct {
		Sandbox bool
		Calls   []struct {
			Call, Does string
			Body       json.RawMessage
		}
	}
	if err := json.Unmarshal([]byte(d.must("GET /", "").text), &root); err != nil || !root.Sandbox || len(root.Calls) < 20 {
		t.Fatalf("%d calls, sandbox %t, %v", len(root.Calls), root.Sandbox, err)
	}
	d.must("POST /keys", `{"name":"second"}`)
	d.must("POST /checkouts", `{"plan":"growth"}`)
	for _, call := range root.Calls {
		path := strings.NewReplacer("/keys/{id}", "/keys/key_2", "/checkouts/{id}", "/checkouts/pay_1", "{operation}", "find-phone",
			"/companies/{id}", "/companies/1", "{module}", "companies", "/contacts/{id}", "/contacts/"+w.CRM().Contacts()[0].ID,
			"{number}", "10").Replace(call.Call)
		if call.Call == "DELETE /keys/{id}" {
			continue // it would take the key away from the next call
		}
		if r := d.must(path, string(call.Body)); call.Does == "" || r.text == "" {
			t.Errorf("%+v answers %s", call, r.text)
		}
	}
	d.must("DELETE /keys/key_2", "")
}

func TestAdminInterfaceRefuses(t *testing.T) {
	w := open(t, everybody())
	d := w.admin()
	for _, test := range []struct {
		call, body string
		status     int
		want       string
	}{
		{"GET /nothing", "", 404, "GET / lists them"},
		{"POST /books", "", 405, "takes GET"},
		{"PATCH /budget", "{}", 405, "takes PUT"},
		{"POST /keys", "", 400, "empty"},
		{"POST /keys", "{", 400, "unexpected EOF"},
		{"POST /keys", `["agent"]`, 400, "the body"},
		{"POST /keys", `{}`, 400, "needs a name"},
		{"POST /keys", `{"name":"a","colour":1}`, 400, `unknown field "colour"`},
		{"POST /keys", `{"name":7}`, 400, "name cannot be a JSON number"},
		{"POST /keys", `{"name":"a"} {}`, 400, "goes on after"},
		{"POST /keys", `{"name":"a","expires_at":"tomorrow"}`, 400, "tomorrow"},
		{"POST /keys", `{"name":"a","expires_at":"2001-01-01T00:00:00Z"}`, 400, "has passed"},
		{"POST /keys", `{"name":"` + strings.Repeat("a", 20<<10) + `"}`, 400, "longer than"},
		{"DELETE /keys/key_7", "", 404, `no key "key_7"`},
		{"PUT /keys/key_1/expiry", `{}`, 400, "expires_at is missing"},
		{"PUT /workspace", `{"state":"asleep"}`, 400, "active"},
		{"PUT /budget", `{}`, 400, "null stands for none"},
		{"PUT /budget", `{"usd":5}`, 400, "usd cannot be a JSON number"},
		{"PUT /budget", `{"usd":"many"}`, 400, "write it like 3.00"},
		{"PUT /budget", `{"usd":"-1"}`, 400, "give 0"},
		{"PUT /attempt-limit", `{}`, 400, "limit is missing"},
		{"PUT /attempt-limit", `{"limit":-1}`, 400, "below zero"},
		{"PUT /attempt-limit", `{"limit":1.5}`, 400, "limit cannot be a JSON number 1.5"},
		{"PUT /prices", `{}`, 400, "no price is given"},
		{"PUT /prices", `{"work_email_usd":"-0.01"}`, 400, "cannot be the price"},
		{"PUT /conditions/fax", `{}`, 404, `no operation "fax"`},
		{"DELETE /conditions/fax", "", 404, `no operation "fax"`},
		{"PUT /conditions/enrich", `{"type":"person"}`, 400, "not a JSON Schema"},
		{"PUT /conditions/enrich", `null`, 400, "not a JSON Schema"},
		{"PUT /conditions/enrich", ``, 400, "not a JSON Schema"},
		{"PUT /conditions/enrich", `{"$ref":"file:///etc/hostname"}`, 400, "not followed"},
		{"PUT /conditions/enrich", `{"$ref":"http://127.0.0.1:1/schema"}`, 400, "not followed"},
		{"POST /checkouts", `{}`, 400, "minimum prepaid credit purchase is 25.00"},
		{"POST /checkouts", `{"deposit_usd":"24.99"}`, 400, "minimum prepaid credit purchase is 25.00"},
		{"POST /checkouts", `{"plan":"gold"}`, 400, `no option "gold"`},
		{"POST /checkouts", `{"plan":"core","confirm_after":"soon"}`, 400, "write it like 5s"},
		{"POST /checkouts/pay_7/confirm", "", 404, `no payment "pay_7"`},
		{"POST /usage", `{}`, 400, "give work_emails"},
		{"POST /usage", `{"work_emails":1,"usd":"1"}`, 400, "give work_emails"},
		{"POST /usage", `{"work_emails":-1}`, 400, "-1 fields"},
		{"POST /faults", `{"faults":[]}`, 400, "no faults are given"},
		{"POST /faults", `{"faults":["hang","frobnicate"]}`, 400, "there is no fault"},
	} {
		r := d.call(test.call, test.body)
		failure, _ := r.body["error"].(map[string]any)
		message, _ := failure["message"].(string)
		if r.code != test.status || !strings.Contains(message, test.want) || failure["code"] == "" {
			t.Errorf("%s %.60s: %d %s, want %d with %q", test.call, test.body, r.code, r.text, test.status, test.want)
		}
		if (r.header.Get("Allow") != "") != (r.code == 405) {
			t.Errorf("%s: Allow %q", test.call, r.header.Get("Allow"))
		}
	}
	if log := d.must("GET /log", "").body["log"].([]any); len(log) != 0 {
		t.Errorf("what was refused stands in the log: %v", log)
	}
	for _, token := range []string{"", "wrong"} {
		d.token = token
		if r := d.call("GET /books", ""); r.code != http.StatusUnauthorized {
			t.Errorf("token %q: %d", token, r.code)
		}
	}
}

// TestWithoutATokenTheAdminInterfaceIsClosed: a sandbox without an admin token has no admin interface.
func TestWithoutATokenTheAdminInterfaceIsClosed(t *testing.T) {
	w := open(t, everybody())
	web := httptest.NewServer(w.AdminHandler(""))
	defer web.Close()
	d := &admin{t, web.URL, ""}
	if r := d.call("GET /", ""); r.code != http.StatusUnauthorized {
		t.Errorf("%d %s", r.code, r.text)
	}
}

// TestAdminKeys: a key is shown once, works beside the others, and ends.
func TestAdminKeys(t *testing.T) {
	overBoth(t, func(t *testing.T, over transport) {
		config, now := everybody(), newClock()
		config.Now = now.now
		w := open(t, config)
		d := w.admin()
		created := d.must("POST /keys", fmt.Sprintf(`{"name":"agent","expires_at":%q}`, now.at.Add(time.Hour).Format(time.RFC3339)))
		value, _ := created.body["value"].(string)
		if list := d.must("GET /keys", "").text; value == "" || strings.Contains(list, value) || !strings.Contains(list, `"name":"agent"`) {
			t.Fatalf("the value is %q, the keys %s", value, list)
		}
		code := func(key string) int {
			w.key = key
			a := over.must(w, emailPath, ada)
			if a.result != nil {
				return http.StatusOK
			}
			return max(a.status, a.code)
		}
		check := func(when string, configured, agent int) {
			t.Helper()
			if c, a := code(config.Key), code(value); c != configured || a != agent {
				t.Errorf("%s: the configured key gets %d, the agent's %d, want %d and %d", when, c, a, configured, agent)
			}
		}
		check("at first", 200, 200)
		now.forward(time.Hour)
		check("when it expired", 200, 401)
		d.must("PUT /keys/key_2/expiry", `{"expires_at":null}`)
		d.must("POST /checkouts", `{"deposit_usd":"25.00","confirm_after":"0s"}`)
		check("when it never expires, after a payment", 200, 200)
		d.must("DELETE /keys/key_1", "")
		check("when the other is revoked", 401, 200)
		keys := map[string]bool{}
		for _, a := range w.audited().Arrivals {
			keys[a.Key] = true
		}
		if !keys["key_1"] || !keys["key_2"] {
			t.Errorf("arrivals by the keys %v", keys)
		}
	})
}

// TestAKeyWithoutAWorkspaceLooksUpButSeesNoBalance: a key without a workspace sees no balance, and looks up all the
// same.
func TestAKeyWithoutAWorkspaceLooksUpButSeesNoBalance(t *testing.T) {
	overBoth(t, func(t *testing.T, over transport) {
		w := open(t, everybody())
		w.key, _ = w.admin().must("POST /keys", `{"name":"old","legacy":true}`).body["value"].(string)
		status := w.status().(map[string]any)
		if _, shown := status["operations"]; status["key_valid"] != true || !shown || len(status) != 2 {
			t.Errorf("status %v", status)
		}
		if err := w.contract().check("/components/schemas/AccountStatus", []byte(`{"key_valid":true,"operations":{}}`)); err != nil {
			t.Error(err)
		}
		if a := over.must(w, emailPath, ada); a.result == nil {
			t.Errorf("%d %s", a.code, a.text)
		}
	})
}

// TestClosedWorkspace: what an inactive and a restricted workspace refuse.
func TestClosedWorkspace(t *testing.T) {
	overBoth(t, func(t *testing.T, over transport) {
		w := open(t, everybody())
		d := w.admin()
		d.must("PUT /workspace", `{"state":"inactive"}`)
		checkRefusal(t, over.must(w, emailPath, ada), 403, sandbox.WorkspaceInactive, false)
		ready := w.status("lookup_readiness", "email").(map[string]any)
		if ready["can_call"] != false || ready["reason"] != "workspace_inactive" {
			t.Errorf("the status says %v", ready)
		}
		d.must("PUT /workspace", `{"state":"restricted"}`)
		checkRefusal(t, over.must(w, emailPath, ada), 403, sandbox.AccessRestricted, false)
		if r, err := w.send(http.MethodGet, statusPath, ""); err != nil || r.code != 403 || r.errorCode() != sandbox.AccessRestricted {
			t.Errorf("the status: %d %s %v", r.code, r.text, err)
		}
		r, err := w.rpc("tools/call", `{"name":"service_account_status","arguments":{}}`)
		if err != nil || !strings.Contains(r.text, `"code":"access_restricted"`) || !strings.Contains(r.text, `"isError":true`) {
			t.Errorf("the status tool: %s %v", r.text, err)
		}
		d.must("PUT /workspace", `{"state":"active"}`)
		if a := over.must(w, emailPath, ada); a.result == nil {
			t.Errorf("active again: %d %s", a.code, a.text)
		}
		w.audited()
	})
}

// TestInputCondition: a request that does not fulfil it is refused, and the status
// shows it.
func TestInputCondition(t *testing.T) {
	const byDomain = `{"first_name":"Ada","last_name":"L","company_domain":"c.example"}`
	overBoth(t, func(t *testing.T, over transport) {
		config := everybody()
		config.InputConditions = map[v1.Operation]json.RawMessage{v1.FindPhone: json.RawMessage(`false`)}
		w := open(t, config)
		d := w.admin()
		d.must("PUT /conditions/find-work-email", `{"required": ["company_domain"]}`)
		want := map[string]any{"available_on_plan": true, "input_condition": map[string]any{"required": []any{"company_domain"}}}
		if diff := cmp.Diff(want, w.status("operations", "work_email_lookup")); diff != "" {
			t.Errorf("status (-want +got):\n%s", diff)
		}
		checkRefusal(t, over.must(w, emailPath, ada), 400, sandbox.InvalidIdentifiers, false)
		checkRefusal(t, over.must(w, phonePath, byDomain), 400, sandbox.InvalidIdentifiers, false)
		if a := over.must(w, emailPath, byDomain); a.result == nil {
			t.Errorf("fulfilled: %d %s", a.code, a.text)
		}
		d.must("DELETE /conditions/find-phone", "")
		if a := over.must(w, phonePath, ada); a.result == nil {
			t.Errorf("taken away: %d %s", a.code, a.text)
		}
		w.audited()
	})
}

// TestAdminPrices: a field without a price cannot be asked for, and the terms say
// so.
func TestAdminPrices(t *testing.T) {
	overBoth(t, func(t *testing.T, over transport) {
		config := everybody()
		config.Free = enrich.ByField[int64]{}
		w := open(t, config)
		d := w.admin()
		if got := d.must("PUT /prices", `{"work_email_usd":"0.0155","business_phone_usd":null}`).body; !cmp.Equal(got, map[string]any{"work_email_usd": "0.0155"}) {
			t.Errorf("prices %v", got)
		}
		checkRefusal(t, over.must(w, phonePath, ada), 400, sandbox.PricingUnavailable, false)
		if w.status("operations", "business_phone_lookup", "available_on_plan") != false {
			t.Error("the status offers phones")
		}
		if a := over.must(w, emailPath, ada); a.result == nil {
			t.Errorf("%d %s", a.code, a.text)
		}
		if ledger := w.audited(); ledger.Charged != 15_500 {
			t.Errorf("charged %s", ledger.Charged)
		}
		// Growth has its own prices for both.
		d.must("POST /checkouts", `{"plan":"growth","confirm_after":"0s"}`)
		if a := over.must(w, phonePath, ada); a.result == nil {
			t.Errorf("on growth: %d %s", a.code, a.text)
		}
		if ledger := w.audited(); ledger.Charged != 15_500+20*cost.Cent || ledger.Plan != "growth" {
			t.Errorf("on %s charged %s", ledger.Plan, ledger.Charged)
		}
	})
}

// TestACheckoutIsPaidOnlyOnceItIsConfirmed: a checkout's return is not a payment; the status tells when it came.
func TestACheckoutIsPaidOnlyOnceItIsConfirmed(t *testing.T) {
	overBoth(t, func(t *testing.T, over transport) {
		config, now := everybody(), newClock()
		config.Now, config.Plan = now.now, "payg"
		config.Free, config.IncludedCents, config.PrepaidCents = enrich.ByField[int64]{}, 0, 0
		w := open(t, config)
		d := w.admin()
		checkRefusal(t, over.must(w, emailPath, ada), 402, sandbox.FreeAllowanceExhausted, false)
		d.must("POST /checkouts", `{"deposit_usd":"25.00","confirm_after":"90s"}`)
		d.must("POST /checkouts", `{"deposit_usd":"30.00"}`)
		checkRefusal(t, over.must(w, emailPath, ada), 402, sandbox.FreeAllowanceExhausted, false)
		now.forward(90 * time.Second)
		if got := w.status("paid_balance", "prepaid_cents"); got != 2500.0 {
			t.Errorf("after the first confirmation: %v", got)
		}
		d.must("POST /checkouts/pay_2/confirm", "")
		if got := w.status("paid_balance", "prepaid_cents"); got != 5500.0 {
			t.Errorf("after both: %v", got)
		}
		if a := over.must(w, emailPath, ada); a.result == nil {
			t.Errorf("%d %s", a.code, a.text)
		}
		if r := d.call("POST /checkouts/pay_2/confirm", ""); r.code != 400 {
			t.Errorf("confirmed twice: %d %s", r.code, r.text)
		}
		w.audited()
	})
}

// TestAdminCanSpendFromTheAccountAsOthers: what the dashboard uses is gone for us.
func TestAdminCanSpendFromTheAccountAsOthers(t *testing.T) {
	overBoth(t, func(t *testing.T, over transport) {
		config := everybody()
		config.Free, config.Plan = enrich.ByField[int64]{2, 0}, "payg"
		config.IncludedCents, config.PrepaidCents = 0, 0
		w := open(t, config)
		d := w.admin()
		want := map[string]any{
			"free": map[string]any{"work_email": 1.0, "business_phone": 0.0},
			"paid": map[string]any{"work_email": 0.0, "business_phone": 0.0}, "usd": "0.00",
		}
		if diff := cmp.Diff(want, d.must("POST /usage", `{"work_emails":1,"business_phones":1}`).body); diff != "" {
			t.Errorf("usage (-want +got):\n%s", diff)
		}
		if a := over.must(w, emailPath, ada); a.result == nil {
			t.Errorf("the last free one: %d %s", a.code, a.text)
		}
		checkRefusal(t, over.must(w, emailPath, ada), 402, sandbox.FreeAllowanceExhausted, false)
		w.audited()
	})
}

// TestAdminFaults: what is added strikes, is counted, and goes.
func TestAdminFaults(t *testing.T) {
	overBoth(t, func(t *testing.T, over transport) {
		w := open(t, everybody())
		d := w.admin()
		d.must("POST /faults", `{"faults":["attempt_limit_reached:max=1"]}`)
		checkRefusal(t, over.must(w, emailPath, ada), 429, sandbox.AttemptLimitReached, false)
		want := map[string]any{"faults": []any{map[string]any{"fault": "attempt_limit_reached:max=1", "struck": 1.0}}}
		if diff := cmp.Diff(want, d.must("GET /faults", "").body); diff != "" {
			t.Errorf("faults (-want +got):\n%s", diff)
		}
		d.must("DELETE /faults", "")
		if got := d.must("GET /faults", "").text; got != "{\"faults\":[]}\n" {
			t.Errorf("faults %s", got)
		}
	})
}

// TestAdminChangesSurviveARestart: all that the owner did is still so.
func TestAdminChangesSurviveARestart(t *testing.T) {
	config := everybody()
	config.LedgerPath = t.TempDir() + "/books"
	w := open(t, config)
	d := w.admin()
	value, _ := d.must("POST /keys", `{"name":"agent"}`).body["value"].(string)
	for call, body := range map[string]string{
		"PUT /budget":               `{"usd":null}`,
		"PUT /attempt-limit":        `{"limit":77}`,
		"PUT /prices":               `{"work_email_usd":"0.01"}`,
		"PUT /conditions/enrich":    `{"required":["company_name"]}`,
		"POST /checkouts":           `{"plan":"scale","confirm_after":"0s"}`,
		"POST /usage":               `{"work_emails":30}`,
		"PUT /workspace":            `{"state":"inactive"}`,
		"PUT /keys/key_1/expiry":    `{"expires_at":"2090-01-01T00:00:00Z"}`,
		"POST /keys":                `{"name":"third","legacy":true}`,
		"DELETE /conditions/enrich": "",
	} {
		d.must(call, body)
	}
	again := open(t, config)
	again.key = value
	for _, call := range []string{"GET /books", "GET /log", "GET /keys", "GET /checkouts"} {
		if diff := cmp.Diff(d.must(call, "").body, again.admin().must(call, "").body); diff != "" {
			t.Errorf("%s (-before +after):\n%s", call, diff)
		}
	}
	if diff := cmp.Diff(w.status(), again.status()); diff != "" {
		t.Errorf("status (-before +after):\n%s", diff)
	}
	if r := d.must("GET /audit", ""); r.body["balanced"] != true {
		t.Errorf("%s", r.text)
	}
	var ledger sandbox.Snapshot
	if err := json.Unmarshal([]byte(d.must("GET /books", "").text), &ledger); err != nil || ledger.FreeElsewhere != w.Ledger().FreeElsewhere {
		t.Errorf("the ledger cannot be read back: %+v %v", ledger, err)
	}
}

// TestPage: the page says what this is, and names no key.
func TestPage(t *testing.T) {
	config := everybody()
	config.Key = "a-secret-key"
	w := open(t, config)
	r, err := w.send(http.MethodGet, "/", "", func(r *http.Request) { r.Header.Del("Authorization") })
	if err != nil || r.code != 200 || !strings.HasPrefix(r.header.Get("Content-Type"), "text/html") {
		t.Fatalf("%d %v %v", r.code, r.header, err)
	}
	for _, want := range []string{"Nothing here is real", "/api/v1/openapi.json", w.url + "/mcp", "notifications/initialized"} {
		if !strings.Contains(r.text, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if strings.Contains(r.text, config.Key) {
		t.Error("the page shows the key")
	}
	hostile, err := w.send(http.MethodGet, "/", "", func(r *http.Request) { r.Host = "a<script>" })
	if err == nil && strings.Contains(hostile.text, "<script>") {
		t.Error("the page repeats what it is told")
	}
}
