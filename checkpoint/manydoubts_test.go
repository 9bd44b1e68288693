package checkpoint

import (
	"errors"
	"slices"
	"testing"
	"time"

	"payonce/checkpoint/attempt"
	"payonce/cost"
	"payonce/io/service/v1"
)

// manyDoubts returns a journal with count lost emails, all of them since the base.
func manyDoubts(t *testing.T, count int) (*rig, *gatedStore) {
	r := newRig(t)
	r.rate = Rate{Slots: 2 * count, Window: time.Second}
	r.reopen()
	r.check(r.Rebase(paidAccount(10_000 * cost.Dollar)))
	for n := range count {
		r.check(r.MarkInDoubt(r.grant(request(person(n), email)).ID, attempt.LostCall{Cause: "lost"}))
	}
	r.check(r.Close())
	store := &gatedStore{memStore: r.store, gate: make(chan struct{})}
	close(store.gate)
	var err error
	r.Journal, err = New(store, Options{Catalogue: v1.Catalogue(), Rate: r.rate, Now: r.clock.now})
	r.check(err)
	return r, store
}

// TestReconcileSettlesMoreDoubtsThanATransactionTakes: more of them than a transaction takes.
func TestReconcileSettlesMoreDoubtsThanATransactionTakes(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long and tells nothing about data races")
	}
	const count = 8000
	for charged, account := range map[bool]cost.Account{
		false: paidAccount(10_000 * cost.Dollar),
		true:  paidAccount(10_000*cost.Dollar - count*15*cost.Cent),
	} {
		r, store := manyDoubts(t, count)
		reconciled, err := r.Reconcile(account, true)
		r.check(err)
		if in, held := r.InDoubt(""); len(reconciled.Cases) != count || in != 0 || held != 0 {
			t.Errorf("charged %t: %d cases, %d are in doubt and hold $%s, want none (%s)", charged, len(reconciled.Cases), in, held, reconciled.Why)
		}
		if store.longest > maxQueue {
			t.Errorf("a commit had %d bytes, want %d at most", store.longest, maxQueue)
		}
		wantSound(t, r.store)
		if got := r.Totals(ScopeAll).Forfeited; (got == count) != charged || (got == 0) == charged {
			t.Errorf("charged %t: %d are forfeited", charged, got)
		}
	}
}

// TestReconcileContinuesWithTheSameDecisionsAfterACrash cuts the settling off in the middle.
func TestReconcileContinuesWithTheSameDecisionsAfterACrash(t *testing.T) {
	const count = 2*concludedAtOnce + 10
	account := paidAccount(10_000*cost.Dollar - count*15*cost.Cent)
	r, store := manyDoubts(t, count)
	first := store.commits
	store.before = func(commit int) (error, bool) {
		if commit > first+1 {
			return errors.New("disk"), false
		}
		return nil, true
	}
	if _, err := r.Reconcile(account, true); err == nil {
		t.Fatal("the disk failed and nobody was told")
	}
	store.before = nil
	r.reopen()
	if in, _ := r.InDoubt(""); in != count-concludedAtOnce {
		t.Fatalf("%d are in doubt, want all but the first %d", in, concludedAtOnce)
	}
	wantSound(t, r.store)
	reconciled, err := r.Reconcile(account, true)
	r.check(err)
	if got := r.Totals(ScopeAll); got.Forfeited != count || got.Settled.Money() != count*15*cost.Cent {
		t.Errorf("%d are forfeited for $%s, want all %d (%s)", got.Forfeited, got.Settled.Money(), count, reconciled.Why)
	}
	wantSound(t, r.store)
}

// TestManyDoubtsAreAssumedInOneCommit, each once, also when one is named twice.
func TestManyDoubtsAreAssumedInOneCommit(t *testing.T) {
	const count = 500
	r, store := manyDoubts(t, count)
	var ids []attempt.ID
	for _, d := range r.Doubts() {
		ids = append(ids, d.ID)
	}
	before := store.commits
	if err := r.Assume(true, append(slices.Clone(ids), 1<<40)...); err == nil || len(r.Doubts()) != count {
		t.Errorf("error %v and %d doubts, want an error and %d", err, len(r.Doubts()), count)
	}
	r.check(r.Assume(true, append(ids, ids[0])...))
	if commits := store.commits - before; commits != 1 {
		t.Errorf("%d commits, want 1", commits)
	}
	if got := r.Totals(ScopeAll); got.Forfeited != count || len(r.Doubts()) != 0 {
		t.Errorf("%d are forfeited and %d in doubt, want all %d and none", got.Forfeited, len(r.Doubts()), count)
	}
	wantSound(t, r.store)
}
