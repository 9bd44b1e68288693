package report

import (
	"testing"

	"payonce/cost"
	"payonce/enrich"
)

func TestFoundSaysWhatCameBackAndWhatAValueCost(t *testing.T) {
	t.Parallel()
	c := enrich.Named("work_email", "business_phone")
	c.Fields[0].Word, c.Fields[1].Word = "email", "phone"
	for _, test := range []struct {
		asked, found enrich.ByField[int64]
		spent        cost.Money
		want         string
	}{
		{enrich.ByField[int64]{167, 182}, enrich.ByField[int64]{98, 71}, 3085 * cost.Cent, "emails 98 of 167, phones 71 of 182; $0.18 per value"},
		{enrich.ByField[int64]{0, 4}, enrich.ByField[int64]{0, 1}, 25 * cost.Cent, "phones 1 of 4; $0.25 per value"},
		{enrich.ByField[int64]{2, 0}, enrich.ByField[int64]{2, 0}, 0, "emails 2 of 2; $0.00 per value"}, // the free allowance paid
		{enrich.ByField[int64]{3, 3}, enrich.ByField[int64]{}, 0, "emails 0 of 3, phones 0 of 3"},
		{want: ""},
	} {
		accounts := AccountsUsage{{Found: FieldsFound(c, test.asked, test.found), Spent: &test.spent}}
		if got := FoundBy(accounts).String(); got != test.want {
			t.Errorf("%v of %v for $%s: %q, want %q", test.found, test.asked, test.spent, got, test.want)
		}
	}
}

// TestValuesOfAccountsWithoutMoneyHaveNoPrice joins what two accounts found. Only one of them takes money.
func TestValuesOfAccountsWithoutMoneyHaveNoPrice(t *testing.T) {
	t.Parallel()
	one := enrich.ByField[int64]{4}
	found := FieldsFound(enrich.Named("email"), one, one)
	units := AccountUsage{Interface: "v2", Found: found}
	paid := AccountUsage{Interface: "v1", Found: found, Spent: new(2 * cost.Dollar)}
	if got := FoundBy(AccountsUsage{units}).String(); got != "emails 4 of 4" {
		t.Errorf("without money: %q", got)
	}
	if got := FoundBy(AccountsUsage{paid, units}).String(); got != "emails 8 of 8; $0.50 per value" {
		t.Errorf("together: %q", got)
	}
}
