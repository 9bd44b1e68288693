package checkpoint

import (
	"runtime"
	"testing"
	"time"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/record"
	"payonce/cost"
)

// TestManyClosedPeriodsAreDecidedTogether has a closed period for each doubt. Looking at every open
// call for each period and each doubt would take minutes.
func TestManyClosedPeriodsAreDecidedTogether(t *testing.T) {
	if testing.Short() {
		t.Skip("it tells nothing about data races")
	}
	const count = 4000
	r, _ := manyDoubts(t, count)
	r.check(r.Close())
	state, _, err := record.Load[record.State](r.store, record.StateKey)
	r.check(err)
	var ids []attempt.ID
	for id := attempt.ID(1); id < state.NextID; id++ {
		ids = append(ids, id)
		state.Closed = append(state.Closed, record.ClosedPeriod{First: id, Next: id + 1, Lost: cost.OfMoney(cost.Dollar), Rates: rates})
	}
	state.BaseFirst, state.DecidableFrom = state.NextID, state.NextID
	r.store.records[string(record.StateKey)] = record.Encode(&state)
	account := string(record.NameKey(record.TotalsPrefix, ScopeAccount))
	r.store.records[account] = record.Encode(&cost.Totals{})
	r.Journal, err = New(r.store, Options{Catalogue: r.catalogue, Rate: r.rate, Now: r.clock.now})
	r.check(err)
	r.check(r.Assume(false, ids[:count/2]...))
	if got := len(r.state.accounts[0].Closed); got != count/2 {
		t.Errorf("%d periods are closed after half of the doubts were decided, want %d", got, count/2)
	}
	r.check(r.Assume(true, ids[count/2:]...))
	if in, _ := r.InDoubt(""); in != 0 || len(r.state.accounts[0].Closed) != 0 {
		t.Errorf("%d calls in doubt and %d periods are left", in, len(r.state.accounts[0].Closed))
	}
	wantSound(t, r.store)
}

// TestEachEntryCostsTheSameWithManyProvisionalCharges compares the memory of an entry of a ledger
// that has many provisional charges with that of one that has few.
func TestEachEntryCostsTheSameWithManyProvisionalCharges(t *testing.T) {
	perEntry := func(entries int) float64 {
		r := newRig(t)
		r.rate = Rate{Slots: 10 * entries, Window: time.Second}
		r.reopen()
		r.check(r.Rebase(freeAndPaid(int64(entries), 1000*cost.Dollar)))
		for n := range entries {
			r.check(r.MarkInDoubt(r.grant(request(person(n), email)).ID, attempt.LostCall{Cause: "lost"}))
		}
		for n := range entries {
			r.settle(r.grant(request(person(entries+n), email)), found)
		}
		if got := len(r.Provisional()); got != entries {
			t.Fatalf("%d charges are provisional, want %d", got, entries)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		free := 0
		r.check(r.Attempts(time.Time{}, time.Time{}, func(e attempt.Entry) error {
			if e.MayBeFree != 0 {
				free++
			}
			return nil
		}))
		runtime.ReadMemStats(&after)
		if free != entries {
			t.Errorf("%d entries may be free, want %d", free, entries)
		}
		return float64(after.TotalAlloc-before.TotalAlloc) / float64(2*entries)
	}
	if few, many := perEntry(30), perEntry(600); many > 3*few {
		t.Errorf("an entry takes %.0f bytes with 600 provisional charges and %.0f with 30", many, few)
	}
}
