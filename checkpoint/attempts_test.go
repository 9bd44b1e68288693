package checkpoint

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payonce/checkpoint/attempt"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/service/v1"
)

// ledgerOf returns the entries of a period.
func (r *rig) ledgerOf(from, to time.Time) (entries []attempt.Entry) {
	r.t.Helper()
	r.check(r.Attempts(from, to, func(e attempt.Entry) error {
		entries = append(entries, e)
		return nil
	}))
	return entries
}

func idsOf(entries []attempt.Entry) (ids []attempt.ID) {
	for _, e := range entries {
		ids = append(ids, e.ID)
	}
	return ids
}

func TestTheLedgerShowsTheOutcomeOfEveryAttempt(t *testing.T) {
	r := newRig(t)
	r.check(r.Rebase(accountWith(1, 0)))
	r.settle(r.grant(onJob(person(1), email|phone, "nightly")), found)
	released := r.grant(request(person(2), email))
	r.check(r.Release(released.ID, attempt.Release{Reason: "invalid_identifiers", RequestID: "req-2", Reject: true, Sent: true}))
	named := enrich.Identity{FirstName: "Ann", LastName: "Lee", CompanyName: "Acme"}
	forfeited := r.grant(request(named, phone))
	r.check(r.MarkInDoubt(forfeited.ID, attempt.LostCall{Cause: "lost"}))
	r.check(r.Assume(true, forfeited.ID))
	r.check(r.MarkInDoubt(r.grant(request(person(4), phone)).ID, attempt.LostCall{Cause: "lost"}))
	r.grant(request(person(5), phone))
	_, err := r.erase(Person{Identity: named})
	if err == nil {
		t.Error("a person was forgotten while a call was in flight")
	}

	base := attempt.Entry{Begun: start, Ended: start, Run: "run", Job: "run", Pattern: "profile", Rates: rates}
	answered, rejected, gone, doubted, open := base, base, base, base, base
	answered.ID, answered.State, answered.Job, answered.RequestID = 1, attempt.Settled, "nightly", "req-1"
	answered.Asked, answered.Returned = email|phone, email|phone
	answered.Charge = cost.Charge{Amounts: cost.OfMoney(25 * cost.Cent).Plus(free(email).Amounts), Free: email, Paid: phone}
	rejected.ID, rejected.State, rejected.Asked = 2, attempt.Released, email
	rejected.RequestID, rejected.Reason = "req-2", "invalid_identifiers"
	gone.ID, gone.State, gone.Asked, gone.Pattern = 3, attempt.Forfeited, phone, "name"
	gone.Charge, gone.Reason = cost.Charge{Amounts: cost.OfMoney(25 * cost.Cent), Paid: phone}, "response lost, charged: somebody said so"
	doubted.ID, doubted.State, doubted.Asked, doubted.Ended = 4, attempt.InDoubt, phone, time.Time{}
	open.ID, open.State, open.Asked, open.Ended = 5, attempt.Intended, phone, time.Time{}
	if diff := cmp.Diff([]attempt.Entry{answered, rejected, gone, doubted, open}, r.ledgerOf(time.Time{}, time.Time{})); diff != "" {
		t.Errorf("the ledger (-want +got):\n%s", diff)
	}

	r.reopen() // the open one is in doubt now
	for _, erase := range []func() error{
		func() error { _, err := r.erase(Person{Identity: named}); return err },
		func() error { _, err := r.Prune(start.Add(time.Hour)); return err },
	} {
		r.check(erase())
		open.State = attempt.InDoubt
		if diff := cmp.Diff([]attempt.Entry{answered, rejected, gone, doubted, open}, r.ledgerOf(time.Time{}, time.Time{})); diff != "" {
			t.Errorf("the ledger after an erasure (-want +got):\n%s", diff)
		}
	}
	broken := errors.New("broken")
	if err := r.Attempts(time.Time{}, time.Time{}, func(attempt.Entry) error { return broken }); !errors.Is(err, broken) {
		t.Errorf("a visit's error comes back as %v", err)
	}
}

// TestALedgerPeriodHoldsTheAttemptsThatEndedInIt has attempts that end in another order, on another
// day or in another month than they began, and a clock that is set back.
func TestALedgerPeriodHoldsTheAttemptsThatEndedInIt(t *testing.T) {
	r := newRig(t)
	at := func(day, hour int) time.Time { return time.Date(2026, 11, day, hour, 0, 0, 0, time.UTC) }
	begin := func(n int, when time.Time) attempt.ID {
		r.clock.at = when
		return r.grant(request(person(n), email)).ID
	}
	settle := func(id attempt.ID, when time.Time) {
		r.clock.at = when
		_, err := r.Settle(id, v1.EncodeAnswer(found))
		r.check(err)
	}
	one := begin(1, at(29, 12))   // ends in December
	two := begin(2, at(30, 12))   // ends at once
	three := begin(3, at(30, 13)) // never ends
	settle(two, at(30, 13))
	settle(one, at(31, 0)) // December 1
	four := begin(4, at(1, 0))
	settle(four, at(2, 0)) // by a clock that was set back a month
	r.check(r.MarkInDoubt(three, attempt.LostCall{Cause: "lost"}))
	for name, c := range map[string]struct {
		from, to time.Time
		want     []attempt.ID
	}{
		"all":            {time.Time{}, time.Time{}, []attempt.ID{one, two, three, four}},
		"November":       {at(1, 0), at(31, 0), []attempt.ID{two, three, four}},
		"December":       {at(31, 0), time.Time{}, []attempt.ID{one}},
		"October":        {at(-30, 0), at(1, 0), nil},
		"one hour":       {at(30, 13), at(30, 14), []attempt.ID{two, three}},
		"up to a moment": {time.Time{}, at(30, 13), []attempt.ID{four}},
		"set back":       {at(2, 0), at(3, 0), []attempt.ID{four}},
		"nothing":        {at(31, 1), at(31, 2), nil},
	} {
		for range 2 {
			if diff := cmp.Diff(c.want, idsOf(r.ledgerOf(c.from, c.to))); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
			r.reopen()
		}
	}
	if problems := problemsOf(t, r.store); len(problems) > 0 {
		t.Errorf("problems %q", problems)
	}
}

// TestALongLedgerIsReadInChunks crosses the bounds of several chunks.
func TestALongLedgerIsReadInChunks(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long and tells nothing about data races")
	}
	r := newRig(t)
	r.rate = Rate{Slots: 1 << 20, Window: time.Millisecond}
	r.reopen()
	var work []attempt.ID
	const attempts = 2*AttemptsTogether + 3
	for n := range attempts {
		decision := r.begin(request(person(n), email))
		if n%3 == 0 {
			work = append(work, attempt.ID(n+1))
		}
		if _, ok := decision.(attempt.Granted); !ok {
			t.Fatalf("decision %T", decision)
		}
	}
	var wait []func() error
	for _, id := range work {
		r.clock.at = r.clock.at.Add(time.Second)
		wait = append(wait, func() error { return r.Release(id, attempt.Release{Reason: "no"}) })
	}
	for _, release := range wait {
		r.check(release())
	}
	next := attempt.ID(1)
	for _, e := range r.ledgerOf(time.Time{}, time.Time{}) {
		want := attempt.Intended
		if (e.ID-1)%3 == 0 {
			want = attempt.Released
		}
		if e.ID != next || e.State != want {
			t.Fatalf("entry %d is %s; want entry %d, %s", e.ID, e.State, next, want)
		}
		next++
	}
	if next != attempts+1 {
		t.Errorf("%d entries, want %d", next-1, attempts)
	}
}

func TestTheLedgersMonthsAddUpToTheAccount(t *testing.T) {
	r := newRig(t)
	for n := range 60 {
		r.clock.at = start.AddDate(0, 0, n)
		ticket := r.grant(request(person(n), enrich.Fields(1+n%3)))
		r.clock.at = r.clock.at.Add(30 * time.Hour)
		switch n % 4 {
		case 0, 1:
			r.settle(ticket, found)
		case 2:
			r.check(r.Release(ticket.ID, attempt.Release{Reason: "conflict", Sent: true}))
		case 3:
			r.check(r.MarkInDoubt(ticket.ID, attempt.LostCall{Cause: "lost"}))
			r.check(r.Assume(n%8 == 3, ticket.ID))
		}
	}
	var sum cost.Money
	count := 0
	for month := range 4 {
		from := time.Date(2026, time.Month(10+month), 1, 0, 0, 0, 0, time.UTC)
		for _, e := range r.ledgerOf(from, from.AddDate(0, 1, 0)) {
			sum += e.Charge.Money()
			count++
		}
	}
	if want := r.Totals(ScopeAll).Settled.Money(); sum != want || sum == 0 || count != 60 {
		t.Errorf("the months have %d entries that cost %s; want 60 that cost %s", count, sum, want)
	}
}
