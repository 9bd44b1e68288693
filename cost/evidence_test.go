package cost

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"payonce/enrich"
)

var (
	emailOnly = enrich.FieldsOf(enrich.WorkEmail)
	phoneOnly = enrich.FieldsOf(enrich.BusinessPhone)
	bothOf    = emailOnly | phoneOnly
	cardRates = Prices{enrich.WorkEmail: 15 * Cent, enrich.BusinessPhone: 25 * Cent}
)

// snapshot returns an account with so much left.
func snapshot(emails, phones int64, balance Money) Account {
	var a Account
	a.Free = [enrich.NumFields]Optional[int64]{Known(emails), Known(phones)}
	a.Balance.Available, a.Balance.Reserved = Known(balance), Known(Money(0))
	return a
}

// booked returns totals of charged fields, of which some were free.
func booked(charged, free [enrich.NumFields]int64, prices Prices) Totals {
	t := Totals{Charged: charged, FreeUsed: free}
	for f := range charged {
		t.Settled += prices[enrich.Field(f)].Times(charged[f] - free[f])
	}
	return t
}

// reserving returns the account while the service holds something.
func reserving(a Account) Account {
	a.Balance.Reserved = Known(15 * Cent)
	return a
}

func TestJudge(t *testing.T) {
	none := Judgement{Finding: NotCharged}
	unclear := Judgement{}
	charged := func(fields enrich.Fields) Judgement { return Judgement{Finding: Charged, Fields: fields} }
	base := snapshot(0, 0, 10*Dollar)
	for name, c := range map[string]struct {
		base, now Account
		booked    Totals
		asked     []enrich.Fields
		want      []Judgement
	}{
		"nothing unexplained":         {base, base, Totals{}, []enrich.Fields{emailOnly, bothOf}, []Judgement{none, none}},
		"one email":                   {base, snapshot(0, 0, 10*Dollar-15*Cent), Totals{}, []enrich.Fields{emailOnly}, []Judgement{charged(emailOnly)}},
		"one of two emails":           {base, snapshot(0, 0, 10*Dollar-15*Cent), Totals{}, []enrich.Fields{emailOnly, emailOnly}, []Judgement{unclear, unclear}},
		"both emails":                 {base, snapshot(0, 0, 10*Dollar-30*Cent), Totals{}, []enrich.Fields{emailOnly, emailOnly}, []Judgement{charged(emailOnly), charged(emailOnly)}},
		"the phone, not the email":    {base, snapshot(0, 0, 10*Dollar-25*Cent), Totals{}, []enrich.Fields{emailOnly, phoneOnly}, []Judgement{none, charged(phoneOnly)}},
		"the phone of a double":       {base, snapshot(0, 0, 10*Dollar-25*Cent), Totals{}, []enrich.Fields{bothOf}, []Judgement{charged(phoneOnly)}},
		"a free email":                {snapshot(3, 0, 0), snapshot(2, 0, 0), Totals{}, []enrich.Fields{emailOnly}, []Judgement{charged(emailOnly)}},
		"a free unit gone elsewhere":  {snapshot(3, 2, 0), snapshot(3, 1, 0), Totals{}, []enrich.Fields{emailOnly}, []Judgement{unclear}},
		"somebody else spent":         {base, snapshot(0, 0, 9*Dollar), Totals{}, []enrich.Fields{emailOnly}, []Judgement{unclear}},
		"answered calls are deducted": {base, snapshot(0, 0, 10*Dollar-45*Cent), booked([2]int64{3, 0}, [2]int64{}, cardRates), []enrich.Fields{emailOnly}, []Judgement{none}},
		// The answered call was booked as paid; the lost one left its free unit to it.
		"a free unit used by another call": {snapshot(1, 0, 10*Dollar), snapshot(0, 0, 10*Dollar), booked([2]int64{1, 0}, [2]int64{}, cardRates), []enrich.Fields{emailOnly}, []Judgement{none}},
		"a deposit hides what was spent":   {base, snapshot(0, 0, 35*Dollar), Totals{}, []enrich.Fields{emailOnly}, []Judgement{unclear}},
		"something reserved at the base":   {reserving(base), base, Totals{}, []enrich.Fields{emailOnly}, []Judgement{unclear}},
		"free allowance unknown":           {Account{}, base, Totals{}, []enrich.Fields{emailOnly}, []Judgement{unclear}},
		// Five emails at 12 cents and a lost one at 15 cost as much as five at 15.
		"prices changed": {base, snapshot(0, 0, 10*Dollar-75*Cent), Totals{Charged: [2]int64{5, 0}, Settled: 60 * Cent}, []enrich.Fields{emailOnly}, []Judgement{unclear}},
	} {
		t.Run(name, func(t *testing.T) {
			evidence := Evidence{Base: c.base, Now: c.now, Booked: c.booked, Prices: cardRates}
			got, why := evidence.Judge(c.asked)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			for _, j := range got {
				if (j.Finding == Undecided) != (why != "") {
					t.Errorf("%v is explained by %q", j.Finding, why)
				}
			}
		})
	}
}

// TestJudgeByWhatIsRounded: prices of fractions of a cent move an account that is shown in
// whole cents by up to a cent more or less.
func TestJudgeByWhatIsRounded(t *testing.T) {
	prices := Prices{enrich.WorkEmail: 12*Cent + Cent/2, enrich.BusinessPhone: 20 * Cent}
	for lost, want := range map[Money]Finding{
		0: NotCharged, 11 * Cent: Undecided, 12 * Cent: Charged, 13 * Cent: Charged, 14 * Cent: Undecided,
	} {
		evidence := Evidence{Base: snapshot(0, 0, Dollar), Now: snapshot(0, 0, Dollar-lost), Prices: prices}
		if got, why := evidence.Judge([]enrich.Fields{emailOnly}); got[0].Finding != want {
			t.Errorf("the account lost %s: %v (%s), want %v", lost, got[0].Finding, why, want)
		}
	}
}

func TestUnexplained(t *testing.T) {
	evidence := Evidence{
		Base: snapshot(9, 5, 10*Dollar), Now: snapshot(6, 4, 9*Dollar),
		Booked: Totals{FreeUsed: [2]int64{1, 2}, Settled: 30 * Cent},
	}
	got, why := evidence.Unexplained()
	if want := (Unexplained{Free: [2]int64{2, -1}, Money: 70 * Cent}); got != want || why != "" {
		t.Errorf("%+v (%s), want %+v", got, why, want)
	}
}

func TestTheBudgetIsNotMovedByDeposits(t *testing.T) {
	base, now := snapshot(0, 0, Dollar), snapshot(0, 0, 26*Dollar-15*Cent)
	period := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	base.Budget = Budget{Known: true, Capped: true, Spent: Known(Dollar), ResetsAt: period}
	now.Budget = Budget{Known: true, Capped: true, Spent: Known(Dollar + 15*Cent), ResetsAt: period}
	got, _ := Evidence{Base: base, Now: now, Prices: cardRates}.Judge([]enrich.Fields{emailOnly})
	if got[0].Finding != Charged {
		t.Errorf("the call is %v, want charged: the budget shows it", got[0].Finding)
	}
	now.Balance.Available = Known(Dollar - 15*Cent) // without a deposit both move alike
	got, why := Evidence{Base: base, Now: now, Prices: cardRates}.Judge([]enrich.Fields{emailOnly})
	if got[0].Finding != Charged {
		t.Errorf("the call is %v (%s), want charged: budget and balance show it", got[0].Finding, why)
	}
	base.Budget = Budget{} // what it had spent before is not known
	got, why = Evidence{Base: base, Now: now, Prices: cardRates}.Judge([]enrich.Fields{emailOnly, emailOnly})
	if got[0].Finding != Undecided || why != "more than one explanation fits" {
		t.Errorf("the call is %v (%s), want undecided: the balance fell by one email", got[0].Finding, why)
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
	unallowed := func(a *Account) { a.Free[enrich.BusinessPhone] = Optional[int64]{} }
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
		"reservations are unknown": {with(unreserved), with(unreserved)},
		"the service shows another price": {
			snapshot(0, 0, 10*Dollar),
			with(func(a *Account) {
				a.Readiness = map[string]Readiness{"find-work-email": {MaximumCharge: Known(12 * Cent)}}
			}),
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, why := Evidence{Base: c.base, Now: c.now, Prices: cardRates}.Judge([]enrich.Fields{emailOnly})
			if got[0].Finding != Undecided || why == "" {
				t.Errorf("the call is %v (%q), want undecided with a reason", got[0].Finding, why)
			}
		})
	}
}

// TestJudgeAgreesWithAllAssignments compares Judge with the enumeration of every
// assignment of charges to lost and answered calls.
func TestJudgeAgreesWithAllAssignments(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		prices := rapid.SampledFrom([]Prices{
			cardRates,
			{enrich.WorkEmail: 12 * Cent, enrich.BusinessPhone: 20 * Cent},
			{enrich.WorkEmail: 10 * Cent, enrich.BusinessPhone: 20 * Cent}, // two emails cost a phone
			{enrich.WorkEmail: 10 * Cent, enrich.BusinessPhone: 10 * Cent},
		}).Draw(t, "prices")
		asked := rapid.SliceOfN(rapid.SampledFrom([]enrich.Fields{emailOnly, phoneOnly, bothOf}), 1, 4).Draw(t, "lost")
		var answered, free [enrich.NumFields]int64
		for f := range answered {
			answered[f] = rapid.Int64Range(0, 3).Draw(t, "answered")
			free[f] = rapid.Int64Range(0, answered[f]).Draw(t, "booked free")
		}
		var used [enrich.NumFields]int64
		for f := range used {
			used[f] = rapid.Int64Range(0, 4).Draw(t, "free units gone")
		}
		lost := 5 * Cent * Money(rapid.Int64Range(0, 30).Draw(t, "money gone"))
		evidence := Evidence{
			Base: snapshot(9, 9, 100*Dollar), Now: snapshot(9-used[0], 9-used[1], 100*Dollar-lost),
			Booked: booked(answered, free, prices), Prices: prices,
		}
		got, _ := evidence.Judge(asked)
		want := enumerate(asked, answered, used, lost, prices)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("(-all assignments +Judge):\n%s", diff)
		}
	})
}

// enumerate tries every set of charged fields for every lost call, and for every
// charged field of lost and answered calls whether it was free.
func enumerate(asked []enrich.Fields, answered, used [enrich.NumFields]int64, lost Money, prices Prices) []Judgement {
	var fitting [][]enrich.Fields
	assignment := make([]enrich.Fields, len(asked))
	var assign func(i int)
	assign = func(i int) {
		if i == len(asked) {
			if canPay(append([]enrich.Fields{}, assignment...), answered, used, lost, prices) {
				fitting = append(fitting, append([]enrich.Fields{}, assignment...))
			}
			return
		}
		for charged := range enrich.AllFields + 1 {
			if charged.Without(asked[i]) == 0 {
				assignment[i] = charged
				assign(i + 1)
			}
		}
	}
	assign(0)
	judgements := make([]Judgement, len(asked))
	for i := range asked {
		judgements[i] = agreed(fitting, i)
	}
	return judgements
}

// canPay tries every choice of who got the free units.
func canPay(charged []enrich.Fields, answered, used [enrich.NumFields]int64, lost Money, prices Prices) bool {
	var fields []enrich.Field
	for _, set := range charged {
		for f := range set.Each() {
			fields = append(fields, f)
		}
	}
	for f, n := range answered {
		for range n {
			fields = append(fields, enrich.Field(f))
		}
	}
	var try func(i int, left [enrich.NumFields]int64, paid Money) bool
	try = func(i int, left [enrich.NumFields]int64, paid Money) bool {
		if i == len(fields) {
			return left == [enrich.NumFields]int64{} && paid == lost
		}
		if left[fields[i]] > 0 {
			fewer := left
			fewer[fields[i]]--
			if try(i+1, fewer, paid) {
				return true
			}
		}
		return paid <= lost && try(i+1, left, paid+prices[fields[i]])
	}
	return try(0, used, 0)
}

// agreed returns what all fitting assignments say of call i.
func agreed(fitting [][]enrich.Fields, i int) Judgement {
	for k, assignment := range fitting {
		if k > 0 && assignment[i] != fitting[0][i] {
			return Judgement{}
		}
	}
	switch {
	case len(fitting) == 0:
		return Judgement{}
	case fitting[0][i] == 0:
		return Judgement{Finding: NotCharged}
	default:
		return Judgement{Finding: Charged, Fields: fitting[0][i]}
	}
}
