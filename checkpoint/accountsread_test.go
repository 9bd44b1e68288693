package checkpoint

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/record"
	"payonce/checkpoint/verify"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/service/v1"
)

// TestForgetErasesThePersonInEveryAccount also has an account that the journal gets later.
func TestForgetErasesThePersonInEveryAccount(t *testing.T) {
	r := newRig(t)
	second := r.account(secondID)
	r.settle(r.grant(request(person(1), email)), found)
	second.settle(second.grant(request(person(1), email)), v1.Answer{Status: enrich.Matched, WorkEmail: "other@c.example"})
	second.settle(second.grant(request(person(2), email)), v1.Answer{Status: enrich.Matched, WorkEmail: "p2@c.example"})
	erased, err := r.erase(Person{Identity: person(1)})
	r.check(err)
	if erased.Attempts != 2 || erased.Answers != 2 || erased.Identities != 3 {
		t.Errorf("erased %+v, want the attempts of both accounts, one identity and two emails", erased)
	}
	erased, err = r.erase(Person{Identity: person(3)}) // who was never asked for
	r.check(err)
	for range 2 {
		third := r.account(AccountID{Interface: "v1", Service: "https://third.example", Key: "key-three"})
		for _, on := range []*rig{r, second, third} {
			forgotten, err := on.Forgotten()
			r.check(err)
			for _, n := range []int{1, 3} {
				if !forgotten[on.Key(person(n))] {
					t.Errorf("account %d does not know that person %d is forgotten", on.Number(), n)
				}
				on.want(on.begin(request(person(n), email)), attempt.Known{Fields: email})
			}
			if forgotten[on.Key(person(2))] {
				t.Errorf("account %d takes somebody else for forgotten", on.Number())
			}
		}
		wantSound(t, r.store)
		r.reopen()
		second = r.account(secondID)
	}
}

// TestPruneErasesTheAnswersOfEveryAccount erases by age.
func TestPruneErasesTheAnswersOfEveryAccount(t *testing.T) {
	r := newRig(t)
	second := r.account(secondID)
	r.settle(r.grant(request(person(1), email)), found)
	second.settle(second.grant(request(person(1), email)), found)
	erased, err := r.Prune(start.Add(time.Hour))
	r.check(err)
	if erased.Answers != 2 {
		t.Errorf("erased %+v, want the answers of both accounts", erased)
	}
	second.want(second.begin(request(person(1), email)), attempt.Known{Fields: email})
	wantSound(t, r.store)
}

func TestAReaderKnowsTheAccounts(t *testing.T) {
	r := newRig(t)
	second := r.account(secondID)
	second.settle(second.grant(request(person(1), email)), found)
	reader, err := Read(r.store, Options{Rate: r.rate, Now: r.clock.now, Catalogue: v1.Catalogue()})
	r.check(err)
	number, err := reader.Account(secondID, AccountOptions{Rate: r.rate, Catalogue: v1.Catalogue()})
	r.check(err)
	on, err := reader.For(number)
	r.check(err)
	known, err := on.Record(person(1))
	r.check(err)
	if known.States[v1.WorkEmail] != attempt.Found {
		t.Errorf("the reader finds the states %v", known.States)
	}
	if _, err := reader.Account(AccountID{Interface: "v1", Service: "new", Key: "new"}, AccountOptions{Rate: r.rate, Catalogue: v1.Catalogue()}); !errors.Is(err, ErrReadOnly) {
		t.Errorf("error %v, want that the journal is only read", err)
	}
}

// TestCheckFindsWhatIsWrongWithAnAccount damages the records of a journal with two accounts.
func TestCheckFindsWhatIsWrongWithAnAccount(t *testing.T) {
	for name, damage := range map[string]func(*rig){
		"an attempt of an account that is missing": func(r *rig) {
			change(r.t, r.store, record.IDKey(record.IntentPrefix, 2), func(in *record.Intent) { in.Account = 7 })
		},
		"an attempt of another account": func(r *rig) {
			change(r.t, r.store, record.IDKey(record.IntentPrefix, 2), func(in *record.Intent) { in.Account = 0 })
		},
		"a registration that is missing": func(r *rig) { delete(r.store.records, string(record.AccountKey(1))) },
		"a registration without a state": func(r *rig) {
			r.store.records[string(record.AccountKey(3))] = r.store.records[string(record.AccountKey(1))]
		},
		"a state that is missing": func(r *rig) {
			change(r.t, r.store, record.StateKey, func(s *record.State) { s.Others = nil })
		},
		"sums of an account": func(r *rig) {
			key := record.NameKey(record.TotalsPrefix, attempt.Account(1).Scope(ScopeAccount))
			change(r.t, r.store, key, func(totals *cost.Totals) { totals.Lookups++ })
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			second := r.account(secondID)
			r.settle(r.grant(request(person(1), email)), found)
			second.settle(second.grant(request(person(1), email)), found)
			wantSound(t, r.store)
			damage(r)
			if len(problemsOf(t, r.store)) == 0 {
				t.Error("no problem was found")
			}
		})
	}
}

// TestAnswersAreReadByTheInterfaceOfTheirAccount has an account of an interface with other fields and
// another form of answers.
func TestAnswersAreReadByTheInterfaceOfTheirAccount(t *testing.T) {
	r := newRig(t)
	number, err := r.Account(AccountID{Interface: "other", Service: "https://other.example", Key: "key"}, AccountOptions{
		Rate: r.rate, Catalogue: enrich.Named("figures", "owners", "files"),
	})
	r.check(err)
	const files = enrich.Field(2)
	req := request(person(1), enrich.FieldsOf(files))
	req.Account, req.Rates = number, cost.Rates{files: {Uses: cost.OfMoney(cost.Cent)}}
	ticket := r.grant(req)
	_, err = r.Settle(ticket.ID, enrich.Answered{Status: enrich.Matched, Returned: req.Lookup.Fields, Data: "other"})
	r.check(err)
	r.settle(r.grant(request(person(1), email)), found)
	wantSound(t, r.store)

	var shown bytes.Buffer
	r.check(verify.Dump(r.store, nil, &shown, func(of string, answered enrich.Answered) (any, error) {
		if (of == "other") != (answered.Data == "other") {
			t.Errorf("the dump reads %q as an answer of %q", answered.Data, of)
		}
		return "by " + of, nil
	}))
	if !strings.Contains(shown.String(), `"answer":"by other"`) {
		t.Errorf("the dump shows %s", shown.String())
	}
	var due []string
	r.check(EachExpired(r.store, start.Add(time.Hour), func(a ExpiredAttempt) error {
		due = append(due, a.Of)
		return nil
	}))
	if !slices.Equal(due, []string{"other", ""}) {
		t.Errorf("the expired answers are of %q", due)
	}
	held, err := r.Find(Person{Email: "ada@other.example"}, func(of string, _ enrich.Answered) (facts PersonFacts, err error) {
		if of == "other" {
			facts.Email = "ada@other.example"
		}
		return facts, nil
	})
	r.check(err)
	erased, err := r.Forget(held)
	r.check(err)
	if erased.Attempts != 2 { // that of the other account has the same profile URL
		t.Errorf("erased %+v, want the attempts of both accounts", erased)
	}
	on, err := r.For(number)
	r.check(err)
	known, err := on.Record(person(1))
	r.check(err)
	if known.States[files] != attempt.Forgotten {
		t.Errorf("the other account knows the states %v", known.States)
	}
	wantSound(t, r.store)
}
