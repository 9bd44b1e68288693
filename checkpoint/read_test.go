package checkpoint

import (
	"errors"
	"testing"
	"time"

	"payonce/checkpoint/attempt"
	"payonce/enrich"
	"payonce/io/service/v1"
)

// Another process reads the journal while lookups are in flight.
func TestAReaderChangesNothingInTheJournal(t *testing.T) {
	r := newRig(t)
	answered, flying := person(1), person(2)
	r.settle(r.grant(request(answered, email)), v1.Answer{Status: enrich.Matched, WorkEmail: "a@b.example"})
	r.grant(request(flying, email))
	commits := r.store.commits

	j, err := Read(r.store, Options{Rate: r.rate, Catalogue: r.catalogue, Now: func() time.Time { return start.Add(time.Hour) }})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := j.Totals(RunScope("run")), r.Totals(RunScope("run")); got != want || got.Settled.Money() == 0 || got.Held.Money() == 0 {
		t.Errorf("totals %+v, want %+v", got, want)
	}
	if count, _ := j.InDoubt(""); count != 0 {
		t.Errorf("%d lookups are in doubt", count)
	}
	for who, want := range map[enrich.Identity]attempt.FieldState{answered: attempt.Found, flying: attempt.OutcomeUnknown} {
		if known, err := j.Record(who); err != nil || known.States[v1.WorkEmail] != want {
			t.Errorf("%v: state %v, want %v, error %v", who, known.States[v1.WorkEmail], want, err)
		}
	}
	if j.Version() != r.Version() {
		t.Error("the versions differ")
	}
	_, beginErr := j.Begin(request(person(3), email))
	for what, err := range map[string]error{"a lookup": beginErr, "a run": j.SaveRun(Run{Name: "new"}), "a file": j.RecordAPIKey("key")} {
		if !errors.Is(err, ErrReadOnly) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := j.Close(); err != nil {
		t.Error(err)
	}
	if r.store.commits != commits {
		t.Errorf("%d commits", r.store.commits-commits)
	}
}

func TestAJournalThatIsBeingCreatedIsNotRead(t *testing.T) {
	s := newMemStore()
	if _, err := Read(s, Options{Catalogue: v1.Catalogue(), Now: func() time.Time { return start }}); err == nil || s.commits > 0 {
		t.Errorf("error %v, %d commits", err, s.commits)
	}
}
