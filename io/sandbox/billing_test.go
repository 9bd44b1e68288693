package sandbox

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payonce/cost"
	"payonce/enrich"
	"payonce/io/service/v1"
)

var (
	anEmail = enrich.FieldsOf(v1.WorkEmail)
	aPhone  = enrich.FieldsOf(v1.BusinessPhone)
)

// ledgered is a ledger with a clock and a file, which tests look at and reopen.
type ledgered struct {
	*Ledger
	t      *testing.T
	config LedgerConfig
	now    time.Time
}

// newLedgered opens the ledger of an account without a free allowance, on 28 November.
func newLedgered(t *testing.T, change func(*LedgerConfig)) *ledgered {
	t.Helper()
	l := &ledgered{t: t, now: time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC), config: someConfig()}
	l.config.Free, l.config.BudgetCapCents = enrich.ByField[int64]{}, nil
	l.config.Now = func() time.Time { return l.now }
	l.config.LedgerPath = filepath.Join(t.TempDir(), "books")
	change(&l.config)
	l.Ledger = openLedgerOn(t, l.config)
	return l
}

// reserve lets a lookup arrive, which has to be let in.
func (l *ledgered) reserve(fields enrich.Fields) int {
	l.t.Helper()
	a := l.Arrive(lookupIn(fields, "Ada"))
	if code := l.Reserve(a.Number, fields); a.Code != "" || code != "" {
		l.t.Fatalf("refused: %s%s", a.Code, code)
	}
	return a.Number
}

// charge performs a lookup that returns all of its fields.
func (l *ledgered) charge(fields enrich.Fields) Source {
	l.t.Helper()
	number := l.reserve(fields)
	if err := l.Settle(number, "req", fields); err != nil {
		l.t.Fatal(err)
	}
	charges := l.Snapshot().Charges
	return charges[len(charges)-1].From
}

// refusal returns why a lookup is refused now.
func (l *ledgered) refusal(fields enrich.Fields) ErrorCode {
	a := l.Arrive(lookupIn(fields, "Ada"))
	if a.Code != "" {
		return a.Code
	}
	code := l.Reserve(a.Number, fields)
	if code == "" {
		l.Release(a.Number)
	}
	return code
}

// check audits the ledger, and compares it with what its file says.
func (l *ledgered) check() {
	l.t.Helper()
	if err := l.Audit(); err != nil {
		l.t.Error(err)
	}
	reopened := openLedgerOn(l.t, l.config)
	checkSame(l.t, l.Ledger, reopened)
	if err := reopened.Close(); err != nil {
		l.t.Error(err)
	}
}

// balance compares the two balances.
func (l *ledgered) balance(when string, included, prepaid cost.Money) {
	l.t.Helper()
	s := l.Snapshot()
	if s.Included != included || s.Available-s.Included != prepaid {
		l.t.Errorf("%s: %s included and %s prepaid, want %s and %s", when, s.Included, s.Available-s.Included, included, prepaid)
	}
}

// paidFrom compares what paid the charges.
func (l *ledgered) paidFrom(want ...Source) {
	l.t.Helper()
	var from []Source
	for _, c := range l.Snapshot().Charges {
		from = append(from, c.From)
	}
	if diff := cmp.Diff(want, from); diff != "" {
		l.t.Errorf("paid from (-want +got):\n%s", diff)
	}
}

func (l *ledgered) must(err error) {
	l.t.Helper()
	if err != nil {
		l.t.Fatal(err)
	}
}

// TestTheIncludedBalanceIsUsedFirstAndExpires: the included balance is used first, expires with the month,
// and the plan's takes its place; prepaid credit stays.
func TestTheIncludedBalanceIsUsedFirstAndExpires(t *testing.T) {
	l := newLedgered(t, func(c *LedgerConfig) { c.Plan, c.IncludedCents, c.PrepaidCents = "core", 20, 100 })
	if from := l.charge(anEmail); from != (Source{Included: 15 * cost.Cent}) {
		t.Errorf("paid from %+v", from)
	}
	if from := l.charge(anEmail); from != (Source{Included: 5 * cost.Cent, Prepaid: 10 * cost.Cent}) {
		t.Errorf("paid from %+v", from)
	}
	l.now = time.Date(2026, 11, 30, 23, 59, 59, 999, time.UTC)
	l.balance("in November", 0, 90*cost.Cent)
	l.now = time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	l.balance("in December", 49*cost.Dollar, 90*cost.Cent)
	l.charge(aPhone)
	l.now = time.Date(2027, 3, 9, 0, 0, 0, 0, time.UTC)
	l.balance("in March", 49*cost.Dollar, 90*cost.Cent)
	want := []Movement{
		{Kind: Granted, Amount: 20 * cost.Cent},
		{Kind: Deposited, Amount: 100 * cost.Cent},
		{At: time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC), Kind: Granted, Amount: 49 * cost.Dollar},
		{At: time.Date(2027, 3, 1, 0, 0, 0, 0, time.UTC), Kind: Expired, Amount: 49*cost.Dollar - 25*cost.Cent},
		{At: time.Date(2027, 3, 1, 0, 0, 0, 0, time.UTC), Kind: Granted, Amount: 49 * cost.Dollar},
	}
	if diff := cmp.Diff(want, l.Snapshot().Movements); diff != "" {
		t.Errorf("movements (-want +got):\n%s", diff)
	}
	l.check()
}

// TestAReservationOfAnExpiredBalanceCanStillBeCharged: what is reserved can still be charged, and is gone when
// it is not.
func TestAReservationOfAnExpiredBalanceCanStillBeCharged(t *testing.T) {
	l := newLedgered(t, func(c *LedgerConfig) { c.Plan, c.IncludedCents, c.PrepaidCents = "payg", 50, 10 })
	charged, released, phone := l.reserve(anEmail), l.reserve(anEmail), l.reserve(aPhone)
	l.now = l.now.AddDate(0, 0, 5)
	l.balance("in December", 0, 5*cost.Cent)
	if s := l.Snapshot(); s.Reserved != 55*cost.Cent {
		t.Errorf("%s reserved", s.Reserved)
	}
	l.must(l.Settle(charged, "req_1", anEmail))
	l.Release(released)
	l.must(l.Settle(phone, "req_2", aPhone))
	l.balance("at the end", 0, 5*cost.Cent)
	l.paidFrom(Source{Expired: 15 * cost.Cent}, Source{Expired: 20 * cost.Cent, Prepaid: 5 * cost.Cent})
	l.check()
}

// TestAnExpiredBalancePaysForTwoFieldsOnlyOnce: what expired pays once, for the first field and then
// for the rest of the second.
func TestAnExpiredBalancePaysForTwoFieldsOnlyOnce(t *testing.T) {
	l := newLedgered(t, func(c *LedgerConfig) { c.Plan, c.IncludedCents, c.PrepaidCents = "payg", 20, 30 })
	both := l.reserve(anEmail | aPhone)
	l.now = l.now.AddDate(0, 0, 5)
	l.must(l.Settle(both, "req_1", anEmail|aPhone))
	l.paidFrom(Source{Expired: 15 * cost.Cent}, Source{Expired: 5 * cost.Cent, Prepaid: 20 * cost.Cent})
	l.balance("at the end", 0, 10*cost.Cent)
	l.check()
}

// TestDeposits: a checkout moves nothing; its confirmation does, when it comes.
func TestDeposits(t *testing.T) {
	l := newLedgered(t, func(c *LedgerConfig) { c.Plan, c.IncludedCents, c.PrepaidCents = "payg", 0, 0 })
	if code := l.refusal(anEmail); code != FreeAllowanceExhausted {
		t.Errorf("before any purchase: %s", code)
	}
	if _, err := l.Checkout(Order{Deposit: MinimumDeposit - 1}); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), "25.00") {
		t.Errorf("a deposit under the minimum: %v", err)
	}
	byHand, err := l.Checkout(Order{Deposit: MinimumDeposit})
	l.must(err)
	late, err := l.Checkout(Order{Deposit: 1000 * cost.Dollar, ConfirmAfter: new(90 * time.Minute)})
	l.must(err)
	l.now = l.now.Add(90*time.Minute - 1)
	l.balance("before the confirmation", 0, 0)
	l.now = l.now.Add(1)
	l.balance("when it comes by itself", 0, 1000*cost.Dollar)
	l.now = l.now.Add(time.Hour)
	if _, err := l.Confirm(byHand.ID); err != nil {
		t.Error(err)
	}
	l.balance("after both", 0, 1025*cost.Dollar)
	for _, id := range []string{byHand.ID, late.ID} {
		if _, err := l.Confirm(id); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s is confirmed twice: %v", id, err)
		}
	}
	if _, err := l.Confirm("pay_9"); !errors.Is(err, ErrUnknown) {
		t.Errorf("an unknown payment: %v", err)
	}
	if from := l.charge(anEmail); from != (Source{Prepaid: 15 * cost.Cent}) {
		t.Errorf("a large deposit changed the rate: %+v", from)
	}
	if at := l.Payments()[1].Confirmed; !at.Equal(late.Due) {
		t.Errorf("confirmed at %s, due at %s", at, late.Due)
	}
	l.check()
}

// TestConfirmationsInOrder: what falls due while nobody looks happens in the order of
// time, the renewal among it.
func TestConfirmationsInOrder(t *testing.T) {
	l := newLedgered(t, func(c *LedgerConfig) { c.Plan, c.IncludedCents, c.PrepaidCents = "core", 100, 0 })
	_, err := l.Checkout(Order{Plan: "growth", ConfirmAfter: new(10 * 24 * time.Hour)})
	l.must(err)
	_, err = l.Checkout(Order{Plan: "scale", ConfirmAfter: new(time.Hour)})
	l.must(err)
	l.now = l.now.AddDate(0, 0, 20)
	// scale in November, renewed as scale in December, then growth on top.
	l.balance("in December", (399+149)*cost.Dollar, 0)
	if s := l.Snapshot(); s.Plan != "growth" {
		t.Errorf("the plan is %s", s.Plan)
	}
	l.check()
}

// TestPlans: a plan's rates are in force from its confirmation on, and when it ends
// prepaid credit is used at the standard rates.
func TestPlans(t *testing.T) {
	l := newLedgered(t, func(c *LedgerConfig) {
		c.Plan, c.IncludedCents, c.PrepaidCents = "payg", 0, 10_000
		c.Free = enrich.ByField[int64]{1, 0}
	})
	for _, bad := range []Order{{Plan: "payg"}, {Plan: "gold"}, {Plan: "core", Deposit: MinimumDeposit}, {}, {Deposit: cost.MaxMoney}, {Plan: "core", ConfirmAfter: new(-time.Second)}} {
		if _, err := l.Checkout(bad); !errors.Is(err, ErrInvalid) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	if err := l.EndSubscription(); !errors.Is(err, ErrInvalid) {
		t.Errorf("no subscription ended: %v", err)
	}
	_, err := l.Checkout(Order{Plan: "scale", ConfirmAfter: new(time.Duration)})
	l.must(err)
	l.balance("confirmed at once", 399*cost.Dollar, 100*cost.Dollar)
	if from := l.charge(anEmail); from != (Source{}) {
		t.Errorf("the free allowance was lost by the purchase: %+v", from)
	}
	if from := l.charge(v1.AllFields); from != (Source{Included: 16 * cost.Cent}) {
		t.Errorf("a phone on scale is paid %+v", from)
	}
	l.must(l.SetPrice(v1.WorkEmail, new(1*cost.Cent)))
	if from := l.charge(anEmail); from != (Source{Included: 1 * cost.Cent}) {
		t.Errorf("at a special price: %+v", from)
	}
	l.must(l.EndSubscription())
	l.balance("after the end", 0, 100*cost.Dollar)
	if from := l.charge(anEmail); from != (Source{Prepaid: 15 * cost.Cent}) {
		t.Errorf("after the end: %+v", from)
	}
	l.now = l.now.AddDate(0, 2, 0)
	l.balance("after two months", 0, 100*cost.Dollar-15*cost.Cent)
	l.check()
}

// TestConflicts: what only others stand in the way of is a conflict, when that is
// asked for.
func TestConflicts(t *testing.T) {
	for _, test := range []struct {
		name    string
		change  func(*LedgerConfig)
		without ErrorCode
		with    ErrorCode
	}{
		{"the balance is reserved", func(c *LedgerConfig) { c.PrepaidCents = 20 }, CreditsExhausted, ReservationConflict},
		{"the budget is reserved", func(c *LedgerConfig) { c.PrepaidCents, c.BudgetCapCents = 100, new(int64(20)) }, UsageBudgetReached, ReservationConflict},
		{"the free unit is reserved", func(c *LedgerConfig) { c.Free = enrich.ByField[int64]{1, 0} }, FreeAllowanceExhausted, ReservationConflict},
		{"there is enough", func(c *LedgerConfig) { c.PrepaidCents = 30 }, "", ""},
	} {
		for _, conflicts := range []bool{false, true} {
			l := newLedgered(t, func(c *LedgerConfig) {
				c.Plan, c.IncludedCents, c.PrepaidCents = "payg", 0, 0
				test.change(c)
				c.ReservationConflicts = conflicts
			})
			want := test.without
			if conflicts {
				want = test.with
			}
			first := l.reserve(anEmail)
			if code := l.refusal(anEmail); code != want {
				t.Errorf("%s, conflicts %t: %q, want %q", test.name, conflicts, code, want)
			}
			l.must(l.Settle(first, "req", anEmail))
			if code := l.refusal(anEmail); code != test.without {
				t.Errorf("%s, conflicts %t: then %q, want %q", test.name, conflicts, code, test.without)
			}
		}
	}
}

// TestUseByOthersTakesOnlyWhatTheAccountHas: others in the workspace use what there is, as our own lookups do, and
// no more.
func TestUseByOthersTakesOnlyWhatTheAccountHas(t *testing.T) {
	l := newLedgered(t, func(c *LedgerConfig) {
		c.Plan, c.IncludedCents, c.PrepaidCents, c.Free = "payg", 0, 60, enrich.ByField[int64]{2, 1}
	})
	used, err := l.UseElsewhere(FieldUnits{5, 2})
	l.must(err)
	if want := (Usage{Free: FieldUnits{2, 1}, Paid: FieldUnits{3, 0}, USD: 45 * cost.Cent}); used != want {
		t.Errorf("used %+v, want %+v", used, want)
	}
	if used, err = l.UseElsewhere(FieldUnits{0, 1}); err != nil || used != (Usage{}) {
		t.Errorf("used %+v of nothing, %v", used, err)
	}
	for _, bad := range []FieldUnits{{-1, 0}, {0, maxUnits + 1}} {
		if _, err := l.UseElsewhere(bad); !errors.Is(err, ErrInvalid) {
			t.Errorf("%v: %v", bad, err)
		}
	}
	s := l.Snapshot()
	if s.FreeElsewhere != (FieldUnits{2, 1}) || s.SpentElsewhere != 45*cost.Cent || s.FreeLeft != (FieldUnits{}) || len(s.Charges) != 0 {
		t.Errorf("ledger %+v", s)
	}
	if code := l.refusal(aPhone); code != CreditsExhausted {
		t.Errorf("a phone for 15 cents: %q", code)
	}
	l.check()
}

// TestInvalidAccountChangesAreRefused: what makes no sense is refused, and changes nothing.
func TestInvalidAccountChangesAreRefused(t *testing.T) {
	l := newLedgered(t, func(*LedgerConfig) {})
	for name, err := range map[string]error{
		"a negative budget":        l.SetBudget(new(cost.Money(-1))),
		"a budget beyond counting": l.SetBudget(new(cost.MaxMoney + 1)),
		"an unknown state":         l.SetState("asleep"),
		"a negative limit":         l.SetAttemptLimit(-1),
		"a negative price":         l.SetPrice(v1.WorkEmail, new(cost.Money(-1))),
		"the price of nothing":     l.SetPrice(7, nil),
	} {
		if !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if log := l.Log(); len(log) != 0 {
		t.Errorf("log %v", log)
	}
}

// TestPaymentBeforeTheRenewal: a plan that began while nobody looked is renewed as
// well, and the file says the same.
func TestPaymentBeforeTheRenewal(t *testing.T) {
	l := newLedgered(t, func(c *LedgerConfig) { c.Plan, c.IncludedCents, c.PrepaidCents = "payg", 0, 0 })
	_, err := l.Checkout(Order{Plan: "core", ConfirmAfter: new(time.Hour)})
	l.must(err)
	l.now = time.Date(2026, 12, 2, 0, 0, 0, 0, time.UTC)
	l.balance("in December", 49*cost.Dollar, 0)
	if n := len(l.Snapshot().Movements); n != 3 {
		t.Errorf("%d movements, want the grant, its expiry and the renewal", n)
	}
	l.check()
}

// TestCoverPaysInExactlyWhatAListNeeds covers lookups twice: the second time nothing is missing.
func TestCoverPaysInExactlyWhatAListNeeds(t *testing.T) {
	for _, capped := range []bool{false, true} {
		l := newLedgered(t, func(c *LedgerConfig) {
			if capped {
				c.BudgetCapCents = new(int64)
				*c.BudgetCapCents = 700
			}
		})
		if err := l.Cover(enrich.ByField[int64]{v1.WorkEmail: 10}); err != nil || len(l.Payments()) > 0 {
			t.Errorf("%v, %d payments for what the balance covers", err, len(l.Payments()))
		}
		units := FieldUnits{v1.WorkEmail: 50_000, v1.BusinessPhone: 50_000}
		for range 2 {
			if err := l.Cover(enrich.ByField[int64](units)); err != nil {
				t.Fatal(err)
			}
		}
		_, prices := l.Terms()
		needed := 50_000 * (prices[v1.WorkEmail] + prices[v1.BusinessPhone])
		if available := l.Snapshot().Available; available != needed || len(l.Payments()) != 1 {
			t.Errorf("%s is there after %d payments, %s is needed", available, len(l.Payments()), needed)
		}
		if _, remaining, limit := l.means(); (limit != nil) != capped || capped && remaining != needed {
			t.Errorf("the monthly cap leaves %s, %s is needed", remaining, needed)
		}
		if err := l.Audit(); err != nil {
			t.Error(err)
		}
	}
}
