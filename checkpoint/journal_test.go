package checkpoint

import (
	"bytes"
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/record"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/service/v1"
)

var (
	email      = enrich.FieldsOf(v1.WorkEmail)
	phone      = enrich.FieldsOf(v1.BusinessPhone)
	tariff     = cost.AllowancePerField(v1.Catalogue())
	rates      = tariff.At(cost.Prices{v1.WorkEmail: 15 * cost.Cent, v1.BusinessPhone: 25 * cost.Cent})
	freeEmails = tariff.Rates[v1.WorkEmail].Allowance
	start      = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
)

// clock is a clock that the test moves.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

// rig is a journal that can be opened again on the same store.
type rig struct {
	*Journal
	t     *testing.T
	store *memStore
	clock *clock
	rate  Rate
	// catalogue is that of the account's interface; without fields for that of v1.
	catalogue enrich.Catalogue
	tariff    cost.Tariff // without meters for that of v1
}

func newRig(t *testing.T) *rig {
	r := &rig{t: t, store: newMemStore(), clock: &clock{start}, rate: Rate{Slots: 1000, Window: time.Minute}}
	r.reopen()
	t.Cleanup(func() { r.Close() })
	return r
}

// reopen opens the journal again. What was in flight is lost, as in a crash: the
// journal before keeps nothing back that was not durable.
func (r *rig) reopen() {
	r.t.Helper()
	if r.Journal != nil {
		if err := r.Close(); err != nil {
			r.t.Fatal(err)
		}
	}
	var err error
	if len(r.catalogue.Fields) == 0 {
		r.catalogue = v1.Catalogue()
	}
	if r.Journal, err = New(r.store, Options{Rate: r.rate, Now: r.clock.now, Catalogue: r.catalogue, Tariff: r.tariff}); err != nil {
		r.t.Fatal(err)
	}
}

func person(n int) enrich.Identity {
	return enrich.Identity{ProfileURL: "https://pro.example/in/p" + strconv.Itoa(n)}
}

// free is the charge of fields that the free allowance paid for.
func free(fields enrich.Fields) cost.Charge {
	return cost.Hold{Fields: fields, Free: fields, Rates: rates}.Settle(fields)
}

func request(who enrich.Identity, fields enrich.Fields, ceilings ...cost.Ceiling) attempt.Request {
	return attempt.Request{Lookup: enrich.Lookup{Identity: who, Fields: fields}, Run: "run", Rates: rates, Ceilings: ceilings}
}

func (r *rig) begin(req attempt.Request) attempt.Decision {
	r.t.Helper()
	decision, err := r.Begin(req)
	if err != nil {
		r.t.Fatal(err)
	}
	return decision
}

// grant begins a lookup that has to be granted.
func (r *rig) grant(req attempt.Request) attempt.Ticket {
	r.t.Helper()
	decision := r.begin(req)
	granted, ok := decision.(attempt.Granted)
	if !ok {
		r.t.Fatalf("decision %#v, want Granted", decision)
	}
	ticket, err := granted.Ticket()
	if err != nil {
		r.t.Fatal(err)
	}
	return ticket
}

func (r *rig) want(decision attempt.Decision, want attempt.Decision) {
	r.t.Helper()
	if diff := cmp.Diff(want, decision); diff != "" {
		r.t.Fatalf("decision (-want +got):\n%s", diff)
	}
}

func (r *rig) settle(ticket attempt.Ticket, answer v1.Answer) cost.Charge {
	r.t.Helper()
	charge, err := r.Settle(ticket.ID, v1.EncodeAnswer(answer))
	if err != nil {
		r.t.Fatal(err)
	}
	return charge
}

func (r *rig) check(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

var found = v1.Answer{Status: enrich.Matched, WorkEmail: "a@b.example", BusinessPhone: "+15550100", RequestID: "req-1"}

func TestAnAnsweredFieldIsNeverGrantedAgain(t *testing.T) {
	r := newRig(t)
	ticket := r.grant(request(person(1), email))
	r.want(r.begin(request(person(1), email)), attempt.Blocked{})
	r.want(r.begin(request(person(1), email|phone)), attempt.Blocked{})
	r.settle(ticket, v1.Answer{Status: enrich.Matched, WorkEmail: "a@b.example"})
	for range 2 {
		r.want(r.begin(request(person(1), email)), attempt.Known{Fields: email})
		r.want(r.begin(request(person(1), email|phone)), attempt.Known{Fields: email})
		r.reopen()
	}
	r.grant(request(person(1), phone))
}

func TestAnEmptyAnswerIsKeptUntilItsAgeIsNamed(t *testing.T) {
	r := newRig(t)
	r.settle(r.grant(request(person(1), email)), v1.Answer{Status: enrich.NotFound})
	r.want(r.begin(request(person(1), email)), attempt.Known{Fields: email})

	again := request(person(1), email)
	again.Reask.Before = start
	r.want(r.begin(again), attempt.Known{Fields: email})
	again.Reask.Before = start.Add(time.Second)
	r.settle(r.grant(again), found)
	r.want(r.begin(again), attempt.Known{Fields: email}) // found values are never asked again
}

func TestWhatWasInFlightAtACrashIsInDoubt(t *testing.T) {
	r := newRig(t)
	r.grant(request(person(1), email))
	parked := r.grant(request(person(2), email|phone))
	r.check(r.MarkInDoubt(parked.ID, attempt.LostCall{Cause: "time-out"}))
	for range 3 {
		r.reopen()
		r.want(r.begin(request(person(1), email)), attempt.Unsettled{Fields: email})
		r.want(r.begin(request(person(2), email|phone)), attempt.Unsettled{Fields: email | phone})
		if n, held := r.InDoubt(""); n != 2 || held != 55*cost.Cent {
			t.Errorf("%d in doubt hold %s, want 2 and 0.55", n, held)
		}
		if got := r.Totals(RunScope("run")).Held.Money(); got != 55*cost.Cent {
			t.Errorf("the run holds %s, want 0.55", got)
		}
	}
	if cause := r.Doubt(parked.ID); cause != "time-out" {
		t.Errorf("the cause of the doubt is %q", cause)
	}
}

func TestAnAttemptIsResolvedOnce(t *testing.T) {
	r := newRig(t)
	ticket := r.grant(request(person(1), email))
	r.settle(ticket, found)
	if _, err := r.Settle(ticket.ID, v1.EncodeAnswer(found)); err == nil {
		t.Error("it was settled twice")
	}
	if err := r.Release(ticket.ID, attempt.Release{}); err == nil {
		t.Error("it was voided after it was settled")
	}
	if err := r.MarkInDoubt(ticket.ID, attempt.LostCall{Cause: "x"}); err == nil {
		t.Error("it was parked after it was settled")
	}
	if got := r.Totals(ScopeAll).Settled.Money(); got != 15*cost.Cent {
		t.Errorf("settled %s, want 0.15", got)
	}
}

func TestAReleasedLookupMayBeAskedAgainUnlessRejected(t *testing.T) {
	r := newRig(t)
	r.check(r.Release(r.grant(request(person(1), email)).ID, attempt.Release{Reason: "reservation_conflict", Sent: true}))
	ticket := r.grant(request(person(1), email))
	r.check(r.Release(ticket.ID, attempt.Release{Reason: "invalid_identifiers", Sent: true, Reject: true}))
	r.want(r.begin(request(person(1), email)), attempt.Known{Fields: email})
	record, err := r.Record(person(1))
	r.check(err)
	if record.States[v1.WorkEmail] != attempt.Rejected || record.Attempts[v1.WorkEmail] != ticket.ID {
		t.Errorf("the record is %+v, want the email rejected by attempt %d", record, ticket.ID)
	}
}

func TestTheMostRestrictiveOfTwoCeilingsDecides(t *testing.T) {
	r := newRig(t)
	run := cost.SpendCeiling("max-spend", RunScope("run"), 45*cost.Cent)
	month := cost.Ceiling{Name: "monthly", Scope: JobScope("run"), Period: cost.Month, Limit: int64(40 * cost.Cent)}
	first := r.grant(request(person(1), email, run, month))
	second := r.grant(request(person(2), phone, run, month))
	// 0.40 is held: no room under either, but calls in flight may give some back.
	r.want(r.begin(request(person(3), email, run, month)), attempt.Blocked{})
	r.check(r.MarkInDoubt(second.ID, attempt.LostCall{Cause: "time-out"}))
	// Now 0.15 in flight is all that could come back, which is enough for an email.
	r.want(r.begin(request(person(3), email, run, month)), attempt.Blocked{})
	r.want(r.begin(request(person(3), phone, run, month)), attempt.Over{Ceiling: month, Need: int64(25 * cost.Cent), Left: 0})
	r.settle(first, v1.Answer{Status: enrich.NotFound})
	r.settle(r.grant(request(person(3), email, run, month)), found)
	r.reopen()
	r.want(r.begin(request(person(4), email, run, month)), attempt.Over{Ceiling: month, Need: int64(15 * cost.Cent), Left: 0})
	r.want(r.begin(request(person(4), email, run)), attempt.Over{Ceiling: run, Need: int64(15 * cost.Cent), Left: int64(5 * cost.Cent)})
	r.grant(request(person(4), email))
}

func TestAnUnknownPriceIsRefused(t *testing.T) {
	r := newRig(t)
	req := request(person(1), email|phone)
	req.Rates = tariff.At(cost.Prices{v1.WorkEmail: cost.Cent})
	if decision, err := r.Begin(req); err == nil {
		t.Errorf("decision %#v for a lookup of unknown price", decision)
	}
}

func accountWith(emails, phones int64) cost.Account {
	var account cost.Account
	account.Free[v1.WorkEmail], account.Free[v1.BusinessPhone] = cost.Known(emails), cost.Known(phones)
	for f := range account.FreeReserved {
		account.FreeReserved[f] = cost.Known[int64](0)
	}
	return account
}

func TestTheFreeAllowanceIsUsedFirstAndHeldOnce(t *testing.T) {
	r := newRig(t)
	nothing := cost.SpendCeiling("max-spend", RunScope("run"), 0)
	r.check(r.Rebase(accountWith(2, 0)))
	a := r.grant(request(person(1), email, nothing))
	b := r.grant(request(person(2), email, nothing))
	// Both units are held: whether the next is free depends on a call in flight.
	r.want(r.begin(request(person(3), email, nothing)), attempt.Blocked{})
	if charge := r.settle(a, found); charge.Money() != 0 || charge.Free != email {
		t.Errorf("the charge is %+v, want one free email", charge)
	}
	r.settle(b, v1.Answer{Status: enrich.NotFound}) // gives its unit back
	r.reopen()
	c := r.grant(request(person(3), email, nothing))
	r.settle(c, found)
	r.want(r.begin(request(person(4), email, nothing)), attempt.Over{Ceiling: nothing, Need: int64(15 * cost.Cent)})
	if used := r.Totals(RunScope("run")).Settled[freeEmails]; used != 2 {
		t.Errorf("%d free emails used, want 2", used)
	}
}

func TestACallHoldsTheFullPriceWhenTheFreeUnitIsInDoubt(t *testing.T) {
	r := newRig(t)
	r.check(r.Rebase(accountWith(1, 0)))
	r.check(r.MarkInDoubt(r.grant(request(person(1), email)).ID, attempt.LostCall{Cause: "lost"}))
	ticket := r.grant(request(person(2), email))
	if got := ticket.Hold.Money(); got != 15*cost.Cent {
		t.Errorf("the hold is %s, want the full price: the free unit is in doubt", got)
	}
}

func TestStrictHoldsTheFullPrice(t *testing.T) {
	r := newRig(t)
	r.check(r.Rebase(accountWith(5, 5)))
	req := request(person(1), email|phone)
	req.Strict = true
	if got := r.grant(req).Hold.Money(); got != 40*cost.Cent {
		t.Errorf("the hold is %s, want 0.40", got)
	}
}

func TestRebaseNeedsNoCallInFlight(t *testing.T) {
	r := newRig(t)
	r.grant(request(person(1), email))
	if err := r.Rebase(accountWith(20, 5)); err == nil {
		t.Error("a snapshot was taken for the base while a call was in flight")
	}
}

func TestTheWindowIsFreedAfterTheResponse(t *testing.T) {
	r := newRig(t)
	r.rate = Rate{Slots: 2, Window: time.Minute}
	r.reopen()
	a := r.grant(request(person(1), email))
	r.clock.at = start.Add(10 * time.Second)
	b := r.grant(request(person(2), email))
	r.want(r.begin(request(person(3), email)), attempt.Blocked{})
	r.clock.at = start.Add(30 * time.Second)
	r.settle(a, found)
	r.want(r.begin(request(person(3), email)), attempt.Later{Until: start.Add(90 * time.Second)})
	r.reopen() // b is in doubt now; its request may still arrive
	r.want(r.begin(request(person(3), email)), attempt.Later{Until: start.Add(90 * time.Second)})
	r.clock.at = start.Add(90*time.Second - 1)
	r.want(r.begin(request(person(3), email)), attempt.Later{Until: start.Add(90 * time.Second)})
	r.clock.at = start.Add(90 * time.Second)
	if ticket := r.grant(request(person(3), email)); ticket.ID <= b.ID {
		t.Errorf("attempt %d after attempt %d", ticket.ID, b.ID)
	}
}

func TestTheWindowHoldsWhenTheClockIsSetBack(t *testing.T) {
	r := newRig(t)
	r.rate = Rate{Slots: 1, Window: time.Minute}
	r.reopen()
	r.settle(r.grant(request(person(1), email)), found)
	r.clock.at = start.Add(-24 * time.Hour)
	r.reopen()
	r.want(r.begin(request(person(2), email)), attempt.Later{Until: r.clock.at.Add(time.Minute)})
}

func TestALookupThatWasNotSentTakesNoSlot(t *testing.T) {
	r := newRig(t)
	r.rate = Rate{Slots: 1, Window: time.Minute}
	r.reopen()
	r.check(r.Release(r.grant(request(person(1), email)).ID, attempt.Release{Reason: "not sent"}))
	ticket := r.grant(request(person(1), email))
	r.check(r.Release(ticket.ID, attempt.Release{Reason: "conflict", Sent: true}))
	r.want(r.begin(request(person(1), email)), attempt.Later{Until: start.Add(time.Minute)})
}

func TestAPauseOutlivesTheProcess(t *testing.T) {
	r := newRig(t)
	until := start.Add(17 * time.Second)
	r.check(r.Release(r.grant(request(person(1), email)).ID, attempt.Release{Reason: "rate_limited", Sent: true, PauseUntil: until}))
	r.want(r.begin(request(person(2), email)), attempt.Later{Until: until, Asked: true})
	r.reopen()
	r.want(r.begin(request(person(2), email)), attempt.Later{Until: until, Asked: true})
	r.clock.at = until
	r.grant(request(person(2), email))
}

func TestThePauseOfALostResponseOutlivesTheProcess(t *testing.T) {
	r := newRig(t)
	until := start.Add(17 * time.Second)
	first, second := r.grant(request(person(1), email)), r.grant(request(person(2), email))
	r.check(r.MarkInDoubt(first.ID, attempt.LostCall{Cause: "lost", PauseUntil: until}))
	r.check(r.MarkInDoubt(second.ID, attempt.LostCall{Cause: "lost", PauseUntil: start.Add(time.Second)}))
	r.want(r.begin(request(person(3), email)), attempt.Later{Until: until, Asked: true})
	r.reopen()
	r.want(r.begin(request(person(3), email)), attempt.Later{Until: until, Asked: true})
	r.clock.at = until
	r.grant(request(person(3), email))
}

// TestAPauseOfAHundredYearsCanBeReadAndEnded: whatever a service asks for, the journal opens,
// and somebody who knows better can go on.
func TestAPauseOfAHundredYearsCanBeReadAndEnded(t *testing.T) {
	r := newRig(t)
	until := start.AddDate(100, 0, 0)
	r.check(r.Release(r.grant(request(person(1), email)).ID, attempt.Release{Reason: "rate_limited", Sent: true, PauseUntil: until}))
	r.reopen()
	r.want(r.begin(request(person(2), email)), attempt.Later{Until: until, Asked: true})
	ended, err := r.EndPause()
	r.check(err)
	if !ended.Equal(until) {
		t.Errorf("ended a pause until %s, want %s", ended, until)
	}
	r.reopen()
	r.grant(request(person(2), email))
	if ended, err = r.EndPause(); err != nil || !ended.IsZero() {
		t.Errorf("ended a pause until %s, error %v; want none", ended, err)
	}
}

// TestAnEndlessLimitCanBeEnded: somebody who knows that the account has more can go on.
func TestAnEndlessLimitCanBeEnded(t *testing.T) {
	r := newRig(t)
	free := r.state.accounts[0].Tariff.Rates[v1.WorkEmail].Allowance
	limit := enrich.Limit{Meter: r.state.accounts[0].Tariff.Meters[free].Name}
	base := cost.Account{Free: enrich.ByField[cost.Optional[int64]]{cost.Known[int64](5), cost.Known[int64](5)}}
	r.check(r.Rebase(base))
	r.check(r.Release(r.grant(request(person(1), email)).ID, attempt.Release{Reason: "limit", Sent: true, Limit: limit}))
	reached := attempt.Limit{Meters: cost.MetersOf(free), Module: limit.Meter, Code: "limit", At: start}
	r.reopen()
	r.want(r.begin(request(person(2), email)), attempt.Limited{Limit: reached})
	if diff := cmp.Diff([]attempt.Limit{reached}, r.Limits()); diff != "" {
		t.Error(diff)
	}
	ended, err := r.EndLimits()
	r.check(err)
	if diff := cmp.Diff([]attempt.Limit{reached}, ended); diff != "" {
		t.Error(diff)
	}
	r.reopen()
	r.grant(request(person(2), email))
	if ended, err := r.EndLimits(); err != nil || len(ended) > 0 || len(r.Limits()) > 0 {
		t.Errorf("ended %v, error %v; want none", ended, err)
	}
}

// TestALimitOfADayEndsAtTheLatestADayLater: the clock may be set back meanwhile.
func TestALimitOfADayEndsAtTheLatestADayLater(t *testing.T) {
	r := newRig(t)
	r.check(r.Rebase(cost.Account{Free: enrich.ByField[cost.Optional[int64]]{cost.Known[int64](5), cost.Known[int64](5)}}))
	limit := enrich.Limit{Module: "anything", Until: start.Add(time.Hour)}
	r.check(r.Release(r.grant(request(person(1), email)).ID, attempt.Release{Reason: "daily", Limit: limit}))
	r.clock.at = start.AddDate(-1, 0, 0)
	r.reopen()
	limited, ok := r.begin(request(person(2), email)).(attempt.Limited)
	if want := r.clock.at.Add(time.Hour); !ok || !limited.Until.Equal(want) || !limited.At.Equal(r.clock.at) {
		t.Errorf("the limit is %+v, want one until %s", limited, want)
	}
	r.clock.at = r.clock.at.Add(time.Hour)
	r.grant(request(person(2), email))
}

func TestAFailedCommitStopsTheJournal(t *testing.T) {
	for _, done := range []bool{false, true} {
		r := newRig(t)
		ticket := r.grant(request(person(1), email))
		full := errors.New("no space left on device")
		r.store.before = func(int) (error, bool) { return full, done }
		if _, err := r.Settle(ticket.ID, v1.EncodeAnswer(found)); !errors.Is(err, ErrFailed) || !errors.Is(err, full) {
			t.Fatalf("the failed commit is told as %v", err)
		}
		if _, err := r.Begin(request(person(2), email)); !errors.Is(err, ErrFailed) {
			t.Errorf("after a failed commit, Begin says %v", err)
		}
		r.store.before = nil
		r.reopen()
		if want := attempt.Decision(attempt.Unsettled{Fields: email}); done {
			r.want(r.begin(request(person(1), email)), attempt.Known{Fields: email})
		} else {
			r.want(r.begin(request(person(1), email)), want)
		}
	}
}

func TestATicketIsHandedOutOnlyWhenTheIntentIsDurable(t *testing.T) {
	r := newRig(t)
	r.store.before = func(int) (error, bool) { return errors.New("disk gone"), false }
	decision, err := r.Begin(request(person(1), email))
	r.check(err)
	if _, err := decision.(attempt.Granted).Ticket(); !errors.Is(err, ErrFailed) {
		t.Errorf("the ticket came with error %v", err)
	}
}

func TestACollisionIsAnError(t *testing.T) {
	r := newRig(t)
	r.settle(r.grant(request(person(1), email)), found)
	// Give another person the entry of the first, as a collision of keys would.
	entry := r.store.records[string(record.FieldKey(r.Key(person(1)), v1.WorkEmail))]
	r.store.records[string(record.FieldKey(r.Key(person(2)), v1.WorkEmail))] = entry
	if _, err := r.Record(person(2)); !errors.Is(err, attempt.ErrCollision) {
		t.Errorf("someone else's record came with error %v", err)
	}
}

func TestAnotherAPIKeyHasToBeConfirmed(t *testing.T) {
	r := newRig(t)
	r.check(r.CheckAPIKey("key-typo", false)) // nothing is remembered before the service accepts it
	r.check(r.CheckAPIKey("key-one", false))
	r.check(r.RecordAPIKey("key-one"))
	r.check(r.CheckAPIKey("key-one", false))
	if err := r.CheckAPIKey("key-two", false); !errors.Is(err, ErrOtherKey) {
		t.Errorf("another key is told as %v", err)
	}
	r.check(r.CheckAPIKey("key-two", true))
	r.check(r.RecordAPIKey("key-two"))
	r.check(r.CheckAPIKey("key-two", false))
	for key, value := range r.store.records {
		if bytes.Contains(value, []byte("key-one")) || bytes.Contains(value, []byte("key-two")) {
			t.Errorf("record %q holds the key itself", key)
		}
	}
}
