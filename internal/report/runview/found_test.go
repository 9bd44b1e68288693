package runview

import (
	"testing"

	"payonce/cost"
	"payonce/enrich"
)

func TestFoundSaysWhatCameBackAndWhatAValueCost(t *testing.T) {
	t.Parallel()
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
		if got := FoundOf(test.asked, test.found, test.spent).String(); got != test.want {
			t.Errorf("%v of %v for $%s: %q, want %q", test.found, test.asked, test.spent, got, test.want)
		}
	}
}
