package cost

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"payonce/enrich"
)

// The fields of the tests.
const (
	emailField = enrich.Field(0)
	phoneField = enrich.Field(1)
)

var (
	emailOnly = enrich.FieldsOf(emailField)
	phoneOnly = enrich.FieldsOf(phoneField)
	bothOf    = emailOnly | phoneOnly
	cardRates = at(Prices{emailField: 15 * Cent, phoneField: 25 * Cent})

	// tariff has money and a free allowance for each field.
	tariff = AllowancePerField(enrich.Named("work_email", "business_phone"))
)

func at(prices Prices) Rates {
	return AllowancePerField(enrich.Named("work_email", "business_phone")).At(prices)
}

// amounts returns money and units of the free allowance of each field.
func amounts(money Money, free enrich.ByField[int64]) Amounts {
	return OfMoney(money).Plus(tariff.AllowanceAmounts(free))
}

// snapshot returns an account with so much left.
func snapshot(emails, phones int64, balance Money) Account {
	a := Account{ReadAt: time.Date(2026, time.November, 24, 12, 0, 0, 0, time.UTC)}
	a.Free = enrich.ByField[Optional[int64]]{Known(emails), Known(phones)}
	a.FreeReserved = enrich.ByField[Optional[int64]]{Known[int64](0), Known[int64](0)}
	a.Balance.Available, a.Balance.Included, a.Balance.Reserved = Known(balance), Known(Money(0)), Known(Money(0))
	return a
}

// booked returns totals of charged fields, of which some were free.
func booked(charged, free enrich.ByField[int64], rates Rates) Totals {
	t := Totals{Charged: charged, Returned: charged, Settled: amounts(0, free)}
	for f := range charged {
		t.Settled = t.Settled.Plus(rates[enrich.Field(f)].Uses.Times(charged[f] - free[f]))
	}
	return t
}

// reserving returns the account while the service holds something.
func reserving(a Account) Account {
	a.Balance.Reserved = Known(15 * Cent)
	return a
}

// expected is what a test wants of a call: on a shared account, and on an exclusive one.
type expected struct{ shared, exclusive CallResult }

func TestReconcile(t *testing.T) {
	none := expected{CallResult{Result: NotCharged}, CallResult{Result: NotCharged}}
	unclear := expected{}
	charged := func(fields enrich.Fields) expected {
		return expected{exclusive: CallResult{Result: Charged, Fields: fields}}
	}
	exactlyNone := expected{exclusive: CallResult{Result: NotCharged}}
	base := snapshot(0, 0, 10*Dollar)
	for name, c := range map[string]struct {
		base, now Account
		booked    Totals
		asked     []enrich.Fields
		want      []expected
	}{
		"nothing unexplained":           {base, base, Totals{}, []enrich.Fields{emailOnly, bothOf}, []expected{none, none}},
		"one email":                     {base, snapshot(0, 0, 10*Dollar-15*Cent), Totals{}, []enrich.Fields{emailOnly}, []expected{charged(emailOnly)}},
		"less than an email":            {base, snapshot(0, 0, 10*Dollar-14*Cent), Totals{}, []enrich.Fields{emailOnly, bothOf}, []expected{none, none}},
		"less than a phone":             {base, snapshot(0, 0, 10*Dollar-24*Cent), Totals{}, []enrich.Fields{emailOnly, phoneOnly}, []expected{unclear, none}},
		"one of two emails":             {base, snapshot(0, 0, 10*Dollar-15*Cent), Totals{}, []enrich.Fields{emailOnly, emailOnly}, []expected{unclear, unclear}},
		"both emails":                   {base, snapshot(0, 0, 10*Dollar-30*Cent), Totals{}, []enrich.Fields{emailOnly, emailOnly}, []expected{charged(emailOnly), charged(emailOnly)}},
		"the phoneField, not the email": {base, snapshot(0, 0, 10*Dollar-25*Cent), Totals{}, []enrich.Fields{emailOnly, phoneOnly}, []expected{exactlyNone, charged(phoneOnly)}},
		"a phoneField, or an emailField and $0.10 by others": {base, snapshot(0, 0, 10*Dollar-25*Cent), Totals{}, []enrich.Fields{bothOf}, []expected{charged(phoneOnly)}},
		"a free email":                      {snapshot(3, 0, 0), snapshot(2, 0, 0), Totals{}, []enrich.Fields{emailOnly}, []expected{charged(emailOnly)}},
		"a free phoneField is not an email": {snapshot(3, 2, 0), snapshot(3, 1, 0), Totals{}, []enrich.Fields{emailOnly}, []expected{none}},
		"somebody else spent":               {base, snapshot(0, 0, 9*Dollar), Totals{}, []enrich.Fields{emailOnly}, []expected{unclear}},
		"answered calls are deducted":       {base, snapshot(0, 0, 10*Dollar-45*Cent), booked(enrich.ByField[int64]{3, 0}, enrich.ByField[int64]{}, cardRates), []enrich.Fields{emailOnly}, []expected{none}},
		// The answered call was booked as paid; the lost one left its free unit to it.
		"a free unit used by an answered call": {snapshot(1, 0, 10*Dollar), snapshot(0, 0, 10*Dollar), booked(enrich.ByField[int64]{1, 0}, enrich.ByField[int64]{}, cardRates), []enrich.Fields{emailOnly}, []expected{none}},
		// The answered call was booked as free; it may have been charged, and the lost one free.
		"money went for a free unit":     {snapshot(1, 0, 10*Dollar), snapshot(0, 0, 10*Dollar-15*Cent), booked(enrich.ByField[int64]{1, 0}, enrich.ByField[int64]{1, 0}, cardRates), []enrich.Fields{emailOnly}, []expected{charged(emailOnly)}},
		"a deposit hides what was spent": {base, snapshot(0, 0, 35*Dollar), Totals{}, []enrich.Fields{emailOnly}, []expected{unclear}},
		"less is gone than answers cost": {base, snapshot(0, 0, 10*Dollar-30*Cent), booked(enrich.ByField[int64]{3, 0}, enrich.ByField[int64]{}, cardRates), []enrich.Fields{emailOnly}, []expected{unclear}},
		"free units were added":          {snapshot(0, 0, Dollar), snapshot(1, 0, Dollar), Totals{}, []enrich.Fields{emailOnly}, []expected{unclear}},
		"something reserved at the base": {reserving(base), base, Totals{}, []enrich.Fields{emailOnly}, []expected{unclear}},
		"free allowance unknown":         {Account{}, base, Totals{}, []enrich.Fields{emailOnly}, []expected{unclear}},
		// Five emails at 12 cents and a lost one at 15 cost as much as five at 15.
		"prices changed": {base, snapshot(0, 0, 10*Dollar-75*Cent), Totals{Charged: enrich.ByField[int64]{5, 0}, Returned: enrich.ByField[int64]{5, 0}, Settled: OfMoney(60 * Cent)}, []enrich.Fields{emailOnly}, []expected{unclear}},
	} {
		for _, exclusive := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, exclusive %t", name, exclusive), func(t *testing.T) {
				evidence := Evidence{Base: c.base, Now: c.now, Booked: c.booked, Tariff: tariff, Rates: cardRates, Exclusive: exclusive}
				got, why := evidence.Reconcile(c.asked)
				var want []CallResult
				for _, j := range c.want {
					if exclusive {
						want = append(want, j.exclusive)
					} else {
						want = append(want, j.shared)
					}
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
				if slices.Contains(got, CallResult{}) != (why != "") {
					t.Errorf("%v is explained by %q", got, why)
				}
			})
		}
	}
}

// TestMisdeclaredAccountProvesNoCharge shows that an exclusive account that lost more than
// any explanation is taken as shared.
func TestMisdeclaredAccountProvesNoCharge(t *testing.T) {
	evidence := Evidence{Base: snapshot(0, 0, Dollar), Now: snapshot(0, 0, Dollar-18*Cent), Tariff: tariff, Rates: cardRates, Exclusive: true}
	got, why := evidence.Reconcile([]enrich.Fields{emailOnly, phoneOnly})
	if want := []CallResult{{}, {Result: NotCharged}}; !slices.Equal(got, want) || !strings.Contains(why, "declared exclusive") {
		t.Errorf("%v (%s), want %v", got, why, want)
	}
}

// TestReconcileAllowsForRounding: prices of fractions of a cent move an account that is shown in
// whole cents by up to a cent more or less.
func TestReconcileAllowsForRounding(t *testing.T) {
	prices := at(Prices{emailField: 12*Cent + Cent/2, phoneField: 20 * Cent})
	for lost, want := range map[Money]Result{
		0: NotCharged, 11 * Cent: NotCharged, 12 * Cent: Charged, 13 * Cent: Charged, 14 * Cent: Undecided,
	} {
		evidence := Evidence{Base: snapshot(0, 0, Dollar), Now: snapshot(0, 0, Dollar-lost), Tariff: tariff, Rates: prices, Exclusive: true}
		if got, why := evidence.Reconcile([]enrich.Fields{emailOnly}); got[0].Result != want {
			t.Errorf("the account lost %s: %v (%s), want %v", lost, got[0].Result, why, want)
		}
	}
}

// TestPricesThatAreShownRoundedDecide: the account shows a price of 12.5 cents as 13.
func TestPricesThatAreShownRoundedDecide(t *testing.T) {
	prices := at(Prices{emailField: 12*Cent + Cent/2, phoneField: 20 * Cent})
	base := snapshot(0, 0, Dollar)
	base.Most[emailField] = Known(13 * Cent)
	got, why := Evidence{Base: base, Now: base, Tariff: tariff, Rates: prices}.Reconcile([]enrich.Fields{emailOnly})
	if got[0].Result != NotCharged {
		t.Errorf("the call is %v (%s), want not charged", got[0].Result, why)
	}
}

func TestUnexplained(t *testing.T) {
	evidence := Evidence{
		Base: snapshot(9, 5, 10*Dollar), Now: snapshot(6, 4, 9*Dollar),
		Booked: Totals{Settled: amounts(30*Cent, enrich.ByField[int64]{1, 2})}, Tariff: tariff,
	}
	got, why := evidence.Unexplained()
	if want := amounts(70*Cent, enrich.ByField[int64]{2, -1}); got != want || why != "" {
		t.Errorf("%+v (%s), want %+v", got, why, want)
	}
}

func TestTheMonthlyBudgetDecidesDespiteADeposit(t *testing.T) {
	base, now := snapshot(0, 0, Dollar), snapshot(0, 0, 26*Dollar-15*Cent)
	period := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	base.Budget = Budget{Known: true, Capped: true, Spent: Known(Dollar), ResetsAt: period}
	now.Budget = Budget{Known: true, Capped: true, Spent: Known(Dollar + 15*Cent), ResetsAt: period}
	got, _ := Evidence{Base: base, Now: now, Tariff: tariff, Rates: cardRates, Exclusive: true}.Reconcile([]enrich.Fields{emailOnly})
	if got[0].Result != Charged {
		t.Errorf("the call is %v, want charged: the budget shows it", got[0].Result)
	}
	now.Balance.Available = Known(Dollar - 15*Cent) // without a deposit both move alike
	got, why := Evidence{Base: base, Now: now, Tariff: tariff, Rates: cardRates, Exclusive: true}.Reconcile([]enrich.Fields{emailOnly})
	if got[0].Result != Charged {
		t.Errorf("the call is %v (%s), want charged: budget and balance show it", got[0].Result, why)
	}
	base.Budget = Budget{} // what it had spent before is not known
	got, why = Evidence{Base: base, Now: now, Tariff: tariff, Rates: cardRates, Exclusive: true}.Reconcile([]enrich.Fields{emailOnly, emailOnly})
	if got[0].Result != Undecided || !strings.Contains(why, "more than one explanation") {
		t.Errorf("the call is %v (%s), want undecided: the balance fell by one email", got[0].Result, why)
	}
}

// TestDoubtfulSnapshotsDecideNothing: what the status leaves out or contradicts is
// not taken for "nothing was charged".
func TestDoubtfulSnapshotsDecideNothing(t *testing.T) {
	period := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	budget := func(spent Money, resets time.Time) Budget {
		return Budget{Known: true, Capped: true, Spent: Known(spent), ResetsAt: resets}
	}
	with := func(change func(*Account)) Account {
		a := snapshot(0, 0, 10*Dollar)
		change(&a)
		return a
	}
	unreserved := func(a *Account) { a.Balance.Reserved = Optional[Money]{} }
	unheld := func(a *Account) { a.FreeReserved[phoneField] = Optional[int64]{} }
	in := func(month time.Month, included Money) Account {
		return with(func(a *Account) {
			a.ReadAt, a.Balance.Included = time.Date(2026, month, 15, 0, 0, 0, 0, time.UTC), Known(included)
		})
	}
	unallowed := func(a *Account) { a.Free[phoneField] = Optional[int64]{} }
	unpaid := func(a *Account) { a.Balance.Available = Optional[Money]{} }
	for name, c := range map[string]struct{ base, now Account }{
		"reservations are unknown before": {with(unreserved), snapshot(0, 0, 10*Dollar)},
		"reservations are unknown after":  {snapshot(0, 0, 10*Dollar), with(unreserved)},
		"the allowance is unknown before": {with(unallowed), snapshot(0, 0, 10*Dollar)},
		"the allowance is unknown after":  {snapshot(0, 0, 10*Dollar), with(unallowed)},
		"the balance is unknown before":   {with(unpaid), snapshot(0, 0, 0)},
		"the balance is unknown after":    {snapshot(0, 0, 0), with(unpaid)},
		"the balance fell, the budget did not move": {
			with(func(a *Account) { a.Budget = budget(0, period) }),
			with(func(a *Account) { a.Budget = budget(0, period); a.Balance.Available = Known(10*Dollar - 15*Cent) }),
		},
		"the budget's period is unknown": {
			with(func(a *Account) { a.Budget = budget(15*Cent, time.Time{}); a.Balance.Available = Optional[Money]{} }),
			with(func(a *Account) { a.Budget = budget(15*Cent, time.Time{}); a.Balance.Available = Optional[Money]{} }),
		},
		"reservations are unknown":            {with(unreserved), with(unreserved)},
		"reserved free units are unknown":     {with(unheld), with(unheld)},
		"the included balance may be renewed": {in(time.November, 10*Dollar), in(time.December, 10*Dollar)},
		"a clock near the end of the month": {
			with(func(a *Account) { a.ReadAt, a.Balance.Included = period.Add(-time.Hour), Known(10*Dollar) }),
			with(func(a *Account) { a.ReadAt, a.Balance.Included = period.Add(-time.Second), Known(10*Dollar) }),
		},
		"a deposit that others spent from the included balance": {
			with(func(a *Account) { a.Balance.Included, a.Balance.Prepaid = Known(10*Dollar), Known(Money(0)) }),
			with(func(a *Account) { a.Balance.Included, a.Balance.Prepaid = Known(Money(0)), Known(10*Dollar) }),
		},
		"the budget counts less than before": {
			with(func(a *Account) { a.Budget = budget(15*Cent, period) }), with(func(a *Account) { a.Budget = budget(0, period) }),
		},
		"the service shows another price": {
			snapshot(0, 0, 10*Dollar),
			with(func(a *Account) {
				a.Most[emailField] = Known(12 * Cent)
			}),
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, why := Evidence{Base: c.base, Now: c.now, Tariff: tariff, Rates: cardRates}.Reconcile([]enrich.Fields{emailOnly})
			if got[0].Result != Undecided || why == "" {
				t.Errorf("the call is %v (%q), want undecided with a reason", got[0].Result, why)
			}
		})
	}
}

// TestANewMonthLeavesLossesUndecidedOnlyWhereSomethingIsRenewed shows that only an included balance and a free
// allowance are renewed.
func TestANewMonthLeavesLossesUndecidedOnlyWhereSomethingIsRenewed(t *testing.T) {
	paid := Tariff{Meters: tariff.Meters[:1]}
	in := func(month time.Month) Account {
		a := snapshot(0, 0, 10*Dollar)
		a.ReadAt, a.Balance.Included = time.Date(2026, month, 1, 0, 0, 0, 0, time.UTC), Known(Money(0))
		return a
	}
	for _, test := range []struct {
		tariff Tariff
		month  time.Month
		want   Result
	}{
		{paid, time.December, NotCharged}, {tariff, time.November, NotCharged}, {tariff, time.December, Undecided},
	} {
		rates := test.tariff.At(Prices{emailField: 15 * Cent})
		evidence := Evidence{Base: in(time.November), Now: in(test.month), Tariff: test.tariff, Rates: rates}
		evidence.Base.ReadAt = evidence.Base.ReadAt.Add(time.Hour)
		evidence.Now.ReadAt = evidence.Now.ReadAt.Add(2 * time.Hour)
		if got, why := evidence.Reconcile([]enrich.Fields{emailOnly}); got[0].Result != test.want {
			t.Errorf("%d meters, until %s: the call is %v (%s), want %v", len(test.tariff.Meters), test.month, got[0].Result, why, test.want)
		}
	}
}

// TestARenewedAllowanceDecidesNothing: the allowance was renewed and used down to what it was before.
func TestARenewedAllowanceDecidesNothing(t *testing.T) {
	for name, change := range map[string]func(*Evidence){
		"nothing happened":           func(*Evidence) {},
		"the budget's period is new": func(e *Evidence) { e.Now.Budget.ResetsAt = e.Now.Budget.ResetsAt.AddDate(0, 1, 0) },
		"readings show units of a call under way that found nothing": func(e *Evidence) {
			for _, reserved := range []int64{0, 1, 0} {
				reading := snapshot(5-reserved, 5, 10*Dollar)
				reading.FreeReserved[emailField] = Known(reserved)
				reading.ReadAt = e.Base.ReadAt.Add(time.Minute)
				e.Seen = e.Seen.With(e.Base, reading, Totals{}, Totals{}, tariff, e.Pace)
			}
		},
		"a reading showed more": func(e *Evidence) {
			for _, left := range []int64{5, 20} {
				reading := snapshot(left, 5, 10*Dollar)
				reading.ReadAt = e.Base.ReadAt.Add(time.Minute)
				e.Seen = e.Seen.With(e.Base, reading, Totals{}, Totals{}, tariff, e.Pace)
			}
		},
	} {
		evidence := Evidence{Base: snapshot(5, 5, 10*Dollar), Now: snapshot(5, 5, 10*Dollar), Tariff: tariff, Rates: cardRates}
		evidence.Base.Budget = Budget{Known: true, Spent: Known(Dollar), ResetsAt: time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)}
		evidence.Now.Budget = evidence.Base.Budget
		evidence.Now.ReadAt = evidence.Base.ReadAt.Add(time.Hour)
		change(&evidence)
		want := Undecided
		if name == "nothing happened" || strings.HasPrefix(name, "readings show units") {
			want = NotCharged
		}
		got, why := evidence.Reconcile([]enrich.Fields{emailOnly})
		if got[0].Result != want || (why == "") != (want == NotCharged) {
			t.Errorf("%s: the call is %v (%s), want %v", name, got[0].Result, why, want)
		}
	}
}

// TestNewCreditDecidesNothing shows that a deposit which later spending hides proves nothing,
// unless the budget tells what was spent.
func TestNewCreditDecidesNothing(t *testing.T) {
	base := snapshot(0, 0, 10*Dollar)
	evidence := Evidence{Base: base, Now: base, Tariff: tariff, Rates: cardRates, CreditAdded: true}
	if got, _ := evidence.Reconcile([]enrich.Fields{emailOnly}); got[0].Result != Undecided {
		t.Errorf("by the balance the call is %v, want undecided", got[0].Result)
	}
	period := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	evidence.Base.Budget = Budget{Known: true, Capped: true, Spent: Known(Dollar), ResetsAt: period}
	evidence.Now.Budget = evidence.Base.Budget
	if got, _ := evidence.Reconcile([]enrich.Fields{emailOnly}); got[0].Result != NotCharged {
		t.Errorf("by the budget the call is %v, want not charged", got[0].Result)
	}
}

// trial is a case of lost and answered calls, and of what the account lost.
type trial struct {
	asked          []enrich.Fields
	answered, used enrich.ByField[int64]
	lost           Money
	prices         Rates
	exclusive      bool
}

// TestReconcileAgreesWithAllAssignments compares Reconcile with the enumeration of every
// assignment of charges to lost calls, of free units to lost and answered calls, and of
// the rest to others.
func TestReconcileAgreesWithAllAssignments(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := trial{exclusive: rapid.Bool().Draw(t, "exclusive")}
		c.prices = rapid.SampledFrom([]Rates{
			cardRates,
			at(Prices{emailField: 12 * Cent, phoneField: 20 * Cent}),
			at(Prices{emailField: 10 * Cent, phoneField: 20 * Cent}), // two emails cost a phone
			at(Prices{emailField: 10 * Cent, phoneField: 10 * Cent}),
		}).Draw(t, "prices")
		c.asked = rapid.SliceOfN(rapid.SampledFrom([]enrich.Fields{emailOnly, phoneOnly, bothOf}), 1, 4).Draw(t, "lost")
		var free enrich.ByField[int64]
		for f := range bothOf.Each() {
			c.answered[f] = rapid.Int64Range(0, 3).Draw(t, "answered")
			free[f] = rapid.Int64Range(0, c.answered[f]).Draw(t, "booked free")
			c.used[f] = rapid.Int64Range(0, 4).Draw(t, "free units gone")
		}
		c.lost = 5 * Cent * Money(rapid.Int64Range(0, 30).Draw(t, "money gone"))
		evidence := Evidence{
			Base: snapshot(9, 9, 100*Dollar), Now: snapshot(9-c.used[0], 9-c.used[1], 100*Dollar-c.lost),
			Booked: booked(c.answered, free, c.prices), Tariff: tariff, Rates: c.prices, Exclusive: c.exclusive,
		}
		got, _ := evidence.Reconcile(c.asked)
		if diff := cmp.Diff(c.reconcile(), got); diff != "" {
			t.Fatalf("(-all assignments +Judge):\n%s", diff)
		}
	})
}

// reconcile says what all assignments that fit have in common. On an exclusive account others
// use nothing; when nothing fits then, the account is taken as shared.
func (c trial) reconcile() []CallResult {
	exact := c.fitting(false)
	if c.exclusive && len(exact) > 0 {
		return agreed(exact)
	}
	bound := c.fitting(true)
	if len(bound) == 0 {
		return make([]CallResult, len(c.asked))
	}
	results := agreed(bound)
	for i := range results {
		if results[i].Result == Charged {
			results[i] = CallResult{} // the bound alone proves no charge
		}
	}
	return results
}

// fitting returns all assignments of charged fields to the lost calls that fit what the
// account lost, if others may have used a part of it or not.
func (c trial) fitting(others bool) (fitting [][]enrich.Fields) {
	assignment := make([]enrich.Fields, len(c.asked))
	var assign func(i int)
	assign = func(i int) {
		if i == len(c.asked) {
			if c.canPay(assignment, others) {
				fitting = append(fitting, slices.Clone(assignment))
			}
			return
		}
		for charged := range bothOf + 1 {
			if charged.Without(c.asked[i]) == 0 {
				assignment[i] = charged
				assign(i + 1)
			}
		}
	}
	assign(0)
	return fitting
}

// canPay tries every choice of who got the free units, and of what others used.
func (c trial) canPay(charged []enrich.Fields, others bool) bool {
	var fields []enrich.Field
	for _, set := range charged {
		fields = slices.AppendSeq(fields, set.Each())
	}
	for f, n := range c.answered {
		for range n {
			fields = append(fields, enrich.Field(f))
		}
	}
	var try func(i int, left enrich.ByField[int64], paid Money) bool
	try = func(i int, left enrich.ByField[int64], paid Money) bool {
		if i == len(fields) {
			// Others used whatever free units and money are left, any number of each.
			return others && paid <= c.lost || left == (enrich.ByField[int64]{}) && paid == c.lost
		}
		if left[fields[i]] > 0 {
			fewer := left
			fewer[fields[i]]--
			if try(i+1, fewer, paid) {
				return true
			}
		}
		return paid <= c.lost && try(i+1, left, paid+c.prices[fields[i]].Price())
	}
	return try(0, c.used, 0)
}

// agreed returns what all fitting assignments say of each call.
func agreed(fitting [][]enrich.Fields) []CallResult {
	results := make([]CallResult, len(fitting[0]))
	for i := range results {
		same := !slices.ContainsFunc(fitting, func(a []enrich.Fields) bool { return a[i] != fitting[0][i] })
		switch {
		case !same:
		case fitting[0][i] == 0:
			results[i] = CallResult{Result: NotCharged}
		default:
			results[i] = CallResult{Result: Charged, Fields: fitting[0][i]}
		}
	}
	return results
}

// TestEvidenceLooksAtEveryFieldOfTheCatalogue decides a lost call for the third field of an
// interface that charges in units of an allowance alone.
func TestEvidenceLooksAtEveryFieldOfTheCatalogue(t *testing.T) {
	const third = enrich.Field(2)
	account := func(units ...int64) Account {
		a := snapshot(0, 0, Dollar)
		for f, n := range units {
			a.Free[f], a.FreeReserved[f] = Known(n), Known[int64](0)
		}
		return a
	}
	three := AllowancePerField(enrich.Named("one", "two", "three"))
	rates := three.At(Prices{0: Cent, 1: Cent, third: 2 * Dollar}) // more than the account has
	for name, c := range map[string]struct {
		now  Account
		want CallResult
	}{
		"its unit is there":    {account(5, 5, 5), CallResult{Result: NotCharged}},
		"its unit is gone":     {account(5, 5, 4), CallResult{Result: Charged, Fields: enrich.FieldsOf(third)}},
		"another unit is gone": {account(5, 4, 5), CallResult{Result: NotCharged}},
		"it is not shown":      {account(5, 5), CallResult{}},
	} {
		e := Evidence{Base: account(5, 5, 5), Now: c.now, Tariff: three, Rates: rates, Exclusive: true}
		got, _ := e.Reconcile([]enrich.Fields{enrich.FieldsOf(third)})
		if got[0] != c.want {
			t.Errorf("%s: %+v, want %+v", name, got[0], c.want)
		}
	}
}
