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

// madeUp is the catalogue of an interface that does not exist. It has more fields than v1.
func madeUp() enrich.Catalogue {
	return enrich.Named("name", "register", "figures", "owners", "visits")
}

// TestAJournalWorksWithACatalogueOfFiveFields buys fields of an interface with five of them.
func TestAJournalWorksWithACatalogueOfFiveFields(t *testing.T) {
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

// counters is the tariff of the made-up interface: it charges no money. Every value consumes a call,
// and the figures up to two files, which the interface reports.
func counters() (t cost.Tariff) {
	t.Meters = []cost.MeterInfo{{Name: "usd", Hidden: true}, {Name: "calls"}, {Name: "files"}}
	for f := range madeUp().Fields {
		t.Rates[f].Uses[1] = 1
	}
	t.Rates[2].Uses[2], t.Rates[2].Varies = 2, cost.MetersOf(2)
	return t
}

// TestAJournalProvesChargesWithoutMoney loses calls of an interface that counts calls and files, and
// compares the counters of its account.
func TestAJournalProvesChargesWithoutMoney(t *testing.T) {
	const figures, owners, calls, files = enrich.Field(2), enrich.Field(3), cost.Meter(1), cost.Meter(2)
	account := func(usedCalls, usedFiles int64) (a cost.Account) {
		a.Left[calls], a.Left[files] = cost.Known(10-usedCalls), cost.Known(10-usedFiles)
		a.Reserved[calls], a.Reserved[files] = cost.Known[int64](0), cost.Known[int64](0)
		return a
	}
	for name, c := range map[string]struct {
		usedCalls, usedFiles int64
		exclusive            bool
		want                 []cost.Result // of a call for owners, and of one for figures
		held                 cost.Amounts  // by what stays in doubt
	}{
		"the answer alone":            {1, 2, false, []cost.Result{cost.NotCharged, cost.NotCharged}, cost.Amounts{}},
		"one call more":               {2, 2, true, []cost.Result{cost.Undecided, cost.Undecided}, cost.Amounts{calls: 1}},
		"one call and its files":      {2, 4, true, []cost.Result{cost.NotCharged, cost.Charged}, cost.Amounts{}},
		"the same, and others use it": {2, 4, false, []cost.Result{cost.Undecided, cost.Undecided}, cost.Amounts{calls: 1, files: 2}},
		"both":                        {3, 4, true, []cost.Result{cost.Charged, cost.Charged}, cost.Amounts{}},
		"less than the answer":        {1, 0, true, []cost.Result{cost.Undecided, cost.Undecided}, cost.Amounts{calls: 2, files: 2}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.store, r.catalogue, r.tariff = newMemStore(), madeUp(), counters()
			r.reopen()
			r.check(r.Rebase(account(0, 0)))
			ask := func(who int, field enrich.Field) attempt.Ticket {
				req := request(person(who), enrich.FieldsOf(field))
				req.Rates = counters().At(cost.Prices{figures: 0, owners: 0})
				return r.grant(req)
			}
			_, err := r.Settle(ask(1, figures).ID, enrich.Answered{
				Status: enrich.Matched, Returned: enrich.FieldsOf(figures), Data: "{}", Consumed: []int64{0, 1, 2},
			})
			r.check(err)
			for who, field := range map[int]enrich.Field{2: owners, 3: figures} {
				r.check(r.MarkInDoubt(ask(who, field).ID, attempt.LostCall{Cause: "lost"}))
			}
			reconciled, err := r.Reconcile(account(c.usedCalls, c.usedFiles), c.exclusive)
			r.check(err)
			for _, found := range reconciled.Cases {
				want := c.want[0]
				if found.Hold.Fields.Has(figures) {
					want = c.want[1]
				}
				if found.Result != want {
					t.Errorf("the call for %s is %s (%s), want %s", found.Hold.Fields, found.Result, reconciled.Why, want)
				}
			}
			if held := r.Totals(ScopeAll).Held; held != c.held {
				t.Errorf("%v is held, want %v", held, c.held)
			}
			r.reopen()
			if problems := problemsWith(t, madeUp(), r.store); len(problems) > 0 {
				t.Errorf("problems %q", problems)
			}
		})
	}
}

// TestALostCallIsBookedAtWhatTheAccountLost: its figures consume two files or none, and the counters show how
// many they did.
func TestALostCallIsBookedAtWhatTheAccountLost(t *testing.T) {
	const figures, calls, files = enrich.Field(2), cost.Meter(1), cost.Meter(2)
	for _, used := range []int64{0, 2, 4} { // by two calls
		r := newRig(t)
		r.store, r.catalogue, r.tariff = newMemStore(), madeUp(), counters()
		r.reopen()
		account := func(usedCalls, usedFiles int64) (a cost.Account) {
			a.Left[calls], a.Left[files] = cost.Known(10-usedCalls), cost.Known(10-usedFiles)
			a.Reserved[calls], a.Reserved[files] = cost.Known[int64](0), cost.Known[int64](0)
			return a
		}
		r.check(r.Rebase(account(0, 0)))
		for who := range 2 {
			req := request(person(who), enrich.FieldsOf(figures))
			req.Rates = counters().At(cost.Prices{figures: 0})
			r.check(r.MarkInDoubt(r.grant(req).ID, attempt.LostCall{Cause: "lost"}))
		}
		reconciled, err := r.Reconcile(account(2, used), true)
		r.check(err)
		for _, c := range reconciled.Cases {
			if c.Result != cost.Charged {
				t.Errorf("a call is %s (%s)", c.Result, reconciled.Why)
			}
		}
		if got := r.Totals(ScopeAll); got.Settled != (cost.Amounts{calls: 2, files: used}) || got.Held != (cost.Amounts{}) {
			t.Errorf("the account lost %d files, and the journal has %v settled and %v held", used, got.Settled, got.Held)
		}
		if problems := problemsWith(t, madeUp(), r.store); len(problems) > 0 {
			t.Errorf("problems %q", problems)
		}
	}
}

// TestAJournalIsNotOpenedWithAnotherCatalogue: its records name fields by numbers.
func TestAJournalIsNotOpenedWithAnotherCatalogue(t *testing.T) {
	r := newRig(t)
	if _, err := New(r.store, Options{Rate: r.rate, Now: r.clock.now, Catalogue: madeUp()}); !errors.Is(err, ErrCorrupt) {
		t.Errorf("opening a journal of v1 with another catalogue: error %v", err)
	}
	longer := v1.Catalogue()
	longer.Fields = append(longer.Fields, enrich.Description{Name: "fax"})
	j, err := New(r.store, Options{Rate: r.rate, Now: r.clock.now, Catalogue: longer})
	r.check(err)
	r.check(j.Close())
	names, _, err := record.Load[record.FieldNames](r.store, record.FieldsKey)
	if err != nil || len(names.Names) != len(longer.Fields) {
		t.Errorf("the journal has the fields %q, %v", names.Names, err)
	}
}
