package simulation_test

import (
	"slices"
	"testing"

	"payonce/cost"
	"payonce/enrich"
	"payonce/io/service/v1"
	"payonce/pipeline/dispatch"
)

// ready returns a readiness that allows calls, or one that gives a reason why not.
func ready(reason string) cost.Readiness {
	return cost.Readiness{CanCall: cost.Known(reason == ""), Reason: reason}
}

func ofService() dispatch.Service {
	return dispatch.Service{Catalogue: v1.Catalogue(), WantsMoney: func(code string) bool {
		return slices.Contains([]string{"free_allowance_exhausted", "credits_exhausted", "usage_budget_reached"}, code)
	}}
}

func TestPrecheck(t *testing.T) {
	emails := cost.Workload{v1.FindWorkEmail.Fields(): 3, v1.FindPhone.Fields(): 0}
	tests := map[string]struct {
		account cost.Account
		lookups cost.Workload
		want    string
	}{
		"all is well":                {cost.Account{KeyValid: cost.Known(true), Readiness: map[string]cost.Readiness{"find-work-email": ready("")}}, emails, ""},
		"the status tells nothing":   {cost.Account{}, emails, ""},
		"an invalid key":             {cost.Account{KeyValid: cost.Known(false)}, emails, "service:invalid_api_key"},
		"emails are not ready":       {cost.Account{Readiness: map[string]cost.Readiness{"find-work-email": ready("credits_exhausted")}}, emails, "service:credits_exhausted"},
		"not ready without a reason": {cost.Account{Readiness: map[string]cost.Readiness{"find-work-email": {CanCall: cost.Known(false)}}}, emails, "service:not_ready"},
		"readiness is left out":      {cost.Account{Readiness: map[string]cost.Readiness{"find-work-email": {Reason: "unclear"}}}, emails, ""},
		"what is not asked for is not ready": {
			cost.Account{Readiness: map[string]cost.Readiness{"find-phone": ready("no"), "enrich": ready("no")}}, emails, "",
		},
		"the plan does not offer emails": {
			cost.Account{
				Available: map[string]bool{"find-work-email": false, "enrich": true},
				Readiness: map[string]cost.Readiness{"find-work-email": {Reason: "operation_pricing_unavailable"}},
			},
			emails,
			"service:operation_pricing_unavailable",
		},
		"what is not asked for is not offered": {
			cost.Account{Available: map[string]bool{"find-phone": false, "enrich": false, "find-work-email": true}}, emails, "",
		},
		"the plan does not offer both": {
			cost.Account{Available: map[string]bool{"enrich": false}, Readiness: map[string]cost.Readiness{"enrich": ready("operation_pricing_unavailable")}},
			cost.Workload{v1.EnrichContact.Fields(): 1},
			"service:operation_pricing_unavailable",
		},
		"an operation of another name is not offered": {cost.Account{Available: map[string]bool{"company_search": false}}, emails, ""},
		"a price is missing": {
			cost.Account{Readiness: map[string]cost.Readiness{"find-work-email": ready("operation_pricing_unavailable")}},
			emails,
			"service:operation_pricing_unavailable",
		},
		"both are not ready": {
			cost.Account{Readiness: map[string]cost.Readiness{"find-work-email": ready(""), "enrich": ready("usage_budget_reached")}},
			cost.Workload{v1.EnrichContact.Fields(): 1},
			"service:usage_budget_reached",
		},
		"phones are not ready": {
			cost.Account{Readiness: map[string]cost.Readiness{"find-phone": ready("free_allowance_exhausted")}},
			cost.Workload{v1.FindPhone.Fields(): 1},
			"service:free_allowance_exhausted",
		},
	}
	for title, test := range tests {
		t.Run(title, func(t *testing.T) {
			got := outcome{stop: dispatch.Precheck(test.account, test.lookups, 0, ofService())}
			if got.word() != test.want {
				t.Errorf("stop %q, want %q", got.word(), test.want)
			}
		})
	}
}

// TestPrecheckStopsOnlyWhenNoLookupCanBePaid has accounts that can pay for some lookups and not for others:
// a run ends only when it can send none.
func TestPrecheckStopsOnlyWhenNoLookupCanBePaid(t *testing.T) {
	const broke = "credits_exhausted"
	emails := map[string]cost.Readiness{"find-work-email": ready(""), "find-phone": ready(broke), "enrich": ready("free_allowance_exhausted")}
	phones := map[string]cost.Readiness{"find-work-email": ready(broke), "find-phone": ready(""), "enrich": ready("usage_budget_reached")}
	none := map[string]cost.Readiness{"find-work-email": ready(broke), "find-phone": ready(broke), "enrich": ready(broke)}
	unsold := map[string]bool{"find-work-email": false}
	tests := map[string]struct {
		account cost.Account
		lookups cost.Workload
		stop    string // when a short budget stops
		emails  string // when emails go on
	}{
		"emails alone of both":       {cost.Account{Readiness: emails}, cost.Workload{v1.EnrichContact.Fields(): 2, v1.FindWorkEmail.Fields(): 0}, "service:free_allowance_exhausted", ""},
		"some want emails":           {cost.Account{Readiness: emails}, cost.Workload{v1.EnrichContact.Fields(): 2, v1.FindWorkEmail.Fields(): 1}, "", ""},
		"phones alone":               {cost.Account{Readiness: emails}, cost.Workload{v1.FindPhone.Fields(): 2}, "service:credits_exhausted", "service:credits_exhausted"},
		"some want phones":           {cost.Account{Readiness: phones}, cost.Workload{v1.EnrichContact.Fields(): 2, v1.FindPhone.Fields(): 1, v1.FindWorkEmail.Fields(): 3}, "", ""},
		"both, of which the phone":   {cost.Account{Readiness: phones}, cost.Workload{v1.EnrichContact.Fields(): 2}, "service:usage_budget_reached", "service:usage_budget_reached"},
		"nothing":                    {cost.Account{Readiness: none}, cost.Workload{v1.EnrichContact.Fields(): 2, v1.FindWorkEmail.Fields(): 1}, "service:credits_exhausted", "service:credits_exhausted"},
		"emails that are not sold":   {cost.Account{Readiness: emails, Available: unsold}, cost.Workload{v1.EnrichContact.Fields(): 2}, "service:free_allowance_exhausted", "service:free_allowance_exhausted"},
		"want of more than of money": {cost.Account{Readiness: map[string]cost.Readiness{"find-work-email": ready(""), "enrich": ready("workspace_inactive")}}, cost.Workload{v1.EnrichContact.Fields(): 2, v1.FindWorkEmail.Fields(): 1}, "service:workspace_inactive", "service:workspace_inactive"},
	}
	for title, test := range tests {
		t.Run(title, func(t *testing.T) {
			lookups := test.lookups
			stop := outcome{stop: dispatch.Precheck(test.account, lookups, 0, ofService())}.word()
			emails := outcome{stop: dispatch.Precheck(test.account, lookups, enrich.FieldsOf(v1.BusinessPhone), ofService())}.word()
			if stop != test.stop || emails != test.emails {
				t.Errorf("stop %q, emails alone %q; want %q, %q", stop, emails, test.stop, test.emails)
			}
		})
	}
}

// charging returns an account that says what an email may cost at most.
func charging(most cost.Money, freeLeft int64) cost.Account {
	return cost.Account{
		Free: enrich.ByField[cost.Optional[int64]]{v1.WorkEmail: cost.Known(freeLeft)},
		Most: enrich.ByField[cost.Optional[cost.Money]]{v1.WorkEmail: cost.Known(most)},
	}
}

func TestCheckPrices(t *testing.T) {
	tests := map[string]struct {
		account cost.Account
		prices  cost.Prices
		wanted  enrich.Fields
		want    []string // parts of the error; none for no error
	}{
		"as told":                    {charging(15*cost.Cent, 0), prices, email, nil},
		"still free":                 {charging(0, 5), prices, email, nil},
		"the status tells nothing":   {cost.Account{}, prices, email, nil},
		"a field that is not wanted": {charging(cost.Dollar, 0), prices, phone, nil},
		"a higher price":             {charging(16*cost.Cent, 0), prices, v1.AllFields, []string{"$0.16", "work_email", "$0.15 by the OpenAPI document"}},
		"an unknown price":           {cost.Account{}, cost.Prices{v1.WorkEmail: cost.Cent}, v1.AllFields, []string{"business_phone is unknown"}},
	}
	for title, test := range tests {
		t.Run(title, func(t *testing.T) {
			quote := cost.ChoosePrices(test.wanted, cost.PriceSource{Name: "the OpenAPI document", Prices: test.prices})
			err := dispatch.CheckPrices(test.account, quote, v1.Catalogue(), test.wanted)
			if test.want == nil && err != nil {
				t.Errorf("error %v, want none", err)
			}
			if test.want != nil {
				wantError(t, err, test.want...)
			}
		})
	}
}
