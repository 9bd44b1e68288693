package sandbox_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"payonce/cost"
	"payonce/enrich"
	"payonce/io/sandbox"
	"payonce/io/service/v1"
)

// TestOutcomes walks the table of outcomes (specification v1, "Outcome rules").
func TestOutcomes(t *testing.T) {
	known := func(email, phone float64) enrich.ByField[float64] { return enrich.ByField[float64]{email, phone} }
	tests := []struct {
		name       string
		path, body string
		unknown    float64
		known      enrich.ByField[float64]
		operation  string
		status     string
		unresolved []any
		data       []string // nil: data is null
		free       enrich.ByField[int64]
	}{
		{
			"both present", enrichPath, adaBoth, 0, known(1, 1), "contact_enrichment", "matched",
			[]any{},
			[]string{"business_phone", "full_name", "phone_type", "work_email"},
			enrich.ByField[int64]{1, 1},
		},
		{
			"email missing", enrichPath, adaBoth, 0, known(0, 1), "contact_enrichment", "partial",
			[]any{"work_email"},
			[]string{"business_phone", "full_name", "phone_type"},
			enrich.ByField[int64]{0, 1},
		},
		{
			"phone missing", enrichPath, adaBoth, 0, known(1, 0), "contact_enrichment", "partial",
			[]any{"business_phone"},
			[]string{"full_name", "work_email"},
			enrich.ByField[int64]{1, 0},
		},
		{
			"both missing", enrichPath, adaBoth, 0, known(0, 0), "contact_enrichment", "partial",
			[]any{"work_email", "business_phone"},
			[]string{"full_name"},
			enrich.ByField[int64]{},
		},
		{"nobody", enrichPath, adaBoth, 1, known(1, 1), "contact_enrichment", "not_found", []any{"person"}, nil, enrich.ByField[int64]{}},
		{
			"only the email asked", enrichPath, strings.Replace(adaBoth, `"include_phone":true`, `"include_phone":false`, 1), 0, known(1, 1),
			"contact_enrichment", "matched",
			[]any{},
			[]string{"full_name", "work_email"},
			enrich.ByField[int64]{1, 0},
		},
		{
			"with a profile", enrichPath, strings.Replace(adaBoth, `}`, `,"include_profile":true}`, 1), 0, known(1, 1),
			"contact_enrichment", "matched",
			[]any{},
			[]string{"business_phone", "full_name", "phone_type", "profile", "work_email"},
			enrich.ByField[int64]{1, 1},
		},
		{"email found", emailPath, ada, 0, known(1, 1), "work_email_lookup", "matched", []any{}, []string{"full_name", "work_email"}, enrich.ByField[int64]{1, 0}},
		{"email not found", emailPath, ada, 0, known(0, 1), "work_email_lookup", "partial", []any{"work_email"}, []string{"full_name"}, enrich.ByField[int64]{}},
		{
			"phone found", phonePath, ada, 0, known(1, 1), "business_phone_lookup", "matched",
			[]any{},
			[]string{"business_phone", "full_name", "phone_type"},
			enrich.ByField[int64]{0, 1},
		},
		{"phone of nobody", phonePath, ada, 1, known(1, 1), "business_phone_lookup", "not_found", []any{"person"}, nil, enrich.ByField[int64]{}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			config := sandbox.DefaultConfig()
			config.UnknownRate, config.MatchRates, config.Now = test.unknown, test.known, newClock().now
			overBoth(t, func(t *testing.T, over transport) {
				w := open(t, config)
				r := over.must(w, test.path, test.body)
				if r.code != http.StatusOK {
					t.Fatalf("%d %s", r.code, r.text)
				}
				var data []string
				if person, ok := r.result["data"].(map[string]any); ok {
					for name := range person {
						data = append(data, name)
					}
				} else if r.result["data"] != nil {
					t.Errorf("data is %v", r.result["data"])
				}
				got := []any{r.result["object"], r.result["operation"], r.result["status"], r.result["unresolved_fields"]}
				want := []any{"enrichment_result", test.operation, test.status, test.unresolved}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("result (-want +got):\n%s", diff)
				}
				if diff := cmp.Diff(test.data, data, cmpopts.SortSlices(strings.Compare)); diff != "" {
					t.Errorf("data (-want +got):\n%s", diff)
				}
				if at := r.result["grounding"].(map[string]any)["retrieved_at"]; at != "2026-11-21T02:37:00Z" {
					t.Errorf("retrieved_at %v", at)
				}
				ledger := w.audited()
				if enrich.ByField[int64](ledger.FreeUsed) != test.free || ledger.Charged != 0 {
					t.Errorf("charged %s and %v free fields, want none and %v", ledger.Charged, ledger.FreeUsed, test.free)
				}
				for _, c := range ledger.Charges {
					if c.RequestID != r.result["request_id"] || !strings.Contains(c.Identity, "ada-lovelace") {
						t.Errorf("the charge %+v is not of this request", c)
					}
				}
			})
		})
	}
}

// TestOrderOfUse spends the free allowance, then included, then prepaid credit,
// and then meets the end of each.
func TestOrderOfUse(t *testing.T) {
	config := everybody()
	config.Free = enrich.ByField[int64]{1, 0}
	config.IncludedCents, config.PrepaidCents, config.BudgetCapCents = 20, 30, nil
	w := open(t, config)
	for i, want := range []struct {
		code              int
		available, inclus float64
	}{{200, 50, 20}, {200, 35, 5}, {200, 20, 0}, {200, 5, 0}, {402, 5, 0}} {
		r := w.post(emailPath, ada)
		balance := w.status("paid_balance").(map[string]any)
		if r.code != want.code || balance["available_cents"] != want.available || balance["included_cents"] != want.inclus {
			t.Errorf("lookup %d: %d, balance %v, want %+v", i+1, r.code, balance, want)
		}
	}
	if ledger := w.audited(); ledger.Charged != 45*cost.Cent || len(ledger.Charges) != 4 || ledger.Refused[sandbox.CreditsExhausted] != 1 {
		t.Errorf("charged %s by %d charges, refused %v", ledger.Charged, len(ledger.Charges), ledger.Refused)
	}
}

func TestPaymentRefusals(t *testing.T) {
	tests := []struct {
		name   string
		change func(*sandbox.Config)
		want   sandbox.ErrorCode
	}{
		{"no free unit and never a balance", func(c *sandbox.Config) { c.IncludedCents, c.PrepaidCents = 0, 0 }, sandbox.FreeAllowanceExhausted},
		{"not enough for both", func(c *sandbox.Config) { c.IncludedCents, c.PrepaidCents = 20, 19 }, sandbox.CreditsExhausted},
		{"over the budget", func(c *sandbox.Config) { c.BudgetCapCents = cents(39) }, sandbox.UsageBudgetReached},
		{"a budget of zero", func(c *sandbox.Config) { c.BudgetCapCents = cents(0) }, sandbox.UsageBudgetReached},
		{"a field without a price", func(c *sandbox.Config) { c.Prices = cost.Prices{v1.WorkEmail: 1} }, sandbox.PricingUnavailable},
		{"exactly enough", func(c *sandbox.Config) { c.IncludedCents, c.PrepaidCents, c.BudgetCapCents = 20, 20, cents(40) }, ""},
		{"no cap", func(c *sandbox.Config) { c.BudgetCapCents = nil }, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			config := everybody()
			config.Free = enrich.ByField[int64]{}
			test.change(&config)
			overBoth(t, func(t *testing.T, over transport) {
				w := open(t, config)
				both := w.status("lookup_readiness", "both").(map[string]any)
				r := over.must(w, enrichPath, adaBoth)
				if r.errorCode != test.want || (r.result != nil) != (test.want == "") {
					t.Errorf("%d %s, want %q", r.code, r.text, test.want)
				}
				reason, _ := both["reason"].(string)
				if both["can_call"] != (test.want == "") || reason != string(test.want) {
					t.Errorf("the status said %v before", both)
				}
				if ledger := w.audited(); (len(ledger.Charges) > 0) != (test.want == "") {
					t.Errorf("charges %v", ledger.Charges)
				}
			})
		})
	}
}

func TestBudgetResetsWithTheMonth(t *testing.T) {
	config, now := everybody(), newClock()
	config.Free, config.BudgetCapCents, config.Now = enrich.ByField[int64]{}, cents(20), now.now
	w := open(t, config)
	w.post(emailPath, ada)
	if r := w.post(emailPath, ada); r.errorCode() != sandbox.UsageBudgetReached {
		t.Fatalf("in November: %d %s", r.code, r.text)
	}
	want := map[string]any{
		"cap_cents": 20.0, "spent_cents": 15.0, "reserved_cents": 0.0, "remaining_cents": 5.0, "resets_at": "2026-12-01T00:00:00Z",
	}
	if diff := cmp.Diff(want, w.status("usage_budget")); diff != "" {
		t.Errorf("budget (-want +got):\n%s", diff)
	}
	now.at = now.at.AddDate(0, 0, 10) // 1 December
	if r := w.post(emailPath, ada); r.code != http.StatusOK {
		t.Errorf("in December: %d %s", r.code, r.text)
	}
	w.audited()
}

// TestStatus compares the whole account status of a new account.
func TestStatus(t *testing.T) {
	config := everybody()
	config.IncludedCents, config.PrepaidCents, config.BudgetCapCents = 4900, 0, cents(10_000)
	config.Free[v1.BusinessPhone] = 0
	config.Now = newClock().now
	const want = `{
	  "key_valid": true,
	  "free_allowance": {"work_emails_remaining": 20, "business_phones_remaining": 0,
	                     "work_emails_reserved": 0, "business_phones_reserved": 0},
	  "paid_balance":   {"available_cents": 4900, "included_cents": 4900, "prepaid_cents": 0, "reserved_cents": 0},
	  "usage_budget":   {"cap_cents": 10000, "spent_cents": 0, "reserved_cents": 0, "remaining_cents": 10000,
	                     "resets_at": "2026-12-01T00:00:00Z"},
	  "lookup_readiness": {"email": {"can_call": true, "reason": null, "maximum_paid_charge_cents": 0},
	                       "phone": {"can_call": true, "reason": null, "maximum_paid_charge_cents": 25},
	                       "both":  {"can_call": true, "reason": null, "maximum_paid_charge_cents": 25}},
	  "operations": {"contact_enrichment": {"available_on_plan": true},
	                 "work_email_lookup": {"available_on_plan": true}, "business_phone_lookup": {"available_on_plan": true}}
	}`
	var wanted any
	if err := json.Unmarshal([]byte(want), &wanted); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(wanted, open(t, config).status()); diff != "" {
		t.Errorf("status (-want +got):\n%s", diff)
	}
	config.BudgetCapCents = nil
	if got := open(t, config).status("usage_budget"); got != nil {
		t.Errorf("without a cap the budget is %v", got)
	}
}

// TestConcurrentLookups sends more than the account can pay, all at once.
func TestConcurrentLookups(t *testing.T) {
	config := everybody()
	config.Free = enrich.ByField[int64]{3, 2}
	config.IncludedCents, config.PrepaidCents, config.BudgetCapCents = 100, 50, cents(120)
	w := open(t, config)
	var group sync.WaitGroup
	for range 40 {
		group.Go(func() {
			if _, err := w.send(http.MethodPost, enrichPath, adaBoth); err != nil {
				t.Error(err)
			}
			if err := w.Audit(); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	ledger := w.audited()
	if ledger.Charged > 120*cost.Cent || enrich.ByField[int64](ledger.FreeUsed) != config.Free || ledger.Reserved != 0 {
		t.Errorf("charged %s, free %v, reserved %s", ledger.Charged, ledger.FreeUsed, ledger.Reserved)
	}
	if n := ledger.Refused[sandbox.UsageBudgetReached]; n == 0 || ledger.Posts[enrichPath] != 40 {
		t.Errorf("%d refusals among %v", n, ledger.Posts)
	}
}

// TestAskedTwiceIsChargedTwice: the service has no memory of its answers.
func TestAskedTwiceIsChargedTwice(t *testing.T) {
	w := open(t, everybody())
	first, second := w.post(emailPath, ada), w.post(emailPath, strings.Replace(ada, "://", "://www.", 1))
	if diff := cmp.Diff(first.body["data"], second.body["data"]); diff != "" {
		t.Errorf("two spellings are two people (-first +second):\n%s", diff)
	}
	ledger := w.audited()
	if len(ledger.Charges) != 2 || ledger.Charges[0].Identity != ledger.Charges[1].Identity || ledger.Charges[0].RequestID == ledger.Charges[1].RequestID {
		t.Errorf("charges %+v", ledger.Charges)
	}
}
