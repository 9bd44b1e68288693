package sandbox

import (
	"testing"

	"payonce/cost"
	"payonce/enrich"
)

// paying returns the configuration of an account without a free allowance whose
// emails cost a price that is no whole number of cents.
func paying(capCents int64) Config {
	config := DefaultConfig()
	config.Free = [enrich.NumFields]int64{}
	config.IncludedCents, config.PrepaidCents, config.BudgetCapCents = 100, 0, &capCents
	config.Prices = cost.Prices{enrich.WorkEmail: 155_000}
	return config
}

// TestReservationsCount: what is reserved can neither be reserved again nor spent
// by somebody else, from the balance or from the budget.
func TestReservationsCount(t *testing.T) {
	for _, test := range []struct {
		capCents int64
		want     ErrorCode
		left     cost.Money
	}{
		{capCents: 35, want: UsageBudgetReached, left: 40_000},
		{capCents: 1000, want: CreditsExhausted, left: 70_000},
	} {
		s := openOn(t, paying(test.capCents))
		email := enrich.FieldsOf(enrich.WorkEmail)
		var code ErrorCode
		for number := 1; code == ""; number++ {
			s.books.arrive(lookup(email, "Ada"), true)
			code = s.books.reserve(number, email)
		}
		if code != test.want {
			t.Errorf("a cap of %d cents: %s, want %s", test.capCents, code, test.want)
		}
		if spent, err := s.SpendCredit(cost.Dollar); err != nil || spent != test.left {
			t.Errorf("a cap of %d cents: somebody else spent %s, want %s; %v", test.capCents, spent, test.left, err)
		}
		if err := s.Audit(); err != nil {
			t.Error(err)
		}
	}
	if _, err := openOn(t, paying(0)).SpendCredit(-1); err == nil {
		t.Error("a negative amount was spent")
	}
	if err := openOn(t, paying(0)).SetBudgetCap(-1); err == nil {
		t.Error("a negative cap was set")
	}
}

// TestRounding: the status never promises a cent that is not whole.
func TestRounding(t *testing.T) {
	s := openOn(t, paying(100))
	email := enrich.FieldsOf(enrich.WorkEmail)
	for number := 1; number <= 2; number++ {
		s.books.arrive(lookup(email, "Ada"), true)
		if code := s.books.reserve(number, email); code != "" {
			t.Fatal(code)
		}
	}
	shown := s.books.status()
	if got, want := shown.PaidBalance, (paidBalance{AvailableCents: 69, IncludedCents: 69, ReservedCents: 31}); got != want {
		t.Errorf("balance %+v, want %+v", got, want)
	}
	if err := s.books.settle(1, "req_1", email); err != nil {
		t.Fatal(err)
	}
	shown = s.books.status()
	if b := shown.UsageBudget; b.SpentCents != 16 || b.ReservedCents != 16 || b.RemainingCents != 69 {
		t.Errorf("budget %+v", b)
	}
	if maximum := shown.LookupReadiness["email"].MaximumPaidChargeCents; *maximum != 16 {
		t.Errorf("a charge of 15.5 cents is shown as at most %d", *maximum)
	}
	if phone := shown.LookupReadiness["phone"]; phone.CanCall || *phone.Reason != PricingUnavailable || phone.MaximumPaidChargeCents != nil {
		t.Errorf("without a price: %+v", phone)
	}
}

// TestAuditFinds: an audit that cannot fail proves nothing.
func TestAuditFinds(t *testing.T) {
	for name, tamper := range map[string]func(*books){
		"money gone":          func(b *books) { b.account.left.included-- },
		"overdrawn":           func(b *books) { b.account.left.included, b.account.left.prepaid = -1, b.account.left.prepaid+1 },
		"a charge forgotten":  func(b *books) { b.charges = nil },
		"a free unit gone":    func(b *books) { b.account.left.free[enrich.WorkEmail]-- },
		"a phantom hold":      func(b *books) { b.account.held++ },
		"the budget not told": func(b *books) { b.account.budget.spent = nil },
	} {
		config := paying(1000)
		config.PrepaidCents = 100
		s := openOn(t, config)
		email := enrich.FieldsOf(enrich.WorkEmail)
		for number := 1; number <= 7; number++ { // uses up the included balance
			s.books.arrive(lookup(email, "Ada"), true)
			if code := s.books.reserve(number, email); code != "" {
				t.Fatal(code)
			}
			if err := s.books.settle(number, "req", email); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Audit(); err != nil {
			t.Fatal(err)
		}
		if tamper(s.books); s.Audit() == nil {
			t.Errorf("%s: the audit finds nothing", name)
		}
	}
}
