package providerv1

import (
	"maps"
	"strings"
	"testing"

	"payonce/cost"
	"payonce/io/service/v1"
	"payonce/pipeline/dispatch"
	"payonce/pipeline/provider"
)

// notOffered returns what the service says of the operations that a plan does not offer.
func notOffered(available map[string]bool) map[string]cost.Readiness {
	readiness := map[string]cost.Readiness{}
	for name, offered := range available {
		if !offered {
			readiness[name] = cost.Readiness{Reason: v1.CodePricingUnavailable}
		}
	}
	return readiness
}

// What the service does not sell is foreseen; the account's word goes before that of
// what is published.
func TestForeseenRefusals(t *testing.T) {
	closed := v1.Offer{Access: v1.Access{Available: cost.Known(false)}}
	open := v1.Offer{Access: v1.Access{Available: cost.Known(true)}}
	for _, test := range []struct {
		name      string
		offer     v1.Offer
		available map[string]bool
		lookups   cost.Workload
		want      string
	}{
		{"sold", open, nil, cost.Workload{v1.FindPhone.Fields(): 3}, ""},
		{"not told", v1.Offer{}, nil, cost.Workload{v1.FindPhone.Fields(): 3}, ""},
		{"not sold", closed, nil, cost.Workload{v1.FindPhone.Fields(): 3}, "operation_pricing_unavailable"},
		{"not sold and not asked for", closed, nil, cost.Workload{v1.FindWorkEmail.Fields(): 3, v1.FindPhone.Fields(): 0}, ""},
		{"sold to this account", closed, map[string]bool{"find-phone": true}, cost.Workload{v1.FindPhone.Fields(): 3}, ""},
		{"not sold to this account", open, map[string]bool{"find-phone": false}, cost.Workload{v1.FindPhone.Fields(): 3}, "operation_pricing_unavailable"},
		{"profiles of an account that is enriched", open, map[string]bool{"enrich": true}, cost.Workload{v1.FindPhone.Fields(): 3}, ""},
		{"profiles of an account that is not", open, map[string]bool{"enrich": false}, cost.Workload{v1.FindPhone.Fields(): 3}, "operation_pricing_unavailable"},
	} {
		published := publications{{Name: "a document", Description: v1.Description{Operations: map[v1.Operation]v1.Offer{v1.FindPhone: test.offer}}}}
		options := provider.ConnectOptions{Profile: strings.HasPrefix(test.name, "profiles")}
		account := &provider.Account{
			Interface: Provider{}.Interface(), Lookups: maps.Clone(test.lookups), Connection: &connection{options: options, published: published},
			Shown: cost.Account{Available: test.available, Readiness: notOffered(test.available)},
		}
		got := ""
		if refused, ok := account.Foreseen(0).(dispatch.ServiceRefused); ok {
			got = refused.Code
		}
		if got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}
