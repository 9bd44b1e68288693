package cost_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"payonce/cost"
	"payonce/enrich"
)

func TestMaximum(t *testing.T) {
	tests := []struct {
		name   string
		demand cost.Demand
		free   cost.Allowances
		want   cost.Money
	}{
		{"nothing", cost.Demand{}, cost.Allowances{}, 0},
		{"all free", cost.Demand{20, 5}, cost.Allowances{20, 5}, 0},
		{"the allowance ends in the middle", cost.Demand{30, 6}, cost.Allowances{20, 5}, 175 * cost.Cent},
		{"free units of one field pay for no other", cost.Demand{30, 0}, cost.Allowances{0, 100}, 450 * cost.Cent},
		{"an allowance that others overdrew", cost.Demand{1, 0}, cost.Allowances{-3, 0}, 15 * cost.Cent},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got, err := tt.demand.Maximum(tt.free, standard()); err != nil || got != tt.want {
				t.Errorf("at most %s, error %v, want %s", got, err, tt.want)
			}
		})
	}
	if got, err := (cost.Demand{1, 1}).Maximum(cost.Allowances{1, 0}, cost.Prices{email: 1}); err == nil {
		t.Errorf("at most %s without a price of the phone", got)
	}
}

// provider is the service with its own ledger: whatever the client holds, it gives its
// free units to what it returns first, and then its balance, and refuses what that
// does not cover.
type provider struct {
	prices  cost.Prices
	free    cost.Allowances
	balance cost.Money
	charged cost.Money
}

// look returns some of the fields and charges them; false when the balance does not
// cover the lookup.
func (p *provider) look(asked, returned enrich.Fields) bool {
	var most, charge cost.Money
	for f := range asked.Each() {
		if p.free[f] > 0 {
			continue
		}
		most += p.prices[f]
		if returned.Has(f) {
			charge += p.prices[f]
		}
	}
	if most > p.balance {
		return false
	}
	for f := range (asked & returned).Each() {
		if p.free[f] > 0 {
			p.free[f]--
		}
	}
	p.balance -= charge
	p.charged += charge
	return true
}

// TestTheMaximumIsNeverExceeded shows that no list costs more than its plan said, by
// any rate card, allowance, balance and outcome, in any order, whoever else takes
// nothing; and that it costs just that when everything is returned and the balance
// covers it.
func TestTheMaximumIsNeverExceeded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list, free := anyWorkload(t, 12), anyFree(t, 15)
		prices := rapid.SampledFrom([]cost.Prices{standard(), odd(t), {email: 0, phone: 1}}).Draw(t, "prices")
		maximum, err := list.Demand().Maximum(free, prices)
		if err != nil {
			t.Fatal(err)
		}
		balance := cost.Money(rapid.Int64Range(0, int64(2*maximum)+1).Draw(t, "balance"))
		everything := rapid.Bool().Draw(t, "everything is returned")
		service := &provider{prices: prices, free: free, balance: balance}
		whole := true
		for _, asked := range rapid.Permutation(fieldsOf(list)).Draw(t, "order") {
			returned := allFields
			if !everything {
				returned = fieldSets().Draw(t, "returned")
			}
			whole = service.look(asked, returned) && whole
			if service.charged > maximum {
				t.Fatalf("charged %s, planned at most %s", service.charged, maximum)
			}
		}
		if everything && whole && service.charged != maximum {
			t.Errorf("everything was returned for %s, planned %s", service.charged, maximum)
		}
		if balance >= maximum && !whole {
			t.Errorf("a balance of %s did not cover a list of at most %s", balance, maximum)
		}
	})
}

// TestACeilingOfTheMaximumRefusesNoLookup shows the same of the client's side: under a ceiling of
// just the maximum no lookup is refused, and everything returned settles at it.
func TestACeilingOfTheMaximumRefusesNoLookup(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list, free := anyWorkload(t, 12), anyFree(t, 15)
		maximum, err := list.Demand().Maximum(free, standard())
		if err != nil {
			t.Fatal(err)
		}
		lookups := rapid.Permutation(fieldsOf(list)).Draw(t, "order")
		everything := slices.Repeat([]enrich.Fields{allFields}, len(lookups))
		sent, settled := sendUnder(maximum, lookups, everything, free)
		if sent != len(lookups) || settled != maximum {
			t.Errorf("%d of %d lookups were sent and settled at %s, planned %s", sent, len(lookups), settled, maximum)
		}
	})
}

func TestDuration(t *testing.T) {
	tests := []struct {
		lookups int64
		slots   int
		want    time.Duration
	}{
		{0, 30, 0},
		{0, 1, 0},
		{1, 30, 0},
		{30, 30, 0},
		{31, 30, time.Minute},
		{60, 30, time.Minute},
		{61, 30, 2 * time.Minute},
		{3, 1, 2 * time.Minute},
		{100_000, 30, 3333 * time.Minute},
	}
	for _, tt := range tests {
		if got := cost.Duration(tt.lookups, tt.slots, time.Minute); got != tt.want {
			t.Errorf("%d lookups at %d a minute take %s, want %s", tt.lookups, tt.slots, got, tt.want)
		}
	}
}

// TestAccountValuesThatAreUnknownSetNoCeiling: what the status does not tell sets no ceiling, and free units
// that it does not tell are used up.
func TestAccountValuesThatAreUnknownSetNoCeiling(t *testing.T) {
	balance := cost.Balance{Available: cost.Known(7 * cost.Dollar)}
	left := cost.Known(3 * cost.Dollar)
	byBalance := cost.SpendCeiling("account balance", "account", 7*cost.Dollar)
	byBudget := cost.SpendCeiling("usage budget", "account", 3*cost.Dollar)
	for name, tt := range map[string]struct {
		account cost.Account
		want    []cost.Ceiling
	}{
		"nothing is told":          {cost.Account{}, nil},
		"both are":                 {cost.Account{Balance: balance, Budget: cost.Budget{Known: true, Capped: true, Remaining: left}}, []cost.Ceiling{byBalance, byBudget}},
		"there is no cap":          {cost.Account{Balance: balance, Budget: cost.Budget{Known: true}}, []cost.Ceiling{byBalance}},
		"a cap, not what is left":  {cost.Account{Budget: cost.Budget{Known: true, Capped: true}}, nil},
		"what is left, of no cap":  {cost.Account{Budget: cost.Budget{Known: true, Remaining: left}}, nil},
		"the budget alone is told": {cost.Account{Budget: cost.Budget{Known: true, Capped: true, Remaining: left}}, []cost.Ceiling{byBudget}},
	} {
		if diff := cmp.Diff(tt.want, tt.account.Ceilings("account")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	var account cost.Account
	account.Free[phone] = cost.Known(int64(4))
	if got, want := account.FreeLeft(), (cost.Allowances{phone: 4}); got != want {
		t.Errorf("%v are left, want %v", got, want)
	}
}
