package checkpoint

import (
	"errors"
	"testing"

	"payonce/attempt"
	"payonce/checkpoint/record"
	"payonce/cost"
	"payonce/enrich"
	"payonce/service/v1/v1fields"
)

// madeUp is the catalogue of an interface that does not exist. It has more fields than v1.
func madeUp() enrich.Catalogue {
	return enrich.Named("name", "register", "figures", "owners", "visits")
}

// TestAJournalHoldsAnyCatalogue buys fields of an interface with five of them.
func TestAJournalHoldsAnyCatalogue(t *testing.T) {
	r := newRig(t)
	r.store, r.catalogue = newMemStore(), madeUp()
	r.reopen()
	const figures, owners, visits = enrich.Field(2), enrich.Field(3), enrich.Field(4)
	ask := func(who int, fields ...enrich.Field) attempt.Request {
		req := request(person(who), enrich.FieldsOf(fields...))
		req.Rates = cost.Rates{0: {}, 1: {}, figures: {}, owners: {}, visits: {}} // it costs no money
		req.Ceilings = []cost.Ceiling{{Name: "calls", Scope: RunScope("run"), Meter: cost.Lookups, Limit: 3}}
		return req
	}
	ticket := r.grant(ask(1, figures, visits))
	r.want(r.begin(ask(1, visits)), attempt.Blocked{})
	_, err := r.Settle(ticket.ID, enrich.Answered{Status: enrich.Matched, Returned: enrich.FieldsOf(visits), Data: "{}"})
	r.check(err)
	lost := r.grant(ask(2, owners))
	r.reopen()
	r.want(r.begin(ask(1, figures, owners, visits)), attempt.Known{Fields: enrich.FieldsOf(figures, visits)})
	r.want(r.begin(ask(2, owners)), attempt.Unsettled{Fields: enrich.FieldsOf(owners)})
	r.check(r.Assume(true, lost.ID))
	r.want(r.begin(ask(2, owners)), attempt.Known{Fields: enrich.FieldsOf(owners)})
	r.grant(ask(1, owners))
	r.want(r.begin(ask(3, visits)), attempt.Blocked{}) // three calls are the limit, and one is in flight

	known, err := r.Record(person(1))
	r.check(err)
	want := enrich.ByField[attempt.FieldState]{figures: attempt.Missing, owners: attempt.OutcomeUnknown, visits: attempt.Found}
	if known.States != want {
		t.Errorf("the journal knows %v, want %v", known.States, want)
	}
	if got := r.Totals(ScopeAll).Charged; got != (enrich.ByField[int64]{owners: 1, visits: 1}) {
		t.Errorf("charged by field: %v", got)
	}
}

// TestAJournalIsNotOpenedWithAnotherCatalogue: its records name fields by numbers.
func TestAJournalIsNotOpenedWithAnotherCatalogue(t *testing.T) {
	r := newRig(t)
	if _, err := New(r.store, Options{Rate: r.rate, Now: r.clock.now, Catalogue: madeUp()}); !errors.Is(err, ErrCorrupt) {
		t.Errorf("opening a journal of v1 with another catalogue: error %v", err)
	}
	longer := v1fields.Catalogue()
	longer.Fields = append(longer.Fields, enrich.Description{Name: "fax"})
	j, err := New(r.store, Options{Rate: r.rate, Now: r.clock.now, Catalogue: longer})
	r.check(err)
	r.check(j.Close())
	names, _, err := record.Load[record.FieldNames](r.store, record.FieldsKey)
	if err != nil || len(names.Names) != len(longer.Fields) {
		t.Errorf("the journal has the fields %q, %v", names.Names, err)
	}
}
