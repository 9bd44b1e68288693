package checkpoint

import (
	"errors"
	"testing"
	"time"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/record"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/iotest"
	"payonce/io/service/v1"
)

// TestAnAccountIsRegisteredWhileCallsOfOthersAreInFlight also opens one that an earlier process registered
// and used.
func TestAnAccountIsRegisteredWhileCallsOfOthersAreInFlight(t *testing.T) {
	r := newRig(t)
	r.rate.Slots = 5
	second := r.account(secondID)
	second.settle(second.grant(request(person(1), email)), found)
	r.reopen()
	flying := r.grant(request(person(2), email))
	second = r.account(secondID)
	if got := len(second.own().Window.Cooling); got != 1 {
		t.Errorf("%d slots of the second account are taken, want that of its earlier call", got)
	}
	third := r.account(AccountID{Interface: "v1", Service: "https://third.example", Key: "key-three"})
	second.settle(second.grant(request(person(3), email)), found)
	third.settle(third.grant(request(person(3), email)), found)
	r.settle(flying, found)
	wantSound(t, r.store)
}

// TestAMissingAccountOfASharedJournalIsAnError: a process finds the registration by another one while its connection is
// broken, and before it has applied it.
func TestAMissingAccountOfASharedJournalIsAnError(t *testing.T) {
	r := newSharedRig(t, iotest.StartPostgres(t, "fsync=on")).open()
	if err := r.makeReady(1, AccountOptions{Rate: Rate{Slots: 1, Window: time.Minute}}); !errors.Is(err, ErrCorrupt) {
		t.Errorf("%v", err)
	}
}

func TestAnAccountIsRecognisedByItsServiceHoweverItsAddressIsWritten(t *testing.T) {
	r := newRig(t)
	url := r.account(AccountID{Interface: "v1", Service: "https://API.example:443/v1/", Key: "key"}).Number()
	name := r.account(AccountID{Interface: "v1", Service: "sandbox", Key: "key"}).Number()
	if url != 1 || name != 2 {
		t.Fatalf("the accounts have the numbers %d and %d", url, name)
	}
	change(t, r.store, record.AccountKey(url), func(known *record.Registration) { known.Service = "https://api.example/v1/" }) // of an earlier program
	for range 2 {
		for service, want := range map[string]attempt.Account{
			"https://api.example/v1": url, "https://api.example:443/v1/": url, "HTTPS://api.example/v1": url, "sandbox": name,
		} {
			if got := r.account(AccountID{Interface: "v1", Service: service, Key: "key"}).Number(); got != want {
				t.Errorf("%s has the number %d, want %d", service, got, want)
			}
		}
		r.reopen()
	}
	if got := r.Accounts(); got != 3 {
		t.Errorf("the journal has %d accounts, want 3", got)
	}
}

// TestTheJournalKnowsTheServiceOfItsFirstAccount: another service is another account, also when the journal
// is opened for that one.
func TestTheJournalKnowsTheServiceOfItsFirstAccount(t *testing.T) {
	store, terms := newMemStore(), AccountOptions{Rate: Rate{Slots: 1, Window: time.Minute}, Catalogue: v1.Catalogue()}
	open := func(service string) *Journal {
		t.Helper()
		j, err := New(store, Options{Rate: terms.Rate, Catalogue: terms.Catalogue, Service: service, Now: (&clock{start}).now})
		if err != nil {
			t.Fatal(err)
		}
		return j
	}
	number := func(j *Journal, service string) attempt.Account {
		t.Helper()
		number, err := j.Account(AccountID{Interface: "v1", Service: service, Key: "key"}, terms)
		if err != nil {
			t.Fatal(err)
		}
		return number
	}
	check := func(err error, want error) {
		t.Helper()
		if !errors.Is(err, want) {
			t.Errorf("error %v, want %v", err, want)
		}
	}
	j := open("https://first.example/v1/")
	check(j.CheckAPIKey("key", false), nil)
	check(j.RecordAPIKey("key"), nil)
	check(j.Close(), nil)

	j = open("https://second.example/v1")
	if got := number(j, "https://first.example/v1"); got != 0 {
		t.Errorf("the first service has the number %d", got)
	}
	if got := number(j, "https://second.example/v1"); got != 1 {
		t.Errorf("the second service has the number %d", got)
	}
	check(j.CheckAPIKey("key", false), ErrOtherService)
	check(j.CheckAPIKey("key", true), nil)
	check(j.RecordAPIKey("key"), nil)
	check(j.CheckAPIKey("key", false), nil)
	check(j.Close(), nil)

	j = open("") // which is told by no service
	check(j.CheckAPIKey("key", false), nil)
	check(j.Close(), nil)
	j = open("https://third.example/v1")
	check(j.CheckAPIKey("key", false), ErrOtherService)
	check(j.Close(), nil)
	wantSound(t, store)
}

// TestAnAccountGetsFieldsAtTheEndOfItsCatalogue: any other change would take one field for another.
func TestAnAccountGetsFieldsAtTheEndOfItsCatalogue(t *testing.T) {
	r := newRig(t)
	id := AccountID{Interface: "v2", Service: "https://v2.example", Key: "key"}
	open := func(fields ...string) (attempt.Account, error) {
		return r.Account(id, AccountOptions{Rate: r.rate, Catalogue: enrich.Named(fields...)})
	}
	number, err := open("contact", "company")
	r.check(err)
	ask := request(person(1), enrich.FieldsOf(1))
	ask.Account = number
	r.settle(r.grant(ask), v1.Answer{Status: enrich.NotFound})
	for range 2 {
		for _, wrong := range [][]string{{"contact"}, {"company", "contact"}, {"contact", "email", "company"}, {"contact", "figures", "email"}} {
			if _, err := open(wrong...); !errors.Is(err, ErrCorrupt) {
				t.Errorf("with the fields %q: error %v, want that it is refused", wrong, err)
			}
		}
		for range 2 {
			got, err := open("contact", "company", "email")
			r.check(err)
			if got != number {
				t.Fatalf("with one more field it has the number %d, want %d", got, number)
			}
			if fields := r.Catalogues()[number].Fields; len(fields) != 3 || fields[2].Name != "email" {
				t.Errorf("the account has the fields %v", fields)
			}
		}
		on, err := r.For(number)
		r.check(err)
		known, err := on.Record(person(1))
		r.check(err)
		if known.States != (enrich.ByField[attempt.FieldState]{1: attempt.Missing}) {
			t.Errorf("it knows the states %v", known.States)
		}
		wantSound(t, r.store)
		r.reopen()
	}
	ask.Lookup.Fields, ask.Rates = enrich.FieldsOf(2), cost.Rates{2: {}}
	_, err = open("contact", "company", "email")
	r.check(err)
	r.grant(ask)
	reader, err := Read(r.store, Options{Rate: r.rate, Now: r.clock.now, Catalogue: v1.Catalogue()})
	r.check(err)
	longer := enrich.Named("contact", "company", "email", "phone")
	if got, err := reader.Account(id, AccountOptions{Rate: r.rate, Catalogue: longer}); got != number || err != nil {
		t.Errorf("a reader with one more field finds the account %d, error %v", got, err)
	}
}
