package main

import (
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payonce/cost"
	"payonce/enrich"
	"payonce/pipeline/dispatch"
	"payonce/pipeline/row"
	"payonce/pipeline/survey"
	"payonce/service/v1"
)

// The highest price that any operation tells counts, so that no hold is too small.
func TestPricesInForce(t *testing.T) {
	email, phone := enrich.WorkEmail, enrich.BusinessPhone
	offers := map[enrich.Operation]v1.Offer{
		enrich.FindWorkEmail: {Prices: cost.Prices{email: 15 * cost.Cent, phone: 99 * cost.Cent}}, // returns no phone
		enrich.EnrichContact: {Prices: cost.Prices{email: 12 * cost.Cent, phone: 25 * cost.Cent}},
	}
	got := publication{"a document", v1.Description{Operations: offers}}.inForce()
	if diff := cmp.Diff(cost.Prices{email: 15 * cost.Cent, phone: 25 * cost.Cent}, got); diff != "" {
		t.Error(diff)
	}
}

// statusOf returns an account that tells prices of fields that are not free any more.
func statusOf(prices map[string]cost.Money) cost.Account {
	account := cost.Account{Readiness: map[string]cost.Readiness{}}
	for kind, price := range prices {
		account.Readiness[kind] = cost.Readiness{MaximumCharge: cost.Known(price)}
	}
	for f := range account.Free {
		account.Free[f] = cost.Known[int64](0)
	}
	return account
}

// A document that is dearer than the price that counts refuses, unless the account
// itself shows that this workspace pays no more.
func TestDearerDocumentRefuses(t *testing.T) {
	document := publication{"a document", v1.Description{Operations: map[enrich.Operation]v1.Offer{
		enrich.FindWorkEmail: {Prices: cost.Prices{enrich.WorkEmail: 15 * cost.Cent}},
	}}}
	for _, test := range []struct {
		name    string
		option  string
		account cost.Account
		want    bool
	}{
		{"as dear", "payg", cost.Account{}, true},
		{"dearer", "scale", cost.Account{}, false},
		{"dearer, but the account pays what was planned", "scale", statusOf(map[string]cost.Money{"find-work-email": 9 * cost.Cent}), true},
		{"dearer, and the account pays it", "scale", statusOf(map[string]cost.Money{"find-work-email": 15 * cost.Cent}), false},
		{"dearer than the account, too", "payg", statusOf(map[string]cost.Money{"find-work-email": 16 * cost.Cent}), false},
		{"no option, and dearer than the document", "", statusOf(map[string]cost.Money{"find-work-email": 16 * cost.Cent}), false},
		{"no option", "", statusOf(map[string]cost.Money{"find-work-email": 9 * cost.Cent}), true},
	} {
		s := newSettings(environment{getenv: func(string) string { return "" }})
		s.rateOption = test.option
		j := &job{
			session: &session{settings: s}, scope: row.Scope{Wanted: enrich.FieldsOf(enrich.WorkEmail)},
			published: []publication{document}, account: test.account, asked: true,
		}
		if err := j.choosePrices(); (err == nil) != test.want || err != nil && exitCode(err) != exitUsage {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

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
func TestForeseen(t *testing.T) {
	closed := v1.Offer{Access: v1.Access{Available: cost.Known(false)}}
	open := v1.Offer{Access: v1.Access{Available: cost.Known(true)}}
	for _, test := range []struct {
		name      string
		offer     v1.Offer
		available map[string]bool
		lookups   map[enrich.Operation]int64
		want      string
	}{
		{"sold", open, nil, map[enrich.Operation]int64{enrich.FindPhone: 3}, ""},
		{"not told", v1.Offer{}, nil, map[enrich.Operation]int64{enrich.FindPhone: 3}, ""},
		{"not sold", closed, nil, map[enrich.Operation]int64{enrich.FindPhone: 3}, "operation_pricing_unavailable"},
		{"not sold and not asked for", closed, nil, map[enrich.Operation]int64{enrich.FindWorkEmail: 3, enrich.FindPhone: 0}, ""},
		{"sold to this account", closed, map[string]bool{"find-phone": true}, map[enrich.Operation]int64{enrich.FindPhone: 3}, ""},
		{"not sold to this account", open, map[string]bool{"find-phone": false}, map[enrich.Operation]int64{enrich.FindPhone: 3}, "operation_pricing_unavailable"},
		{"profiles of an account that is enriched", open, map[string]bool{"enrich": true}, map[enrich.Operation]int64{enrich.FindPhone: 3}, ""},
		{"profiles of an account that is not", open, map[string]bool{"enrich": false}, map[enrich.Operation]int64{enrich.FindPhone: 3}, "operation_pricing_unavailable"},
	} {
		j := &job{
			session:   &session{settings: newSettings(environment{getenv: func(string) string { return "" }})},
			published: []publication{{"a document", v1.Description{Operations: map[enrich.Operation]v1.Offer{enrich.FindPhone: test.offer}}}},
			account:   cost.Account{Available: test.available, Readiness: notOffered(test.available)}, counts: survey.Counts{Lookups: maps.Clone(test.lookups)},
		}
		j.profile = strings.HasPrefix(test.name, "profiles")
		got := ""
		if refused, ok := j.foreseen().(dispatch.ServiceRefused); ok {
			got = refused.Code
		}
		if got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}
