package checkpoint

import (
	"errors"
	"testing"
	"time"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/record"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/service/v1"
)

// secondID identifies the second account of the tests.
var secondID = AccountID{Interface: "v1", Service: "https://second.example", Key: "key-two"}

// account returns the journal as an account sees it, whose rate is that of the rig.
func (r *rig) account(id AccountID) *rig {
	r.t.Helper()
	number, err := r.Account(id, AccountOptions{Rate: r.rate, Catalogue: v1.Catalogue()})
	r.check(err)
	on, err := r.For(number)
	r.check(err)
	return &rig{Journal: on, t: r.t, store: r.store, clock: r.clock, rate: r.rate}
}

// TestTheWindowAndThePricesOfEachAccountAreRecorded: a copy of the journal tells what its calls were held by.
func TestTheWindowAndThePricesOfEachAccountAreRecorded(t *testing.T) {
	r := newRig(t)
	r.settle(r.grant(request(person(1), email)), found)
	second := r.account(secondID)
	req := request(person(1), email)
	req.Rates = tariff.At(cost.Prices{v1.WorkEmail: 7 * cost.Cent})
	second.settle(second.grant(req), found)
	state, known, err := record.Load[record.State](r.store, record.StateKey)
	r.check(err)
	if !known || len(state.Others) != 1 {
		t.Fatalf("the state has %d other accounts", len(state.Others))
	}
	for n, want := range []cost.Money{15 * cost.Cent, 7 * cost.Cent} {
		account := append([]record.Account{state.Account}, state.Others...)[n]
		if got := account.Rates[v1.WorkEmail].Price(); got != want {
			t.Errorf("account %d: an email costs $%s, want $%s", n, got, want)
		}
		if account.RateSlots != int64(r.rate.Slots) || account.RateWindow != r.rate.Window {
			t.Errorf("account %d: %d calls in %s, want %+v", n, account.RateSlots, account.RateWindow, r.rate)
		}
	}
}

func TestAnAnswerOfOneAccountIsNotThatOfAnother(t *testing.T) {
	r := newRig(t)
	r.settle(r.grant(request(person(1), email)), found)
	for range 2 {
		second := r.account(secondID)
		if got := second.Number(); got != 1 {
			t.Fatalf("the second account has the number %d, want 1", got)
		}
		known, err := second.Record(person(2))
		r.check(err)
		if known.States[v1.WorkEmail] != attempt.Unasked {
			t.Errorf("the second account knows %v of a person that it was not asked for", known.States)
		}
		r.reopen()
	}
	second := r.account(secondID)
	ticket := second.grant(request(person(1), email))
	r.want(r.begin(request(person(1), email)), attempt.Known{Fields: email})
	r.want(second.begin(request(person(1), email)), attempt.Blocked{})
	second.settle(ticket, v1.Answer{Status: enrich.NotFound})
	for range 2 {
		for on, want := range map[*rig]attempt.FieldState{r: attempt.Found, second: attempt.Missing} {
			for _, known := range []func() (attempt.Record, error){
				func() (attempt.Record, error) { return on.Record(person(1)) },
				func() (attempt.Record, error) { return on.RecordOf(on.Key(person(1)), enrich.PossibleFields) },
				func() (attempt.Record, error) {
					return on.RecordOf(on.KeyOf([]byte(person(1).Canonical())), enrich.PossibleFields)
				},
			} {
				got, err := known()
				r.check(err)
				if got.States[v1.WorkEmail] != want {
					t.Errorf("account %d: state %d, want %d", on.Number(), got.States[v1.WorkEmail], want)
				}
			}
			on.want(on.begin(request(person(1), email)), attempt.Known{Fields: email})
		}
		r.reopen()
		second = r.account(secondID)
	}
	wantSound(t, r.store)
}

func TestARequestNamesItsAccount(t *testing.T) {
	r := newRig(t)
	second := r.account(secondID)
	third := r.account(AccountID{Interface: "v1", Service: secondID.Service, Key: "key-three"})
	named := request(person(1), email)
	named.Account = 1
	r.settle(r.grant(named), found)
	second.want(second.begin(request(person(1), email)), attempt.Known{Fields: email})
	r.grant(request(person(1), email))
	third.grant(request(person(1), email))
	if _, err := third.Begin(named); err == nil {
		t.Error("a request for account 1 began on the journal of account 2")
	}
	named.Account = 3
	if _, err := r.Begin(named); err == nil {
		t.Error("a request began for an account that the journal does not have")
	}
	var accounts []attempt.Account
	r.check(r.Attempts(time.Time{}, time.Time{}, func(e attempt.Entry) error {
		accounts = append(accounts, e.Account)
		return nil
	}))
	if len(accounts) != 3 || accounts[0] != 1 || accounts[1] != 0 || accounts[2] != 2 {
		t.Errorf("the attempts are of the accounts %d, want 1, 0 and 2", accounts)
	}
}

func TestAnAccountKeepsItsNumber(t *testing.T) {
	r := newRig(t)
	r.check(r.RecordAPIKey("key-one"))
	first := AccountID{Interface: v1.Catalogue().Interface, Service: "https://first.example", Key: "key-one"}
	otherKey, otherURL := secondID, secondID
	otherKey.Key, otherURL.Service = "key-three", "https://third.example"
	for range 2 {
		for want, id := range []AccountID{first, secondID, otherKey, otherURL} {
			if got := r.account(id).Number(); got != attempt.Account(want) {
				t.Errorf("%v has the number %d, want %d", id, got, want)
			}
		}
		r.reopen()
	}
	if got := r.Accounts(); got != 4 {
		t.Errorf("the journal has %d accounts, want 4", got)
	}
	second := r.account(secondID)
	if err := second.CheckAPIKey("key-four", false); !errors.Is(err, ErrOtherKey) {
		t.Errorf("error %v, want that it is another key", err)
	}
	r.check(second.CheckAPIKey("key-two", false))
	r.check(second.RecordAPIKey("key-four"))
	renewed := secondID
	renewed.Key = "key-four"
	r.reopen()
	if got := r.account(renewed).Number(); got != 1 {
		t.Errorf("with its new key the account has the number %d, want 1", got)
	}
	wantSound(t, r.store)
}

func TestCallsOfAnAccountThatWasNotOpenedDoNotBegin(t *testing.T) {
	r := newRig(t)
	r.account(secondID)
	r.reopen()
	second, err := r.For(1)
	r.check(err)
	if _, err := second.Begin(request(person(1), email)); err == nil {
		t.Error("a call began although the rate of its account is not known")
	}
	if err := second.Rebase(paidAccount(cost.Dollar)); err == nil {
		t.Error("a snapshot became the base although the meters of the account are not known")
	}
	if _, err := second.Reconcile(paidAccount(cost.Dollar), true); err == nil {
		t.Error("a snapshot was compared although the meters of the account are not known")
	}
	if _, err := r.For(2); err == nil {
		t.Error("the journal has an account 2")
	}
}

// TestTheFirstAccountIsNotRegisteredAgain: until its key is known, nobody can tell whether it is the same.
func TestTheFirstAccountIsNotRegisteredAgain(t *testing.T) {
	const url = "https://first.example"
	first := AccountID{Interface: v1.Catalogue().Interface, Service: url, Key: "key-one"}
	terms := AccountOptions{Rate: Rate{Slots: 1, Window: time.Minute}, Catalogue: v1.Catalogue()}
	j, err := New(newMemStore(), Options{Rate: terms.Rate, Catalogue: terms.Catalogue, Service: url, Now: (&clock{start}).now})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if number, err := j.Account(first, terms); err == nil {
		t.Errorf("it has the number %d before its key is known", number)
	}
	if err := j.RecordAPIKey(first.Key); err != nil {
		t.Fatal(err)
	}
	if number, err := j.Account(first, terms); number != 0 || err != nil {
		t.Errorf("it has the number %d, error %v", number, err)
	}
	other := first
	other.Key = "key-two"
	if number, err := j.Account(other, terms); number != 1 || err != nil {
		t.Errorf("with another key it has the number %d, error %v", number, err)
	}
}

// TestWindowsAndPausesAreThoseOfAnAccount has two accounts of one slot.
func TestWindowsAndPausesAreThoseOfAnAccount(t *testing.T) {
	r := newRig(t)
	r.rate = Rate{Slots: 1, Window: time.Minute}
	r.reopen()
	second := r.account(secondID)
	a, b := r.grant(request(person(1), email)), second.grant(request(person(1), email))
	r.want(r.begin(request(person(2), email)), attempt.Blocked{})
	second.want(second.begin(request(person(2), email)), attempt.Blocked{})
	r.settle(a, found)
	firstFree := r.clock.at.Add(time.Minute)
	r.clock.at = r.clock.at.Add(10 * time.Second)
	second.settle(b, found)
	secondFree := r.clock.at.Add(time.Minute)
	for range 2 {
		r.want(r.begin(request(person(2), email)), attempt.Later{Until: firstFree})
		second.want(second.begin(request(person(2), email)), attempt.Later{Until: secondFree})
		r.reopen()
		second = r.account(secondID)
	}
	r.clock.at = secondFree
	until := r.clock.at.Add(time.Hour)
	r.check(second.Release(second.grant(request(person(2), email)).ID, attempt.Release{Reason: "slow down", PauseUntil: until}))
	for range 2 {
		second.want(second.begin(request(person(3), email)), attempt.Later{Until: until, Asked: true})
		r.check(r.Release(r.grant(request(person(3), email)).ID, attempt.Release{Reason: "not sent"}))
		r.reopen()
		second = r.account(secondID)
	}
	if ended, err := r.EndPause(); err != nil || !ended.IsZero() {
		t.Errorf("a pause until %v ended, error %v", ended, err)
	}
	if ended, err := second.EndPause(); err != nil || !ended.Equal(until) {
		t.Errorf("a pause until %v ended, error %v", ended, err)
	}
}

// TestTheSlotsOfAnAccountAreFoundBehindThoseOfAnother has many calls of the first account after one of
// the second, and the reverse.
func TestTheSlotsOfAnAccountAreFoundBehindThoseOfAnother(t *testing.T) {
	r := newRig(t)
	second := r.account(secondID)
	second.settle(second.grant(request(person(0), email)), found)
	for n := range 300 {
		r.settle(r.grant(request(person(n), email)), found)
	}
	r.reopen()
	second = r.account(secondID)
	if got := len(second.own().Window.Cooling); got != 1 {
		t.Errorf("%d slots of the second account are taken, want 1", got)
	}
	if got := len(r.own().Window.Cooling); got != 300 {
		t.Errorf("%d slots of the first account are taken, want 300", got)
	}
}

func TestCommonCeilingsCountTheCallsOfAllAccounts(t *testing.T) {
	r := newRig(t)
	second := r.account(secondID)
	for _, ceiling := range []cost.Ceiling{
		cost.SpendCeiling("run", RunScope("run"), 40*cost.Cent),
		{Name: "job", Scope: JobScope("run"), Period: cost.Month, Limit: int64(40 * cost.Cent)},
		{Name: "workspace", Scope: WorkspaceScope, Period: cost.Day, Limit: int64(40 * cost.Cent)},
		{Name: "lookups", Scope: RunScope("run"), Meter: cost.Lookups, Limit: 2},
	} {
		a := r.grant(request(person(1), email, ceiling))
		second.grant(request(person(1), email, ceiling))
		second.want(second.begin(request(person(2), email, ceiling)), attempt.Blocked{})
		r.settle(a, found)
		r.reopen() // which puts the call of the second account in doubt
		second = r.account(secondID)
		for n, on := range []*rig{r, second} {
			if over, ok := on.begin(request(person(3), email, ceiling)).(attempt.Over); !ok || over.Left >= over.Need {
				t.Errorf("%s, account %d: %#v", ceiling.Name, n, over)
			}
		}
		wantSound(t, r.store)
		r.store, r.Journal = newMemStore(), nil
		r.reopen()
		second = r.account(secondID)
	}
}

// TestAnAccountsOwnCeilingsCountItsCallsAlone has free units, a balance and units of meters with the
// same numbers in two accounts.
func TestAnAccountsOwnCeilingsCountItsCallsAlone(t *testing.T) {
	r := newRig(t)
	second := r.account(secondID)
	r.check(r.Rebase(freeAndPaid(1, 15*cost.Cent)))
	r.check(second.Rebase(freeAndPaid(2, 15*cost.Cent)))
	units := cost.Ceiling{Name: "free emails", Scope: RunScope("run"), Meter: rates[v1.WorkEmail].Allowance, Limit: 2}
	for n, want := range []cost.Charge{free(email), {Paid: email, Amounts: cost.OfMoney(15 * cost.Cent)}} {
		if got := r.settle(r.grant(request(person(n), email, units)), found); got != want {
			t.Errorf("the first account charged %+v for person %d, want %+v", got, n, want)
		}
	}
	for n, want := range []cost.Charge{free(email), free(email), {Paid: email, Amounts: cost.OfMoney(15 * cost.Cent)}} {
		if got := second.settle(second.grant(request(person(n), email, units)), found); got != want {
			t.Errorf("the second account charged %+v for person %d, want %+v", got, n, want)
		}
	}
	for _, on := range []*rig{r, second} {
		if over, ok := on.begin(request(person(9), email)).(attempt.Over); !ok || over.Ceiling.Name != cost.AccountBalance {
			t.Errorf("account %d: %#v, want the balance", on.Number(), over)
		}
	}
	r.check(second.Rebase(freeAndPaid(5, cost.Dollar)))
	if over, ok := second.begin(request(person(9), email, units)).(attempt.Over); !ok || over.Ceiling != units {
		t.Errorf("%#v, want the ceiling on units, of which the second account has used two", over)
	}
	r.want(r.begin(request(person(8), email)), attempt.Over{
		Ceiling: cost.SpendCeiling(cost.AccountBalance, ScopeAccount, 15*cost.Cent), Need: int64(15 * cost.Cent),
	})
	want := cost.OfMoney(30 * cost.Cent)
	want[units.Meter] = 1
	if got := r.Totals(RunScope("run")).Settled; got != want {
		t.Errorf("the run has settled %v, want the money of both accounts and the units of the first", got)
	}
	for n, got := range r.AccountTotals(RunScope("none"), RunScope("run")) {
		want := cost.OfMoney(15 * cost.Cent)
		want[units.Meter] = int64(n + 1)
		if got.Settled != want || got.EverHeld != want || got.Lookups != int64(n+2) || got.Whole != got.Lookups || got.Held != (cost.Amounts{}) || got.Open != 0 {
			t.Errorf("account %d has the sums %+v, want its own alone: %v", n, got, want)
		}
	}
	wantSound(t, r.store)
}

// TestEvidenceOfAnAccountIsAboutItsCallsAlone: each account lost one call in a crash, and only the second
// account was charged.
func TestEvidenceOfAnAccountIsAboutItsCallsAlone(t *testing.T) {
	r := newRig(t)
	second := r.account(secondID)
	r.check(r.Rebase(paidAccount(10 * cost.Dollar)))
	r.check(second.Rebase(paidAccount(10 * cost.Dollar)))
	r.settle(r.grant(request(person(5), email)), found)
	a := r.grant(request(person(1), email)).ID
	b := second.grant(request(person(1), email)).ID
	if err := second.Rebase(paidAccount(cost.Dollar)); err == nil {
		t.Error("the base moved while a call was in flight")
	}
	r.reopen()
	second = r.account(secondID)
	if doubts := r.Doubts(); len(doubts) != 1 || doubts[0].ID != a {
		t.Errorf("the first account doubts %+v", doubts)
	}
	if doubts := second.Doubts(); len(doubts) != 1 || doubts[0].ID != b || doubts[0].Account != 1 {
		t.Errorf("the second account doubts %+v", doubts)
	}
	if count, held := r.InDoubt(""); count != 2 || held != 30*cost.Cent {
		t.Errorf("%d calls in doubt hold $%s, want those of both accounts", count, held)
	}
	flying := second.grant(request(person(7), email)).ID // of another account than the snapshot
	reconciled, err := r.Reconcile(paidAccount(10*cost.Dollar-15*cost.Cent), true)
	r.check(err)
	if len(reconciled.Cases) != 1 || reconciled.Cases[0].Result != cost.NotCharged {
		t.Errorf("the first account: %+v, want that its call was not charged", reconciled)
	}
	if doubts := second.Doubts(); len(doubts) != 1 {
		t.Errorf("the snapshot of the first account left the doubts %+v of the second", doubts)
	}
	r.check(r.Release(flying, attempt.Release{Reason: "not sent"}))
	reconciled, err = second.Reconcile(paidAccount(10*cost.Dollar-15*cost.Cent), true)
	r.check(err)
	if len(reconciled.Cases) != 1 || reconciled.Cases[0].Result != cost.Charged {
		t.Errorf("the second account: %+v, want that its call was charged", reconciled)
	}
	r.grant(request(person(1), email))
	second.want(second.begin(request(person(1), email)), attempt.Known{Fields: email})
	wantSound(t, r.store)
}

// TestAnAssumptionAboutOneAccountLeavesTheDoubtsOfAnotherDecidable: it may be wrong, but the account of the
// others does not show it.
func TestAnAssumptionAboutOneAccountLeavesTheDoubtsOfAnotherDecidable(t *testing.T) {
	r := newRig(t)
	second := r.account(secondID)
	r.check(r.Rebase(paidAccount(10 * cost.Dollar)))
	r.check(second.Rebase(paidAccount(10 * cost.Dollar)))
	r.lose(1, email, "run")
	assumed := second.lose(1, email, "run")
	second.lose(2, email, "run")
	r.check(r.Assume(false, assumed))
	if doubts := r.Doubts(); len(doubts) != 1 || !doubts[0].Decidable || !r.AwaitsAccount() {
		t.Errorf("the first account doubts %+v, want one that can be decided", doubts)
	}
	if doubts := second.Doubts(); len(doubts) != 1 || doubts[0].Decidable || second.AwaitsAccount() {
		t.Errorf("the second account doubts %+v, want one that cannot be decided", doubts)
	}
}
