package checkpoint

import (
	"errors"
	"slices"
	"testing"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/record"
	"payonce/io/service/v1"
)

// marks returns the attempts that have an open mark.
func (r *rig) marks() (ids []attempt.ID) {
	r.t.Helper()
	r.check(record.EachID(r.store, record.OpenPrefix, func(id attempt.ID) error {
		ids = append(ids, id)
		return nil
	}))
	return ids
}

func (r *rig) wantOpen(when string, flight, marks []attempt.ID) {
	r.t.Helper()
	ledger, _, err := record.Load[record.State](r.store, record.StateKey)
	r.check(err)
	if !slices.Equal(ledger.InFlight, flight) || !slices.Equal(r.marks(), marks) {
		r.t.Errorf("%s: %d in flight and %d marked on the disk, want %d and %d", when, ledger.InFlight, r.marks(), flight, marks)
	}
	wantSound(r.t, r.store)
}

// TestCallsInFlightAndInDoubtAreToldApart: only an attempt in doubt takes a mark of its own.
func TestCallsInFlightAndInDoubtAreToldApart(t *testing.T) {
	r := newRig(t)
	for n := range 5 {
		r.grant(request(person(n), email))
	}
	r.wantOpen("begun", []attempt.ID{1, 2, 3, 4, 5}, nil)
	_, err := r.Settle(2, v1.EncodeAnswer(found))
	r.check(err)
	r.check(r.MarkInDoubt(4, attempt.LostCall{Cause: "lost"}))
	r.check(r.Release(1, attempt.Release{Reason: "held back"}))
	r.wantOpen("ended", []attempt.ID{3, 5}, []attempt.ID{4})
	r.reopen()
	r.wantOpen("after a crash", nil, []attempt.ID{3, 4, 5})
	for _, doubt := range r.Doubts() {
		r.check(r.Assume(doubt.ID == 3, doubt.ID))
	}
	r.wantOpen("decided", nil, nil)
	r.reopen()
	r.wantOpen("opened again", nil, nil)
	r.want(r.begin(request(person(2), email)), attempt.Known{Fields: email}) // forfeited
	r.grant(request(person(4), email))
}

// TestAFailedOpeningKeepsTheCallsInFlight fails the commit that puts what was in
// flight in doubt, done or not.
func TestAFailedOpeningKeepsTheCallsInFlight(t *testing.T) {
	for _, done := range []bool{false, true} {
		r := newRig(t)
		r.grant(request(person(1), email))
		r.grant(request(person(2), email))
		r.check(r.Close())
		r.store.before = func(int) (error, bool) { return errors.New("disk"), done }
		if _, err := New(r.store, Options{Catalogue: v1.Catalogue(), Rate: r.rate, Now: r.clock.now}); err == nil {
			t.Error("the journal was opened although its disk failed")
		}
		r.store.before, r.Journal = nil, nil
		r.reopen()
		r.wantOpen("opened at last", nil, []attempt.ID{1, 2})
		r.want(r.begin(request(person(1), email)), attempt.Unsettled{Fields: email})
	}
}
