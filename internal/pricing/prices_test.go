package pricing

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"payonce/cost"
	"payonce/enrich"
	"payonce/internal/problem"
	"payonce/service/v1"
)

// The highest price that any operation tells counts, so that no hold is too small.
func TestPricesInForce(t *testing.T) {
	email, phone := enrich.WorkEmail, enrich.BusinessPhone
	offers := map[enrich.Operation]v1.Offer{
		enrich.FindWorkEmail: {Prices: cost.Prices{email: 15 * cost.Cent, phone: 99 * cost.Cent}}, // returns no phone
		enrich.EnrichContact: {Prices: cost.Prices{email: 12 * cost.Cent, phone: 25 * cost.Cent}},
	}
	got := Publication{"a document", v1.Description{Operations: offers}}.inForce()
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
	document := Publication{"a document", v1.Description{Operations: map[enrich.Operation]v1.Offer{
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
		wanted := enrich.FieldsOf(enrich.WorkEmail)
		choice, err := Choose(Options{Option: test.option}, wanted, Publications{document}, test.account)
		if err != nil {
			t.Fatal(err)
		}
		if err := choice.Check(test.account, wanted); (err == nil) != test.want || err != nil && !problem.IsUsage(err) {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}
