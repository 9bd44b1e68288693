package checkpoint

import (
	"slices"
	"testing"
	"time"

	"payonce/checkpoint/attempt"
	"payonce/cost"
	"payonce/io/service/v1"
)

// paidAccount is an idle account without a free allowance and with so much left.
func paidAccount(left cost.Money) cost.Account {
	account := accountWith(0, 0)
	account.ReadAt = start
	account.Balance.Available, account.Balance.Included, account.Balance.Reserved = cost.Known(left), cost.Known(cost.Money(0)), cost.Known(cost.Money(0))
	return account
}

func TestReconcileDecidesByAnExclusiveAccount(t *testing.T) {
	r := newRig(t)
	r.check(r.Rebase(paidAccount(10 * cost.Dollar)))
	r.settle(r.grant(request(person(1), email)), found)
	r.check(r.MarkInDoubt(r.grant(request(person(2), email)).ID, attempt.LostCall{Cause: "lost"}))
	charged := r.grant(request(person(3), email|phone))
	r.reopen() // person 3 was in flight
	// An answered email, and a phone of one of the lost calls.
	reconciled, err := r.Reconcile(paidAccount(10*cost.Dollar-15*cost.Cent-25*cost.Cent), true)
	r.check(err)
	if len(reconciled.Cases) != 2 || reconciled.Why != "" || reconciled.Unexplained.Money() != 25*cost.Cent {
		t.Fatalf("results %+v, want both decided by 0.25 unexplained", reconciled)
	}
	r.reopen()
	r.grant(request(person(2), email)) // not charged: may be asked again
	r.want(r.begin(request(person(3), phone)), attempt.Known{Fields: phone})
	record, err := r.Record(person(3))
	r.check(err)
	if record.States[v1.BusinessPhone] != attempt.PaidAndGone || record.States[v1.WorkEmail] != attempt.Unasked {
		t.Errorf("record %+v, want the phone forfeited and the email askable", record)
	}
	if got := r.Totals(RunScope("run")); got.Settled.Money() != 40*cost.Cent || got.Forfeited != 1 {
		t.Errorf("the run's sums are %+v, want 0.40 settled and one forfeited", got)
	}
	res, _, err := r.Resolution(charged.ID)
	r.check(err)
	if res.State != attempt.Forfeited || res.Charge.Money() != 25*cost.Cent {
		t.Errorf("resolution %+v", res)
	}
}

// TestASharedAccountNeverProvesACharge: somebody else may have spent what is gone. A call
// for which too little is gone may be asked again.
func TestASharedAccountNeverProvesACharge(t *testing.T) {
	r := newRig(t)
	r.check(r.Rebase(paidAccount(10 * cost.Dollar)))
	r.check(r.MarkInDoubt(r.grant(request(person(1), email|phone)).ID, attempt.LostCall{Cause: "lost"}))
	r.check(r.MarkInDoubt(r.grant(request(person(2), email)).ID, attempt.LostCall{Cause: "lost"}))
	r.check(r.MarkInDoubt(r.grant(request(person(3), phone)).ID, attempt.LostCall{Cause: "lost"}))
	// In truth the email of the first was charged, and somebody else spent 5 cents.
	reconciled, err := r.Reconcile(paidAccount(10*cost.Dollar-20*cost.Cent), false)
	r.check(err)
	var got []cost.Result
	for _, c := range reconciled.Cases {
		got = append(got, c.Result)
	}
	if want := []cost.Result{cost.Undecided, cost.Undecided, cost.NotCharged}; !slices.Equal(got, want) || reconciled.Why == "" {
		t.Errorf("results %v (%s), want %v", got, reconciled.Why, want)
	}
	r.want(r.begin(request(person(1), email)), attempt.Unsettled{Fields: email})
	r.grant(request(person(3), phone))
	if in, held := r.InDoubt(""); in != 2 || held != 20*cost.Cent {
		t.Errorf("%d in doubt hold $%s, want 2 with the $0.20 that is gone", in, held)
	}
	if got := r.Totals(ScopeAll).Settled.Money(); got != 0 {
		t.Errorf("$%s is booked on evidence alone", got)
	}
}

// TestADepositLeavesLossesUndecidedUntilTheNextBase: also by a journal that was opened again, until the
// next base.
func TestADepositLeavesLossesUndecidedUntilTheNextBase(t *testing.T) {
	r := newRig(t)
	r.check(r.Rebase(paidAccount(10 * cost.Dollar)))
	r.check(r.MarkInDoubt(r.grant(request(person(1), email)).ID, attempt.LostCall{Cause: "lost"}))
	r.check(r.NoteReading(r.Base(), paidAccount(12*cost.Dollar), cost.Totals{}))
	r.reopen()
	reconciled, err := r.Reconcile(paidAccount(10*cost.Dollar), false)
	r.check(err)
	if reconciled.Cases[0].Result != cost.Undecided {
		t.Errorf("the call is %v, want undecided: a deposit hides what was spent", reconciled.Cases[0].Result)
	}
	r.check(r.MarkInDoubt(r.grant(request(person(2), email)).ID, attempt.LostCall{Cause: "lost"}))
	reconciled, err = r.Reconcile(paidAccount(10*cost.Dollar), false)
	r.check(err)
	if got := reconciled.Cases[1].Result; got != cost.NotCharged {
		t.Errorf("after the next base the call is %v, want not charged", got)
	}
}

// TestAnAssumptionMakesTheRestUndecidable: what somebody assumed may be wrong, and
// then the account proves something else about the others.
func TestAnAssumptionMakesTheRestUndecidable(t *testing.T) {
	r := newRig(t)
	r.check(r.Rebase(paidAccount(10 * cost.Dollar)))
	both := r.grant(request(person(1), email|phone))
	r.check(r.MarkInDoubt(both.ID, attempt.LostCall{Cause: "lost"}))
	r.check(r.MarkInDoubt(r.grant(request(person(2), phone)).ID, attempt.LostCall{Cause: "lost"}))
	r.check(r.Assume(true, both.ID))
	// In truth 0.15 of the first and 0.25 of the second were charged: 0.40, as assumed.
	reconciled, err := r.Reconcile(paidAccount(10*cost.Dollar-40*cost.Cent), true)
	r.check(err)
	for _, c := range reconciled.Cases {
		if c.Result != cost.Undecided {
			t.Errorf("attempt %d is %v, want undecided", c.ID, c.Result)
		}
	}
	r.want(r.begin(request(person(2), phone)), attempt.Unsettled{Fields: phone})
}

func TestWhatWasForfeitedIsBoughtAgainOnlyOnRequest(t *testing.T) {
	r := newRig(t)
	lost := r.grant(request(person(1), email))
	r.check(r.MarkInDoubt(lost.ID, attempt.LostCall{Cause: "lost"}))
	r.check(r.Assume(true, lost.ID))
	r.want(r.begin(request(person(1), email)), attempt.Known{Fields: email})
	again := request(person(1), email)
	again.Reask.Forfeited = true
	r.settle(r.grant(again), found)
	r.reopen()
	record, err := r.Record(person(1))
	r.check(err)
	if got := record.Earlier[v1.WorkEmail]; len(got) != 1 || got[0] != lost.ID {
		t.Errorf("the charges before are of attempts %v, want %d", got, lost.ID)
	}
	if got := r.Totals(ScopeAll).Settled.Money(); got != 30*cost.Cent {
		t.Errorf("settled %s, want 0.30: it was paid for twice on request", got)
	}
}

func TestAPauseIsNotLengthenedByAClockSetBack(t *testing.T) {
	r := newRig(t)
	ticket := r.grant(request(person(1), email))
	r.check(r.Release(ticket.ID, attempt.Release{Reason: "rate_limited", Sent: true, PauseUntil: start.Add(time.Minute)}))
	r.clock.at = start.AddDate(0, -1, 0)
	r.reopen()
	r.want(r.begin(request(person(2), email)), attempt.Later{Until: r.clock.at.Add(time.Minute), Asked: true})
}
