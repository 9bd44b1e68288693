package checkpoint

import (
	"errors"
	"testing"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/record"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/service/v1"
)

// freeAndPaid is an idle account with free units and with so much left.
func freeAndPaid(emails int64, left cost.Money) cost.Account {
	account := paidAccount(left)
	account.Free[v1.WorkEmail] = cost.Known(emails)
	return account
}

// wantBooked compares the money of the journal, the bounds of it, the free units, and the
// sum of the attempts' charges.
func (r *rig) wantBooked(least, most cost.Money, free int64) {
	r.t.Helper()
	totals := r.Totals(RunScope("run"))
	mayBeFree, err := r.MayBeFree(RunScope("run"))
	r.check(err)
	if totals.Settled.Money()-mayBeFree != least || totals.Settled.Money() != most || totals.Settled[freeEmails] != free {
		r.t.Errorf("booked $%s to $%s and %d free emails, want $%s to $%s and %d",
			totals.Settled.Money()-mayBeFree, totals.Settled.Money(), totals.Settled[freeEmails], least, most, free)
	}
	var charged cost.Money
	r.check(r.Attempts(start.AddDate(-1, 0, 0), start.AddDate(1, 0, 0), func(e attempt.Entry) error {
		charged += e.Charge.Money()
		return nil
	}))
	if charged != most {
		r.t.Errorf("the attempts are charged $%s, want $%s", charged, most)
	}
	wantSound(r.t, r.store)
}

// TestAnswersAfterALostCallAreCorrected: the lost call held the only free unit and was not
// charged, so a later answer was free. Until the account shows that, it may have been paid.
func TestAnswersAfterALostCallAreCorrected(t *testing.T) {
	r := newRig(t)
	r.check(r.Rebase(freeAndPaid(1, cost.Dollar)))
	r.check(r.MarkInDoubt(r.grant(request(person(1), email)).ID, attempt.LostCall{Cause: "lost"}))
	for n := 2; n <= 4; n++ {
		r.settle(r.grant(request(person(n), email)), found)
	}
	r.wantBooked(30*cost.Cent, 45*cost.Cent, 0)
	r.reopen()
	r.wantBooked(30*cost.Cent, 45*cost.Cent, 0)
	if !r.AwaitsAccount() {
		t.Error("the journal does not await the account")
	}
	reconciled, err := r.Reconcile(freeAndPaid(0, cost.Dollar-30*cost.Cent), false)
	r.check(err)
	if reconciled.Cases[0].Result != cost.NotCharged {
		t.Errorf("the lost call is %v (%s), want not charged", reconciled.Cases[0].Result, reconciled.Why)
	}
	r.wantBooked(30*cost.Cent, 30*cost.Cent, 1)
	r.reopen()
	r.wantBooked(30*cost.Cent, 30*cost.Cent, 1)
	res, _, err := r.Resolution(2)
	r.check(err)
	if res.Charge != free(email) {
		t.Errorf("the first answer is charged %+v, want free", res.Charge)
	}
}

// TestADoubtFromBeforeTheBaseHoldsNoFreeUnit: a base is net of what earlier calls used, so a call that
// stays in doubt does not make later answers look paid.
func TestADoubtFromBeforeTheBaseHoldsNoFreeUnit(t *testing.T) {
	r := newRig(t)
	r.check(r.Rebase(freeAndPaid(5, cost.Dollar)))
	for n := 1; n <= 3; n++ {
		r.check(r.MarkInDoubt(r.grant(request(person(n), email)).ID, attempt.LostCall{Cause: "lost"}))
	}
	reconciled, err := r.Reconcile(freeAndPaid(2, cost.Dollar), false) // each may have used one
	r.check(err)
	if reconciled.Cases[0].Result != cost.Undecided {
		t.Fatalf("the first call is %v, want undecided", reconciled.Cases[0].Result)
	}
	r.settle(r.grant(request(person(4), email)), found)
	r.settle(r.grant(request(person(5), email)), found)
	r.wantBooked(0, 0, 2)
	r.settle(r.grant(request(person(6), email)), found)
	r.wantBooked(15*cost.Cent, 15*cost.Cent, 2)
}

// TestChargesAreCertainWithoutLosses: of a strict run, too. It holds the full price and books
// it, never less than was charged.
func TestChargesAreCertainWithoutLosses(t *testing.T) {
	for _, strict := range []bool{false, true} {
		r := newRig(t)
		r.check(r.Rebase(freeAndPaid(2, cost.Dollar)))
		for n := 1; n <= 3; n++ {
			req := request(person(n), email)
			req.Strict = strict
			r.settle(r.grant(req), found)
		}
		if strict {
			r.wantBooked(45*cost.Cent, 45*cost.Cent, 0)
		} else {
			r.wantBooked(15*cost.Cent, 15*cost.Cent, 2)
		}
		if r.AwaitsAccount() {
			t.Errorf("strict %t: the journal awaits the account", strict)
		}
	}
}

// TestAChargeMayStayUpToItsPrice: somebody else may have spent as much, so the charge keeps
// its bounds while the call is in doubt, and what becomes of the call decides.
func TestAChargeMayStayUpToItsPrice(t *testing.T) {
	for _, charged := range []bool{true, false} {
		r := newRig(t)
		r.check(r.Rebase(freeAndPaid(1, cost.Dollar)))
		lost := r.grant(request(person(1), email))
		r.check(r.MarkInDoubt(lost.ID, attempt.LostCall{Cause: "lost"}))
		r.settle(r.grant(request(person(2), email)), found)
		_, err := r.Reconcile(freeAndPaid(0, cost.Dollar-15*cost.Cent), false)
		r.check(err)
		r.wantBooked(0, 15*cost.Cent, 0)
		r.reopen()
		r.check(r.Assume(charged, lost.ID))
		free := int64(0)
		if charged {
			free = 1 // the lost call's
		}
		r.wantBooked(15*cost.Cent, 15*cost.Cent, free)
		if len(r.Provisional()) > 0 {
			t.Error("a charge is provisional after everything was decided")
		}
	}
}

// TestWhatIsAssumedNeverExceedsTheAccount: a call is assumed to be charged for both of its
// fields, and the account of its period lost less.
func TestWhatIsAssumedNeverExceedsTheAccount(t *testing.T) {
	r := newRig(t)
	r.check(r.Rebase(freeAndPaid(1, cost.Dollar)))
	lost := r.grant(request(person(1), email|phone))
	r.check(r.MarkInDoubt(lost.ID, attempt.LostCall{Cause: "lost"}))
	r.settle(r.grant(request(person(2), email)), found)
	_, err := r.Reconcile(freeAndPaid(0, cost.Dollar-25*cost.Cent), false) // the phone; the answer was free
	r.check(err)
	r.wantBooked(0, 15*cost.Cent, 0)
	r.check(r.Assume(true, lost.ID))
	r.wantBooked(25*cost.Cent, 25*cost.Cent, 2)
}

// TestExclusiveEvidenceChargesFreeUnitsOnce: the lost calls were charged, and the unit that
// one of them held paid for one of them.
func TestExclusiveEvidenceChargesFreeUnitsOnce(t *testing.T) {
	r := newRig(t)
	r.check(r.Rebase(freeAndPaid(1, cost.Dollar)))
	r.check(r.MarkInDoubt(r.grant(request(person(1), email)).ID, attempt.LostCall{Cause: "lost"}))
	r.check(r.MarkInDoubt(r.grant(request(person(2), email)).ID, attempt.LostCall{Cause: "lost"}))
	r.settle(r.grant(request(person(3), email)), found)
	_, err := r.Reconcile(freeAndPaid(0, cost.Dollar-30*cost.Cent), true)
	r.check(err)
	r.wantBooked(30*cost.Cent, 30*cost.Cent, 1)
	if in, _ := r.InDoubt(""); in != 0 {
		t.Errorf("%d are in doubt", in)
	}
}

// TestAnUndecidedCallKeepsItsFreeUnit: another call that was charged does not take it.
func TestAnUndecidedCallKeepsItsFreeUnit(t *testing.T) {
	r := newRig(t)
	account := paidAccount(cost.Dollar)
	account.Free[v1.BusinessPhone] = cost.Known[int64](1)
	r.check(r.Rebase(account))
	for n, fields := range []enrich.Fields{email | phone, phone, email} {
		r.check(r.MarkInDoubt(r.grant(request(person(n), fields)).ID, attempt.LostCall{Cause: "lost"}))
	}
	// The first was charged for both, the second for its phone, the third for nothing.
	_, err := r.Reconcile(paidAccount(cost.Dollar-40*cost.Cent), true)
	r.check(err)
	totals := r.Totals(ScopeAll)
	if totals.Settled.Money()+totals.Held.Money() < 40*cost.Cent {
		t.Errorf("$%s is settled and $%s held, less than the $0.40 that was charged", totals.Settled.Money(), totals.Held.Money())
	}
}

// TestAnAssumedChargeIsNoMoreThanTheAccountLost: the call that held no unit was charged, and
// took the one that the other had held.
func TestAnAssumedChargeIsNoMoreThanTheAccountLost(t *testing.T) {
	r := newRig(t)
	r.check(r.Rebase(freeAndPaid(1, cost.Dollar)))
	first, second := r.grant(request(person(1), email)), attempt.Ticket{}
	r.check(r.MarkInDoubt(first.ID, attempt.LostCall{Cause: "lost"}))
	second = r.grant(request(person(2), email))
	r.check(r.MarkInDoubt(second.ID, attempt.LostCall{Cause: "lost"}))
	_, err := r.Reconcile(freeAndPaid(0, cost.Dollar), false)
	r.check(err)
	r.reopen()
	r.check(r.Assume(true, second.ID))
	r.check(r.Assume(false, first.ID))
	r.wantBooked(0, 0, 1)
}

// TestAStrictLookupOnTheBaseCorrectsNothing: what it booked too much is no other charge's.
func TestAStrictLookupOnTheBaseCorrectsNothing(t *testing.T) {
	r := newRig(t)
	r.check(r.Rebase(freeAndPaid(1, cost.Dollar)))
	r.check(r.MarkInDoubt(r.grant(request(person(1), email)).ID, attempt.LostCall{Cause: "lost"}))
	strict := request(person(2), email)
	strict.Strict = true
	r.settle(r.grant(strict), found)
	r.settle(r.grant(request(person(3), email)), found)
	_, err := r.Reconcile(freeAndPaid(0, cost.Dollar-15*cost.Cent), false)
	r.check(err)
	if got := r.Totals(ScopeAll).Settled.Money(); got < 15*cost.Cent {
		t.Errorf("$%s is booked, and $0.15 was charged", got)
	}
}

// TestAnErrorDuringACorrectionStopsTheJournal: what it has changed in memory must not be written
// without the records that belong to it.
func TestAnErrorDuringACorrectionStopsTheJournal(t *testing.T) {
	r := newRig(t)
	r.check(r.Rebase(freeAndPaid(1, cost.Dollar)))
	r.check(r.MarkInDoubt(r.grant(request(person(1), email)).ID, attempt.LostCall{Cause: "lost"}))
	answered := r.grant(request(person(2), email))
	r.settle(answered, found)
	kept := r.store.records[string(record.IDKey('r', answered.ID))]
	r.store.records[string(record.IDKey('r', answered.ID))] = []byte("damaged")
	if _, err := r.Reconcile(freeAndPaid(0, cost.Dollar), false); !errors.Is(err, ErrFailed) {
		t.Fatalf("error %v, want the journal to stop", err)
	}
	if _, err := r.Begin(request(person(3), email)); !errors.Is(err, ErrFailed) {
		t.Errorf("error %v, want a stopped journal", err)
	}
	r.store.records[string(record.IDKey('r', answered.ID))] = kept
	r.reopen()
	wantSound(t, r.store)
}
