package providerv1

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"payonce/cost"
	"payonce/enrich"
	"payonce/io/service/v1"
	"payonce/pipeline/problem"
	"payonce/pipeline/provider"
)

// The highest price that any operation tells counts, so that no hold is too small.
func TestPricesInForce(t *testing.T) {
	email, phone := v1.WorkEmail, v1.BusinessPhone
	offers := map[v1.Operation]v1.Offer{
		v1.FindWorkEmail: {Prices: cost.Prices{email: 15 * cost.Cent, phone: 99 * cost.Cent}}, // returns no phone
		v1.EnrichContact: {Prices: cost.Prices{email: 12 * cost.Cent, phone: 25 * cost.Cent}},
	}
	got := publication{"a document", v1.Description{Operations: offers}}.inForce()
	if diff := cmp.Diff(cost.Prices{email: 15 * cost.Cent, phone: 25 * cost.Cent}, got); diff != "" {
		t.Error(diff)
	}
}

// statusOf returns an account that tells prices of fields that are not free any more.
func statusOf(prices cost.Prices) cost.Account {
	var account cost.Account
	for f, price := range prices {
		account.Most[f] = cost.Known(price)
	}
	for f := range account.Free {
		account.Free[f] = cost.Known[int64](0)
	}
	return account
}

// A document with a higher price than the one that counts refuses the run, unless the account
// shows that this workspace pays no more.
func TestHigherPriceInDocumentRefuses(t *testing.T) {
	document := publication{"a document", v1.Description{Operations: map[v1.Operation]v1.Offer{
		v1.FindWorkEmail: {Prices: cost.Prices{v1.WorkEmail: 15 * cost.Cent}},
	}}}
	for _, test := range []struct {
		name    string
		option  string
		account cost.Account
		want    bool
	}{
		{"the same price", "payg", cost.Account{}, true},
		{"higher", "scale", cost.Account{}, false},
		{"higher, but the account pays what was planned", "scale", statusOf(cost.Prices{v1.WorkEmail: 9 * cost.Cent}), true},
		{"higher, and the account pays it", "scale", statusOf(cost.Prices{v1.WorkEmail: 15 * cost.Cent}), false},
		{"higher than the account's, too", "payg", statusOf(cost.Prices{v1.WorkEmail: 16 * cost.Cent}), false},
		{"no option, and higher than the document's", "", statusOf(cost.Prices{v1.WorkEmail: 16 * cost.Cent}), false},
		{"no option", "", statusOf(cost.Prices{v1.WorkEmail: 9 * cost.Cent}), true},
	} {
		wanted := enrich.FieldsOf(v1.WorkEmail)
		choice, err := choosePrices(provider.PriceOptions{Option: test.option}, wanted, publications{document}, test.account)
		if err != nil {
			t.Fatal(err)
		}
		if err := choice.Check(v1.Catalogue(), test.account, wanted); (err == nil) != test.want || err != nil && !problem.IsUsage(err) {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}
