package sandbox

import (
	"testing"

	"payonce/cost"
	"payonce/enrich"
	"payonce/io/service/v1"
)

// paying returns the configuration of an account without a free allowance whose
// emails cost a price that is not a whole number of cents.
func paying(capCents int64) LedgerConfig {
	config := someConfig()
	config.Free = enrich.ByField[int64]{}
	config.IncludedCents, config.PrepaidCents, config.BudgetCapCents = 100, 0, &capCents
	config.Prices = cost.Prices{v1.WorkEmail: 155_000}
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
		s := openLedgerOn(t, paying(test.capCents))
		email := enrich.FieldsOf(v1.WorkEmail)
		var code ErrorCode
		for number := 1; code == ""; number++ {
			s.Arrive(lookupIn(email, "Ada"))
			code = s.Reserve(number, email)
		}
		if code != test.want {
			t.Errorf("a cap of %d cents: %s, want %s", test.capCents, code, test.want)
		}
		if spent, err := s.SpendElsewhere(cost.Dollar); err != nil || spent != test.left {
			t.Errorf("a cap of %d cents: somebody else spent %s, want %s; %v", test.capCents, spent, test.left, err)
		}
		if err := s.Audit(); err != nil {
			t.Error(err)
		}
	}
	if _, err := openLedgerOn(t, paying(0)).SpendElsewhere(-1); err == nil {
		t.Error("a negative amount was spent")
	}
	if err := openLedgerOn(t, paying(0)).SetBudget(new(cost.Money(-1))); err == nil {
		t.Error("a negative cap was set")
	}
}

// TestRounding: the status never promises a cent that is not whole.
func TestRounding(t *testing.T) {
	s := openLedgerOn(t, paying(100))
	email := enrich.FieldsOf(v1.WorkEmail)
	for number := 1; number <= 2; number++ {
		s.Arrive(lookupIn(email, "Ada"))
		if code := s.Reserve(number, email); code != "" {
			t.Fatal(code)
		}
	}
	shown, _ := s.Status(ConfiguredKey)
	if got, want := shown.PaidBalance, (paidBalance{AvailableCents: 69, IncludedCents: 69, ReservedCents: 31}); got != want {
		t.Errorf("balance %+v, want %+v", got, want)
	}
	if err := s.Settle(1, "req_1", email); err != nil {
		t.Fatal(err)
	}
	shown, _ = s.Status(ConfiguredKey)
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

// TestTheSandboxAuditFindsEveryTamperedLedger: an audit that cannot fail proves nothing.
func TestTheSandboxAuditFindsEveryTamperedLedger(t *testing.T) {
	for name, tamper := range map[string]func(*Ledger){
		"money gone":         func(b *Ledger) { b.account.left.included-- },
		"overdrawn":          func(b *Ledger) { b.account.left = balance{-1, b.account.left.total() + 1} },
		"a charge forgotten": func(b *Ledger) { b.history.charges = nil },
		"a charge unpaid":    func(b *Ledger) { b.history.charges[0].From.Included--; b.history.charges[1].From.Included++ },
		"a free unit gone":   func(b *Ledger) { b.account.free[v1.WorkEmail]-- },
		"a phantom hold":     func(b *Ledger) { b.account.reserved++ },
		"a hold of nothing": func(b *Ledger) {
			b.open[1] = reservation{hold: cost.Hold{Fields: 1, Rates: cost.AllowancePerField(v1.Catalogue()).At(b.account.prices)}}
		},
		"the budget not shown": func(b *Ledger) { b.account.budget.spent = nil },
		"a gift":               func(b *Ledger) { b.account.deposit(b.clock(), 1); b.account.movements = b.account.movements[:1] },
	} {
		config := paying(1000)
		config.PrepaidCents = 100
		s := openLedgerOn(t, config)
		email := enrich.FieldsOf(v1.WorkEmail)
		for number := 1; number <= 7; number++ { // uses up the included balance
			s.Arrive(lookupIn(email, "Ada"))
			if code := s.Reserve(number, email); code != "" {
				t.Fatal(code)
			}
			if err := s.Settle(number, "req", email); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Audit(); err != nil {
			t.Fatal(err)
		}
		if tamper(s); s.Audit() == nil {
			t.Errorf("%s: the audit finds nothing", name)
		}
	}
}
