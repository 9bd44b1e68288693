package v1

import (
	"context"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payonce/io/service"
)

// A plan cannot spend: each method of what planning gets is called here, over both
// transports, and none sends a lookup. A new method fails this test until it is in it.
func TestStatusClientSpendsNothing(t *testing.T) {
	calls := map[string]func(*StatusClient, context.Context){
		"Status":  func(c *StatusClient, ctx context.Context) { _, _ = c.Status(ctx) },
		"Inspect": func(c *StatusClient, ctx context.Context) { _, _ = c.Inspect(ctx) },
		"OpenAPI": func(c *StatusClient, ctx context.Context) { _, _ = c.OpenAPI(ctx) },
		"Tools":   func(c *StatusClient, ctx context.Context) { _, _ = c.Tools(ctx) },
		"Accepts": func(c *StatusClient, _ context.Context) { _ = c.Accepts(ada()) },
	}
	for method := range reflect.TypeFor[*StatusClient]().Methods() {
		if calls[method.Name] == nil {
			t.Errorf("the method %s is not known to spend nothing", method.Name)
		}
	}
	f := newFakeMCP(t)
	var gets []string
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/mcp":
			f.ServeHTTP(w, r)
		case r.Method == http.MethodGet:
			gets = append(gets, r.URL.Path)
			_, _ = w.Write([]byte(`{"key_valid":true,"paths":{}}`))
		default:
			t.Errorf("%s %s arrived", r.Method, r.URL.Path)
		}
	})
	for _, transport := range []Transport{REST, MCP} {
		client, err := NewStatusClient(Config{BaseURL: server.URL + "/api/v1", Transport: transport, Key: testKey})
		if err != nil {
			t.Fatal(err)
		}
		for _, call := range calls {
			call(client, t.Context())
		}
	}
	if f.paid() != 0 || !slices.Contains(f.seen(), "tools/call "+statusTool) || len(gets) != 4 {
		t.Errorf("%d paid calls among %q and %q", f.paid(), f.seen(), gets)
	}
}

func TestInspectReadsStatusDocumentAndTools(t *testing.T) {
	const status = `{"key_valid":true,"free_allowance":{"work_emails_remaining":1},"usage_budget":null,
		"lookup_readiness":{"email":{"can_call":true,"reason":null}},
		"operations":{"contact_enrichment":{"available_on_plan":true,"input_condition":{"$ref":"https://example.com"}},"work_email_lookup":{"input_condition":true}}}`
	f := newFakeMCP(t)
	f.onCall(func(w http.ResponseWriter, _ *http.Request, m message) { respondRPC(w, m.ID, toolResult(status)) })
	date := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Date", date.Format(http.TimeFormat))
		w.Header().Set("X-RateLimit-Remaining", "29")
		if r.URL.Path == "/mcp" {
			f.ServeHTTP(w, r)
			return
		}
		_, _ = w.Write([]byte(status))
	})
	for _, transport := range []Transport{REST, MCP} {
		t.Run(string(transport), func(t *testing.T) {
			client, err := NewStatusClient(Config{
				BaseURL: server.URL + "/api/v1", Transport: transport, Key: testKey,
				Now: func() time.Time { return date.Add(3 * time.Second) },
			})
			if err != nil {
				t.Fatal(err)
			}
			inspection, err := client.Inspect(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			checkInspection(t, inspection)
		})
	}
}

func checkInspection(t *testing.T, inspection Inspection) {
	var found []string
	for _, member := range inspection.Members {
		if member.Found {
			found = append(found, member.Name)
		}
		if strings.HasPrefix(member.Name, "usage_budget.") {
			t.Errorf("%s was looked for where there is no cap", member.Name)
		}
	}
	want := []string{
		"key_valid", "free_allowance.work_emails_remaining", "usage_budget",
		"lookup_readiness.email.can_call", "lookup_readiness.email.reason", "operations.contact_enrichment.available_on_plan",
	}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("members found (-want +got):\n%s", diff)
	}
	if len(inspection.Members) != 22 {
		t.Errorf("%d members were looked for, want 22", len(inspection.Members))
	}
	if skew, known := inspection.Skew(); !known || skew != 2*time.Second {
		t.Errorf("skew %s (known %t), want 2s", skew, known)
	}
	if diff := cmp.Diff(map[string]string{"X-Ratelimit-Remaining": "29"}, inspection.RateLimit); diff != "" {
		t.Errorf("rate limit (-want +got):\n%s", diff)
	}
	conditions := inspection.Conditions
	if len(conditions) != 2 || conditions[0].Operation != FindWorkEmail || conditions[0].Err != nil || conditions[1].Err == nil {
		t.Errorf("conditions %+v, want one that can be applied and one that cannot", conditions)
	}
}

func TestSkewAllowsForTheTimeOfTheRequest(t *testing.T) {
	date := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		asked, answered time.Duration
		want            time.Duration
	}{
		{0, 0, 0},
		{500 * time.Millisecond, 900 * time.Millisecond, 0},
		{-time.Minute, time.Minute, 0},
		{time.Second, 2 * time.Second, 0},
		{3 * time.Second, 4 * time.Second, 2 * time.Second},
		{-time.Hour, -time.Minute, -time.Minute},
	} {
		i := Inspection{ServerTime: date, Asked: date.Add(test.asked), Answered: date.Add(test.answered)}
		if skew, known := i.Skew(); !known || skew != test.want {
			t.Errorf("asked %s, answered %s: skew %s, want %s", test.asked, test.answered, skew, test.want)
		}
	}
	if _, known := (Inspection{}).Skew(); known {
		t.Error("a skew without a date")
	}
}

// TestMembersThatCannotBeRead: what is there and is not what it should be is as good as
// missing, since it counts as unknown.
func TestMembersThatCannotBeRead(t *testing.T) {
	const whole = `{"key_valid":true,
		"free_allowance":{"work_emails_remaining":1,"business_phones_remaining":1,"work_emails_reserved":0,"business_phones_reserved":0},
		"paid_balance":{"available_cents":1,"included_cents":1,"prepaid_cents":0,"reserved_cents":0},
		"usage_budget":{"cap_cents":1,"spent_cents":0,"reserved_cents":0,"remaining_cents":1,"resets_at":"2026-12-01T00:00:00Z"},
		"lookup_readiness":{"email":{"can_call":true,"reason":null,"maximum_paid_charge_cents":15},
			"phone":{"can_call":false,"reason":"credits_exhausted","maximum_paid_charge_cents":null},
			"both":{"can_call":true,"reason":null,"maximum_paid_charge_cents":0}},
		"operations":{"contact_enrichment":{"available_on_plan":true},"work_email_lookup":{"available_on_plan":true},"business_phone_lookup":{"available_on_plan":true}}}`
	for change, want := range map[string]string{
		``:                                    "",
		`"key_valid":true=>"key_valid":"yes"`: "key_valid",
		`"work_emails_remaining":1=>"work_emails_remaining":null`:        "free_allowance.work_emails_remaining",
		`"available_cents":1=>"available_cents":49.5`:                    "paid_balance.available_cents",
		`"prepaid_cents":0=>"prepaid_cents":"$0"`:                        "paid_balance.prepaid_cents",
		`"cap_cents":1=>"cap_cents":1e300`:                               "usage_budget.cap_cents",
		`2026-12-01T00:00:00Z=>soon`:                                     "usage_budget.resets_at",
		`"reason":"credits_exhausted"=>"reason":7`:                       "lookup_readiness.phone.reason",
		`"maximum_paid_charge_cents":15=>"maximum_paid_charge_cents":{}`: "lookup_readiness.email.maximum_paid_charge_cents",
	} {
		before, after, _ := strings.Cut(change, "=>")
		status, ok := service.ParseObject([]byte(strings.Replace(whole, before, after, 1)))
		if !ok {
			t.Fatalf("%s makes no JSON", change)
		}
		var missing []string
		for _, member := range statusMembers(status) {
			if !member.Found {
				missing = append(missing, member.Name)
			}
		}
		if got := strings.Join(missing, " "); got != want {
			t.Errorf("%s: not found %q, want %q", change, got, want)
		}
	}
}

// TestConditionsThatNoLookupMeets: a condition on what we never send, or against what we
// always send, is told before a list is rejected row by row.
func TestConditionsThatNoLookupMeets(t *testing.T) {
	s := settings{names: DefaultNames()}
	for text, want := range map[string]string{
		`{"required":["company_domain"]}`:                                    "",
		`{"required":["nickname"]}`:                                          "requires nickname, which is not known here",
		`{"properties":{"include_email":true},"additionalProperties":false}`: "does not allow ",
		`{"$ref":"https://example.com"}`:                                     "",
		`true`:                                                               "",
		`false`:                                                              "allows nothing",
	} {
		status, _ := service.ParseObject([]byte(condition(text)))
		found := s.conditionsIn(status)
		if len(found) != 1 || (found[0].Unmet != nil) != (want != "") || want != "" && !strings.Contains(found[0].Unmet.Error(), want) {
			t.Errorf("%s: %+v, want %q", text, found, want)
		}
	}
}
