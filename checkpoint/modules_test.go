package checkpoint

import (
	"strings"
	"testing"
	"time"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/record"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/service/v1"
)

// The meters of accounts that count units of two modules.
const (
	firstModule = cost.Meter(1 + iota)
	secondModule
)

// counting is the tariff of an interface that counts emails on one module, and phones on another.
func counting() cost.Tariff {
	t := cost.Tariff{Meters: []cost.MeterInfo{
		{Name: "usd", Hidden: true}, {Name: "first", Counting: cost.CountsPeriod}, {Name: "second", Counting: cost.CountsPeriod},
	}}
	t.Rates[v1.WorkEmail].Call[firstModule] = 1
	t.Rates[v1.BusinessPhone].Call[secondModule] = 1
	return t
}

// counter returns the journal as an account sees it that counts units.
func (r *rig) counter(service string) *rig {
	r.t.Helper()
	id := AccountID{Interface: "v1", Service: service, Key: "key of " + service}
	number, err := r.Account(id, AccountOptions{Rate: Rate{Slots: 60, Window: time.Minute}, Catalogue: v1.Catalogue(), Tariff: counting()})
	r.check(err)
	on, err := r.For(number)
	r.check(err)
	return &rig{Journal: on, t: r.t, store: r.store, clock: r.clock, rate: r.rate}
}

// unitsShown is an account that shows two counters.
func unitsShown(at time.Time, first, second int64) cost.Account {
	a := cost.Account{ReadAt: at}
	for m, used := range map[cost.Meter]int64{firstModule: first, secondModule: second} {
		a.Used[m], a.Reserved[m] = cost.Known(used), cost.Known[int64](0)
	}
	return a
}

// counted is a request that units pay for.
func counted(who enrich.Identity, fields enrich.Fields) attempt.Request {
	req := request(who, fields)
	req.Rates = counting().At(cost.Prices{v1.WorkEmail: 0, v1.BusinessPhone: 0})
	return req
}

// loses loses a call about a person and returns what a snapshot proves about it.
func (r *rig) loses(n int, now cost.Account) (cost.Result, string) {
	r.t.Helper()
	r.check(r.MarkInDoubt(r.grant(counted(person(n), email)).ID, attempt.LostCall{Cause: "lost"}))
	reconciled, err := r.Reconcile(now, false)
	r.check(err)
	return reconciled.Cases[len(reconciled.Cases)-1].Result, reconciled.Why
}

// TestAConfirmedModuleCountsOnlyForItsAccount: it outlives the process, proves nothing about another account, and is
// forgotten when the counters contradict it.
func TestAConfirmedModuleCountsOnlyForItsAccount(t *testing.T) {
	r := newRig(t)
	a, b := r.counter("https://a.example"), r.counter("https://b.example")
	for _, on := range []*rig{a, b} {
		r.check(on.Rebase(unitsShown(start, 10_000, 10_000)))
	}
	a.settle(a.grant(counted(person(1), email)), found)
	r.check(a.Rebase(unitsShown(start, 10_001, 10_000)))
	r.reopen()
	a, b = r.counter("https://a.example"), r.counter("https://b.example")
	if got, why := a.loses(2, unitsShown(start, 10_001, 10_005)); got != cost.NotCharged {
		t.Errorf("the account whose answer confirmed the module: %s (%s)", got, why)
	}
	got, why := b.loses(2, unitsShown(start, 10_000, 10_005))
	if got != cost.Undecided || !strings.Contains(why, "no answered call has shown yet which module counts") {
		t.Errorf("the other account: %s (%s)", got, why)
	}
	a.settle(a.grant(counted(person(3), email)), found)
	r.check(a.Rebase(unitsShown(start, 10_001, 10_006))) // it was counted on the other module
	if got, why := a.loses(4, unitsShown(start, 10_001, 10_007)); got != cost.Undecided {
		t.Errorf("after the counters contradicted it: %s (%s)", got, why)
	}
	wantSound(t, r.store)
}

// TestASpanCounterThatAnAnswerDoesNotMoveIsNoLongerConfirmed: the service counts in another one than is asked for.
func TestASpanCounterThatAnAnswerDoesNotMoveIsNoLongerConfirmed(t *testing.T) {
	const emails = secondModule + 1
	tariff := counting()
	tariff.Meters = append(tariff.Meters, cost.MeterInfo{Name: "emails", Counting: cost.CountsSpan})
	tariff.Rates[v1.WorkEmail].Call[emails] = 1
	r := newRig(t)
	number, err := r.Account(AccountID{Interface: "v1", Service: "https://a.example", Key: "a"}, AccountOptions{Rate: r.rate, Catalogue: v1.Catalogue(), Tariff: tariff})
	r.check(err)
	on, err := r.For(number)
	r.check(err)
	a := &rig{Journal: on, t: t, store: r.store, clock: r.clock, rate: r.rate}
	for n, step := range []struct {
		first, emails int64
		want          cost.Meters
	}{{10_000, 5, 0}, {10_001, 6, cost.MetersOf(emails)}, {10_002, 7, cost.MetersOf(emails)}, {10_003, 7, 0}} {
		if n > 0 {
			req := counted(person(n), email)
			req.Rates = tariff.At(cost.Prices{v1.WorkEmail: 0})
			a.settle(a.grant(req), found)
		}
		shown := unitsShown(start, step.first, 0)
		shown.Used[emails], shown.Reserved[emails] = cost.Known(step.emails), cost.Known[int64](0)
		r.check(a.Rebase(shown))
		state, _, err := record.Load[record.State](r.store, record.StateKey)
		r.check(err)
		if got := state.Others[0].Spans; got != step.want {
			t.Errorf("after %d answers: the spans %b are confirmed, want %b", n, got, step.want)
		}
	}
}

// TestAReadingThatShowsAResetIsKnownAtTheNextStart: the counters then grew to what they were.
func TestAReadingThatShowsAResetIsKnownAtTheNextStart(t *testing.T) {
	for _, fell := range []bool{false, true} {
		r := newRig(t)
		a := r.counter("https://a.example")
		r.check(a.Rebase(unitsShown(start, 10_000, 10_000)))
		id := a.grant(counted(person(1), email)).ID
		r.check(a.MarkInDoubt(id, attempt.LostCall{Cause: "lost"}))
		if fell {
			r.check(a.NoteReading(a.Base(), unitsShown(start, 3, 9), a.Totals(ScopeAccount)))
		}
		r.reopen()
		a = r.counter("https://a.example")
		reconciled, err := a.Reconcile(unitsShown(start, 10_000, 10_000), false)
		r.check(err)
		want := cost.NotCharged
		if fell {
			want = cost.Undecided
		}
		if got := reconciled.Cases[0].Result; got != want {
			t.Errorf("fell %t: %s (%s), want %s", fell, got, reconciled.Why, want)
		}
		if why := a.Doubt(id); fell != strings.Contains(why, "may have begun again") {
			t.Errorf("fell %t: the journal says %q", fell, why)
		}
	}
}

// TestAnOlderJournalDecidesOnlyWhereItsCountersLeaveNoDoubt opens a journal without readings, other counters and
// confirmed modules. Its counters decide where they leave no doubt.
func TestAnOlderJournalDecidesOnlyWhereItsCountersLeaveNoDoubt(t *testing.T) {
	for name, test := range map[string]struct {
		now  cost.Account
		want cost.Result
	}{
		"nothing moved":             {unitsShown(start.Add(time.Minute), 10_000, 10_000), cost.NotCharged},
		"another counter rose":      {unitsShown(start.Add(time.Minute), 10_000, 10_001), cost.Undecided},
		"a month later":             {unitsShown(start.AddDate(0, 1, 0), 10_000, 10_000), cost.Undecided},
		"a counter is of no module": {withOther(unitsShown(start.Add(time.Minute), 10_000, 10_000), 7), cost.Undecided},
	} {
		r := newRig(t)
		a := r.counter("https://a.example")
		r.check(a.Rebase(withOther(unitsShown(start, 10_000, 10_000), 7)))
		r.check(a.MarkInDoubt(a.grant(counted(person(1), email)).ID, attempt.LostCall{Cause: "lost"}))
		r.check(r.Close())
		state, known, err := record.Load[record.State](r.store, record.StateKey)
		r.check(err)
		if !known || len(state.Others) != 1 {
			t.Fatalf("the state has %d other accounts", len(state.Others))
		}
		of := &state.Others[0]
		of.Base.OtherUsed, of.Seen, of.Answered, of.Confirmed, of.Spans = nil, cost.Seen{}, nil, nil, 0
		r.check(r.store.Commit([]Write{{Key: record.StateKey, Value: record.Encode(&state)}}))
		r.Journal = nil
		r.reopen()
		reconciled, err := r.counter("https://a.example").Reconcile(test.now, false)
		r.check(err)
		if got := reconciled.Cases[0].Result; got != test.want {
			t.Errorf("%s: %s (%s), want %s", name, got, reconciled.Why, test.want)
		}
	}
}

// withOther adds the counter of a module on which no operation is assumed to count.
func withOther(a cost.Account, used int64) cost.Account {
	a.OtherUsed = map[string]int64{"unknown": used}
	return a
}
