package v1

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payonce/cost"
	"payonce/io/service"
)

func TestStatus(t *testing.T) {
	account, err := statusOf(t, respond(200, `{
		"key_valid": true,
		"free_allowance": {"work_emails_remaining": 20, "business_phones_remaining": 5,
			"work_emails_reserved": 1, "business_phones_reserved": 0},
		"paid_balance": {"available_cents": 4900, "included_cents": 4800, "prepaid_cents": 100, "reserved_cents": 15},
		"usage_budget": {"cap_cents": 10000, "spent_cents": 30, "reserved_cents": 15, "remaining_cents": 9955,
			"resets_at": "2026-12-01T00:00:00Z"},
		"lookup_readiness": {"email": {"can_call": true, "reason": null, "maximum_paid_charge_cents": 15},
			"both": {"can_call": false, "reason": "credits\u001b[31m_exhausted", "maximum_paid_charge_cents": 40},
			"phone": {"can_call": false, "reason": "credits_exhausted", "maximum_paid_charge_cents": 25}},
		"operations": {"contact_enrichment": {"available_on_plan": true}, "company_search": {"available_on_plan": false}, "new": {}}
	}`))
	if err != nil {
		t.Fatal(err)
	}
	if account.ReadAt.IsZero() {
		t.Error("the account does not tell when it was read")
	}
	want := cost.Account{
		ReadAt: account.ReadAt, KeyValid: cost.Known(true),
		Balance: cost.Balance{
			Available: cost.Known(49 * cost.Dollar), Included: cost.Known(48 * cost.Dollar),
			Prepaid: cost.Known(cost.Dollar), Reserved: cost.Known(15 * cost.Cent),
		},
		Budget: cost.Budget{
			Known: true, Capped: true, Cap: cost.Known(100 * cost.Dollar), Spent: cost.Known(30 * cost.Cent),
			Reserved: cost.Known(15 * cost.Cent), Remaining: cost.Known(9955 * cost.Cent),
			ResetsAt: time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC),
		},
		Readiness: map[string]cost.Readiness{
			"find-work-email": {CanCall: cost.Known(true), MaximumCharge: cost.Known(15 * cost.Cent)},
			"enrich":          {CanCall: cost.Known(false), Reason: "credits[31m_exhausted", MaximumCharge: cost.Known(40 * cost.Cent)},
		},
		Available: map[string]bool{"enrich": true, "company_search": false},
	}
	want.Readiness["find-phone"] = cost.Readiness{
		CanCall: cost.Known(false), Reason: "credits_exhausted", MaximumCharge: cost.Known(25 * cost.Cent),
	}
	want.Most[WorkEmail], want.Most[BusinessPhone] = cost.Known(15*cost.Cent), cost.Known(25*cost.Cent)
	want.Free[WorkEmail], want.Free[BusinessPhone] = cost.Known[int64](20), cost.Known[int64](5)
	want.FreeReserved[WorkEmail], want.FreeReserved[BusinessPhone] = cost.Known[int64](1), cost.Known[int64](0)
	if diff := cmp.Diff(want, account); diff != "" {
		t.Errorf("account (-want +got):\n%s", diff)
	}
}

// What is missing, null or of another type is unknown, and nothing else is.
func TestDecodeAccountLeniently(t *testing.T) {
	unknown := cost.Account{Readiness: map[string]cost.Readiness{}, Available: map[string]bool{}}
	with := func(change func(*cost.Account)) cost.Account {
		account := unknown
		change(&account)
		return account
	}
	tests := []struct {
		name string
		body string
		want cost.Account
	}{
		{"nothing", `{}`, unknown},
		{"nulls", `{"key_valid":null,"free_allowance":null,"paid_balance":null,"lookup_readiness":null,"operations":null}`, unknown},
		{"other types", `{"key_valid":"true","free_allowance":[1],"paid_balance":4900,"usage_budget":"none","lookup_readiness":{"email":true},"operations":{"a":{"available_on_plan":1}}}`, unknown},
		{
			"members of other types",
			`{"free_allowance":{"work_emails_remaining":"many","business_phones_remaining":true},
				"paid_balance":{"available_cents":49.5,"included_cents":[],"prepaid_cents":"","reserved_cents":1e300}}`, unknown,
		},
		{
			"an operation that the plan does not offer",
			`{"lookup_readiness":{"both":{"can_call":false,"reason":"credits_exhausted"}},
				"operations":{"contact_enrichment":{"available_on_plan":false},"work_email_lookup":{"available_on_plan":false}}}`,
			with(func(a *cost.Account) {
				a.Available = map[string]bool{"enrich": false, "find-work-email": false}
				a.Readiness = map[string]cost.Readiness{
					"enrich":          {CanCall: cost.Known(false), Reason: CodePricingUnavailable},
					"find-work-email": {Reason: CodePricingUnavailable},
				}
			}),
		},
		{"key invalid", `{"key_valid":false}`, with(func(a *cost.Account) { a.KeyValid = cost.Known(false) })},
		{"zero is known", `{"free_allowance":{"work_emails_remaining":0}}`, with(func(a *cost.Account) { a.Free[WorkEmail] = cost.Known[int64](0) })},
		{"negative is kept", `{"free_allowance":{"work_emails_remaining":-2},"paid_balance":{"available_cents":-15}}`, with(func(a *cost.Account) {
			a.Free[WorkEmail] = cost.Known[int64](-2)
			a.Balance.Available = cost.Known(-15 * cost.Cent)
		})},
		{"other spellings of integers", `{"paid_balance":{"available_cents":4900.0,"included_cents":"4900","prepaid_cents":" 4.9e3 ","reserved_cents":0.49E+4}}`, with(func(a *cost.Account) {
			dollars := cost.Known(49 * cost.Dollar)
			a.Balance = cost.Balance{Available: dollars, Included: dollars, Prepaid: dollars, Reserved: dollars}
		})},
		{"strings that are no JSON numbers", `{"paid_balance":{"available_cents":"0x10","included_cents":"1_000","prepaid_cents":"Inf","reserved_cents":"+5"}}`, unknown},
		{"beyond any amount", `{"paid_balance":{"available_cents":100000000001,"reserved_cents":-9223372036854775808}}`, unknown},
		{"available from its parts", `{"paid_balance":{"included_cents":4900,"prepaid_cents":-100}}`, with(func(a *cost.Account) {
			a.Balance = cost.Balance{Available: cost.Known(48 * cost.Dollar), Included: cost.Known(49 * cost.Dollar), Prepaid: cost.Known(-cost.Dollar)}
		})},
		{"available not from one part", `{"paid_balance":{"included_cents":4900}}`, with(func(a *cost.Account) { a.Balance.Included = cost.Known(49 * cost.Dollar) })},
		{"no cap", `{"usage_budget":null}`, with(func(a *cost.Account) { a.Budget = cost.Budget{Known: true} })},
		{"a cap of zero", `{"usage_budget":{"cap_cents":0}}`, with(func(a *cost.Account) {
			a.Budget = cost.Budget{Known: true, Capped: true, Cap: cost.Known(cost.Money(0))}
		})},
		{"a cap that is not given", `{"usage_budget":{"resets_at":"soon"}}`, with(func(a *cost.Account) { a.Budget = cost.Budget{Known: true, Capped: true} })},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			status, ok := service.ParseObject([]byte(test.body))
			account := settings{Caller: service.Caller{Key: testKey}}.decodeAccount(status)
			if diff := cmp.Diff(test.want, account); !ok || diff != "" {
				t.Errorf("read: %t, account (-want +got):\n%s", ok, diff)
			}
		})
	}
}
